import FencepostModel
import FencepostServer
import FencepostService
import FencepostSimulator
import FencepostStore
import FencepostTracing
import Testing

@Suite("The trace of an ingest request") struct TraceTests {
    private static let trace = "00-4bf92f3577b34da6a3ce929d0e0e4736-00f067aa0ba902b7-01"

    /// Fixes of a walk into the office.
    private static let latitudes = [50.0115, 50.0104, 50.0093, 50.0082, 50.0071, 50.006, 50.005]

    /// Composes one message per event, for one endpoint.
    private struct EveryEvent: MessageComposer {
        func messages(for event: NewEvent) -> [NewDelivery] {
            [
                NewDelivery(
                    endpointID: "a", eventID: event.id, deviceID: event.deviceID, body: "{}",
                    headers: ["content-type": "application/json"], isOrdered: false)
            ]
        }
    }

    @Test("is stored with the messages that the request caused, if it is valid") func isKept() async throws {
        // By device: the header of its request, and whether it is stored.
        let cases: [(device: String, header: String?, isKept: Bool)] = [
            ("none", nil, false), ("good", Self.trace, true), ("short", String(Self.trace.dropLast()), false),
            ("long", Self.trace + "-00", false), ("upper", Self.trace.uppercased(), false),
            ("version", "ff" + Self.trace.dropFirst(2), false),
            ("no-trace", "00-00000000000000000000000000000000-00f067aa0ba902b7-01", false),
            ("no-parent", "00-4bf92f3577b34da6a3ce929d0e0e4736-0000000000000000-01", false),
        ]
        try await TestServer.run(composer: EveryEvent()) { server in
            _ = try await server.post("/v1/endpoints", #"{"id":"a","url":"https://example.org/hook"}"#)
            _ = try await server.put("/v1/regions/office", TestServer.office)
            for (device, header, _) in cases {
                let fixes = Self.latitudes.enumerated().map { TestServer.location(device, $0, $1, 10.005) }
                let headers = header.map { [("traceparent", $0)] } ?? []
                let reply = try await server.post(
                    "/v1/locations", "{\"locations\":[\(fixes.joined(separator: ","))]}", headers: headers)
                #expect(reply.status == 200)
            }
            let messages = try await server.store.due(for: "a", at: .distantFuture, excluding: [], limit: 100)
            for (device, _, isKept) in cases {
                let own = messages.filter { $0.deviceID == DeviceID(device) }
                #expect(!own.isEmpty, "\(device)")
                #expect(own.allSatisfy { $0.headers["traceparent"] == (isKept ? Self.trace : nil) }, "\(device)")
            }
        }
    }

    // MARK: Recorded traces

    /// The attributes of a span, as texts.
    private static func attributes(_ span: Span) -> [String: String] {
        Dictionary(
            uniqueKeysWithValues: span.attributes.map { attribute in
                switch attribute.value {
                case .text(let text): (attribute.name, text)
                case .number(let number): (attribute.name, String(number))
                case .flag(let flag): (attribute.name, String(flag))
                }
            })
    }

    @Test("is recorded with the request and its decoding, by the service or the node that decodes it")
    func isRecorded() async throws {
        let tracer = Tracer(ratio: 1, seed: 1)
        try await TestServer.run {
            $0.tracer = tracer
        } _: { server in
            let location = TestServer.location("jane/phone", 0, 50.0115, 10.005)
            let reply = try await server.post(
                "/v1/locations", "{\"locations\":[\(location)]}", headers: [("traceparent", Self.trace)])
            #expect(reply.status == 200)
            let spans = tracer.take(100).spans
            #expect(spans.map(\.name) == ["decode", "POST /v1/locations"])
            let (decode, request) = try (#require(spans.first), #require(spans.last))
            let parent = try #require(TraceContext(traceparent: Self.trace))
            #expect(request.kind == .server && request.parentID == parent.spanID && request.failure == nil)
            #expect(request.context.traceID == parent.traceID && decode.context.traceID == parent.traceID)
            #expect(decode.parentID == request.context.spanID && decode.kind == .internal)
            #expect(request.start <= decode.start && decode.end <= request.end)
            #expect(Self.attributes(decode) == ["fencepost.locations": "1", "fencepost.rejected": "0"])
            #expect(
                Self.attributes(request) == [
                    "http.request.method": "POST", "url.scheme": "http", "url.path": "/v1/locations",
                    "http.route": "/v1/locations", "http.response.status_code": "200", "server.address": "127.0.0.1",
                    "server.port": "\(server.port)",
                ])
        }
    }

    @Test("is recorded with the reason of a request that is refused, which is the client's fault")
    func isRecordedWithRefusals() async throws {
        let tracer = Tracer(ratio: 1, seed: 1)
        try await TestServer.run {
            $0.tracer = tracer
        } _: { server in
            #expect(try await server.post("/v1/locations", "{\"locations\":").status == 400)
            let spans = tracer.take(100).spans
            #expect(spans.map(\.name) == ["decode", "POST /v1/locations"])
            let request = try #require(spans.last)
            #expect(request.parentID == nil && request.failure == nil)
            #expect(spans.map { Self.attributes($0)["error.type"] } == ["invalid_json", "invalid_json"])
            // Nothing was decoded.
            #expect(try await server.post("/v1/locations", "x", type: "text/csv").status == 415)
            #expect(tracer.take(100).spans.map { Self.attributes($0)["error.type"] } == ["unsupported_media_type"])
        }
    }

    @Test("is not recorded where the caller does not record it, nor for other requests") func isNotRecorded()
        async throws
    {
        let tracer = Tracer(ratio: 1, seed: 1)
        try await TestServer.run {
            $0.tracer = tracer
        } _: { server in
            let location = TestServer.location("jane/phone", 0, 50.0115, 10.005)
            _ = try await server.post(
                "/v1/locations", "{\"locations\":[\(location)]}",
                headers: [("traceparent", Self.trace.dropLast() + "0")])
            _ = try await server.get("/v1/devices")
            #expect(tracer.count == 0)
        }
    }
}
