import FencepostModel
import FencepostSimulator
import Testing

/// Every rule influences some answer, or this table gives the reason why it cannot.
@Suite("Each rule") struct RuleCoverageTests {
    /// The rules that no answer names, each with the reason.
    static let silent: [RuleID: String] = [
        .plat20: "A widget has no process here; PLIST-16 checks its key.",
        .prov02: "Registration under a provisional Always works as under any grant; PROV-03 decides the events.",
        .prov10: "It excludes a state, which follows from AUTH-17.",
        .cb05: "Advice for the app's code, which is not simulated.",
        .cb06: "There are no threads in the simulation.",
        .acc05: "The simulator makes no locations, so there is no accuracy to ask for.",
        .acc17: "The simulator makes no locations, and the permission does not change.",
        .region11: "The simulator does not know when resources are short.",
        .region14: "A step is complete when the next one begins, so there is no delay.",
        .region17: "Beacons differ only in an identifier, and there is no screen to turn on.",
        .visit03: "Events have no coordinates.",
        .visit07: "The length of the delay is unknown; the time of an event is when the gate evaluates it.",
        .slc02: "It is superseded by the distance of SLC-01.",
        .slc03: "The simulator does not use the ignored values.",
        .slc04: "The simulator makes no cached location.",
        .slc05: "It asks the app to tolerate a wake-up; the simulator makes one only when a scenario does.",
        .mon07: "There are no extensions that could open a monitor.",
        .mon10: "Beacons differ only in an identifier, so there are no wildcards to refine.",
        .push02: "The number of remaining pushes is unknown.",
        .push03: "The extension's run time is not documented.",
        .abstr06: "Advice on when an app should ask.",
        .abstr07: "It corrects an error of its source; ABSTR-01 decides.",
        .tool01: "It describes Apple's simulator for comparison.",
        .tool02: "It describes Apple's simulator for comparison.",
        .tool03: "It describes Apple's simulator for comparison.",
        .tool04: "It describes Xcode for comparison.",
        .dispute01: "RELAUNCH-10 gives its answer.",
        .dispute02: "RELAUNCH-08 gives its answer.",
        .dispute03: "RELAUNCH-04 and RELAUNCH-13 give its answer.",
        .dispute04: "RELAUNCH-17 gives its answer.",
        .dispute05: "REGION-03 gives its answer.",
        .dispute06: "PLIST-03 and PLIST-17 give its answer.",
        .dispute07: "RELAUNCH-12 gives its answer.",
        .dispute08: "RELAUNCH-16 gives its answer.",
        .dispute10: "ONCE-03 and ONCE-11 give its answer.",
        .dispute11: "MON-09 gives its answer.",
        .dispute13: "RELAUNCH-15 gives its answer.",
        .acc18: "It limits the network operator, not apps.",
        .push04: "The number of remaining pushes is unknown.",
        .tool05: "It describes Xcode for comparison.",
        .tool06: "It describes Apple's simulator for comparison.",
        .tool07: "It describes Apple's simulator for comparison.",
        .tool08: "It describes the logs of a device.",
        .dispute15: "RELAUNCH-29 gives its answer.",
        .dispute16: "RELAUNCH-30 gives its answer.",
        .dispute17: "RELAUNCH-30 and MON-06 give its answer.",
        .dispute18: "MON-04 and MON-11 give its answer.",
        .dispute19: "MON-06 gives its answer: an app opens its monitor at launch.",
        .dispute20: "PLIST-19 gives its answer.",
        .dispute21: "PLAT-03 gives its answer: a session ends when the app releases it.",
        .dispute22: "RELAUNCH-36 gives its answer.",
        .dispute23: "RELAUNCH-31 gives its answer.",
        .dispute24: "AUTH-22 gives its answer.",
    ]

    @Test("is named by an answer, or is known to decide nothing") func covered() throws {
        var cited = try Self.citedByScenarios()
        #expect(cited.count > 100, "the scenarios were not run")
        cited.formUnion(Self.citedByMatrices())
        cited.formUnion(Self.citedByDeclarations())
        for rule in Rule.all {
            let isSilent = Self.silent[rule.id] != nil
            #expect(
                cited.contains(rule.id) != isSilent,
                "\(rule.id.rawValue) is \(isSilent ? "named after all" : "named by nothing"): \(rule.text)")
        }
    }

    /// The rules that only the check of a declaration names; it has no scenario.
    static let ofDeclarations: Set<RuleID> = [.svc22, .plist20]

    @Test("of iOS 26 and 27 has a scenario, or a reason why it has none") func recent() throws {
        let keys = Set(RuleSource.recent.map(\.key))
        let rules = Rule.all.filter { !keys.isDisjoint(with: $0.sources) }
        #expect(rules.count >= 40, "the rules were not found by their sources")
        let cited = try Self.citedByScenarios()
        let declared = Self.citedByDeclarations()
        for rule in rules.map(\.id) {
            let isExcused = Self.silent[rule] != nil || Self.ofDeclarations.contains(rule)
            #expect(cited.contains(rule) != isExcused, "\(rule.rawValue)")
        }
        for rule in Self.ofDeclarations { #expect(declared.contains(rule), "\(rule.rawValue)") }
    }

    @Test("that a reason points to is another, and one that answers name") func reasons() throws {
        for (id, reason) in Self.silent {
            #expect(reason.hasSuffix("."), "\(id)")
            for match in reason.matches(of: #/[A-Z]+-[0-9]{2}/#) {
                let other = try #require(RuleID(rawValue: String(match.output)), "\(id): \(reason)")
                #expect(other != id && Self.silent[other] == nil, "\(id): \(reason)")
            }
        }
    }

    /// The rules that the outcomes of the scenario files name.
    static func citedByScenarios() throws -> Set<RuleID> {
        var cited: Set<RuleID> = []
        for scenario in try ScenarioTests.files().flatMap(ScenarioTests.scenarios) {
            let outcome = ScenarioRunner().run(scenario)
            cited.formUnion(outcome.steps.flatMap(\.report.rules))
            cited.formUnion(outcome.warnings.map(\.rule))
            cited.formUnion(outcome.deliveries.flatMap(named))
            cited.formUnion(outcome.deliveries.compactMap(\.settled?.decidingRule))
            if let crash = outcome.crash { cited.insert(crash.rule) }
        }
        return cited
    }

    static func citedByMatrices() -> Set<RuleID> {
        let versions = [(8, 0), (10, 0), (12, 0), (13, 3), (13, 4), (14, 0), (17, 0), (18, 0), (26, 0), (27, 0)]
        return Set(
            Platform.allCases.flatMap { platform in
                versions.flatMap { major, minor in
                    RelaunchMatrix(OperatingSystem(platform, OSVersion(major, minor))).cells.map(\.delivery)
                        .flatMap(named)
                }
            })
    }

    private static func named(by delivery: Delivery) -> [RuleID] {
        [delivery.decidingRule] + delivery.rules + delivery.warnings.map(\.rule)
    }

    /// Incomplete declarations of an old and a new iOS app, and of a sandboxed Mac app.
    static func citedByDeclarations() -> Set<RuleID> {
        var old = AppDeclaration()
        old.infoPlist = PropertyKeys(["NSLocationUsageDescription", "NSLocationAlwaysUsageDescription"])
        var coarse = AppDeclaration()
        coarse.infoPlist = PropertyKeys([
            "NSLocationWhenInUseUsageDescription", "NSLocationDefaultAccuracyReduced:true",
            "NSLocationRequireExplicitServiceSession:true",
        ])
        coarse.entitlements = PropertyKeys(["com.apple.developer.location.push"])
        var mac = AppDeclaration()
        mac.platform = .macOS
        mac.entitlements = PropertyKeys(["com.apple.security.app-sandbox"])
        var recent = AppDeclaration()
        recent.infoPlist = PropertyKeys(["DTSDKName:iphoneos27.0"])
        return Set([old, coarse, mac, recent].flatMap { $0.findings() }.flatMap(\.rules))
    }
}
