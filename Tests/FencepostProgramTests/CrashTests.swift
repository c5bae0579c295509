import FencepostEngine
import FencepostGeometry
import FencepostJSON
import FencepostModel
import FencepostMonitor
import FencepostRegionFiles
import FencepostRegions
import FencepostService
import FencepostServiceTesting
import FencepostTesting
import Foundation
import NIOCore
import Synchronization
import Testing

/// The service is killed repeatedly under load and must lose and duplicate nothing (rules D1, D2).
///
/// `FENCEPOST_SOAK_ROUNDS` is the number of rounds; `make soak` runs 200 of each test. `FENCEPOST_SOAK_PROGRAM` is the
/// program, by default the one that was built with the tests.
@Suite("A killed service", .serialized) struct CrashTests {
    static let rounds = ProcessInfo.processInfo.environment["FENCEPOST_SOAK_ROUNDS"].flatMap { Int($0) } ?? 6
    private static let seed = ProcessInfo.processInfo.environment["FENCEPOST_SOAK_SEED"].flatMap { UInt64($0) } ?? 1
    private static let devices = 6

    /// A phone that moves, and sends fixes again until they are acknowledged.
    struct Phone: Sendable {
        let id: String
        var random: SeededGenerator
        var position = Coordinate(latitude: 48.85, longitude: 2.35)
        var time: Timestamp

        mutating func next() -> Location {
            position.latitude = min(
                max(position.latitude + .random(in: -0.0015...0.0015, using: &random), 48.843), 48.857)
            position.longitude = min(max(position.longitude + .random(in: -0.002...0.002, using: &random), 2.34), 2.36)
            // As they are after parsing their JSON.
            position.latitude = (position.latitude * 1e6).rounded() / 1e6
            position.longitude = (position.longitude * 1e6).rounded() / 1e6
            time = time + .seconds(Int.random(in: 5...60, using: &random))
            return Location(deviceID: DeviceID(id), timestamp: time, coordinate: position, horizontalAccuracy: 10)
        }
    }

    static let regions: [Region] = [("a", 48.85, 2.35), ("b", 48.853, 2.353), ("c", 48.847, 2.346)].map {
        name, latitude, longitude in
        var region = Region(
            id: RegionID(name),
            shape: .circle(Circle(center: Coordinate(latitude: latitude, longitude: longitude), radius: 250)))
        region.dwells = [.seconds(120)]
        return region
    }

    static func text(_ locations: [Location]) -> String {
        locations.map { location in
            "{\"deviceId\":\"\(location.deviceID)\",\"timestamp\":\(location.timestamp.milliseconds),"
                + "\"latitude\":\(location.coordinate.latitude),\"longitude\":\(location.coordinate.longitude),"
                + "\"horizontalAccuracy\":10}\n"
        }.joined()
    }

    /// The fixes and acknowledgements of all phones.
    final class Ledger: Sendable {
        private struct State {
            var port = 0
            var acknowledged: [DeviceID: [Location]] = [:]
            var editorActions: [EditorAction] = []
            var imports = 0
            var isOver = false
            var ends: [ContinuousClock.Instant] = []
        }

        private let state = Mutex(State())

        var port: Int {
            get { state.withLock { $0.port } }
            set { state.withLock { $0.port = newValue } }
        }
        var ends: [ContinuousClock.Instant] { state.withLock { $0.ends } }

        func recordEnd() { state.withLock { $0.ends.append(.now) } }

        var isOver: Bool {
            get { state.withLock { $0.isOver } }
            set { state.withLock { $0.isOver = newValue } }
        }
        var acknowledged: [DeviceID: [Location]] { state.withLock { $0.acknowledged } }
        /// What the editor of regions and its phone did, in order.
        var editorActions: [EditorAction] { state.withLock { $0.editorActions } }
        /// Files that are in the service's queue or stored.
        var imports: Int { state.withLock { $0.imports } }

        func note(_ action: EditorAction) { state.withLock { $0.editorActions.append(action) } }
        func noteImport() { state.withLock { $0.imports += 1 } }

        func acknowledge(_ locations: [Location]) {
            state.withLock { state in
                for location in locations { state.acknowledged[location.deviceID, default: []].append(location) }
            }
        }
    }

    private static func configuration(
        _ receiver: WebhookReceiver, _ folder: ServiceFolder, broker: Broker?
    ) throws -> String {
        var writer = JSONWriter()
        writer.featureCollection(of: regions) { $0.value($1) }
        _ = try folder.write("regions.geojson", String(decoding: writer.bytes, as: UTF8.self))
        let address = "http://127.0.0.1:\(receiver.port)"
        return try folder.write(
            "config.json",
            """
            {"regions":["regions.geojson"],"monitor":{"crossing":"raw"},"visits":{"enabled":false},
             "endpoints":[{"id":"one","url":"\(address)/one"},{"id":"two","url":"\(address)/two","ordered":true},
                          {"id":"all","url":"\(address)/all","history":true,"corrections":true}],
             "webhooks":{"allowHTTP":true,"allowedNetworks":["127.0.0.0/8"]}
             \(broker.map { ",\"mqtt\":{\"host\":\"127.0.0.1\",\"port\":\($0.port),\"clientId\":\"soak\"}" } ?? "")}
            """)
    }

    @Test("stores every acknowledged fix once, and reports the events of a service that was never killed")
    func survives() async throws { try await survive(isLate: false) }

    /// A quarter of the batches comes later than newer ones, by ingest or as a file. Long files are imported in the
    /// background, regions change, and one phone sends by MQTT.
    @Test("evaluates late batches, imports, changes of regions and MQTT completely: what holds is the oracle's result")
    func survivesLate() async throws { try await survive(isLate: true) }

    private func survive(isLate: Bool) async throws {
        print("kill -9, \(Self.rounds) rounds, seed \(Self.seed), \(isLate ? "with" : "without") late batches")
        let folder = try ServiceFolder()
        let receiver = try await WebhookReceiver()
        let broker = isLate && Broker.program != nil ? try Broker(configuration: Self.brokerLines) : nil
        let config = try Self.configuration(receiver, folder, broker: broker)
        let ledger = Ledger()
        var random = SeededGenerator(seed: Self.seed)
        // The phones live faster than the clock, and no fix may be in the future.
        let start = Timestamp(seconds: Int64(Date().timeIntervalSince1970) - Int64(60 + Self.rounds) * 86_400)
        var program = try await RunningProgram(in: folder.url, arguments: ["--config", config])
        let token = try #require(program.firstToken)
        ledger.port = program.port
        let points =
            [MonitorWorker.CrashPoint.evaluated, .committed].map { (name: $0.rawValue, counts: 5...40) }
            + (isLate ? [HistoryService.CrashPoint.chunkEvaluated, .chunkApplied, .sliceStored] : [])
            .map { (name: $0.rawValue, counts: 1...8) }

        try await withThrowingTaskGroup(of: Void.self) { group in
            for number in 0..<Self.devices {
                let seed = random.next()
                group.addTask {
                    var phone = Phone(id: "phone/\(number)", random: SeededGenerator(seed: seed), time: start)
                    var postponed: [[Location]] = []
                    while !ledger.isOver || !postponed.isEmpty {
                        var batch = (0..<Int.random(in: 1...20, using: &phone.random)).map { _ in phone.next() }
                        var path = "/v1/locations"
                        if ledger.isOver || Int.random(in: 0..<4, using: &phone.random) == 0, !postponed.isEmpty {
                            postponed.append(batch)
                            batch = postponed.removeFirst()
                            if Bool.random(using: &phone.random) { path = "/v1/imports" }
                            // Nothing new once it is over.
                            if ledger.isOver { postponed.removeLast() }
                        } else if isLate, !ledger.isOver, Int.random(in: 0..<4, using: &phone.random) == 0 {
                            postponed.append(batch)
                            continue
                        }
                        while true {
                            let client = Client(port: ledger.port, token: token)
                            if let answer = try? await client.request(
                                "POST", path, body: Self.text(batch), type: "application/x-ndjson",
                                // The client continues to connect to a closed port.
                                timeout: .milliseconds(800)),
                                answer.status == 200 || answer.status == 202
                            {
                                ledger.acknowledge(batch)
                                break
                            }
                            // The service is down for a moment; the phone retries.
                            try await Task.sleep(for: .milliseconds(10))
                        }
                    }
                }
            }
            if isLate {
                let seeds = [random.next(), random.next(), random.next()]
                group.addTask { try await Self.importFiles(ledger, token, seed: seeds[0], start) }
                group.addTask { try await Self.editRegions(ledger, token, seed: seeds[1], start) }
                if let broker {
                    try await Self.waitForBroker(program, token)
                    group.addTask { try await Self.publish(broker, ledger, seed: seeds[2], start) }
                } else {
                    print("without MQTT: mosquitto is not installed")
                }
            }
            for round in 0..<Self.rounds {
                if round > 0, round % 50 == 0 {
                    print("\(round) rounds, \(ledger.acknowledged.values.joined().count) fixes acknowledged")
                }
                if TestCluster.size > 1 { try await Self.waitForPhones(ledger) }
                try await Task.sleep(for: .milliseconds(Int.random(in: 20...200, using: &random)))
                // A long file needs some time until it is in the queue.
                let imports = ledger.imports
                for _ in 0..<300 where isLate && round % 10 == 9 && ledger.imports == imports {
                    try await Task.sleep(for: .milliseconds(20))
                }
                await program.killHard()
                try await Self.recordEnd(ledger, receiver)
                // Every third round crashes at a chosen point, the others at a random moment.
                var environment: [String: String] = [:]
                if round % 3 == 0, let point = points.randomElement(using: &random) {
                    environment["FENCEPOST_CRASH_AT"] =
                        "\(point.name):\(Int.random(in: point.counts, using: &random))"
                }
                program = try await RunningProgram(
                    in: folder.url, arguments: ["--config", config], environment: environment)
                ledger.port = program.port
                if !environment.isEmpty {
                    // A point that is not passed, because nothing is imported at the moment, ends the round too.
                    let status = await program.waitForEnd(atMost: .seconds(2))
                    #expect(status == SIGKILL)
                    try await Self.recordEnd(ledger, receiver)
                    program = try await RunningProgram(in: folder.url, arguments: ["--config", config])
                    ledger.port = program.port
                }
            }
            try await Task.sleep(for: .milliseconds(200))
            ledger.isOver = true
            try await group.waitForAll()
        }

        let client = Client(port: program.port, token: token)
        if isLate {
            try await Self.compareLate(client, ledger, receiver)
        } else {
            try await Self.compare(client, ledger, receiver)
        }
        let status = await program.stop()
        #expect(status == 0)
        try await receiver.close()
    }

    /// Waits until something new of each phone is acknowledged: after the kill of a leader when another node has taken
    /// over, of each partition that it led.
    private static func waitForPhones(_ ledger: Ledger) async throws {
        func counts() -> [Int] {
            (0..<devices).map { ledger.acknowledged[DeviceID("phone/\($0)")]?.count ?? 0 }
        }
        let before = counts()
        for _ in 0..<1500 {
            if zip(before, counts()).allSatisfy({ $0 < $1 }) { return }
            try await Task.sleep(for: .milliseconds(20))
        }
        Issue.record("some phones get no acknowledgement for 30 s")
    }

    /// Notes that the process has ended, once the receiver has read what it sent: on a busy machine that is later.
    private static func recordEnd(_ ledger: Ledger, _ receiver: WebhookReceiver) async throws {
        // The other nodes of a cluster send too.
        if TestCluster.size == 1 { try await receiver.untilQuiet() }
        ledger.recordEnd()
    }

    /// Counts the messages that came again, and compares them.
    ///
    /// A crash repeats the messages whose requests were open, which no service can avoid, and those whose answers were
    /// not stored yet. The receiver answers at once, so the second kind is older at the end of the process.
    ///
    /// - Parameters:
    ///   - receiver: what was received.
    ///   - ends: when the process had ended and all of it was received, in ascending order.
    /// - Returns: the counts.
    static func repeats(_ receiver: WebhookReceiver, ends: [ContinuousClock.Instant]) -> String {
        let messages = Dictionary(grouping: receiver.received) { "\($0.path) \($0.id)" }
        var ages: [Duration] = []
        for (name, same) in messages {
            #expect(Set(same.map(\.body)).count == 1, "\(name) has two bodies")
            for (one, next) in zip(same, same.dropFirst()) {
                let end = ends.first { $0 >= one.time && $0 <= next.time }
                #expect(end != nil, "\(name) came again without a crash in between")
                if let end { ages.append(end - one.time) }
            }
        }
        let count = receiver.received.count
        let old = ages.count { $0 > .milliseconds(20) }
        return "\(count) messages received, \(count - messages.count) of them again, "
            + "\(old) of these answered more than 20 ms before the crash; "
            + "the oldest \((ages.max() ?? .zero).milliseconds) ms"
    }

    private static func compare(
        _ client: Client, _ ledger: Ledger, _ receiver: WebhookReceiver
    ) async throws {
        var fixes = 0
        var emitted: Set<String> = []
        for (device, locations) in ledger.acknowledged {
            fixes += locations.count
            let name = device.rawValue.replacing("/", with: "%2F")
            let stored = try await client.all("/v1/locations?deviceId=\(name)")
            let times = stored.compactMap { $0["timestamp"] as? String }
            let wanted = locations.map { location in
                var text: [UInt8] = []
                location.timestamp.appendRFC3339(to: &text)
                return String(decoding: text, as: UTF8.self)
            }
            #expect(times == wanted, "\(device): \(times.count) stored, \(wanted.count) acknowledged")

            var settings = MonitorSettings()
            (settings.crossing, settings.visits) = (.raw, nil)
            var engine = MonitorEngine(RegionIndex(RegionCatalog(regions)), settings: settings)
            var expected: [Event] = []
            for location in locations { _ = try engine.accept(location) { expected.append($0) } }
            let events = try await client.all("/v1/events?deviceId=\(name)")
            #expect(events.compactMap { $0["id"] as? String } == expected.map(\.id))
            #expect(
                events.compactMap { $0["sequence"] as? Int }
                    == Array(1...max(1, events.count)).prefix(events.count).map { $0 })
            for region in regions {
                let crossings = events.filter {
                    ($0["region"] as? [String: Any])?["id"] as? String == region.id.rawValue
                        && $0["type"] as? String != "region.dwelled"
                }.compactMap { $0["type"] as? String }
                #expect(zip(crossings, crossings.dropFirst()).allSatisfy { $0 != $1 })
            }
            emitted.formUnion(expected.map(\.id))
        }
        #expect(fixes > 100 && emitted.count > 20)
        for endpoint in ["one", "two"] {
            // In this order: what is delivered while the list is read must be in one of them.
            let pending = Set(
                try await client.all("/v1/deliveries?endpointId=\(endpoint)&status=pending")
                    .compactMap { $0["eventId"] as? String })
            let delivered = Set(receiver.received.filter { $0.path == "/\(endpoint)" }.map(\.id))
            let missing = emitted.subtracting(delivered).subtracting(pending)
            #expect(missing.isEmpty, "\(endpoint): \(missing.count) of \(emitted.count) neither delivered nor pending")
            #expect(delivered.isSubset(of: emitted), "an event was delivered that did not happen")
        }
        print("\(fixes) fixes acknowledged, \(emitted.count) events, \(repeats(receiver, ends: ledger.ends))")
    }
}
