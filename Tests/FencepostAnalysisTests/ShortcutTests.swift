import FencepostAnalysis
import FencepostEngine
import FencepostGeometry
import FencepostModel
import FencepostMonitor
import FencepostRegions
import FencepostTesting
import Foundation
import Testing

/// The shortcuts of the engine change nothing: a full evaluation of every fix gives the same events.
@Suite("Shortcuts of the monitor") struct ShortcutTests {
    /// A day of devices with the errors of real phones, and regions near their tracks with all region properties.
    private struct Scene {
        var locations: [Location]
        var catalog: RegionCatalog
        var settings = MonitorSettings()

        /// Input of a seed. `isPlain` is whether all regions have the modes `raw` or `confirmed` and no altitude
        /// limits, which allows more shortcuts.
        init(seed: UInt64, isPlain: Bool) throws {
            var random = SeededGenerator(seed: seed)
            let benchmark =
                seed.isMultiple(of: 2)
                ? try BenchmarkGenerator.crossings(seed: seed) : BenchmarkGenerator.visits(seed: seed)
            locations = Array(benchmark.locations.prefix(6000))
            var regions = benchmark.regions
            for number in 0..<40 {
                guard let fix = locations.randomElement(using: &random) else { continue }
                let plane = LocalPlane(origin: fix.coordinate)
                regions.append(
                    Region(
                        id: RegionID("extra-\(number)"),
                        shape: .circle(
                            Circle(
                                center: plane.unproject(
                                    east: .random(in: -300...300, using: &random),
                                    north: .random(in: -300...300, using: &random)),
                                radius: .random(in: 15...3000, using: &random)))))
            }
            let times = locations.map(\.timestamp)
            for index in regions.indices { Self.vary(&regions[index], times, isPlain: isPlain, &random) }
            catalog = RegionCatalog(regions)
            settings.crossing = try #require(Self.modes(isPlain: isPlain).randomElement(using: &random))
            settings.reorderWindow = [.zero, .zero, .seconds(45)][Int.random(in: 0..<3, using: &random)]
            settings.staleAfter = [nil, .seconds(900), .zero][Int.random(in: 0..<3, using: &random)]
            settings.cushion = .random(in: 5...250, using: &random)
            if Bool.random(using: &random) { settings.visits = nil }
        }

        private static func modes(isPlain: Bool) -> [CrossingMode] {
            isPlain ? [.confirmed, .confirmed, .confirmed, .raw] : CrossingMode.allCases
        }

        private static func vary(
            _ region: inout Region, _ times: [Timestamp], isPlain: Bool, _ random: inout SeededGenerator
        ) {
            func chance(_ share: Double) -> Bool { Double.random(in: 0..<1, using: &random) < share }
            if chance(0.3) { region.dwells = [.seconds(60), .seconds(Int.random(in: 61...3000, using: &random))] }
            if chance(0.3) { region.crossing = modes(isPlain: isPlain).randomElement(using: &random) }
            if chance(0.1) { region.expires = times.randomElement(using: &random) }
            if !isPlain, chance(0.1) { region.minAltitude = 20 }
            if chance(0.1) { region.devices = [GlobPattern("*-1")] }
            if chance(0.1) { region.initialState = .silent }
            if chance(0.1) { region.notifyOnExit = false }
            if chance(0.15) {
                region.schedule = Schedule(
                    timeZone: TimeZone(secondsFromGMT: 0) ?? .current,
                    weekly: [.init(weekdays: Set(0..<7), start: 8 * 60, end: 17 * 60)])
            }
        }
    }

    /// Evaluates the scene, with clock ticks, snapshots and changes of regions between the fixes.
    private func events(_ scene: Scene, isThorough: Bool, seed: UInt64) throws -> (events: [Event], states: [String]) {
        var random = SeededGenerator(seed: seed)
        var catalog = scene.catalog
        var engine = MonitorEngine(
            RegionIndex(catalog), settings: scene.settings, explains: seed.isMultiple(of: 3), isThorough: isThorough)
        var events: [Event] = []
        var states: [String] = []
        for (number, location) in scene.locations.enumerated() {
            let now = location.timestamp + .seconds(Int.random(in: 0...30, using: &random))
            _ = try engine.accept(location, now: now) { events.append($0) }
            if Int.random(in: 0..<50, using: &random) == 0 {
                let due = try engine.advanceClock(to: now) { events.append($0) }
                states.append("\(number) \(due)")
            }
            if Int.random(in: 0..<400, using: &random) == 0, let state = engine.state(of: location.deviceID) {
                engine.restore(try JSONDecoder().decode(type(of: state), from: JSONEncoder().encode(state)))
            }
            guard number % 1500 == 1499 else { continue }
            let regions = catalog.regions.map(\.region)
            var changed = try #require(regions.randomElement(using: &random))
            changed.dwells = [.seconds(90)]
            changed.crossing = .raw
            let removed = regions.randomElement(using: &random).map { $0.id == changed.id ? [] : [$0.id] } ?? []
            catalog.update([changed], removing: removed)
            let affected = try engine.replace(RegionIndex(catalog), at: now) { events.append($0) }
            states.append("\(number) \(affected)")
        }
        try engine.finish { events.append($0) }
        for id in engine.deviceIDs.sorted(by: { $0.rawValue < $1.rawValue }) {
            let known = engine.state(of: id)
            let state = try #require(known)
            let encoder = JSONEncoder()
            encoder.outputFormatting = .sortedKeys
            states.append(String(decoding: try encoder.encode(state), as: UTF8.self))
        }
        return (events, states)
    }

    @Test("change no event and no state", arguments: SeedShare.of(1...34 as ClosedRange<UInt64>))
    func changeNothing(seed: UInt64) throws {
        let scene = try Scene(seed: seed, isPlain: seed > 24)
        let thorough = try events(scene, isThorough: true, seed: seed)
        let quick = try events(scene, isThorough: false, seed: seed)
        #expect(quick.events == thorough.events)
        #expect(quick.states == thorough.states)
        #expect(!thorough.events.isEmpty)
    }
}
