/// One dated observation of how Core Location behaves, with the device and the system where the report names them.
///
/// `RuleEvidence.all` holds the reports, the newest first. They are the two sides of the rules on which reports
/// disagree, such as RELAUNCH-29 and SVC-25. `Rule.isContested` finds the rules that a report contradicts.
public struct RuleEvidence: Hashable, Sendable {
    /// The rule that the observation is about.
    public let rule: RuleID
    /// Whether the observation agrees with the rule.
    public let supports: Bool
    /// What the report says in one or two words: `relaunched`, `suspended`.
    public let verdict: String
    /// The device and the version of its system, as far as the report says.
    public let system: String
    /// The service, and what was done before.
    public let situation: String
    /// What was observed.
    public let observed: String
    /// The key of the source.
    public let source: String
    /// The date of the report: a day, a month or a year.
    public let date: String

    /// Whether the app was launched; `nil` for an observation that is not about a launch.
    public var relaunches: Bool? {
        switch verdict {
        case Self.relaunched: true
        case Self.notRelaunched: false
        default: nil
        }
    }

    /// The parameters are many because they are the columns of the table.
    init(
        _ rule: RuleID, _ supports: Bool, _ verdict: String, on system: String, _ situation: String,
        _ observed: String, source: (key: String, date: String)
    ) {
        self.rule = rule
        self.supports = supports
        self.verdict = verdict
        self.system = system
        self.situation = situation
        self.observed = observed
        self.source = source.key
        date = source.date
    }

    static let relaunched = "relaunched"
    static let notRelaunched = "not relaunched"

    /// The observation in one line: date, verdict, system, situation, source.
    public var summary: String { "\(date): \(verdict); \(system); \(situation); \(observed) [\(source)]" }

    /// Every observation, the newest first.
    public static let all: [RuleEvidence] = (launches + updates + others).sorted { $0.date > $1.date }
}

extension Rule {
    /// The dated observations about the rule, the newest first; empty for most rules.
    public var evidence: [RuleEvidence] { RuleEvidence.all.filter { $0.rule == id } }

    /// Whether a report of a cited source contradicts the rule, or the sources disagree. No answer that rests on such a
    /// rule is certain.
    public var isContested: Bool { confidences.contains(.disputed) || evidence.contains { !$0.supports } }

    /// The rule with both sides of its evidence: for each verdict the sources, their systems and dates.
    var textWithEvidence: String {
        let verdicts = evidence.map(\.verdict).withoutDuplicates
        // The reports that agree with the rule come first.
        let ordered = verdicts.filter { verdict in evidence.contains { $0.verdict == verdict && $0.supports } }
        let sides = (ordered + verdicts.filter { !ordered.contains($0) }).map { verdict in
            let reports = evidence.filter { $0.verdict == verdict }.map { "\($0.source) (\($0.system), \($0.date))" }
            return "\(verdict.prefix(1).uppercased())\(verdict.dropFirst()): \(reports.joined(separator: ", "))."
        }
        return ([text] + sides).joined(separator: " ")
    }
}
