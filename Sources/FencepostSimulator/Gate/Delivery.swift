public import FencepostModel

/// A disputed or inferred rule that influenced a decision.
public struct RuleWarning: Hashable, Sendable {
    /// The uncertain rule.
    public var rule: RuleID
    /// A sentence for people: what is uncertain.
    public var text: String

    /// Makes a warning; without a text it says the rule itself.
    public init(_ rule: RuleID, _ text: String? = nil) {
        self.rule = rule
        self.text = text ?? Rule[rule].text
    }
}

/// The result of the rule evaluation of one event: whether the app gets it, and the rules that decide.
public struct Delivery: Hashable, Sendable {
    /// Whether the event reaches the app.
    public enum Outcome: String, Hashable, Sendable, CaseIterable {
        /// The app gets the event.
        case delivered
        /// The event waits until the app runs again.
        case queued
        /// The event waits for the user's answer to the second prompt.
        case held
        /// The app never gets this event.
        case dropped
        /// The service produces no events now, whether or not the app is in use.
        case notMonitored
        /// The app runs or was launched, but no code in it receives the event.
        case lost
    }

    /// The dates of a visit, as `CLVisit` reports them.
    public struct VisitDates: Hashable, Sendable {
        /// A date of a visit: a time, or a value that stands for an unknown date.
        public enum Date: Hashable, Sendable, Codable { case time(Timestamp), distantPast, distantFuture, unknown }
        /// `distantPast` when the system did not see the arrival.
        public var arrival: Date
        /// `distantFuture` while the visit lasts.
        public var departure: Date

        /// The time of the event itself: the arrival's or the departure's.
        var time: Date { departure == .distantFuture ? arrival : departure }
    }

    /// How accurate the times or the place of a visit are.
    public enum VisitAccuracy: String, Hashable, Sendable { case exact, coarse }

    /// The final result of a delivery that was held or queued at first.
    public struct Settlement: Hashable, Sendable {
        /// The index of the step that settled the delivery, from 0.
        public var step: Int
        /// The final outcome.
        public var outcome: Outcome
        /// Whether the system launches the terminated app for it.
        public var relaunch = false
        /// `background` for a launch by the system; `nil` without a launch.
        public var launchedInto: String?
        /// Whether the system wakes the suspended app for it.
        public var appWoken = false
        /// The rule that decides the final outcome.
        public var decidingRule: RuleID
    }

    /// The event.
    public var event: ServiceEvent
    /// Whether the event reaches the app.
    public var outcome: Outcome
    /// Whether the system launches the terminated app for the event.
    public var relaunch = false
    /// Whether the system wakes the suspended app for the event.
    public var appWoken = false
    /// The rule of the first check that refuses; without a refusal, the rule that permits the delivery.
    public var decidingRule: RuleID
    /// All applied rules, in order.
    public var rules: [RuleID]
    /// The reason in one sentence, for people.
    public var because: String
    /// The disputed and inferred rules that influenced the decision.
    public var warnings: [RuleWarning]
    /// The id of the app; `nil` in a scenario, which has one app only.
    public var app: String?
    /// The index of the scenario's step, from 0; `nil` outside of scenarios.
    public var step: Int?
    /// The number of managers whose delegates receive the event.
    public var managersNotified = 0
    /// How long the app may run for the event; `nil` where nothing limits the time, or where the app does not run.
    public var runtime: Duration?
    /// The time that was observed, at least and at most, where `runtime` is limited (DISPUTE-12).
    public var runtimeRange: ClosedRange<Duration>?
    /// Whether the launch options have the `location` key; `nil` without a launch.
    public var launchKeyIsPresent: Bool?
    /// How late the event is expected to arrive; `nil` without a stated latency.
    public var latency: Duration?
    /// How often the app receives the event. Monitors repeat events on devices (MON-14).
    public var copies = 1
    /// How monitors behaved for this answer; `nil` for other services.
    public var monitorProfile: String?
    /// Whether the `location` key of the launch options is deprecated on this system; `nil` without a launch.
    public var launchKeyIsDeprecated: Bool?
    /// The final result, once a held or queued delivery has one.
    public var settled: Settlement?
    /// The dates of a visit; `nil` for other services.
    public var visit: VisitDates?
    /// The accuracy of a visit's times; `nil` for other services.
    public var timeAccuracy: VisitAccuracy?
    /// The accuracy of a visit's place; `nil` for other services.
    public var spatialAccuracy: VisitAccuracy?
    /// Whether a location push runs the service extension; `nil` for other services.
    public var extensionRuns: Bool?
    /// Whether the system shows a local notification; `nil` for other services.
    public var notificationShown: Bool?

    /// The rules besides the deciding one on which the answer rests, and which leave it open.
    var openRules: [RuleID] = []
    /// The rules that speak against the answer: those that the strict policy reads the other way, and observations.
    var contrary: [RuleID] = []
    /// Why no device is ever in the state that was described; `nil` for a state that occurs.
    var impossibility: String?

    /// `background` if the system launches the app; `nil` without a launch.
    public var launchedInto: String? { relaunch ? "background" : nil }

    /// The confidence of the decision: that of its least certain rule.
    public var confidence: Rule.Confidence {
        if !contrary.isEmpty { return .disputed }
        let uncertain = warnings.map { Rule[$0.rule] }
        if uncertain.contains(where: { $0.confidence == .disputed || $0.partly.contains(.disputed) }) {
            return .disputed
        }
        // A rule with an estimate of its own is as it is known; otherwise a warning is about what is inferred from it.
        let known = uncertain.map { rule -> Rule.Confidence in
            rule.likelihood != nil && !rule.confidences.contains(.inferred) ? rule.confidence : .inferred
        }
        return Rule.Confidence.allCases.last { known.contains($0) } ?? Rule[decidingRule].confidence
    }
}
