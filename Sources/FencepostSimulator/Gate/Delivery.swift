public import FencepostModel

/// A rule that is disputed or inferred and yet decided something.
public struct RuleWarning: Hashable, Sendable {
    public var rule: RuleID
    public var text: String

    public init(_ rule: RuleID, _ text: String? = nil) {
        self.rule = rule
        self.text = text ?? Rule[rule].text
    }
}

/// What becomes of one event.
public struct Delivery: Hashable, Sendable {
    public enum Outcome: String, Hashable, Sendable, CaseIterable {
        case delivered
        /// Waits until the app runs again.
        case queued
        /// Waits for the user's answer to the second prompt.
        case held
        /// This event never reaches the app.
        case dropped
        /// The service produces nothing now, in use or not.
        case notMonitored
        /// The app runs or was launched, but nothing in it takes the event.
        case lost
    }

    /// The dates of a visit.
    public struct VisitDates: Hashable, Sendable {
        public enum Date: Hashable, Sendable, Codable { case time(Timestamp), distantPast, distantFuture, unknown }
        public var arrival: Date
        public var departure: Date

        /// When the event itself was: of the arrival, or of the departure.
        var time: Date { departure == .distantFuture ? arrival : departure }
    }

    public enum VisitAccuracy: String, Hashable, Sendable { case exact, coarse }

    /// What became of it later.
    public struct Settlement: Hashable, Sendable {
        public var step: Int
        public var outcome: Outcome
        public var relaunch = false
        public var launchedInto: String?
        public var appWoken = false
        public var decidingRule: RuleID
    }

    public var event: ServiceEvent
    public var outcome: Outcome
    /// Whether a terminated app is started for it.
    public var relaunch = false
    /// Whether a suspended app is woken for it.
    public var appWoken = false
    /// The first rule that said no, or else the one that said yes.
    public var decidingRule: RuleID
    /// All that were weighed, in order.
    public var rules: [RuleID]
    public var because: String
    public var warnings: [RuleWarning]
    /// The app that it was decided for; `nil` in a scenario.
    public var app: String?
    public var step: Int?
    /// How many managers' delegates hear of it.
    public var managersNotified = 0
    /// For how long the app may then run; `nil` where nothing limits it or it does not run.
    public var runtime: Duration?
    /// Whether the launch options' key is deprecated; `nil` without a launch.
    public var launchKeyIsDeprecated: Bool?
    public var settled: Settlement?
    public var visit: VisitDates?
    public var timeAccuracy: VisitAccuracy?
    public var spatialAccuracy: VisitAccuracy?
    /// Of a location push.
    public var extensionRuns: Bool?
    /// Of a local notification at a region.
    public var notificationShown: Bool?

    public var launchedInto: String? { relaunch ? "background" : nil }

    /// How surely the decision is known: no better than its most doubtful part.
    public var confidence: Rule.Confidence {
        let doubtful = warnings.map { Rule[$0.rule] }
        if doubtful.contains(where: { $0.confidence == .disputed || $0.partly.contains(.disputed) }) {
            return .disputed
        }
        if !doubtful.isEmpty { return .inferred }
        return Rule[decidingRule].confidence
    }
}
