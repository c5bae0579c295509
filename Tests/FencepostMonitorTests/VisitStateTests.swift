import FencepostGeometry
import FencepostModel
import Testing

@testable import FencepostMonitor

/// Each test is a dialogue: an input, the reports that follow, and the state after it.
@Suite("Visit state") struct VisitStateTests {
    /// An input as text, the reports and the state.
    typealias Step = (input: String, reports: [String], state: String)

    /// Plays a dialogue. Times are in minutes; the minimum stay is 8 minutes.
    ///
    ///     stay 10 from 9 at 500     fixes at minute 10 show a stay 500 m east since minute 9
    ///     present 18                the device is at the place of the stay
    ///     left 40 since 35          fixes at minute 40 show a departure at minute 35
    ///     gap 60 since 35           no fix has come for too long
    ///     clock 50                  the time has come
    private func play(hold: Int64 = 0, _ steps: [Step], sourceLocation: SourceLocation = #_sourceLocation) {
        let limits = VisitLimits(VisitSettings(departureHold: .seconds(60 * hold)))
        var state = VisitState.searching(previous: .none)
        for step in steps {
            var reports: [VisitReport] = []
            state.handle(input(step.input), limits, into: &reports)
            #expect(reports.map(describe) == step.reports, "\(step.input)", sourceLocation: sourceLocation)
            #expect(describe(state) == step.state, "\(step.input)", sourceLocation: sourceLocation)
            // A stored state is the same state.
            let stored = state.stored
            #expect(VisitState(stored.stay, closed: stored.closed) == state, sourceLocation: sourceLocation)
        }
    }

    private func minute(_ word: Substring) -> Timestamp { Timestamp(seconds: 60 * (Int64(word) ?? 0)) }

    private func input(_ text: String) -> VisitState.Input {
        let words = text.split(separator: " ")
        switch words[0] {
        case "stay":
            var fix = Location(
                deviceID: DeviceID("d"), timestamp: minute(words[3]),
                coordinate: LocalPlane(origin: Coordinate(latitude: 37.55, longitude: 126.99))
                    .unproject(east: Double(words[5]) ?? 0, north: 0), horizontalAccuracy: 15)
            let first = VisitFix(fix)
            fix.timestamp = minute(words[1])
            let cluster = FixCluster(
                centroid: VisitCentroid(first), first: first, last: VisitFix(fix), firstAtCenter: first.time)
            return .stayFound(VisitStay(cluster, basis: .fixes), firstFix: first)
        case "present": return .present(at: minute(words[1]))
        case "left", "gap":
            return .left(
                VisitState.Departure(time: minute(words[3])), detectedAt: minute(words[1]),
                rule: words[0] == "gap" ? .maximumGap : .departure)
        default: return .clock(minute(words[1]))
        }
    }

    private func minutes(_ moment: Timestamp?) -> String { moment.map { "\($0.milliseconds / 60_000)" } ?? "-" }

    private func describe(_ report: VisitReport) -> String {
        let estimate = report.estimate
        let end = "by \(estimate.why.rule.rawValue) at \(minutes(estimate.detectedAt))"
        switch report {
        case .arrived: return "arrived \(minutes(estimate.arrival)) \(end)"
        case .departed: return "departed \(minutes(estimate.arrival))-\(minutes(estimate.departure)) \(end)"
        case .refuted: return "refuted \(minutes(estimate.arrival))-\(minutes(estimate.departure)) \(end)"
        }
    }

    private func describe(_ state: VisitState) -> String {
        let previous =
            switch state.previous {
            case .none: ""
            case .unreported(let stay): ", unreported \(minutes(stay.content.start))"
            case .departurePending(let pending): ", pending \(minutes(pending.content.stay.start))"
            }
        return switch state {
        case .searching: "searching" + previous
        case .arriving(let stay, _): "arriving \(minutes(stay.content.start))" + previous
        case .visiting(let stay): "visiting \(minutes(stay.content.start))"
        }
    }

    @Test("reports an arrival after the minimum stay and the departure at once")
    func visit() {
        play([
            ("stay 16 from 10 at 0", [], "arriving 10"),
            ("present 17", [], "arriving 10"),
            ("present 18", ["arrived 10 by fixes at 18"], "visiting 10"),
            ("present 30", [], "visiting 10"),
            ("left 40 since 35", ["departed 10-35 by departure at 40"], "searching"),
        ])
    }

    @Test("reports both when the departure shows that the stay was long enough")
    func lateVisit() {
        play([
            ("stay 16 from 10 at 0", [], "arriving 10"),
            (
                "left 40 since 18", ["arrived 10 by fixes at 40", "departed 10-18 by departure at 40"], "searching"
            ),
        ])
    }

    @Test("does not report a stay shorter than the minimum, and continues it after a short absence")
    func shortStay() {
        play([
            ("stay 16 from 10 at 0", [], "arriving 10"),
            ("left 20 since 17", [], "searching, unreported 10"),
            ("clock 30", [], "searching, unreported 10"),
            // Five minutes after the departure, and 119 m away.
            ("stay 26 from 22 at 119", [], "arriving 10"),
            ("present 27", ["arrived 10 by fixes at 27"], "visiting 10"),
        ])
    }

    @Test(
        "does not continue an unreported stay after more than five minutes, or elsewhere",
        arguments: [("stay 29 from 23 at 0", "23"), ("stay 26 from 22 at 121", "22")])
    func otherStay(input: String, start: String) {
        play([
            ("stay 16 from 10 at 0", [], "arriving 10"),
            ("left 20 since 17", [], "searching, unreported 10"),
            (input, [], "arriving \(start), unreported 10"),
            ("clock 30", [], "arriving \(start), unreported 10"),
            ("present 31", ["arrived \(start) by fixes at 31"], "visiting \(start)"),
        ])
    }

    @Test("reports a delayed departure at its deadline")
    func delayedDeparture() {
        play(
            hold: 10,
            [
                ("stay 16 from 10 at 0", [], "arriving 10"),
                ("present 18", ["arrived 10 by fixes at 18"], "visiting 10"),
                ("left 40 since 35", [], "searching, pending 10"),
                ("clock 49", [], "searching, pending 10"),
                ("clock 50", ["departed 10-35 by departure_held_back at 50"], "searching"),
                ("clock 51", [], "searching"),
            ])
    }

    @Test("reports a delayed departure at its deadline, although the next stay has begun")
    func delayedDepartureDuringStay() {
        play(
            hold: 10,
            [
                ("stay 16 from 10 at 0", [], "arriving 10"),
                ("present 18", ["arrived 10 by fixes at 18"], "visiting 10"),
                ("left 40 since 35", [], "searching, pending 10"),
                ("stay 48 from 43 at 500", [], "arriving 43, pending 10"),
                ("clock 50", ["departed 10-35 by departure_held_back at 50"], "arriving 43"),
                ("present 51", ["arrived 43 by fixes at 51"], "visiting 43"),
            ])
    }

    @Test("reports a delayed departure with the arrival at the next place")
    func departureByNextStay() {
        play(
            hold: 60,
            [
                ("stay 16 from 10 at 0", [], "arriving 10"),
                ("present 18", ["arrived 10 by fixes at 18"], "visiting 10"),
                ("left 40 since 35", [], "searching, pending 10"),
                ("stay 48 from 43 at 500", [], "arriving 43, pending 10"),
                (
                    "present 51", ["departed 10-35 by next_stay at 51", "arrived 43 by fixes at 51"], "visiting 43"
                ),
            ])
    }

    @Test("reports a delayed departure when the device leaves the next place, reported or not")
    func departureByNextDeparture() {
        let start: [Step] = [
            ("stay 16 from 10 at 0", [], "arriving 10"),
            ("present 18", ["arrived 10 by fixes at 18"], "visiting 10"),
            ("left 40 since 35", [], "searching, pending 10"),
            ("stay 48 from 43 at 500", [], "arriving 43, pending 10"),
        ]
        play(
            hold: 60,
            start + [("left 52 since 49", ["departed 10-35 by next_stay at 52"], "searching, unreported 43")])
        play(
            hold: 60,
            start + [
                (
                    "left 62 since 59", ["departed 10-35 by next_stay at 62", "arrived 43 by fixes at 62"],
                    "searching, pending 43"
                )
            ])
    }

    @Test("continues a reported stay without a report if the device returns before the deadline")
    func returnBeforeDeadline() {
        play(
            hold: 60,
            [
                ("stay 16 from 10 at 0", [], "arriving 10"),
                ("present 18", ["arrived 10 by fixes at 18"], "visiting 10"),
                ("left 40 since 35", [], "searching, pending 10"),
                ("stay 90 from 84 at 100", [], "visiting 10"),
                ("clock 100", [], "visiting 10"),
                ("left 120 since 110", [], "searching, pending 10"),
                ("clock 180", ["departed 10-110 by departure_held_back at 180"], "searching"),
            ])
    }

    @Test(
        "refutes a visit that no fix has shown to be as long as the minimum, whatever delays departures",
        arguments: [0, 60])
    func refutation(hold: Int64) {
        play(
            hold: hold,
            [
                ("stay 10 from 10 at 0", [], "arriving 10"),
                ("present 18", ["arrived 10 by fixes at 18"], "visiting 10"),
                ("left 25 since 12", ["refuted 10-18 by refuted at 25"], "searching"),
            ])
    }

    @Test("reports no visit shorter than the minimum when no fix comes")
    func shortestVisit() {
        play([
            ("stay 10 from 10 at 0", [], "arriving 10"),
            ("present 18", ["arrived 10 by fixes at 18"], "visiting 10"),
            ("gap 25 since 12", ["departed 10-18 by maximum_gap at 25"], "searching"),
        ])
        play(
            hold: 60,
            [
                ("stay 10 from 10 at 0", [], "arriving 10"),
                ("present 18", ["arrived 10 by fixes at 18"], "visiting 10"),
                ("gap 25 since 12", [], "searching, pending 10"),
                ("clock 85", ["departed 10-18 by departure_held_back at 85"], "searching"),
            ])
    }

    @Test("ends a stay by a gap in the same way as by a departure")
    func gap() {
        play([
            ("stay 16 from 10 at 0", [], "arriving 10"),
            ("present 18", ["arrived 10 by fixes at 18"], "visiting 10"),
            ("gap 3000 since 20", ["departed 10-20 by maximum_gap at 3000"], "searching"),
        ])
    }

    @Test("ignores inputs that its state does not expect")
    func unexpected() {
        play([
            ("present 5", [], "searching"),
            ("left 6 since 5", [], "searching"),
            ("stay 16 from 10 at 0", [], "arriving 10"),
            ("stay 17 from 11 at 0", [], "arriving 10"),
            ("present 18", ["arrived 10 by fixes at 18"], "visiting 10"),
            ("stay 20 from 19 at 500", [], "visiting 10"),
        ])
    }
}
