import FencepostModel
import FencepostService
import FencepostSimulator
import FencepostStore
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
}
