import FencepostFormats
import FencepostGeometry
import FencepostHTTP
import FencepostModel
import FencepostService
import HTTPTypes
import Testing

@testable import FencepostServer

/// Which part a request is about, and how submissions are divided.
@Suite("Parts of a cluster") struct PartitionRoutesTests {
    private static func ownerOf(_ text: String, bound: String? = nil) -> PartitionRoutes.Owner {
        let words = text.split(separator: " ")
        let target = words[1].split(separator: "?", maxSplits: 1)
        return PartitionRoutes.owner(
            of: HTTPRequest.Method(String(words[0])) ?? .get, target[0],
            Query(target.count > 1 ? String(target[1]) : ""), bound: bound.map { DeviceID($0) })
    }

    private static let table: [(request: String, owner: PartitionRoutes.Owner)] = [
        ("GET /healthz", .node), ("GET /readyz", .node), ("GET /metrics", .node), ("HEAD /readyz", .node),
        ("GET /", .configuration), ("GET /readyz/x", .configuration), ("GET /page/js/a.js", .configuration),
        ("POST /pub", .ingest), ("POST /ingest/overland", .ingest), ("GET /ingest/osmand?id=x", .ingest),
        ("GET /%69ngest/osmand?id=x", .ingest), ("POST /v1/locations", .ingest), ("POST /v1/imports?x=1", .importFile),
        ("GET /v1/devices/a", .device(DeviceID("a"))),
        ("DELETE /v1/devices/a%2Fb?erase=true", .device(DeviceID("a/b"))),
        ("GET /v1/devices/a/export", .device(DeviceID("a"))), ("PUT /v1/devices/a/profile", .device(DeviceID("a"))),
        ("POST /v1/devices/a/evaluations", .device(DeviceID("a"))),
        ("GET /v1/devices/Zu%CC%88rich", .device(DeviceID("Z\u{FC}rich"))),
        ("GET /v1/devices/a+b", .device(DeviceID("a+b"))), ("GET /v1/devices/%0a", .configuration),
        ("GET /v1/devices/%ff", .configuration), ("GET /v1/devices/", .configuration), ("GET /v1/devices", .partitions),
        ("GET /v1/locations?deviceId=a", .device(DeviceID("a"))),
        ("GET /v1/locations?deviceId=a+b", .device(DeviceID("a b"))),
        ("GET /v1/locations?deviceId=&deviceId=b", .device(DeviceID("b"))),
        ("HEAD /v1/timeline?day=x&deviceId=Zu%CC%88rich", .device(DeviceID("Z\u{FC}rich"))),
        ("GET /v1/trips?deviceId=a", .device(DeviceID("a"))), ("GET /v1/summaries?deviceId=a", .device(DeviceID("a"))),
        ("GET /v1/events?deviceId=a", .device(DeviceID("a"))), ("GET /v1/visits?deviceId=a", .device(DeviceID("a"))),
        ("GET /v1/places?deviceId=a", .device(DeviceID("a"))), ("GET /v1/reports?deviceId=a", .device(DeviceID("a"))),
        ("GET /v1/apps/x/decisions?deviceId=a", .device(DeviceID("a"))),
        ("GET /v1/events?deviceId=a*", .partitions), ("GET /v1/trips?deviceId=%3Fa", .partitions),
        ("GET /v1/locations?deviceId=a*", .partitions), ("GET /v1/timeline?deviceId=*", .partitions),
        ("GET /v1/events?group=a", .partitions),
        ("GET /v1/events?deviceId=%0a", .configuration), ("GET /v1/events", .partitions),
        ("GET /v1/events/e1?deviceId=a", .partitions), ("GET /v1/stream?deviceId=a", .partitions),
        ("GET /v1/deliveries/1", .partitions), ("GET /v1/regions/r/devices", .partitions),
        ("POST /v1/places/p/region?deviceId=a", .partitions), ("GET /v2/devices/a", .configuration),
    ]

    @Test("are named by method, path and query", arguments: table) func owners(
        request: String, owner: PartitionRoutes.Owner
    ) {
        #expect(Self.ownerOf(request) == owner)
    }

    @Test("are those of the device that a token is bound to") func bound() {
        let device = PartitionRoutes.Owner.device(DeviceID("a"))
        for request in [
            "GET /v1/locations", "GET /v1/events", "GET /v1/devices", "GET /v1/events/e1", "POST /v1/imports",
            "GET /v1/imports/i1", "DELETE /v1/imports/i1", "GET /v1/regions/r/devices",
        ] {
            #expect(Self.ownerOf(request, bound: "a") == device, "\(request)")
        }
        for request in ["GET /v1/stream", "GET /v1/stream?deviceId=b", "GET /v1/tokens"] {
            #expect(Self.ownerOf(request, bound: "a") == .partitions, "\(request)")
        }
        #expect(Self.ownerOf("GET /v1/regions", bound: "a") == .configuration)
        #expect(Self.ownerOf("GET /v1/locations?deviceId=b", bound: "a") == .device(DeviceID("b")))
    }

    // MARK: - Division

    private static func randomSubmission(_ random: inout SplitMix64) -> Submission {
        func device(_ random: inout SplitMix64) -> DeviceID { DeviceID("d\(Int.random(in: 0..<12, using: &random))") }
        func time(_ random: inout SplitMix64) -> Timestamp {
            Timestamp(milliseconds: Int64.random(in: -1_000_000...4_000_000_000_000, using: &random))
        }
        func text(_ random: inout SplitMix64) -> String? { [nil, "", "ä b", "x"].randomElement(using: &random) ?? nil }
        func number(_ random: inout SplitMix64) -> Double? {
            Bool.random(using: &random) ? Double.random(in: 0...1e6, using: &random) : nil
        }
        func location(_ random: inout SplitMix64) -> Location {
            Location(
                deviceID: device(&random), timestamp: time(&random),
                coordinate: Coordinate(
                    latitude: Double.random(in: -90...90, using: &random),
                    longitude: Double.random(in: -180...180, using: &random)))
        }
        var submission = Submission(format: "native")
        submission.traceparent = Bool.random(using: &random) ? "00-ab-cd-01" : nil
        submission.locations = (0..<Int.random(in: 0...20, using: &random)).map { _ in location(&random) }
        submission.livePositions = (0..<Int.random(in: 0...2, using: &random)).map { _ in location(&random) }
        submission.reports = (0..<Int.random(in: 0...6, using: &random)).map { index in
            let kind: PhoneReport.Kind =
                switch index % 3 {
                case 0:
                    .transition(
                        Bool.random(using: &random) ? .enter : .leave, region: text(&random), regionID: text(&random),
                        trigger: text(&random))
                case 1:
                    .waypoint(
                        name: text(&random), regionID: text(&random), radius: number(&random),
                        createdAt: Bool.random(using: &random) ? time(&random) : nil)
                default:
                    .visit(
                        arrival: Bool.random(using: &random) ? time(&random) : nil,
                        departure: Bool.random(using: &random) ? time(&random) : nil, name: text(&random))
                }
            return PhoneReport(
                deviceID: device(&random), timestamp: time(&random),
                coordinate: Bool.random(using: &random) ? location(&random).coordinate : nil,
                horizontalAccuracy: number(&random), kind: kind)
        }
        submission.quarantined = (0..<Int.random(in: 0...6, using: &random)).map { index in
            QuarantineEntry(
                receivedAt: time(&random), format: "native",
                deviceID: Bool.random(using: &random) ? device(&random) : nil, index: index, code: "invalid_shape",
                detail: "ü", fix: Bool.random(using: &random) ? location(&random) : nil)
        }
        return submission
    }

    @Test("get all records of their devices in order, and nothing else", arguments: 1...200 as ClosedRange<UInt64>)
    func division(seed: UInt64) {
        var random = SplitMix64(seed: seed)
        let submission = Self.randomSubmission(&random)
        let partitions = Partitioning(count: Int.random(in: 1...5, using: &random))
        let shares = submission.divided(among: partitions)
        #expect(shares.values.allSatisfy { !$0.isEmpty && $0.format == "native" })
        #expect(shares.values.allSatisfy { $0.traceparent == submission.traceparent })
        for part in partitions.devices {
            let share = shares[part] ?? Submission(format: "native")
            #expect(share.isAll(of: part, in: partitions))
            func isHere(_ device: DeviceID?) -> Bool { (device.map(partitions.part(of:)) ?? .partition(0)) == part }
            #expect(share.locations == submission.locations.filter { isHere($0.deviceID) })
            #expect(share.livePositions == submission.livePositions.filter { isHere($0.deviceID) })
            #expect(share.reports == submission.reports.filter { isHere($0.deviceID) })
            #expect(share.quarantined == submission.quarantined.filter { isHere($0.deviceID) })
        }
        #expect(Set(shares.keys).isSubset(of: partitions.devices))
    }

    @Test("get what was encoded, and refuse other bytes", arguments: 1...30 as ClosedRange<UInt64>)
    func bytes(seed: UInt64) throws {
        var random = SplitMix64(seed: seed)
        let entries = (0..<Int.random(in: 0...3, using: &random)).map { index in
            SubmissionEnvelope.Entry(
                tokenHash: index == 1 ? nil : (0..<32).map { _ in UInt8.random(in: 0...255, using: &random) },
                submission: Self.randomSubmission(&random),
                clockLead: Int64.random(in: -10_000_000...10_000_000, using: &random))
        }
        let envelope = SubmissionEnvelope(version: .everything, sentAt: TestServer.now, entries: entries)
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
        let outcomes: [SubmissionEnvelope.Outcome] = [
            .stored(SubmissionReceipt(accepted: 300, late: 1, duplicates: 2)), .unhandled, .refused,
            .clockDiffers(Int64.random(in: -10_000_000...10_000_000, using: &random)),
        ].shuffled(using: &random)
        let reply = SubmissionEnvelope.Reply.outcomes(outcomes)
        #expect(try SubmissionEnvelope.Reply(decoding: reply.encoded, count: 4) == reply)
        for count in [3, 5] {
            #expect(throws: InvalidEnvelope.self) {
                try SubmissionEnvelope.Reply(decoding: reply.encoded, count: count)
            }
        }
    }
}
