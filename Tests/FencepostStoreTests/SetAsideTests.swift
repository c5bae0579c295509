import FencepostEngine
import FencepostFormats
import FencepostGeometry
import FencepostModel
import FencepostMonitor
import FencepostServiceTesting
import FencepostTesting
import Foundation
import Logging
import Testing

@testable import FencepostService
@testable import FencepostStore

/// A device whose evaluation ends the process is stored and not evaluated, until it is released; all others are served.
@Suite("A device that is set aside") struct SetAsideTests {
    private static let (bad, good) = (DeviceID("bad"), DeviceID("good"))

    private static var settings: MonitorSettings {
        var settings = MonitorSettings()
        settings.crossing = .raw
        return settings
    }

    /// Runs a service whose former process ended twice by a fault in the evaluation of a device.
    private static func withService(
        _ store: SQLiteStore, _ time: ManualTime, faultsOf device: DeviceID? = nil, work: WorkJournal.Work = .start,
        evaluates: Bool = true,
        _ body: @escaping @Sendable (MonitorWorker, HistoryService) async throws -> Void
    ) async throws {
        let memory = UnsafeMutableRawPointer.allocate(byteCount: WorkJournal.byteCount, alignment: 4096)
        memory.initializeMemory(as: UInt8.self, repeating: 0, count: WorkJournal.byteCount)
        for _ in 0..<(device == nil ? 0 : WorkJournal.faultLimit) {
            let former = WorkJournal(memory, version: "") { _ in }
            former.begin(work, device?.rawValue ?? "", in: .worker)
            former.noteFault()
        }
        let journal = WorkJournal(memory, version: "") { $0.deallocate() }
        let logger = Logger(label: "test", factory: { _ in SwiftLogNoOpLogHandler() })
        let brief: @Sendable (Duration) async throws -> Void = { _ in try await Task.sleep(for: .milliseconds(2)) }
        let worker = MonitorWorker(
            store: store, composer: NoMessages(), settings: settings, clock: time.clock, logger: logger,
            journal: journal, sleep: brief)
        let history = HistoryService(store: store, worker: worker, logger: logger, sleep: brief)
        try await withThrowingTaskGroup(of: Void.self) { group in
            group.addTask { try await worker.run() }
            if evaluates { group.addTask { await history.run() } }
            await worker.waitUntilStarted()
            try await body(worker, history)
            group.cancelAll()
        }
    }

    private static func submit(_ fixes: some Sequence<Location>, to worker: MonitorWorker) async throws
        -> SubmissionReceipt
    {
        var submission = Submission(format: "native")
        submission.locations = Array(fixes)
        return try await worker.submit(submission)
    }

    @Test("is stored, and evaluated after its release as if it had never been", arguments: 1...4 as ClosedRange<UInt64>)
    func released(seed: UInt64) async throws {
        let (first, other) = (
            SeededTrack(seed: seed, device: Self.bad).fixes, SeededTrack(seed: seed + 9, device: Self.good).fixes
        )
        let last = max(first.last?.timestamp ?? SeededTrack.start, other.last?.timestamp ?? SeededTrack.start)
        let time = ManualTime(last + .seconds(86_400))
        let cut = [first.count / 3, first.count / 2, first.count * 3 / 4]
        try await withStore { store in
            try await Self.withService(store, time) { worker, _ in
                _ = try await worker.editRegions { _ in RegionEdit(changed: SeededTrack.regions) }
                _ = try await Self.submit(first[..<cut[0]] + other[..<10], to: worker)
            }
            try await Self.withService(store, time, faultsOf: Self.bad) { worker, history in
                let items = try await store.setAside()
                #expect(items.map(\.id) == ["bad"] && items.map(\.ends) == [2] && items.map(\.work) == [.start])
                #expect(try await Self.submit(first[cut[0]..<cut[1]], to: worker).accepted == cut[1] - cut[0])
                #expect(try await Self.submit(first[cut[0]..<cut[1]], to: worker).duplicates == cut[1] - cut[0])
                #expect(try await Self.submit(other[10...], to: worker).accepted == other.count - 10)
                #expect(worker.device(Self.bad) == nil && worker.device(Self.good) != nil)
                #expect(try await store.nextEvaluation()?.deviceID != Self.bad)
                let check = try Doctor.examine(store.path).first { $0.name == "setAside" }
                #expect(check?.problems.first?.contains("bad") == true)
            }
            // It stays so.
            try await Self.withService(store, time) { worker, history in
                #expect(try await Self.submit(first[cut[1]..<cut[2]], to: worker).accepted == cut[2] - cut[1])
                #expect(worker.device(Self.bad) == nil)
                let isKnown = try await history.release(DeviceID("nobody"))
                #expect(!isKnown)
                let isReleased = try await history.release(Self.bad)
                #expect(isReleased)
                // What comes before the evaluation has ended is in its result too.
                _ = try await Self.submit(first[cut[2]...], to: worker)
                #expect(try await history.waitUntilEvaluated([Self.bad], atMost: .seconds(60)))
                #expect(try await store.setAside().isEmpty)
                for (device, track) in [(Self.bad, first), (Self.good, other)] {
                    let expected = try Expected(track, Self.settings, now: nil)
                    try await expected.compare(to: store, of: device)
                    #expect(worker.device(device)?.regions == expected.status.regions)
                    #expect(worker.device(device)?.lastLocation == expected.status.lastLocation)
                }
            }
            // The next start has the same states.
            try await Self.withService(store, time) { worker, _ in
                let expected = try Expected(first, Self.settings, now: nil)
                #expect(worker.device(Self.bad)?.regions == expected.status.regions)
            }
            #expect(try Doctor.examine(store.path).filter { !$0.isPassed }.map { "\($0.name): \($0.problems)" } == [])
        }
    }

    @Test("goes on where a restart meets its release, and is set aside again by the next faults")
    func restartedRelease() async throws {
        let track = SeededTrack(seed: 5, device: Self.bad).fixes
        let time = ManualTime((track.last?.timestamp ?? SeededTrack.start) + .seconds(86_400))
        try await withStore { store in
            try await Self.withService(store, time) { worker, _ in
                _ = try await worker.editRegions { _ in RegionEdit(changed: SeededTrack.regions) }
                _ = try await Self.submit(track.prefix(50), to: worker)
            }
            try await Self.withService(store, time, faultsOf: Self.bad, work: .history, evaluates: false) { worker, _ in
                _ = try await Self.submit(track.dropFirst(50), to: worker)
                // The service ends before the device is evaluated.
                _ = try await worker.take(.releaseDevice(Self.bad))
                #expect(try await store.setAside().map(\.isReleased) == [true])
            }
            try await Self.withService(store, time, faultsOf: Self.bad, work: .history) { _, _ in
                let items = try await store.setAside()
                #expect(items.map(\.isReleased) == [false] && items.map(\.ends) == [4])
            }
            try await Self.withService(store, time) { worker, history in
                _ = try await history.release(Self.bad)
                #expect(try await history.waitUntilEvaluated([Self.bad], atMost: .seconds(60)))
                try await Expected(track, Self.settings, now: nil).compare(to: store, of: Self.bad)
            }
        }
    }

    @Test("can be removed")
    func removed() async throws {
        let time = ManualTime(SeededTrack.start + .seconds(86_400))
        let track = SeededTrack(seed: 2, device: Self.bad).fixes.prefix(40)
        try await withStore { store in
            try await Self.withService(store, time, faultsOf: Self.bad, work: .arrival) { worker, _ in
                _ = try await Self.submit(track, to: worker)
                let wasKnown = try await worker.forget(Self.bad)
                #expect(wasKnown)
                #expect(try await store.setAside().isEmpty)
                // It begins as any other.
                _ = try await Self.submit([SeededTrack(seed: 3, device: Self.bad).fixes[0]], to: worker)
                #expect(worker.device(Self.bad) != nil)
            }
        }
    }

    @Test("is an import as well, which goes on once it is released")
    func imports() async throws {
        let track = SeededTrack(seed: 4, device: Self.good).fixes
        let time = ManualTime((track.last?.timestamp ?? SeededTrack.start) + .seconds(86_400))
        try await withStore { store in
            var job = ImportJob(
                id: "imp_1", file: nil, format: "gpx", createdAt: SeededTrack.start, locations: track.count, ignored: 0,
                rejected: "[]")
            job.state = .staging
            try await store.add(job)
            try await store.stage(track, number: 0, of: job.id)
            try await store.begin(job)
            var item = SetAside(.import, job.id, work: .importing, ends: 2, since: SeededTrack.start)
            item.isReleased = false
            try await store.setAside([item])
            let hidden = try await store.nextImport()
            #expect(hidden == nil)
            #expect(try await store.importJob(job.id)?.state == .paused)
            try await Self.withService(store, time) { worker, history in
                let isReleased = try await history.releaseImport("imp_1")
                #expect(isReleased)
                while try await store.importJob("imp_1")?.state != .done { try await Task.sleep(for: .milliseconds(5)) }
                #expect(try await store.importJob("imp_1")?.stored == track.count)
            }
        }
    }
}
