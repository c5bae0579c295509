import FencepostEngine
import FencepostGeometry
import FencepostModel
import FencepostMonitor
import FencepostServiceTesting
import FencepostTesting
import Foundation
import Testing

@testable import FencepostService
@testable import FencepostStore

/// After any split, order and arrival time of the fixes of both devices, what holds is the result of all in time order.
@Suite("Stored pairs") struct ProximityStoreTests {
    static let rule: ProximityRule = {
        var rule = ProximityRule(id: "pair", distance: 300)
        rule.dwell = .seconds(300)
        rule.reportsUnaccompanied = true
        return rule
    }()

    struct Case: CustomTestStringConvertible, Sendable {
        var seed: UInt64
        var arrival: LateDataTests.Arrival
        var restarts: Bool
        var testDescription: String { "\(arrival) \(seed)\(restarts ? " with restarts" : "")" }
    }

    static let cases = LateDataTests.Arrival.allCases.flatMap { arrival in
        (1...6 as ClosedRange<UInt64>).map { Case(seed: $0, arrival: arrival, restarts: $0.isMultiple(of: 2)) }
    }

    @Test("give the events of all fixes in time order", arguments: cases) func isTheOrderOfTime(of item: Case)
        async throws
    {
        var random = SeededGenerator(seed: item.seed &* 6_700_417 &+ (item.arrival == .live ? 1 : 2))
        let devices = (0..<3).map { DeviceID("phone/\($0)") }
        let tracks = devices.map { SeededTrack(seed: random.next(), device: $0).fixes }
        var settings = MonitorSettings()
        settings.visits = nil
        settings.proximity = [Self.rule]
        if item.arrival == .windowed { settings.reorderWindow = .seconds(90) }
        let last = tracks.joined().map(\.timestamp).max() ?? SeededTrack.start
        let parcels = Parcel.split(tracks, item.arrival, &random)
        let end = item.arrival == .recorded ? last + .seconds(86_400 * 20) : last + .seconds(5000)
        let time = ManualTime(item.arrival == .recorded ? end : SeededTrack.start)
        let monitor = settings
        let wanted = Self.expected(tracks)
        #expect(wanted.count >= 2)
        try await withStore { store in
            let parts = item.restarts ? 3 : 1
            let size = (parcels.count + parts - 1) / parts
            for part in 0..<parts {
                let piece = Array(parcels.dropFirst(part * size).prefix(size))
                try await LateDataTests.withService(store, monitor, time) { worker, history in
                    for parcel in piece {
                        if let now = parcel.arrival, now > time.clock.wall() {
                            time.advance(by: now - time.clock.wall())
                        }
                        try await LateDataTests.submit(parcel, to: worker)
                    }
                    guard part == parts - 1 else { return }
                    for _ in 0..<2000 where try await !store.proximityTasks().isEmpty {
                        try await Task.sleep(for: .milliseconds(5))
                    }
                    #expect(try await history.waitUntilEvaluated(Set(devices), atMost: .seconds(60)))
                    #expect(try await store.proximityTasks().isEmpty)
                }
            }
            let held = try await Self.held(store)
            #expect(wanted.subtracting(held).sorted() == [])
            #expect(held.subtracting(wanted).sorted() == [])
            // The rows say what holds, too.
            let rows = try await store.proximityCheckpoint(of: [], rules: [Self.rule.stateKey])
            #expect(rows.pairs.flatMap(\.transitions).count == wanted.count)
            for device in devices {
                var filter = HistoryFilter()
                filter.deviceID = device
                let sequences = try await store.events(filter, after: Int64(0), limit: .max)
                    .compactMap { $0.event.message?.sequence }
                #expect(sequences == sequences.indices.map { $0 + 1 })
            }
            let doctor = try Doctor.examine(store.path)
            #expect(doctor.filter { !$0.isPassed }.map { "\($0.name): \($0.problems)" } == [])
        }
    }

    @Test("are seen by who may see both devices") func rights() async throws {
        var settings = MonitorSettings()
        settings.proximity = [Self.rule]
        let monitor = settings
        let tracks = ["kids/ann", "dog"].map { SeededTrack(seed: 5, device: DeviceID($0)).fixes }
        let time = ManualTime(SeededTrack.start + .seconds(86_400))
        try await withStore { store in
            try await LateDataTests.withService(store, monitor, time) { worker, _ in
                try await LateDataTests.submit(Parcel(fixes: Array(tracks.joined())), to: worker)
            }
            func count(_ patterns: [String]?) async throws -> Int {
                var filter = HistoryFilter()
                filter.types = [GlobPattern("proximity.*")]
                filter.devices = patterns.map { $0.map(GlobPattern.init) }
                return try await store.events(filter, after: nil, limit: 99).count
            }
            #expect(try await count(nil) > 0)
            #expect(try await count(["*"]) == count(nil))
            #expect(try await count(["kids/*", "dog"]) == count(nil))
            #expect(try await count(["kids/*"]) == 0)
            #expect(try await count(["dog"]) == 0)
        }
    }

    @Test("are erased with either device") func erasure() async throws {
        var settings = MonitorSettings()
        settings.proximity = [Self.rule]
        let monitor = settings
        let tracks = ["kids/ann", "dog"].map { SeededTrack(seed: 5, device: DeviceID($0)).fixes }
        let time = ManualTime(SeededTrack.start + .seconds(86_400))
        try await withStore { store in
            try await LateDataTests.withService(store, monitor, time) { worker, _ in
                try await LateDataTests.submit(Parcel(fixes: Array(tracks.joined())), to: worker)
                #expect(try await !Self.held(store).isEmpty)
                let statuses = worker.devices(after: nil, in: nil, limit: .max)
                #expect(statuses.count == 2 && statuses.allSatisfy(\.isInPairs))
                // Each is the second device of some events, or the first one.
                _ = try await worker.forget(DeviceID("kids/ann"))
                try await store.erase(DeviceID("kids/ann"))
                #expect(try await Self.held(store).isEmpty)
                #expect(try await store.proximityCheckpoint(of: [], rules: [Self.rule.stateKey]).pairs.isEmpty)
            }
        }
    }

    // MARK: What holds

    private static func expected(_ tracks: [[Location]]) -> Set<String> {
        var watch = ProximityWatch([rule])
        for location in tracks.joined() { _ = watch.take(location) }
        return Set(
            watch.evaluate().flatMap { change in
                change.added.map { text($0.event(of: rule, watch.id(change.pair.first), watch.id(change.pair.second))) }
            })
    }

    private static func held(_ store: SQLiteStore) async throws -> Set<String> {
        var filter = HistoryFilter()
        (filter.holdsOnly, filter.origins) = (true, [.live, .history, .correction])
        filter.types = [GlobPattern("proximity.*")]
        return Set(
            try await store.events(filter, after: nil, limit: 100_000).compactMap { $0.event.message?.event }.map(text))
    }

    private static func text(_ event: Event) -> String {
        guard case .proximity(let report) = event.occurrence else { return "" }
        return "\(event.timestamp.rfc3339) \(event.occurrence.type.rawValue) \(event.deviceID) \(report.other)"
    }
}
