/// A session that an app holds to state that it uses location.
public enum Session: Hashable, Sendable, Codable {
    /// `CLBackgroundActivitySession`, which keeps an app in use in the background.
    case backgroundActivitySession
    /// `CLServiceSession`, perhaps with a request for full accuracy.
    case serviceSession(Goal, fullAccuracyPurposeKey: String? = nil)
    /// A Live Activity, which extends use into the background as a background activity session does (PLAT-03).
    case liveActivity
    /// A workout session of a watch app (PLAT-23).
    case workoutSession

    /// The level that a service session asks for, in increasing order.
    public enum Goal: String, Hashable, Sendable, CaseIterable, Comparable, Codable {
        /// In increasing order; `none` asks for nothing.
        case none, whenInUse, always

        /// Orders the goals: none, while using, always.
        public static func < (a: Goal, b: Goal) -> Bool {
            (allCases.firstIndex(of: a) ?? 0) < (allCases.firstIndex(of: b) ?? 0)
        }
    }

    /// Parses the text of a session; `nil` for any other text.
    ///
    /// The texts are `backgroundActivitySession`, `liveActivity`, `workoutSession`, `serviceSession(always)` and, with a
    /// purpose key for full accuracy, `serviceSession(whenInUse+Navigation)`.
    public init?(_ text: String) {
        switch AppleName.canonicalSession(text) {
        case "backgroundActivitySession": self = .backgroundActivitySession
        case "liveActivity": self = .liveActivity
        case "workoutSession": self = .workoutSession
        default:
            let text = AppleName.canonicalSession(text)
            guard text.hasPrefix("serviceSession("), text.hasSuffix(")") else { return nil }
            let inside = text.dropFirst("serviceSession(".count).dropLast()
            let parts = inside.split(separator: "+", maxSplits: 1)
            guard let first = parts.first, let goal = Goal(rawValue: Self.trimmed(first)) else { return nil }
            self = .serviceSession(goal, fullAccuracyPurposeKey: parts.count > 1 ? Self.trimmed(parts[1]) : nil)
        }
    }

    private static func trimmed(_ text: Substring) -> String {
        String(text.drop { $0 == " " }.reversed().drop { $0 == " " }.reversed())
    }

    /// The level that a service session asks for; `nil` for other sessions.
    public var goal: Goal? {
        if case .serviceSession(let goal, _) = self { return goal }
        return nil
    }

    /// Whether the session keeps an app in use in the background.
    public var prolongsUse: Bool { goal == nil }
}

extension Session: CustomStringConvertible {
    /// The text that `init(_:)` parses.
    public var description: String {
        switch self {
        case .backgroundActivitySession: "backgroundActivitySession"
        case .liveActivity: "liveActivity"
        case .workoutSession: "workoutSession"
        case .serviceSession(let goal, let key): "serviceSession(\(goal.rawValue)\(key.map { "+" + $0 } ?? ""))"
        }
    }
}

/// A session that the app holds.
public struct HeldSession: Hashable, Sendable, Codable {
    /// The session.
    public var session: Session
    /// Whether the session counts: the app took it in the foreground, or took it again after that.
    public var isEffective: Bool
    /// Whether the session is outstanding from before the launch and not yet taken again.
    public var isUnclaimed: Bool

    /// Makes a held session. By default it is effective.
    public init(_ session: Session, isEffective: Bool = true, isUnclaimed: Bool = false) {
        self.session = session
        self.isEffective = isEffective
        self.isUnclaimed = isUnclaimed
    }
}
