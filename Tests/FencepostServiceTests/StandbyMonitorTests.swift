import FencepostModel
import FencepostMonitor
import FencepostService
import Logging
import Synchronization
import Testing

@Suite("A monitor that stands by") struct StandbyMonitorTests {
    /// A copy whose apps change all the time.
    private final class ChangingStates: FollowedStates, Sendable {
        private let count = Mutex(0)

        var loads: Int { count.withLock { $0 } }

        func load() -> (state: MonitorState, replayFloor: LogPosition) {
            count.withLock { $0 += 1 }
            return (MonitorState(), 0)
        }

        func delta(after position: LogPosition, floor: LogPosition, limit: Int) -> StateDelta {
            StateDelta(
                epoch: 1, position: position, hasMore: false, entries: [], events: [], checkpoints: [], removed: [],
                known: nil,
                replayFloor: floor, regionRevision: 0, isWatchChanged: true)
        }

        func hasEvent(_ id: String) -> Bool { false }

        func close() {}
    }

    @Test("loads everything again after a pause, and not at all when the node leads", .timeLimit(.minutes(1)))
    func pauses() async throws {
        let states = ChangingStates()
        let time = Mutex(ContinuousClock.now)
        let monitor = StandbyMonitor(
            states, settings: MonitorSettings(), logger: Logger(label: "test"), now: { time.withLock { $0 } })
        for _ in 0..<5 {
            monitor.followSoon()
            await monitor.finish()
        }
        #expect(states.loads == 1)
        #expect(!monitor.isReady)
        time.withLock { $0 += .seconds(1) }
        await monitor.finish()
        #expect(states.loads == 1)
        monitor.followSoon()
        await monitor.finish()
        #expect(states.loads == 2)
    }
}
