import FencepostEngine
import FencepostGeometry
import FencepostModel
import FencepostMonitor
import FencepostService
import FencepostServiceTesting
import FencepostTesting
import Testing

@Suite("Device status cache") struct DeviceStatusCacheTests {
    private static func shown(_ worker: MonitorWorker) -> [DeviceStatus] {
        worker.devices(after: nil, in: nil, limit: 100).map { status in
            var status = status
            status.version = 0
            return status
        }
    }

    @Test(
        "has the statuses that a worker has after a restart",
        arguments: 1...12 as ClosedRange<UInt64>, [Duration.zero, .seconds(60)])
    func restarts(seed: UInt64, window: Duration) async throws {
        var settings = MonitorWorkerTests.settings
        settings.reorderWindow = window
        settings.staleAfter = .seconds(900)
        let walk = RandomWalk.fixes(seed: seed, count: 300)
        let now = MonitorWorkerTests.start + .seconds(86_400 * 30)
        let store = MemoryMonitorStore()
        var random = SeededGenerator(seed: seed &* 31)
        var offset = 0
        var before: [DeviceStatus]?
        while offset < walk.count {
            let end = min(walk.count, offset + Int.random(in: 1...60, using: &random))
            let batches = stride(from: offset, to: end, by: 9).map { Array(walk[$0..<min($0 + 9, end)]) }
            let change = Int.random(in: 0..<8, using: &random)
            let expected = before
            let shown = Latest()
            try await MonitorWorkerTests.withWorker(store, at: now, settings: settings) { worker in
                if let expected { #expect(Self.shown(worker) == expected) }
                for batch in batches { _ = try await worker.submit(MonitorWorkerTests.submission(batch)) }
                switch change {
                case 0: _ = try await worker.forget(DeviceID("walker/1"))
                case 1: _ = try await worker.forget(DeviceID("walker/3"))
                case 2: _ = try await worker.editRegions { _ in RegionEdit(changed: RandomWalk.regions) }
                default: break
                }
                // The next fix of a device evaluates it against the changed regions.
                for batch in batches where change == 2 {
                    for var fix in batch {
                        fix.timestamp = fix.timestamp + .seconds(1)
                        _ = try await worker.submit(MonitorWorkerTests.submission([fix]))
                    }
                }
                await shown.set(Self.shown(worker))
            }
            before = await shown.value
            offset = end
        }
        #expect(before?.isEmpty == false)
    }

    @Test("keeps a live position until a newer fix arrives, and removes it with its device")
    func live() async throws {
        let (a, b) = (DeviceID("a"), DeviceID("b"))
        @Sendable func fix(_ device: DeviceID, _ second: Int64, _ latitude: Double) -> Location {
            Location(
                deviceID: device, timestamp: MonitorWorkerTests.start + .seconds(second),
                coordinate: Coordinate(latitude: latitude, longitude: 2))
        }
        try await MonitorWorkerTests.withWorker(MemoryMonitorStore(), at: MonitorWorkerTests.start + .seconds(9999)) {
            worker in
            var submission = Submission(format: "native")
            submission.livePositions = [fix(b, 100, 1)]
            _ = try await worker.submit(submission)
            _ = try await worker.submit(MonitorWorkerTests.submission([fix(a, 50, 2), fix(b, 60, 3)]))
            #expect(worker.device(a)?.lastLocation?.coordinate.latitude == 2)
            #expect(worker.device(b)?.lastLocation?.coordinate.latitude == 1)
            _ = try await worker.submit(MonitorWorkerTests.submission([fix(b, 101, 4)]))
            #expect(worker.device(b)?.lastLocation?.coordinate.latitude == 4)
            #expect(try await worker.forget(a))
            #expect(worker.device(a) == nil)
            _ = try await worker.submit(MonitorWorkerTests.submission([fix(b, 102, 5), fix(a, 102, 6)]))
            #expect(worker.device(b)?.lastLocation?.coordinate.latitude == 5)
            #expect(worker.device(a)?.lastLocation?.coordinate.latitude == 6)
            #expect(try await worker.forget(b))
            #expect(try await worker.forget(b) == false)
            _ = try await worker.submit(MonitorWorkerTests.submission([fix(a, 103, 7)]))
            #expect(Self.shown(worker).map(\.deviceID) == [a])
            #expect(worker.device(a)?.lastLocation?.coordinate.latitude == 7)
        }
    }
}

private actor Latest {
    var value: [DeviceStatus] = []
    func set(_ statuses: [DeviceStatus]) { value = statuses }
}
