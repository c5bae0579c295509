import FencepostGeometry
import FencepostJSON
import FencepostModel
import FencepostService
import FencepostServiceTesting
import FencepostStore
import FencepostTesting
import FencepostTransport
import Foundation
import NIOHTTP1
import Synchronization
import Testing

@testable import FencepostServer

/// Locations that a node decodes which does not lead.
@Suite("Ingest gateways") struct IngestGatewayTests {
    /// A request to an ingest route.
    struct Sent: Sendable, CustomTestStringConvertible {
        var method = "POST"
        var path: String
        var body: String?
        var type = "application/json"
        var headers: [(name: String, value: String)] = []
        /// Whether the node answers it without sending it on.
        var isDecoded = true

        var testDescription: String { "\(method) \(path) \(body?.prefix(60) ?? "")" }
    }

    private static let ownTracks =
        #"{"_type":"location","lat":48.85833,"lon":2.29513,"tst":1772352000,"acc":12,"vel":36,"batt":40,"t":"u"}"#
    private static let overland =
        #"{"locations":[{"type":"Feature","geometry":{"type":"Point","coordinates":[2.36,48.86]},"#
        + #""properties":{"timestamp":"2026-03-01T08:10:00Z","horizontal_accuracy":5,"device_id":"eve","#
        + #""battery_level":0.5,"battery_state":"charging"}}],"current":{"type":"Feature","geometry":{"type":"Point","#
        + #""coordinates":[2.37,48.87]},"properties":{"timestamp":"2026-03-01T08:12:00Z","device_id":"eve"}}}"#
    private static let visit =
        #"{"locations":[{"type":"Feature","geometry":{"type":"Point","coordinates":[2.36,48.86]},"properties":{"#
        + #""timestamp":"2026-03-01T08:30:00Z","action":"visit","arrival_date":"2026-03-01T08:00:00Z","#
        + #""departure_date":null,"device_id":"eve"}}]}"#

    static let requests: [Sent] = [
        Sent(path: "/pub", body: ownTracks, headers: [("X-Limit-U", "Jane"), ("X-Limit-D", "Phone")]),
        Sent(path: "/ingest/owntracks?u=bob&d=tab", body: ownTracks, type: "text/plain"),
        // The same one again is a duplicate.
        Sent(path: "/pub", body: ownTracks, headers: [("X-Limit-U", "Jane"), ("X-Limit-D", "Phone")]),
        Sent(path: "/ingest/overland", body: overland),
        Sent(
            method: "GET", path: "/ingest/osmand?id=van&lat=50.1&lon=10.1&timestamp=1772352300&speed=10&batt=50&hdop=1"),
        Sent(
            path: "/ingest/osmand", body: "id=van&lat=50.2&lon=10.1&timestamp=1772352360",
            type: "application/x-www-form-urlencoded"),
        Sent(
            method: "GET", path: "/ingest/gpslogger?device=log&lat=50.3&lon=10.1&time=2026-03-01T08:05:00Z&spd=3&acc=8"),
        Sent(
            path: "/v1/locations",
            body: "{\"locations\":[\(TestServer.location("jane", 1, 50.005, 10.005)),"
                + "\(TestServer.location("jane", 2, 50.005, 10.005, extra: ",\"floor\":2,\"isSimulated\":true"))]}"),
        Sent(
            path: "/v1/locations", body: TestServer.location("jane", 3, 50.005, 10.005) + "\n",
            type: "application/x-ndjson"),
        Sent(path: "/v1/locations?x=1", body: "{\"locations\":[]}", isDecoded: false),
        // What needs a remark is the leader's to answer.
        Sent(path: "/ingest/overland", body: visit, isDecoded: false),
        Sent(
            path: "/v1/locations",
            body: "{\"locations\":[\(TestServer.location("jane", 4, 95, 10)),"
                + "\(TestServer.location("jane", 5, 50, 10))]}", isDecoded: false),
        Sent(
            path: "/pub?u=jane&d=phone", body: #"{"_type":"location","lat":123,"lon":2,"tst":1772352000}"#,
            isDecoded: false),
        Sent(path: "/pub?u=jane&d=phone", body: "{", isDecoded: false),
        Sent(path: "/pub?u=jane&d=phone", body: ownTracks, type: "image/png", isDecoded: false),
        Sent(method: "GET", path: "/ingest/osmand?lat=1&lon=2", isDecoded: false),
        Sent(method: "GET", path: "/ingest/nothing", isDecoded: false),
        // Nothing to store.
        Sent(path: "/pub", body: #"{"_type":"steps","steps":4}"#),
    ]

    /// The tokens of a leader's store, as a node's copy has them.
    private struct Copy: TokenSource {
        let leader: TestServer

        func token(hash: [UInt8]) async throws -> AccessToken? { try await leader.store.token(hash: hash) }
    }

    private static func withGateway(
        skew: Duration = .zero,
        _ body: @escaping @Sendable (_ leader: TestServer, _ follower: NodeRouterTests.Node) async throws -> Void
    ) async throws {
        try await NodeRouterTests.withCluster { leader, follower in
            let time = ManualTime(TestServer.now + skew)
            follower.router.decode(with: Copy(leader: leader), clock: time.clock(notBefore: .distantPast))
            try await body(leader, follower)
            follower.router.decode(with: nil, clock: time.clock(notBefore: .distantPast))
        }
    }

    /// Requests that the leader has handled itself.
    private static func handled(by leader: TestServer) -> Int {
        leader.log.lines.withLock { $0.count { $0.contains(" request ") } }
    }

    private static func listings(_ server: TestServer) async throws -> [String] {
        var texts: [String] = []
        for path in [
            "/v1/locations?deviceId=jane", "/v1/locations?deviceId=jane%2Fphone", "/v1/locations?deviceId=bob%2Ftab",
            "/v1/locations?deviceId=van", "/v1/locations?deviceId=eve", "/v1/locations?deviceId=log", "/v1/events",
            "/v1/reports", "/v1/quarantine", "/v1/devices",
        ] {
            texts.append(path + ": " + (try await server.get(path)).text)
        }
        return texts
    }

    private struct Answer: Hashable, Sendable {
        var status: Int
        var type: String?
        var body: String
    }

    @Test("A node that does not lead answers and stores as the leader does") func equal() async throws {
        let direct = Mutex<(answers: [Answer], listings: [String])>(([], []))
        try await TestServer.run { server in
            _ = try await server.put("/v1/regions/office", TestServer.office)
            for sent in Self.requests {
                let reply = try await server.send(
                    HTTPMethod(rawValue: sent.method), sent.path, body: sent.body.map { Array($0.utf8) },
                    type: sent.body == nil ? nil : sent.type, headers: sent.headers.map { ($0.name, $0.value) })
                let answer = Answer(status: reply.status, type: reply["content-type"], body: reply.text)
                direct.withLock { $0.answers.append(answer) }
            }
            let listings = try await Self.listings(server)
            direct.withLock { $0.listings = listings }
        }
        let expected = direct.withLock { $0 }
        try await Self.withGateway { leader, follower in
            _ = try await leader.put("/v1/regions/office", TestServer.office)
            for (sent, answer) in zip(Self.requests, expected.answers) {
                let before = Self.handled(by: leader)
                var headers = sent.headers
                if sent.body != nil { headers.append(("Content-Type", sent.type)) }
                let reply = try await Self.send(follower, sent, headers, leader.token)
                #expect(
                    Answer(
                        status: reply.status, type: reply.header("content-type"),
                        body: String(decoding: reply.body, as: UTF8.self)) == answer, "\(sent.testDescription)")
                #expect((Self.handled(by: leader) == before) == sent.isDecoded, "\(sent.testDescription)")
            }
            #expect(try await Self.listings(leader) == expected.listings)
        }
    }

    private static func send(
        _ node: NodeRouterTests.Node, _ sent: Sent, _ headers: [(name: String, value: String)], _ token: String
    ) async throws -> HTTPClientResponse {
        var request = HTTPClientRequest(sent.method, node.url + sent.path, body: sent.body.map { Array($0.utf8) })
        request.headers = [("Authorization", "Bearer \(token)")] + headers
        return try await HTTPClient.shared.response(to: request)
    }

    @Test("A revoked token is refused by all nodes at once, and a new one is accepted") func revocation() async throws {
        try await Self.withGateway { leader, follower in
            let body = "{\"locations\":[\(TestServer.location("jane", 1, 50, 10))]}"
            let token = try await leader.issue(["ingest"])
            #expect(try await follower.send("POST", "/v1/locations", body, token: token).status == 200)
            let list = try await leader.get("/v1/tokens").json["data"]?.array
            let id = try #require(list?.first { $0["name"]?.string == "test" }?["id"]?.string)
            #expect(try await leader.send(.DELETE, "/v1/tokens/\(id)").status == 204)
            #expect(try await follower.send("POST", "/v1/locations", body, token: token).status == 401)
            // It may do other things, and send for one device only.
            let reader = try await leader.issue(["read"])
            #expect(try await follower.send("POST", "/v1/locations", body, token: reader).status == 403)
            let bound = try await leader.issue(["ingest"], device: "bob")
            #expect(try await follower.send("POST", "/v1/locations", body, token: bound).status == 403)
            #expect(try await follower.send("POST", "/v1/locations", body, token: nil).status == 401)
            #expect(try await leader.get("/v1/locations?deviceId=jane").json["data"]?.array?.count == 1)
        }
    }

    @Test("Nodes whose clocks differ leave the decoding to the leader", arguments: [-6, 6]) func clocks(
        seconds: Int
    ) async throws {
        try await Self.withGateway(skew: .seconds(seconds)) { leader, follower in
            let before = Self.handled(by: leader)
            for minute in 1...3 {
                let body = "{\"locations\":[\(TestServer.location("jane", minute, 50, 10))]}"
                let reply = try await follower.send("POST", "/v1/locations", body, token: leader.token)
                #expect(String(decoding: reply.body, as: UTF8.self) == #"{"accepted":1,"duplicates":0,"rejected":[]}"#)
            }
            #expect(Self.handled(by: leader) == before + 3)
        }
    }

    @Test("Requests of many devices at the same time are stored once each, in few messages") func together()
        async throws
    {
        try await Self.withGateway { leader, follower in
            let before = Self.handled(by: leader)
            try await withThrowingTaskGroup(of: Int.self) { group in
                for number in 0..<40 {
                    group.addTask {
                        var accepted = 0
                        for minute in 0..<10 {
                            let body = "{\"locations\":[\(TestServer.location("d\(number)", minute, 50, 10))]}"
                            let reply = try await follower.send("POST", "/v1/locations", body, token: leader.token)
                            let counts = try JSONDocument(parsing: reply.body).root
                            accepted += counts["accepted"]?.int ?? 0
                        }
                        return accepted
                    }
                }
                for try await accepted in group { #expect(accepted == 10) }
            }
            #expect(Self.handled(by: leader) == before)
            for number in [0, 17, 39] {
                let stored = try await leader.get("/v1/locations?deviceId=d\(number)").json["data"]?.array
                let times = stored?.compactMap { $0["timestamp"]?.string } ?? []
                #expect(times.count == 10 && times == times.sorted())
            }
        }
    }

    // MARK: - The bytes of a message

    private static func randomLocation(_ random: inout SplitMix64) -> Location {
        func number(_ random: inout SplitMix64) -> Double? {
            Bool.random(using: &random) ? Double.random(in: -1e6...1e6, using: &random) : nil
        }
        var location = Location(
            deviceID: DeviceID("d\(Int.random(in: 0..<5, using: &random))ä"),
            timestamp: Timestamp(milliseconds: Int64.random(in: -1_000_000...4_000_000_000_000, using: &random)),
            coordinate: Coordinate(
                latitude: Double.random(in: -90...90, using: &random),
                longitude: Double.random(in: -180...180, using: &random)))
        location.horizontalAccuracy = number(&random).map(abs)
        location.altitude = number(&random)
        location.verticalAccuracy = number(&random).map(abs)
        location.speed = number(&random).map(abs)
        location.course = number(&random).map(abs)
        location.batteryLevel = number(&random).map(abs)
        location.batteryState =
            Bool.random(using: &random) ? Location.BatteryState.allCases.randomElement(using: &random) : nil
        location.isSimulated = [nil, true, false].randomElement(using: &random) ?? nil
        location.floor = Bool.random(using: &random) ? Int.random(in: -3...90, using: &random) : nil
        location.source = Bool.random(using: &random) ? "owntracks" : nil
        location.trigger = Bool.random(using: &random) ? "ü" : nil
        return location
    }

    private static func randomEnvelope(_ random: inout SplitMix64) -> SubmissionEnvelope {
        let entries = (0..<Int.random(in: 0...4, using: &random)).map { _ in
            var submission = Submission(format: "native")
            if Bool.random(using: &random) { submission.traceparent = "00-ab-cd-01" }
            submission.locations = (0..<Int.random(in: 0...6, using: &random)).map { _ in randomLocation(&random) }
            submission.livePositions = (0..<Int.random(in: 0...1, using: &random)).map { _ in randomLocation(&random) }
            return SubmissionEnvelope.Entry(
                tokenHash: (0..<32).map { _ in UInt8.random(in: 0...255, using: &random) }, submission: submission)
        }
        return SubmissionEnvelope(sentAt: TestServer.now, entries: entries)
    }

    @Test("What is decoded is what was encoded, and other bytes are refused", arguments: 1...50 as ClosedRange<UInt64>)
    func bytes(seed: UInt64) throws {
        var random = SplitMix64(seed: seed)
        let envelope = Self.randomEnvelope(&random)
        let bytes = envelope.encoded
        #expect(try SubmissionEnvelope(decoding: bytes) == envelope)
        for end in 0..<bytes.count {
            #expect(throws: InvalidEnvelope.self) { try SubmissionEnvelope(decoding: Array(bytes[..<end])) }
        }
        for _ in 0..<200 {
            var damaged = bytes
            damaged[Int.random(in: 0..<bytes.count, using: &random)] ^= UInt8.random(in: 1...255, using: &random)
            // It is refused or another message, and nothing is read outside.
            _ = try? SubmissionEnvelope(decoding: damaged)
        }
        let receipts = envelope.entries.map { _ in
            Bool.random(using: &random)
                ? SubmissionReceipt(
                    accepted: Int.random(in: 0...1000, using: &random), late: Int.random(in: 0...3, using: &random),
                    duplicates: Int.random(in: 0...300, using: &random)) : nil
        }
        for reply in [SubmissionEnvelope.Reply.receipts(receipts), .clocksDiffer] {
            #expect(try SubmissionEnvelope.Reply(decoding: reply.encoded, count: receipts.count) == reply)
            #expect(throws: InvalidEnvelope.self) {
                try SubmissionEnvelope.Reply(decoding: reply.encoded + [7], count: receipts.count)
            }
        }
    }
}
