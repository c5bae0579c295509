/// One dated observation of how Core Location behaves, with the device and the system where the report names them.
///
/// `RuleEvidence.all` holds the reports on relaunches after a force quit, the newest first. They are the two sides of
/// RELAUNCH-29 and RELAUNCH-30.
public struct RuleEvidence: Hashable, Sendable {
    /// The rule that the observation is about.
    public let rule: RuleID
    /// Whether the app was launched.
    public let relaunches: Bool
    /// The device and the version of its system, as far as the report says.
    public let system: String
    /// The service, and how the app was ended.
    public let situation: String
    /// What was observed.
    public let observed: String
    /// The key of the source.
    public let source: String
    /// The date of the report: a day, a month or a year.
    public let date: String

    /// The parameters are many because they are the columns of the table.
    private init(
        _ rule: RuleID, _ relaunches: Bool, on system: String, _ situation: String, _ observed: String,
        source: (key: String, date: String)
    ) {
        self.rule = rule
        self.relaunches = relaunches
        self.system = system
        self.situation = situation
        self.observed = observed
        self.source = source.key
        date = source.date
    }

    /// The observation in one line: date, verdict, system, situation, source.
    public var summary: String {
        "\(date): \(relaunches ? "relaunched" : "not relaunched"); \(system); \(situation); \(observed) [\(source)]"
    }

    /// Every observation, the newest first.
    public static let all: [RuleEvidence] = [
        RuleEvidence(
            .relaunch29, true, on: "system not named, September 2026", "significant change, killed in the app switcher",
            "started 13 minutes and 500 metres into a walk, location in the same second",
            source: ("I-NC4305", "2026-09-15")),
        RuleEvidence(
            .relaunch29, true, on: "iOS 26.2.1, iPhone 11", "region exit, terminated by the user",
            "callback 30 milliseconds after the start", source: ("I-2661", "2026-09-14")),
        RuleEvidence(
            .relaunch30, false, on: "system not named", "monitor",
            "the vendor replaces monitors by regions because relaunches fail", source: ("I-CIO1281", "2026-09-14")),
        RuleEvidence(
            .relaunch30, true, on: "iOS 26.6", "monitor and session for Always, swiped away",
            "a walk: loop attached after 15 milliseconds, event after 1.5 seconds", source: ("I-CIO1158", "2026-07")),
        RuleEvidence(
            .relaunch29, true, on: "system not named, shown in Apple's simulator", "region, killed by the user",
            "a vendor's statement from twelve years of support", source: ("I-1704", "2026")),
        RuleEvidence(
            .relaunch35, true, on: "iOS 18.4, iPhone 13 Pro", "region exit after a termination",
            "31 minutes late, and 2 hours 53 minutes late", source: ("I-2580", "2026-05-12")),
        RuleEvidence(
            .relaunch29, false, on: "iOS 26.4.2", "region and significant change, killed in the app switcher",
            "no launch on a drive of 30 kilometres; the same code was launched on iOS 18",
            source: ("F-826964", "2026-05")),
        RuleEvidence(
            .relaunch29, false, on: "system not named",
            "plug-in with regions and significant change, killed by the user",
            "open issue without a cause", source: ("I-2548", "2026-04")),
        RuleEvidence(
            .relaunch29, false, on: "iOS 26.2", "plug-in with regions, force quit", "closed without a cause",
            source: ("I-1650", "2026-03-05")),
        RuleEvidence(
            .relaunch29, true, on: "iOS 26.1, iPhone 14 Pro", "region, terminated, not said by whom",
            "launched and called back; the plug-in drops the event", source: ("I-1645", "2026-02-26")),
    ]
}

extension Rule {
    /// The dated observations about the rule, the newest first; empty for most rules.
    public var evidence: [RuleEvidence] { RuleEvidence.all.filter { $0.rule == id } }
}
