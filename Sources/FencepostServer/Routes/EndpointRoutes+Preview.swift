import FencepostHTTP
import FencepostJSON
import FencepostService
import HTTPTypes

/// The preview of messages for people.
extension API {
    var previewEndpoint: Route {
        Route(
            method: .post, path: "/v1/endpoints/preview", name: "previewEndpoint",
            summary: "Writes the messages that an endpoint for people would send about sample events, and sends none",
            tag: "Webhooks", access: .unbound(.write),
            parameters: [
                Route.Parameter(
                    name: "id", schema: Schema.text,
                    text: "An endpoint whose secrets stand for those that the body leaves out.")
            ],
            body: Route.Body(
                types: ["application/json"], schema: Schema.named("NewEndpoint"),
                example: #"{"kind":"ntfy","url":"https://ntfy.sh/my-topic","template":{"title":"{{sentence}}"}}"#),
            successes: [
                .json(
                    #"{"type":"object","required":["messages"],"properties":{"messages":{"type":"array","items":{"#
                        + #""type":"object","required":["type","title","body"],"properties":{"type":{"type":"string"},"#
                        + #""title":{"type":"string"},"body":{"type":"string"}}}}}}"#,
                    "A message for each sample event; none for a webhook.")
            ],
            partition: .configuration,
            handle: { call in
                var current: Endpoint?
                if let id = call.query["id"] { current = try await store.endpoint(id: id)?.endpoint }
                let endpoint = try read(try call.json().root, over: nil, replacing: current)
                let previews = endpoints.preview(endpoint)
                return RouteResponse { writer in
                    writer.beginObject()
                    writer.name("messages")
                    writer.beginArray()
                    for preview in previews {
                        writer.beginObject()
                        writer.member("type", preview.type)
                        writer.member("title", preview.title)
                        writer.member("body", preview.body)
                        writer.endObject()
                    }
                    writer.endArray()
                    writer.endObject()
                }
            })
    }
}
