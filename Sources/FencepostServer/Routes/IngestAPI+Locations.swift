import FencepostFormats
import FencepostHTTP
import FencepostJSON
import FencepostModel
import FencepostService
import HTTPTypes

/// Fencepost's own ingest route (rule I5).
extension IngestAPI {
    var postLocations: Route {
        Route(
            method: .post, path: "/v1/locations", name: "postLocations", summary: "Stores and evaluates locations",
            tag: "Locations", access: .scope(.ingest), traffic: .ingest,
            body: Route.Body(
                types: ["application/json", "application/x-ndjson", "application/ndjson", "application/geo+json"],
                schema: Schema.named("LocationBatch"),
                otherSchemas: ["application/geo+json": Schema.named("LocationCollection")],
                example: #"{"locations":[{"deviceId":"jane/phone","timestamp":"2026-03-01T08:30:00Z","#
                    + #""latitude":48.85833,"longitude":2.29513,"horizontalAccuracy":12}]}"#),
            successes: [
                .json(
                    Schema.named("IngestReport"), "The result for each location. Accepted locations are on disk.",
                    example: #"{"accepted":1,"duplicates":0,"rejected":[]}"#)
            ],
            partition: .divided,
            handle: { call in
                let rules = FixRules(defaultDevice: call.caller.deviceID, now: clock.latest(), areSent: true)
                let request = try await queue.run(for: call.owner, bytes: call.body.count) {
                    switch call.contentType {
                    case "application/x-ndjson", "application/ndjson":
                        try lines.decode(call.body, rules: rules)
                    case "application/geo+json": try NativeIngest.decode(geojson: call.body, rules: rules)
                    default: try NativeIngest.decode(json: call.body, rules: rules)
                    }
                }
                let receipt = try await submit(request, as: "native", call)
                if request.locations.isEmpty, !request.rejected.isEmpty {
                    throw Problem.allRejected(request.rejected)
                }
                return RouteResponse { writer in
                    writer.beginObject()
                    writer.member("accepted", receipt.accepted)
                    writer.member("duplicates", receipt.duplicates)
                    writer.array("rejected", request.rejected) { $0.value($1) }
                    if !request.dropped.isEmpty { writer.value(dropped: request.dropped) }
                    writer.endObject()
                }.naming(request.dropped)
            })
    }
}

extension JSONWriter {
    mutating func value(_ rejected: IngestRejection) {
        beginObject()
        member("index", rejected.index)
        member("code", rejected.rejection.code.rawValue)
        member("detail", rejected.rejection.message)
        endObject()
    }
}
