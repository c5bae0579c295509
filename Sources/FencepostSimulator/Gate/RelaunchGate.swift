import FencepostModel

/// Decides what becomes of an event: whether it is delivered, and whether a terminated app is started for it.
///
/// Goes through one list of checks, in the order of the rule book's decision procedure: platform, first unlock,
/// Location Services, grant, service, accuracy, registration, termination, Background App Refresh, sessions. The first
/// check that says no names the deciding rule. If any says that nothing is monitored, that is the outcome.
public struct RelaunchGate: Hashable, Sendable {
    public var policy: SimulatorPolicy
    public var parameters: SimulatorParameters

    public init(policy: SimulatorPolicy = .lenient, parameters: SimulatorParameters = SimulatorParameters()) {
        self.policy = policy
        self.parameters = parameters
    }

    /// What becomes of the event for an app in this state, and why.
    public func decide(_ event: ServiceEvent, given: Given) -> Delivery {
        var trial = Trial(event: event, given: given, gate: self)
        trial.run()
        return trial.delivery()
    }
}

/// One decision on its way through the checks.
struct Trial {
    /// A check that said no.
    struct Refusal {
        var rule: RuleID
        var outcome: Delivery.Outcome
        var because: String
    }

    let event: ServiceEvent
    let given: Given
    let gate: RelaunchGate
    let system: OperatingSystem
    let service: Service
    /// Why the app is in use; always `nil` when it is terminated.
    let use: Use?
    private(set) var rules: [RuleID] = []
    private(set) var warnings: [RuleWarning] = []
    private(set) var refusals: [Refusal] = []
    /// What said yes, if nothing says no.
    var grounds: RuleID
    var notificationShown: Bool?
    var extensionRuns: Bool?

    init(event: ServiceEvent, given: Given, gate: RelaunchGate) {
        self.event = event
        self.given = given
        self.gate = gate
        (system, service, use) = (given.system, event.service, given.use)
        grounds = service.rule
    }

    var isTerminated: Bool { given.lifecycle == .terminated }
    var isAsleep: Bool { given.lifecycle == .suspended || isTerminated }
    var isStrict: Bool { gate.policy == .strict }
    /// The object that the event comes from; of a terminated app also one that ended with the process.
    var object: ServiceObject? {
        if let object = given.active(service, event.identifier) { return object }
        return isTerminated
            ? given.services.first { $0.endedWithTheProcess && $0.matches(service, event.identifier) } : nil
    }

    /// Takes down that rules were looked at; after the first refusal only what belongs to it.
    mutating func weigh(_ ids: RuleID...) {
        for id in ids where !rules.contains(id) { rules.append(id) }
    }

    mutating func weighIfOpen(_ ids: RuleID...) {
        guard refusals.isEmpty else { return }
        for id in ids { weigh(id) }
    }

    mutating func warn(_ id: RuleID, _ text: String? = nil) {
        weigh(id)
        if !warnings.contains(where: { $0.rule == id }) { warnings.append(RuleWarning(id, text)) }
    }

    mutating func refuse(_ id: RuleID, _ outcome: Delivery.Outcome, _ because: String) {
        weigh(id)
        refusals.append(Refusal(rule: id, outcome: outcome, because: because))
    }

    func delivery() -> Delivery {
        var delivery = Delivery(
            event: event, outcome: .delivered, decidingRule: grounds, rules: rules, because: "", warnings: warnings)
        delivery.timeAccuracy = service == .visits ? .exact : nil
        delivery.spatialAccuracy = service == .visits ? (given.hasReducedAccuracy ? .coarse : .exact) : nil
        if service == .visits {
            let time = event.at.map(Delivery.VisitDates.Date.time) ?? .unknown
            // Of a departure alone nobody knows whether its arrival was seen; a simulation that saw it puts it in.
            delivery.visit =
                event.kind == .departure
                ? Delivery.VisitDates(arrival: .distantPast, departure: time)
                : Delivery.VisitDates(arrival: time, departure: .distantFuture)
            delivery.rules += [.visit01, .visit02].prefix(event.kind == .departure ? 2 : 1)
        }
        delivery.extensionRuns = extensionRuns
        delivery.notificationShown = notificationShown
        if let first = refusals.first {
            delivery.outcome = refusals.contains { $0.outcome == .notMonitored } ? .notMonitored : first.outcome
            delivery.decidingRule = first.rule
            delivery.because = first.because
            if delivery.outcome == .lost { launch(&delivery) }
            return delivery
        }
        delivery.because = yes
        guard service != .locationPush else { return delivery }
        launch(&delivery)
        delivery.managersNotified =
            service.usesDelegate
            ? (service.isRegion || service == .visits ? given.managers : min(given.managers, 1)) : 0
        return delivery
    }

    private func launch(_ delivery: inout Delivery) {
        delivery.relaunch = isTerminated
        delivery.appWoken = given.lifecycle == .suspended
        guard isAsleep else { return }
        if !given.isKeptRunning { delivery.runtime = gate.parameters.runtime }
        if isTerminated { delivery.launchKeyIsDeprecated = system.isAtLeast(26) }
    }

    /// One sentence for a yes.
    private var yes: String {
        let name = service.rawValue
        if service == .locationPush { return "The push runs the service extension, whether or not the app runs." }
        if isTerminated {
            if given.terminatedBy == .user {
                return "Even after a force quit \(name) starts the app in the background, as the grant is "
                    + "\(given.grant.rawValue)."
            }
            return
                "The grant is \(given.grant.rawValue) and \(name) can launch, so the app is started in the background."
        }
        if given.lifecycle == .suspended {
            return "The suspended app is woken in the background for \(name)."
        }
        switch use {
        case nil: return "The app runs in the background and its grant of always lets \(name) reach it."
        case .foreground: return "The app is in the foreground, so \(name) reaches it."
        case .grace: return "The app has only just left the foreground and still counts as in use."
        case .backgroundIndicator: return "Continuous background location keeps the app in use."
        case .backgroundSession: return "A session keeps the app in use in the background."
        case .complication: return "Its complication on the watch face keeps the app in use."
        case .alwaysRunningOnMac: return "A Mac app is in use as long as it runs."
        }
    }
}
