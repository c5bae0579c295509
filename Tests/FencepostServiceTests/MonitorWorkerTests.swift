import FencepostEngine
import FencepostFormats
import FencepostGeometry
import FencepostJSON
import FencepostModel
import FencepostMonitor
import FencepostRegions
import FencepostServiceTesting
import FencepostSimulator
import FencepostTesting
import Logging
import Testing

@testable import FencepostService

@Suite("Monitor worker") struct MonitorWorkerTests {
    static let start = RandomWalk.start

    static func worker(
        _ store: MemoryMonitorStore, at now: Timestamp, settings: MonitorSettings = settings,
        succession: WorkerSuccession = WorkerSuccession()
    ) -> MonitorWorker {
        MonitorWorker(
            store: store, composer: NoMessages(), settings: settings, clock: ManualTime(now).clock,
            logger: Logger(label: "test", factory: { _ in SwiftLogNoOpLogHandler() }), succession: succession,
            sleep: { _ in await Task.yield() })
    }

    /// Runs a body with a worker over a store, and cancels the worker afterwards.
    static func withWorker(
        _ store: MemoryMonitorStore, at now: Timestamp, settings: MonitorSettings = settings,
        succession: WorkerSuccession = WorkerSuccession(), _ body: @Sendable (MonitorWorker) async throws -> Void
    ) async throws {
        let worker = worker(store, at: now, settings: settings, succession: succession)
        try await withThrowingTaskGroup(of: Void.self) { group in
            group.addTask { try await worker.run() }
            await worker.waitUntilStarted()
            try await body(worker)
            group.cancelAll()
        }
    }

    static let settings: MonitorSettings = {
        var settings = MonitorSettings()
        settings.crossing = .raw
        return settings
    }()

    static func submission(_ locations: some Sequence<Location>) -> Submission {
        var submission = Submission(format: "native")
        submission.locations = Array(locations)
        return submission
    }

    /// The events of an engine that evaluates the fixes directly.
    static func expected(_ walk: [Location], at now: Timestamp) throws -> (ids: [String], stored: Int) {
        var engine = MonitorEngine(RegionIndex(RegionCatalog(RandomWalk.regions)), settings: settings)
        var ids: [String] = []
        for location in walk { _ = try engine.accept(location, now: now) { ids.append($0.id) } }
        return (ids, engine.counts.accepted + engine.counts.late)
    }

    @Test("writes checkpoints at its end, unless others stand by", arguments: [false, true])
    func succession(isAwaited: Bool) async throws {
        let store = MemoryMonitorStore()
        let succession = WorkerSuccession(isAwaited: { isAwaited })
        try await Self.withWorker(store, at: Self.start + .seconds(86_400), succession: succession) { worker in
            _ = try await worker.submit(Self.submission(RandomWalk.fixes(seed: 1, count: 20)))
        }
        #expect(store.contents.checkpoints.isEmpty == isAwaited)
    }

    @Test(
        "stores every acknowledged fix once and emits the events of an undisturbed run",
        arguments: 1...20 as ClosedRange<UInt64>)
    func survives(seed: UInt64) async throws {
        let walk = RandomWalk.fixes(seed: seed, count: 400)
        let now = Self.start + .seconds(86_400 * 30)
        let store = MemoryMonitorStore()
        try await Self.withWorker(store, at: now) { worker in
            _ = try await worker.editRegions { _ in RegionEdit(changed: RandomWalk.regions) }
        }
        var random = SeededGenerator(seed: seed &* 77)
        var index = 0
        var acknowledged = 0
        while index < walk.count {
            // One run of the worker: some batches, some refused, and an end at any point.
            let life = Int.random(in: 1...12, using: &random)
            let failures = (0..<life).map { _ in Int.random(in: 0..<4, using: &random) == 0 }
            let sizes = (0..<life).map { _ in Int.random(in: 1...25, using: &random) }
            let first = index
            let done = Progress()
            try await Self.withWorker(store, at: now) { worker in
                var next = first
                for (size, fails) in zip(sizes, failures) where next < walk.count {
                    let batch = walk[next..<min(next + size, walk.count)]
                    if fails { store.fail(1) }
                    // A client repeats what was not acknowledged.
                    while true {
                        do {
                            let receipt = try await worker.submit(Self.submission(batch))
                            await done.add(receipt.accepted)
                            break
                        } catch {
                            #expect(error as? MonitorFailure == .storeUnavailable)
                            await Task.yield()
                        }
                    }
                    next += batch.count
                    await done.advance(to: next)
                }
                store.fail(.max)
            }
            store.fail(0)
            index = await done.index ?? index
            acknowledged += await done.accepted
        }
        let expected = try Self.expected(walk, at: now)
        let contents = store.contents
        #expect(contents.events.map(\.id) == expected.ids)
        #expect(Set(contents.events.map(\.id)).count == contents.events.count)
        #expect(contents.locations.count == expected.stored)
        #expect(Set(contents.locations.map { FixKey($0.location) }).count == contents.locations.count)
        #expect(acknowledged == expected.stored)
        #expect(expected.ids.count > 20)
    }

    private actor Progress {
        var index: Int?
        var accepted = 0
        func advance(to index: Int) { self.index = index }
        func add(_ count: Int) { accepted += count }
    }

    @Test("stores the submissions that wait together in one commit")
    func oneCommit() async throws {
        let store = MemoryMonitorStore()
        let worker = Self.worker(store, at: Self.start)
        try await withThrowingTaskGroup(of: Int.self) { group in
            for device in 0..<200 {
                group.addTask {
                    let location = Location(
                        deviceID: DeviceID("d\(device)"), timestamp: Self.start,
                        coordinate: Coordinate(latitude: 1, longitude: 1))
                    return try await worker.submit(Self.submission([location])).accepted
                }
            }
            // The worker starts when all of them wait.
            while worker.inbox.locationCount < 200 { await Task.yield() }
            try await withThrowingTaskGroup(of: Void.self) { run in
                run.addTask { try await worker.run() }
                var sum = 0
                for _ in 0..<200 { sum += try await group.next() ?? 0 }
                #expect(sum == 200)
                #expect(worker.devices(after: nil, in: nil, limit: 500).count == 200)
                run.cancelAll()
            }
        }
        #expect(store.contents.log.map(\.locations.count) == [200])
        // The first commit stores the settings.
        #expect(store.contents.commitCount == 2)
    }

    @Test("splits submissions into batches at the limit, and takes a larger one alone")
    func batches() async throws {
        let store = MemoryMonitorStore()
        let worker = Self.worker(store, at: Self.start)
        let sizes = [3000, 1096, 1, 5000, 4000]
        try await withThrowingTaskGroup(of: Int.self) { group in
            for (number, size) in sizes.enumerated() {
                let locations = (0..<size).map { index in
                    Location(
                        deviceID: DeviceID("d\(number)"), timestamp: Self.start + .seconds(index),
                        coordinate: Coordinate(latitude: 1, longitude: 1))
                }
                let before = worker.inbox.locationCount
                group.addTask { try await worker.submit(Self.submission(locations)).accepted }
                while worker.inbox.locationCount < before + size { await Task.yield() }
            }
            try await withThrowingTaskGroup(of: Void.self) { run in
                run.addTask { try await worker.run() }
                for _ in sizes { _ = try await group.next() }
                run.cancelAll()
            }
        }
        #expect(store.contents.log.map(\.locations.count) == [4096, 1, 5000, 4000])
    }

    @Test("emits one exit for a device inside a deleted region")
    func deletes() async throws {
        let store = MemoryMonitorStore()
        let inside = Location(
            deviceID: DeviceID("d"), timestamp: Self.start, coordinate: Coordinate(latitude: 48.85, longitude: 2.35))
        for life in 0..<2 {
            try await Self.withWorker(store, at: Self.start + .seconds(life)) { worker in
                if life == 0 {
                    _ = try await worker.editRegions { _ in RegionEdit(changed: RandomWalk.regions) }
                    _ = try await worker.submit(Self.submission([inside]))
                    #expect(worker.device(DeviceID("d"))?.regions == [RegionID("a")])
                } else {
                    #expect(worker.device(DeviceID("d"))?.regions == [RegionID("a")])
                    let catalog = try await worker.editRegions { _ in RegionEdit(removed: [RegionID("a")]) }
                    #expect(catalog.count == 2)
                    #expect(worker.device(DeviceID("d"))?.regions == [])
                }
            }
        }
        #expect(store.contents.events.map(\.type) == ["region.entered", "region.exited"])
        #expect(store.contents.events.last?.body.contains("\"reason\":\"deleted\"") == true)
    }

    @Test("changes nothing when an edit throws")
    func refusesEdits() async throws {
        struct Refusal: Error {}
        let store = MemoryMonitorStore()
        try await Self.withWorker(store, at: Self.start) { worker in
            await #expect(throws: Refusal.self) { _ = try await worker.editRegions { _ in throw Refusal() } }
            #expect(worker.regions().catalog.count == 0)
        }
        #expect(store.contents.state.regions.isEmpty)
    }

    @Test("keeps the steps of an app with their times")
    func keepsSteps() async throws {
        let store = MemoryMonitorStore()
        let app = StoredApp(
            id: "diary",
            definition: #"{"id":"diary","given":{"grant":"always","lifecycle":"suspended"},"services":["visits"]}"#)
        let json = #"{"do":"terminate","by":"user"}"#
        let (step, problems) = ScenarioReader(file: nil).step(
            try JSONDocument(parsing: Array(json.utf8)).root, at: JSONPointer())
        #expect(problems.isEmpty)
        let taken = Kept()
        for life in 0..<2 {
            try await Self.withWorker(store, at: Self.start + .seconds(life * 3600)) { worker in
                if life == 0 {
                    try await worker.editApps { _ in AppEdit(changed: [app]) }
                    let reports = try await worker.take(steps: [AppStep(try #require(step), json: json)], app: "diary")
                    #expect(reports?.count == 1)
                    #expect(try await worker.take(steps: [], app: "nobody") == nil)
                    await taken.keep(worker.apps().first?.simulation)
                } else {
                    #expect(worker.apps().first?.simulation == (await taken.simulation))
                    #expect(worker.apps().first?.simulation.device.terminatedBy == .user)
                }
            }
        }
    }

    private actor Kept {
        var simulation: CoreLocationSimulation?
        func keep(_ simulation: CoreLocationSimulation?) { self.simulation = simulation }
    }

    @Test("applies new settings after a restart, and emits no event twice")
    func changesSettings() async throws {
        let store = MemoryMonitorStore()
        let walk = RandomWalk.fixes(seed: 5, count: 200)
        let now = Self.start + .seconds(86_400)
        try await Self.withWorker(store, at: now) { worker in
            _ = try await worker.editRegions { _ in RegionEdit(changed: RandomWalk.regions) }
            _ = try await worker.submit(Self.submission(walk[..<100]))
            store.fail(.max)
        }
        store.fail(0)
        let before = store.contents.events.count
        var other = Self.settings
        other.crossing = .confirmed
        try await Self.withWorker(store, at: now, settings: other) { worker in
            _ = try await worker.submit(Self.submission(walk[..<100]))
        }
        #expect(store.contents.events.count == before)
        #expect(before > 0)
    }
}
