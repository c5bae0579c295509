import FencepostHTTP
import FencepostJSON
import FencepostService
import HTTPTypes
import Hummingbird
import NIOCore

/// The route by which programs of language models ask (Model Context Protocol, streamable HTTP without a stream).
extension API {
    var modelContextRoutes: [Route] {
        [
            Route(
                method: .post, path: "/mcp", name: "postModelContext",
                summary: "Answers a message of the Model Context Protocol, with tools that read", tag: "System",
                access: .caller,
                parameters: [
                    Route.Parameter(
                        name: "MCP-Protocol-Version", source: .header, schema: Schema.words(ModelContext.revisions),
                        text: "The revision of the protocol that the client and the service have agreed on.")
                ],
                body: Route.Body(
                    types: ["application/json"], schema: Schema.named("ModelContextMessage"),
                    example: #"{"jsonrpc":"2.0","id":1,"method":"tools/list"}"#, isLarge: true),
                successes: [
                    .json(Schema.named("ModelContextMessage"), "The answer."),
                    Route.Success(status: .accepted, text: "The message wants no answer."),
                ],
                failures: [.badRequest],
                partition: .configuration,
                handle: { call in
                    try await modelContext(for: call).response(to: call.body)
                })
        ]
    }

    /// The protocol for one caller, whose rights its questions have.
    private func modelContext(for call: Call) -> ModelContext {
        let inner = services.inner
        return ModelContext(version: version, revision: call.headers[.protocolRevision]) { route, target, body in
            var headers = HTTPFields()
            for name in [HTTPField.Name.authorization, .cookie, .xForwardedFor] {
                headers[values: name] = call.headers[values: name]
            }
            headers[.accept] = RouteResponse.json
            if let body {
                headers[.contentType] = RouteResponse.json
                headers[.contentLength] = String(body.count)
            }
            let request = Request(
                head: HTTPRequest(
                    method: route.method, scheme: "http", authority: call.authority, path: target,
                    headerFields: headers), body: RequestBody(buffer: ByteBuffer(bytes: body ?? [])))
            guard let response = await inner.response(to: request, on: call.channel, isLocal: call.caller.isLocal)
            else { throw Problem.unavailable("The service starts. Try again.") }
            return (response.status, try await response.body.collected(limit: Self.largestAnswer))
        }
    }

    /// The most bytes of an answer of a tool.
    private static let largestAnswer = 64_000_000
}

extension HTTPField.Name {
    fileprivate static let protocolRevision = HTTPField.Name(literal: "MCP-Protocol-Version")
}
