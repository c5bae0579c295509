import FencepostGeometry
import FencepostModel
import Testing

@testable import FencepostMonitor

/// Each test is a dialogue: a distance to the boundary in metres, negative inside, the change and the state after it.
@Suite("Crossing state") struct CrossingStateTests {
    private static let start = Timestamp(seconds: 1_772_755_200)

    private let settings: MonitorSettings = {
        var settings = MonitorSettings()
        (settings.cushion, settings.cushionStay) = (40, .seconds(20))
        return settings
    }()

    private func at(_ seconds: Int64) -> Timestamp { Self.start + .seconds(seconds) }

    private func handle(_ state: inout CrossingState, _ distance: Double?, at seconds: Int64) -> String {
        let fix = Location(
            deviceID: DeviceID("d"), timestamp: at(seconds), coordinate: Coordinate(latitude: 0, longitude: 0),
            horizontalAccuracy: 10)
        let proximity = distance.map {
            Proximity(region: RegionHandle(0), covers: $0 <= 0, signedDistance: $0, width: 400)
        }
        var change: PresenceChange?
        state.handle(proximity, fix, nil, settings, into: &change)
        return describe(change)
    }

    private func describe(_ change: PresenceChange?) -> String {
        guard let change else { return "-" }
        let (time, detected) = (change.timestamp - Self.start, change.detectedAt - Self.start)
        return (change.isInitial ? "initially " : "") + (change.isInside ? "in" : "out")
            + " \(time.milliseconds / 1000) at \(detected.milliseconds / 1000) by \(change.why.rule.rawValue)"
    }

    @Test("raw changes with each fix on the other side, the boundary being inside")
    func raw() {
        var state = CrossingState(.raw, knownOutsideSince: nil)
        #expect(state.isInside == nil && !state.isUntracked && state.deadline == nil)
        #expect(handle(&state, 10, at: 0) == "initially out 0 at 0 by containment")
        #expect(state.isInside == false && state.isUntracked)
        #expect(handle(&state, 0, at: 1) == "in 1 at 1 by containment")
        #expect(state.isInside == true && !state.isUntracked)
        #expect(handle(&state, -5, at: 2) == "-")
        #expect(handle(&state, nil, at: 3) == "out 3 at 3 by containment")
        #expect(handle(&state, 5, at: 4) == "-")
    }

    @Test("coreLocation enters after the required time beyond the cushion, and a fix before that cancels it")
    func coreLocationEntry() {
        var state = CrossingState(.coreLocation, knownOutsideSince: at(0))
        #expect(state.isInside == false && state.isUntracked)
        // The cushion inside is 40 m, at most a quarter of the width of 400 m.
        #expect(handle(&state, -39, at: 10) == "-")
        #expect(state.isUntracked && state.deadline == nil)
        #expect(handle(&state, -40, at: 20) == "-")
        #expect(state.isInside == false && !state.isUntracked && state.deadline == at(40))
        #expect(handle(&state, -10, at: 30) == "-")
        #expect(state.isUntracked && state.deadline == nil)
        #expect(handle(&state, -60, at: 50) == "-")
        #expect(handle(&state, -60, at: 60) == "-")
        #expect(state.deadline == at(70))
        #expect(describe(state.deadlineReached(at(69))) == "-")
        #expect(describe(state.deadlineReached(at(75))) == "in 50 at 70 by cushion_and_stay")
        #expect(state.isInside == true && state.deadline == nil)
    }

    @Test("coreLocation exits after the required time beyond the cushion, and a fix before that cancels it")
    func coreLocationExit() {
        var state = CrossingState(.coreLocation, knownOutsideSince: nil)
        #expect(handle(&state, -1, at: 0) == "initially in 0 at 0 by initial_state")
        #expect(handle(&state, 39, at: 10) == "-")
        #expect(state.deadline == nil)
        #expect(handle(&state, 40, at: 20) == "-")
        #expect(state.isInside == true && state.deadline == at(40))
        #expect(handle(&state, 39, at: 30) == "-")
        #expect(state.deadline == nil)
        #expect(handle(&state, nil, at: 50) == "-")
        #expect(describe(state.deadlineReached(at(70))) == "out 50 at 70 by cushion_and_stay")
        #expect(state.isUntracked)
        #expect(describe(state.deadlineReached(at(80))) == "-")
    }

    @Test("confirmed decides nothing without evidence, and has no deadline")
    func confirmed() {
        var state = CrossingState(.confirmed, knownOutsideSince: at(0))
        #expect(state.isInside == false && state.isUntracked)
        #expect(handle(&state, -100, at: 10) == "-")
        #expect(state.isInside == false && state.deadline == nil)
        #expect(state.deadlineReached(at(20)) == nil)
    }

    @Test("keeps what another mode knew", arguments: CrossingMode.allCases)
    func conversion(mode: CrossingMode) {
        for isInside in [nil, false, true] as [Bool?] {
            let state = CrossingState(mode, isInside: isInside, at: at(0))
            #expect(state.mode == mode && state.isInside == isInside && state.deadline == nil)
            #expect(state.isUntracked == (isInside == false))
        }
    }
}
