import FencepostEngine
import FencepostGeometry
import FencepostModel
import FencepostMonitor
import FencepostRegions
import FencepostService
import FencepostServiceTesting
import FencepostTesting
import Testing

@Suite("Changes of many regions") struct LargeChangeTests {
    private enum Step: Sendable {
        case locate([Location])
        case edit(changed: [Region], removed: [RegionID])
    }

    /// Fixes with changes of a few or many regions between them.
    private static func steps(seed: UInt64) -> [Step] {
        var random = SeededGenerator(seed: seed)
        var walk = RandomWalk.fixes(seed: seed, count: 200)[...]
        var steps: [Step] = []
        while !walk.isEmpty {
            if Int.random(in: 0..<4, using: &random) == 0 {
                let count = Int.random(in: 0..<2, using: &random) == 0 ? 4 : 150
                let ids = Set((0..<count).map { _ in Int.random(in: 0..<160, using: &random) }).sorted()
                let removed = ids.filter { _ in Int.random(in: 0..<3, using: &random) == 0 }
                steps.append(
                    .edit(
                        changed: ids.filter { !removed.contains($0) }.map { region($0, &random) },
                        removed: removed.map { RegionID("r\($0)") }))
            }
            let part = walk.prefix(Int.random(in: 1...25, using: &random))
            walk = walk.dropFirst(part.count)
            // The crowd has more dirty states than fit one commit.
            steps.append(.locate(Array(part) + crowd(at: part.last?.timestamp, &random)))
        }
        return steps
    }

    private static func crowd(at time: Timestamp?, _ random: inout SeededGenerator) -> [Location] {
        guard let time, Int.random(in: 0..<6, using: &random) == 0 else { return [] }
        return (0..<Int.random(in: 200...500, using: &random)).map { number in
            let coordinate = Coordinate(
                latitude: .random(in: 48.84...48.86, using: &random),
                longitude: .random(in: 2.33...2.37, using: &random))
            return Location(deviceID: DeviceID("one of many/\(number)"), timestamp: time, coordinate: coordinate)
        }
    }

    private static func region(_ number: Int, _ random: inout SeededGenerator) -> Region {
        let center = Coordinate(
            latitude: 48.84 + 0.02 * Double(number % 13) / 12, longitude: 2.33 + 0.04 * Double(number / 13) / 12)
        var region = Region(
            id: RegionID("r\(number)"),
            shape: .circle(Circle(center: center, radius: .random(in: 80...300, using: &random))))
        if number % 5 == 0 { region.dwells = [.seconds(60)] }
        return region
    }

    @Test(
        "emit the events of an engine that is changed synchronously, with restarts at any time",
        arguments: 1...12 as ClosedRange<UInt64>)
    func large(seed: UInt64) async throws {
        let now = MonitorWorkerTests.start + .seconds(86_400 * 30)
        let steps = Self.steps(seed: seed)
        var engine = MonitorEngine(RegionIndex(RegionCatalog()), settings: MonitorWorkerTests.settings)
        var expected: [String] = []
        for step in steps {
            switch step {
            case .locate(let locations):
                for location in locations { _ = try engine.accept(location, now: now) { expected.append($0.id) } }
            case .edit(let changed, let removed):
                var catalog = engine.catalog
                catalog.update(changed, removing: removed)
                try engine.replace(RegionIndex(catalog), at: now) { expected.append($0.id) }
            }
        }

        let store = MemoryMonitorStore()
        var random = SeededGenerator(seed: seed &+ 1000)
        var rest = steps[...]
        while !rest.isEmpty {
            let life = rest.prefix(Int.random(in: 1...30, using: &random))
            rest = rest.dropFirst(life.count)
            // A change that fails leaves nothing behind.
            let lost = Int.random(in: 0..<2, using: &random) == 0 ? Self.steps(seed: seed &+ 77) : []
            try await MonitorWorkerTests.withWorker(store, at: now) { worker in
                for step in life {
                    switch step {
                    case .locate(let locations): _ = try await worker.submit(MonitorWorkerTests.submission(locations))
                    case .edit(let changed, let removed):
                        _ = try await worker.editRegions { _ in RegionEdit(changed: changed, removed: removed) }
                    }
                }
                for case .edit(let changed, let removed) in lost {
                    store.fail(1)
                    await #expect(throws: MonitorFailure.storeUnavailable) {
                        _ = try await worker.editRegions { _ in RegionEdit(changed: changed, removed: removed) }
                    }
                    break
                }
            }
            store.fail(0)
        }
        #expect(store.contents.events.map(\.id) == expected)
        #expect(expected.count > 50)
        let stored = store.contents.state.regions.map(\.id).sorted()
        #expect(stored == engine.catalog.regions.map(\.region.id).sorted())
        #expect(store.contents.state.regionRevision == engine.catalog.revision)
    }
}
