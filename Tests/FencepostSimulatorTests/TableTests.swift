import FencepostModel
import FencepostSimulator
import Testing

/// Tables of the state machine: first how each grant appears, then all transitions.
@Suite("A table's row") struct TableTests {
    /// Texts for every request, so that no row fails because of a missing one.
    static let texts = PropertyKeys([
        "NSLocationWhenInUseUsageDescription", "NSLocationAlwaysAndWhenInUseUsageDescription",
        "UIBackgroundModes:location",
    ])

    static func device(_ grant: Grant, version: OSVersion = OSVersion(17), requestUsed: Bool = false) -> DeviceState {
        var device = DeviceState()
        device.osVersion = version
        device.grant = grant
        device.alwaysRequestUsed = requestUsed
        device.infoPlist = texts
        return device
    }

    static func run(_ verbs: [Verb], from device: DeviceState) -> Outcome {
        var scenario = Scenario(device: device, steps: verbs.map { Step($0) })
        scenario.name = "row"
        return ScenarioRunner().run(scenario)
    }

    // MARK: Appearance of each grant

    struct Appearance: Sendable, CustomTestStringConvertible {
        enum Prompting: Sendable { case freely, onceForAlways, afterItLapsed, never }
        enum Waking: Sendable { case delivered, held, no }

        var grant: Grant
        var status: ReportedStatus
        var row: SettingsRow?
        var prompting: Prompting
        var waking = Waking.no
        var servicesEnabled = true

        var testDescription: String { grant.rawValue + (servicesEnabled ? "" : ", Location Services off") }
    }

    static let appearances: [Appearance] = [
        Appearance(grant: .notDetermined, status: .notDetermined, row: .askNextTime, prompting: .freely),
        Appearance(grant: .restricted, status: .restricted, row: nil, prompting: .never),
        Appearance(grant: .denied, status: .denied, row: .never, prompting: .never),
        Appearance(grant: .whenInUse, status: .authorizedWhenInUse, row: .whileUsing, prompting: .onceForAlways),
        Appearance(
            grant: .temporaryWhenInUse, status: .authorizedWhenInUse, row: .askNextTime, prompting: .afterItLapsed),
        Appearance(
            grant: .provisionalAlways, status: .authorizedAlways, row: .whileUsing, prompting: .never, waking: .held),
        Appearance(grant: .always, status: .authorizedAlways, row: .always, prompting: .never, waking: .delivered),
    ]

    /// With Location Services off, every grant reports denied, except a restricted app.
    static let switchedOff: [Appearance] = Grant.allCases.map { grant in
        Appearance(
            grant: grant, status: grant == .restricted ? .restricted : .denied, row: nil, prompting: .never,
            servicesEnabled: false)
    }

    @Test("of the grants holds", arguments: appearances + switchedOff) func appearsAs(_ appearance: Appearance) {
        var device = Self.device(appearance.grant)
        device.locationServicesEnabled = appearance.servicesEnabled
        #expect(device.reportedStatus == appearance.status)
        #expect(device.settingsRow == appearance.row)

        func prompts(_ verbs: [Verb]) -> Int { Self.run(verbs, from: device).prompts.count }
        let whenInUse = Verb.request(.level(.whenInUse))
        let always = Verb.request(.level(.always))
        #expect(prompts([whenInUse]) == (appearance.prompting == .freely ? 1 : 0))
        #expect(
            prompts([always]) == (appearance.prompting == .freely || appearance.prompting == .onceForAlways ? 1 : 0))
        if appearance.prompting == .onceForAlways {
            #expect(prompts([always, .answer(.keepOnlyWhileUsing), always]) == 1)
        }
        if appearance.prompting == .afterItLapsed {
            #expect(prompts([.terminate(by: .system), .launch(by: .user), whenInUse]) == 1)
        }
    }

    @Test("of the grants lists whom events wake", arguments: appearances + switchedOff) func wakesAs(
        _ appearance: Appearance
    ) {
        for service in [Service.visits, .significantChange, .regionCircular, .regionBeacon] {
            for lifecycle in [Lifecycle.suspended, .terminated] {
                var device = Self.device(appearance.grant)
                device.locationServicesEnabled = appearance.servicesEnabled
                device.lifecycle = lifecycle
                let event = ServiceEvent(service, service.typicalKind)
                device.assumeStarted(event)
                let outcome = Self.run([.event(event)], from: device)
                let delivery = outcome.deliveries.first
                #expect(delivery?.relaunch == (appearance.waking == .delivered && lifecycle == .terminated))
                #expect(delivery?.appWoken == (appearance.waking == .delivered && lifecycle == .suspended))
                #expect((delivery?.outcome == .held) == (appearance.waking == .held))
                #expect(outcome.final.secondPromptScheduled == (appearance.waking == .held))
            }
        }
    }

    // MARK: All transitions

    struct Transition: Sendable, CustomTestStringConvertible {
        var name: String
        var from: Grant
        var requestUsed = false
        var version = OSVersion(17)
        var steps: [Verb]
        var prompt: Prompt.Kind?
        var to: Grant
        var callbacks: [ReportedStatus] = []
        /// Rules that some step has to name.
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
            name: "always once more", from: .whenInUse, requestUsed: true, steps: [always], to: .whenInUse,
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

    /// The result of a request for Always by an app with While Using before iOS 13.4.
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

    @Test("of all transitions holds", arguments: first + further + earlier) func passes(_ row: Transition) {
        var device = Self.device(row.from, version: row.version, requestUsed: row.requestUsed)
        if !row.version.hasCombinedText { device.infoPlist.entries.append("NSLocationAlwaysUsageDescription") }
        if row.prompt == .second {
            device.lifecycle = .terminated
            device.assumeStarted(ServiceEvent(.visits, .arrival))
        }
        let outcome = Self.run(row.steps, from: device)
        #expect(outcome.prompts.map(\.kind) == [row.prompt].compactMap { $0 })
        #expect(outcome.final.device.grant == row.to)
        #expect(outcome.callbacks == row.callbacks)
        #expect(row.rules.subtracting(outcome.steps.flatMap(\.report.rules)).isEmpty)
        if row.prompt == .upgrade { #expect(outcome.final.device.alwaysRequestUsed) }
        if row.prompt == .second {
            let settled = outcome.deliveries.first?.settled
            #expect(settled?.outcome == (row.to == .always ? .delivered : .dropped))
            #expect(settled?.relaunch == (row.to == .always))
        }
    }

    /// Texts, the foreground and Location Services: every row needs all three.
    @Test(
        "of all transitions changes nothing where a request may not be made",
        arguments: (first + further).filter { if case .request = $0.steps[0] { true } else { false } })
    func needsPreconditions(_ row: Transition) {
        let lacks: [(RuleID, (inout DeviceState) -> Void)] = [
            (.auth01, { $0.infoPlist = PropertyKeys() }), (.auth02, { $0.lifecycle = .backgroundRunning }),
            (.auth03, { $0.locationServicesEnabled = false }),
        ]
        for (rule, remove) in lacks {
            var device = Self.device(row.from, requestUsed: row.requestUsed)
            // With continuous updates Allow Once does not end in the background.
            var updates = ServiceObject(.standardUpdates)
            updates.allowsBackgroundLocationUpdates = true
            device.services = [updates]
            remove(&device)
            let outcome = Self.run(row.steps, from: device)
            #expect(outcome.prompts.isEmpty && outcome.callbacks.isEmpty, "\(rule)")
            #expect(outcome.final.device.grant == row.from, "\(rule)")
            #expect(outcome.final.device.alwaysRequestUsed == row.requestUsed, "\(rule)")
            #expect(outcome.steps.first?.report.rules.contains(rule) == true, "\(rule)")
        }
    }

    @Test("of all transitions ends Allow Once before the app is notified") func endsUnheard() {
        let outcome = Self.run([.enterBackground, .wait(.seconds(60))], from: Self.device(.temporaryWhenInUse))
        #expect(outcome.final.device.grant == .notDetermined)
        #expect(outcome.callbacks.isEmpty)
    }

    @Test("of all transitions on Settings holds", arguments: Grant.allCases) func settings(_ grant: Grant) {
        let levels: [(SettingsChange, Grant)] = [
            (.never, .denied), (.askNextTime, .notDetermined), (.whileUsing, .whenInUse), (.always, .always),
            (.resetLocationAndPrivacy, .notDetermined),
        ]
        for (change, level) in levels {
            let before = Self.device(grant)
            let outcome = Self.run([.settings(change)], from: before)
            // This user cannot change a restriction, so the row for any grant does not apply.
            let wanted = grant == .restricted ? grant : level
            #expect(outcome.final.device.grant == wanted, "\(change)")
            let status = Self.device(wanted).reportedStatus
            #expect(outcome.callbacks == (status == before.reportedStatus ? [] : [status]), "\(change)")
        }
    }

    @Test("of all transitions on Location Services holds", arguments: Grant.allCases)
    func locationServices(_ grant: Grant) {
        let status = Self.device(grant).reportedStatus
        let outcome = Self.run(
            [.settings(.locationServicesOff), .settings(.locationServicesOn)], from: Self.device(grant))
        #expect(outcome.final.device.grant == grant)
        #expect(outcome.callbacks == (grant == .restricted || grant == .denied ? [] : [.denied, status]))
        #expect(outcome.steps.allSatisfy { $0.report.rules.contains(.set02) })
    }
}

extension OSVersion {
    /// Whether the system reads the text for Always that exists from iOS 11.
    fileprivate var hasCombinedText: Bool { self >= OSVersion(11) }
}
