import FencepostModel
import FencepostSimulator
import Testing

/// The tables of the rule book, row by row: first what each grant looks like, then the machine as a whole.
@Suite("A table's row") struct TableTests {
    /// Texts for every request, so that no row fails for want of one.
    static let texts = PropertyKeys([
        "NSLocationWhenInUseUsageDescription", "NSLocationAlwaysAndWhenInUseUsageDescription",
        "UIBackgroundModes:location",
    ])

    static func given(_ grant: Grant, version: OSVersion = OSVersion(17), spent: Bool = false) -> Given {
        var given = Given()
        given.osVersion = version
        given.grant = grant
        given.alwaysRequestUsed = spent
        given.infoPlist = texts
        return given
    }

    static func run(_ verbs: [Verb], from given: Given) -> Outcome {
        var scenario = Scenario(given: given, steps: verbs.map { Step($0) })
        scenario.name = "row"
        return ScenarioRunner().run(scenario)
    }

    // MARK: What each grant looks like

    struct Look: Sendable, CustomTestStringConvertible {
        enum Prompting: Sendable { case freely, onceForAlways, afterItLapsed, never }
        enum Waking: Sendable { case yes, held, no }

        var grant: Grant
        var status: ReportedStatus
        var row: SettingsRow?
        var prompting: Prompting
        var waking = Waking.no
        var servicesEnabled = true

        var testDescription: String { grant.rawValue + (servicesEnabled ? "" : ", Location Services off") }
    }

    static let looks: [Look] = [
        Look(grant: .notDetermined, status: .notDetermined, row: .askNextTime, prompting: .freely),
        Look(grant: .restricted, status: .restricted, row: nil, prompting: .never),
        Look(grant: .denied, status: .denied, row: .never, prompting: .never),
        Look(grant: .whenInUse, status: .authorizedWhenInUse, row: .whileUsing, prompting: .onceForAlways),
        Look(grant: .temporaryWhenInUse, status: .authorizedWhenInUse, row: .askNextTime, prompting: .afterItLapsed),
        Look(
            grant: .provisionalAlways, status: .authorizedAlways, row: .whileUsing, prompting: .never, waking: .held),
        Look(grant: .always, status: .authorizedAlways, row: .always, prompting: .never, waking: .yes),
    ]

    /// The last row stands for every grant. It says denied of a restricted app as well, which the table of the whole
    /// machine excepts; the simulator goes by the latter.
    static let switchedOff: [Look] = Grant.allCases.map { grant in
        Look(
            grant: grant, status: grant == .restricted ? .restricted : .denied, row: nil, prompting: .never,
            servicesEnabled: false)
    }

    @Test("of the grants holds", arguments: looks + switchedOff) func looksAs(_ look: Look) {
        var given = Self.given(look.grant)
        given.locationServicesEnabled = look.servicesEnabled
        #expect(given.reportedStatus == look.status)
        #expect(given.settingsRow == look.row)

        func prompts(_ verbs: [Verb]) -> Int { Self.run(verbs, from: given).prompts.count }
        let whenInUse = Verb.request(.level(.whenInUse))
        let always = Verb.request(.level(.always))
        #expect(prompts([whenInUse]) == (look.prompting == .freely ? 1 : 0))
        #expect(prompts([always]) == (look.prompting == .freely || look.prompting == .onceForAlways ? 1 : 0))
        if look.prompting == .onceForAlways {
            #expect(prompts([always, .answer(.keepOnlyWhileUsing), always]) == 1)
        }
        if look.prompting == .afterItLapsed {
            #expect(prompts([.terminate(by: .system), .launch(by: .user), whenInUse]) == 1)
        }
    }

    @Test("of the grants says whom events wake", arguments: looks + switchedOff) func wakesAs(_ look: Look) {
        for service in [Service.visits, .significantChange, .regionCircular, .regionBeacon] {
            for lifecycle in [Lifecycle.suspended, .terminated] {
                var given = Self.given(look.grant)
                given.locationServicesEnabled = look.servicesEnabled
                given.lifecycle = lifecycle
                let event = ServiceEvent(service, service.typicalKind)
                given.assumeStarted(event)
                let outcome = Self.run([.event(event)], from: given)
                let delivery = outcome.deliveries.first
                #expect(delivery?.relaunch == (look.waking == .yes && lifecycle == .terminated))
                #expect(delivery?.appWoken == (look.waking == .yes && lifecycle == .suspended))
                #expect((delivery?.outcome == .held) == (look.waking == .held))
                #expect(outcome.final.secondPromptScheduled == (look.waking == .held))
            }
        }
    }

    // MARK: The whole machine

    struct Transition: Sendable, CustomTestStringConvertible {
        var name: String
        var from: Grant
        var spent = false
        var version = OSVersion(17)
        var steps: [Verb]
        var prompt: Prompt.Kind?
        var to: Grant
        var callbacks: [ReportedStatus] = []
        /// Those that some step names, among others.
        var rules: Set<RuleID>

        var testDescription: String { "\(from.rawValue): \(name)" }
    }

    static let whenInUse = Verb.request(.level(.whenInUse))
    static let always = Verb.request(.level(.always))
    static let visit = Verb.event(ServiceEvent(.visits, .arrival))

    static let first: [Transition] = [
        Transition(
            name: "while-using, Allow While Using", from: .notDetermined,
            steps: [whenInUse, .answer(.allowWhileUsing)], prompt: .first, to: .whenInUse,
            callbacks: [.authorizedWhenInUse], rules: [.auth12]),
        Transition(
            name: "while-using, Allow Once", from: .notDetermined, steps: [whenInUse, .answer(.allowOnce)],
            prompt: .first, to: .temporaryWhenInUse, callbacks: [.authorizedWhenInUse], rules: [.auth12]),
        Transition(
            name: "while-using, Don't Allow", from: .notDetermined, steps: [whenInUse, .answer(.dontAllow)],
            prompt: .first, to: .denied, callbacks: [.denied], rules: [.auth12]),
        Transition(
            name: "always, Don't Allow", from: .notDetermined, steps: [always, .answer(.dontAllow)], prompt: .first,
            to: .denied, callbacks: [.denied], rules: [.auth13]),
        Transition(
            name: "always, Allow While Using", from: .notDetermined, steps: [always, .answer(.allowWhileUsing)],
            prompt: .first, to: .provisionalAlways, callbacks: [.authorizedAlways], rules: [.auth13, .prov01]),
        Transition(
            name: "always, Allow Once", from: .notDetermined, steps: [always, .answer(.allowOnce)], prompt: .first,
            to: .temporaryWhenInUse, callbacks: [.authorizedWhenInUse], rules: [.auth13]),
    ]

    static let further: [Transition] = [
        Transition(
            name: "always, Keep", from: .whenInUse, steps: [always, .answer(.keepOnlyWhileUsing)], prompt: .upgrade,
            to: .whenInUse, rules: [.auth17, .cb03]),
        Transition(
            name: "always, Change", from: .whenInUse, steps: [always, .answer(.changeToAlwaysAllow)],
            prompt: .upgrade, to: .always, callbacks: [.authorizedAlways], rules: [.auth17]),
        Transition(
            name: "always once more", from: .whenInUse, spent: true, steps: [always], to: .whenInUse,
            rules: [.auth18]),
        Transition(name: "while-using", from: .whenInUse, steps: [whenInUse], to: .whenInUse, rules: [.auth05]),
        Transition(
            name: "any request", from: .temporaryWhenInUse, steps: [whenInUse, always], to: .temporaryWhenInUse,
            rules: [.auth05, .auth19]),
        Transition(
            name: "leaves use, comes back", from: .temporaryWhenInUse,
            steps: [.enterBackground, .wait(.seconds(60)), .enterForeground], to: .notDetermined,
            callbacks: [.notDetermined], rules: [.once03, .once08]),
        Transition(
            name: "ends, is launched", from: .temporaryWhenInUse,
            steps: [.terminate(by: .system), .launch(by: .user)], to: .notDetermined, callbacks: [.notDetermined],
            rules: [.once02]),
        Transition(
            name: "event, second prompt, Change", from: .provisionalAlways,
            steps: [visit, .systemShowsSecondPrompt, .answer(.changeToAlwaysAllow)], prompt: .second, to: .always,
            rules: [.prov04, .prov06]),
        Transition(
            name: "event, second prompt, Keep", from: .provisionalAlways,
            steps: [visit, .systemShowsSecondPrompt, .answer(.keepOnlyWhileUsing), .enterForeground],
            prompt: .second, to: .whenInUse, callbacks: [.authorizedWhenInUse], rules: [.prov07]),
        Transition(
            name: "any request", from: .provisionalAlways, steps: [whenInUse, always], to: .provisionalAlways,
            rules: [.auth21]),
        Transition(name: "any request", from: .always, steps: [whenInUse, always], to: .always, rules: [.auth21]),
        Transition(
            name: "reminder, Change", from: .always, steps: [.systemShowsReminder, .answer(.changeToOnlyWhileUsing)],
            prompt: .reminder, to: .whenInUse, callbacks: [.authorizedWhenInUse], rules: [.set09]),
        Transition(name: "any request", from: .denied, steps: [whenInUse, always], to: .denied, rules: [.auth04]),
        Transition(
            name: "any request", from: .restricted, steps: [whenInUse, always], to: .restricted, rules: [.auth04]),
    ]

    /// What came of asking for always on top of while-using before iOS 13.4.
    static let earlier: [Transition] = [
        Transition(
            name: "always on 13.3", from: .whenInUse, version: OSVersion(13, 3), steps: [always],
            to: .provisionalAlways, callbacks: [.authorizedAlways], rules: [.auth16]),
        Transition(
            name: "always on 12", from: .whenInUse, version: OSVersion(12),
            steps: [always, .answer(.changeToAlwaysAllow)], prompt: .upgrade, to: .always,
            callbacks: [.authorizedAlways], rules: [.auth15]),
        Transition(
            name: "always on 10", from: .whenInUse, version: OSVersion(10), steps: [always], to: .whenInUse,
            rules: [.auth14]),
    ]

    @Test("of the whole machine holds", arguments: first + further + earlier) func passes(_ row: Transition) {
        var given = Self.given(row.from, version: row.version, spent: row.spent)
        if !row.version.hasCombinedText { given.infoPlist.entries.append("NSLocationAlwaysUsageDescription") }
        if row.prompt == .second {
            given.lifecycle = .terminated
            given.assumeStarted(ServiceEvent(.visits, .arrival))
        }
        let outcome = Self.run(row.steps, from: given)
        #expect(outcome.prompts.map(\.kind) == [row.prompt].compactMap { $0 })
        #expect(outcome.final.given.grant == row.to)
        #expect(outcome.callbacks == row.callbacks)
        #expect(row.rules.subtracting(outcome.steps.flatMap(\.report.rules)).isEmpty)
        if row.prompt == .upgrade { #expect(outcome.final.given.alwaysRequestUsed) }
        if row.prompt == .second {
            let settled = outcome.deliveries.first?.settled
            #expect(settled?.outcome == (row.to == .always ? .delivered : .dropped))
            #expect(settled?.relaunch == (row.to == .always))
        }
    }

    /// Texts, the foreground and Location Services: without one of them no row leads anywhere.
    @Test(
        "of the whole machine changes nothing where a request may not be made",
        arguments: (first + further).filter { if case .request = $0.steps[0] { true } else { false } })
    func needsPreconditions(_ row: Transition) {
        let lacks: [(RuleID, (inout Given) -> Void)] = [
            (.auth01, { $0.infoPlist = PropertyKeys() }), (.auth02, { $0.lifecycle = .backgroundRunning }),
            (.auth03, { $0.locationServicesEnabled = false }),
        ]
        for (rule, remove) in lacks {
            var given = Self.given(row.from, spent: row.spent)
            // Continuous updates keep a grant for once from ending in the background.
            var updates = ServiceObject(.standardUpdates)
            updates.allowsBackgroundLocationUpdates = true
            given.services = [updates]
            remove(&given)
            let outcome = Self.run(row.steps, from: given)
            #expect(outcome.prompts.isEmpty && outcome.callbacks.isEmpty, "\(rule)")
            #expect(outcome.final.given.grant == row.from, "\(rule)")
            #expect(outcome.final.given.alwaysRequestUsed == row.spent, "\(rule)")
            #expect(outcome.steps.first?.report.rules.contains(rule) == true, "\(rule)")
        }
    }

    @Test("of the whole machine has a grant for once end before the app hears of it") func endsUnheard() {
        let outcome = Self.run([.enterBackground, .wait(.seconds(60))], from: Self.given(.temporaryWhenInUse))
        #expect(outcome.final.given.grant == .notDetermined)
        #expect(outcome.callbacks.isEmpty)
    }

    @Test("of the whole machine on Settings holds", arguments: Grant.allCases) func settings(_ grant: Grant) {
        let levels: [(SettingsChange, Grant)] = [
            (.never, .denied), (.askNextTime, .notDetermined), (.whileUsing, .whenInUse), (.always, .always),
            (.resetLocationAndPrivacy, .notDetermined),
        ]
        for (change, level) in levels {
            let before = Self.given(grant)
            let outcome = Self.run([.settings(change)], from: before)
            // The book has it that this user cannot change a restriction, which outweighs its "any".
            let wanted = grant == .restricted ? grant : level
            #expect(outcome.final.given.grant == wanted, "\(change)")
            let status = Self.given(wanted).reportedStatus
            #expect(outcome.callbacks == (status == before.reportedStatus ? [] : [status]), "\(change)")
        }
    }

    @Test("of the whole machine on Location Services holds", arguments: Grant.allCases)
    func locationServices(_ grant: Grant) {
        let status = Self.given(grant).reportedStatus
        let outcome = Self.run(
            [.settings(.locationServicesOff), .settings(.locationServicesOn)], from: Self.given(grant))
        #expect(outcome.final.given.grant == grant)
        #expect(outcome.callbacks == (grant == .restricted || grant == .denied ? [] : [.denied, status]))
        #expect(outcome.steps.allSatisfy { $0.report.rules.contains(.set02) })
    }
}

extension OSVersion {
    /// Whether the system reads the text for always that iOS 11 brought.
    fileprivate var hasCombinedText: Bool { self >= OSVersion(11) }
}
