import FencepostEngine
import FencepostGeometry
import FencepostModel
import FencepostMonitor
import FencepostRegions
import Logging
import Synchronization
import Testing

@testable import FencepostService

/// A monitor that stands by while the leader has stored other events than it evaluates.
@Suite("A monitor that stands by compares events") struct ReplayComparisonTests {
    /// A copy with one region, to which a test adds.
    private final class OneRegion: FollowedStates, Sendable {
        private struct State {
            var loads = 0
            var position: LogPosition = 0
            var next: [StateDelta] = []
            var stored: Set<String> = []
            var epoch: UInt64 = 1
            var asked: [String] = []
        }

        private let state = Mutex(State())

        var loads: Int { state.withLock { $0.loads } }
        /// The events that were looked for.
        var asked: [String] { state.withLock { $0.asked } }

        func load() -> (state: MonitorState, replayFloor: LogPosition) {
            state.withLock { state in
                state.loads += 1
                var monitor = MonitorState()
                monitor.position = state.position
                monitor.regionRevision = 1
                monitor.regions = [
                    StoredRegion(
                        id: RegionID("home"),
                        feature: """
                            {"type":"Feature","id":"home","properties":{"radius":100},\
                            "geometry":{"type":"Point","coordinates":[13.4,52.5]}}
                            """, addedInRevision: 1)
                ]
                return (monitor, 0)
            }
        }

        func delta(after position: LogPosition, floor: LogPosition, limit: Int) -> StateDelta {
            state.withLock { state in
                state.next.isEmpty ? OneRegion.delta(state.epoch, at: state.position) : state.next.removeFirst()
            }
        }

        func hasEvent(_ id: String) -> Bool {
            state.withLock { state in
                state.asked.append(id)
                return state.stored.contains(id)
            }
        }

        func close() {}

        /// Adds a log entry with a fix, inside of the region or outside, and stored events.
        func add(inside: Bool, events: [FollowedEvent] = [], checkpoint: DeviceCheckpoint? = nil) {
            state.withLock { state in
                state.position += 1
                let time = Timestamp(milliseconds: 1_772_355_600_000 + state.position * 60_000)
                let location = Location(
                    deviceID: DeviceID("van"), timestamp: time,
                    coordinate: Coordinate(latitude: inside ? 52.5 : 52.6, longitude: 13.4), horizontalAccuracy: 5)
                let entry = LogEntry(
                    position: state.position, receivedAt: time, locations: [StoredLocation(location)],
                    advancesClock: false)
                var delta = OneRegion.delta(state.epoch, at: state.position)
                delta.entries = [entry]
                delta.events = events
                delta.checkpoints = [checkpoint].compactMap(\.self)
                state.next.append(delta)
            }
        }

        /// Another node leads from now on.
        func changeLeader() { state.withLock { $0.epoch += 1 } }

        /// Stores an event that the next reads do not have any more.
        func store(_ id: String) { state.withLock { _ = $0.stored.insert(id) } }

        private static func delta(_ epoch: UInt64, at position: LogPosition) -> StateDelta {
            StateDelta(
                epoch: epoch, position: position, hasMore: false, entries: [], events: [], checkpoints: [], removed: [],
                known: nil,
                replayFloor: 0, regionRevision: 1, isWatchChanged: false)
        }
    }

    private let states = OneRegion()
    private let van = DeviceID("van")
    private let count = Count()

    private final class Count: Sendable {
        let value = Mutex(0)
    }

    private var divergences: Int { count.value.withLock { $0 } }

    private func makeMonitor(_ states: OneRegion) -> StandbyMonitor {
        var settings = MonitorSettings()
        settings.crossing = .raw
        settings.visits = nil
        return StandbyMonitor(
            states, settings: settings, logger: Logger(label: "test"),
            onDivergence: { [count] number in count.value.withLock { $0 += number } })
    }

    /// A monitor that has followed to a fix outside of the region.
    private func begin() async -> StandbyMonitor {
        let monitor = makeMonitor(states)
        await follow(monitor)
        states.add(inside: false)
        await follow(monitor)
        #expect(divergences == 0)
        #expect(monitor.isReady)
        return monitor
    }

    private func follow(_ monitor: StandbyMonitor, comparing epoch: UInt64? = 1) async {
        monitor.followSoon(comparing: epoch)
        await monitor.finish()
    }

    /// The event that the next fix inside gives.
    private func entering() async throws -> FollowedEvent {
        let other = OneRegion()
        let monitor = makeMonitor(other)
        await follow(monitor)
        other.add(inside: false)
        await follow(monitor)
        other.add(inside: true)
        await follow(monitor)
        count.value.withLock { $0 = 0 }
        return FollowedEvent(id: try #require(other.asked.first), deviceID: van)
    }

    @Test("and finds none that differs where they are equal") func equal() async throws {
        let event = try await entering()
        let monitor = await begin()
        states.add(inside: true, events: [event])
        await follow(monitor)
        #expect(divergences == 0)
        #expect(monitor.isReady)
        #expect(states.loads == 1)
    }

    @Test("and finds one that the leader has not, and loads the leader's states") func surplus() async {
        let monitor = await begin()
        states.add(inside: true)
        await follow(monitor)
        #expect(divergences == 1)
        #expect(!monitor.isReady)
    }

    @Test("and finds none where the leader had stored the event before") func stored() async throws {
        let event = try await entering()
        states.store(event.id)
        let monitor = await begin()
        states.add(inside: true)
        await follow(monitor)
        #expect(divergences == 0)
    }

    @Test("and finds one that only the leader has") func missing() async {
        let monitor = await begin()
        states.add(inside: false, events: [FollowedEvent(id: "evt_1", deviceID: van)])
        await follow(monitor)
        #expect(divergences == 1)
    }

    @Test("but not with those of a leader of another version") func version() async {
        let monitor = await begin()
        states.add(inside: true)
        await follow(monitor, comparing: nil)
        #expect(divergences == 0)
        // The leader has been upgraded.
        states.changeLeader()
        states.add(inside: false)
        await follow(monitor, comparing: 2)
        #expect(divergences == 0)
        states.add(inside: true)
        await follow(monitor, comparing: 2)
        #expect(divergences == 1)
    }

    @Test("but not with what a former leader has stored, whatever is known of the next one", arguments: [1, 2])
    func takeover(known epoch: UInt64) async {
        let monitor = await begin()
        states.changeLeader()
        states.add(inside: true)
        await follow(monitor, comparing: epoch)
        #expect(divergences == 0)
    }

    @Test("but not of a device whose checkpoint had it already") func checkpoint() async throws {
        let monitor = await begin()
        var engine = MonitorEngine(RegionIndex(RegionCatalog([])), settings: MonitorSettings())
        let coordinate = Coordinate(latitude: 52.5, longitude: 13.4)
        _ = try engine.accept(Location(deviceID: van, timestamp: .distantPast, coordinate: coordinate)) { _ in }
        let known = engine.state(of: van)
        let state = try StateEncoder().encode(DeviceRecord(engine: try #require(known)))
        states.add(
            inside: true, events: [FollowedEvent(id: "evt_1", deviceID: van)],
            checkpoint: DeviceCheckpoint(deviceID: van, position: 2, state: state))
        await follow(monitor)
        #expect(divergences == 0)
    }
}
