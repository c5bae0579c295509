import FencepostModel

/// Decides whether an event reaches the app, and whether the system launches a terminated app for it.
///
/// The checks run in this order: platform, first unlock, Location Services, grant, service, accuracy, registration,
/// termination, Background App Refresh, sessions. The first check that refuses names the deciding rule. If any check
/// finds that nothing is monitored, the outcome is `notMonitored`.
public struct RelaunchGate: Hashable, Sendable {
    /// Which reading of a disputed rule applies.
    public var policy: SimulatorPolicy
    /// The numbers that Core Location does not document.
    public var parameters: SimulatorParameters

    /// Makes a gate. The same policy and parameters give the same decisions.
    public init(policy: SimulatorPolicy = .lenient, parameters: SimulatorParameters = SimulatorParameters()) {
        self.policy = policy
        self.parameters = parameters
    }

    /// Evaluates the rules for an event.
    ///
    /// - Parameters:
    ///   - event: what happened.
    ///   - device: the state of the device and the app before the event.
    /// - Returns: the outcome, the deciding rule and the reason.
    public func decide(_ event: ServiceEvent, for device: DeviceState) -> Delivery {
        var evaluation = RuleEvaluation(event: event, device: device, gate: self)
        evaluation.run()
        evaluation.checkPlausibility()
        return evaluation.delivery()
    }
}

/// The evaluation of the rules for one event, check by check.
struct RuleEvaluation {
    /// The result of a check that refuses delivery.
    struct Refusal {
        var rule: RuleID
        var outcome: Delivery.Outcome
        var because: String
        /// The uncertain rules that the refusal rests on; empty where only `rule` decides.
        var openRules: [RuleID]
    }

    let event: ServiceEvent
    let device: DeviceState
    let gate: RelaunchGate
    let system: OperatingSystem
    let service: Service
    /// Why the app is in use; always `nil` when it is terminated.
    let use: Use?
    private(set) var rules: [RuleID] = []
    private(set) var warnings: [RuleWarning] = []
    private(set) var refusals: [Refusal] = []
    /// The rules that speak against the answer.
    private(set) var contrary: [RuleID] = []
    /// Why no device is ever in this state; `nil` for a state that occurs.
    var impossibility: String?
    /// The deciding rule if no check refuses.
    var grantingRule: RuleID
    var notificationShown: Bool?
    var extensionRuns: Bool?

    init(event: ServiceEvent, device: DeviceState, gate: RelaunchGate) {
        self.event = event
        self.device = device
        self.gate = gate
        (system, service, use) = (device.system, event.service, device.use)
        grantingRule = service.rule
    }

    var isTerminated: Bool { device.lifecycle == .terminated }
    var isNotRunning: Bool { device.lifecycle == .suspended || isTerminated }
    var isStrict: Bool { gate.policy == .strict }
    /// The service object that produces the event. For a terminated app this includes an object that ended with the
    /// process.
    var object: ServiceObject? {
        if let object = device.active(service, event.identifier) { return object }
        return isTerminated
            ? device.services.first { $0.endedWithTheProcess && $0.matches(service, event.identifier) } : nil
    }

    /// Records rules as applied. After the first refusal only rules that belong to a refusal are recorded.
    mutating func apply(_ ids: RuleID...) {
        for id in ids where !rules.contains(id) { rules.append(id) }
    }

    /// Records rules as applied unless a check has refused already.
    mutating func applyIfUndecided(_ ids: RuleID...) {
        guard refusals.isEmpty else { return }
        for id in ids { apply(id) }
    }

    /// Records an uncertain rule and warns about it, once per rule.
    mutating func warn(_ id: RuleID, _ text: String? = nil) {
        apply(id)
        if !warnings.contains(where: { $0.rule == id }) { warnings.append(RuleWarning(id, text)) }
    }

    /// Records the refusal of a check, with the uncertain rules that it rests on.
    mutating func refuse(
        _ id: RuleID, _ outcome: Delivery.Outcome, _ because: String, restingOn openRules: [RuleID] = []
    ) {
        apply(id)
        refusals.append(Refusal(rule: id, outcome: outcome, because: because, openRules: openRules))
    }

    /// Records that the strict policy refuses what a disputed rule probably permits.
    mutating func refuseStrictly(_ id: RuleID, _ outcome: Delivery.Outcome, _ because: String) {
        if refusals.isEmpty { contrary.append(id) }
        refuse(id, outcome, "By the strict policy, \(because)")
    }

    /// Warns of a rule that speaks against the answer.
    mutating func warnOfContrary(_ id: RuleID, _ text: String? = nil) {
        warn(id, text)
        contrary.append(id)
    }

    /// Warns of a state in which no device ever is. The answer is what the rules would make of it.
    mutating func checkPlausibility() {
        if let warning = device.impossibility {
            warn(warning.rule, warning.text)
            impossibility = "this state does not occur (\(warning.rule.rawValue))"
        } else if system.versionProblem != nil {
            impossibility = "\(device.platform.rawValue) \(device.osVersion) does not exist"
        }
    }

    /// The result, from the refusals and the applied rules.
    func delivery() -> Delivery {
        var delivery = Delivery(
            event: event, outcome: .delivered, decidingRule: grantingRule, rules: rules, because: "", warnings: warnings
        )
        (delivery.contrary, delivery.impossibility) = (contrary, impossibility)
        delivery.timeAccuracy = service == .visits ? .exact : nil
        delivery.spatialAccuracy = service == .visits ? (device.hasReducedAccuracy ? .coarse : .exact) : nil
        if service == .visits {
            let time = event.at.map(Delivery.VisitDates.Date.time) ?? .unknown
            // A departure does not say whether the system saw the arrival. A simulation that saw it fills in the date.
            delivery.visit =
                event.kind == .departure
                ? Delivery.VisitDates(arrival: .distantPast, departure: time)
                : Delivery.VisitDates(arrival: time, departure: .distantFuture)
            delivery.rules += [.visit01, .visit02].prefix(event.kind == .departure ? 2 : 1)
        }
        if service.isCondition {
            delivery.monitorProfile = device.monitorProfile?.rawValue ?? "bestSupported"
            if device.monitorProfile == .field, refusals.isEmpty, system.isAtLeast(18) { delivery.copies = 2 }
        }
        delivery.latency = refusals.isEmpty ? gate.parameters.latency.delay(of: service) : nil
        delivery.extensionRuns = extensionRuns
        delivery.notificationShown = notificationShown
        if let first = refusals.first {
            delivery.outcome = refusals.contains { $0.outcome == .notMonitored } ? .notMonitored : first.outcome
            delivery.decidingRule = first.rule
            delivery.because = first.because
            // A refusal that another check repeats with certainty is certain.
            let final = refusals.filter { $0.outcome == .dropped || $0.outcome == .notMonitored }
            if final.allSatisfy({ !$0.openRules.isEmpty }) { delivery.openRules = first.openRules }
            if delivery.outcome == .lost { launch(&delivery) }
            return delivery
        }
        delivery.because = reasonForDelivery
        guard service != .locationPush else { return delivery }
        launch(&delivery)
        delivery.managersNotified =
            service.usesDelegate
            ? (service.isRegion || service == .visits ? device.managers : min(device.managers, 1)) : 0
        return delivery
    }

    /// Fills in what follows from the app's state: launch, wake-up, time to run.
    private func launch(_ delivery: inout Delivery) {
        delivery.relaunch = isTerminated
        delivery.appWoken = device.lifecycle == .suspended
        guard isNotRunning else { return }
        if !device.isKeptRunning {
            delivery.runtime = gate.parameters.runtime
            delivery.runtimeRange = gate.parameters.runtimeRange
        }
        if isTerminated {
            delivery.launchKeyIsDeprecated = system.isAtLeast(26)
            delivery.launchKeyIsPresent = device.passesLaunchKey
        }
    }

    /// The reason for a delivery in one sentence.
    private var reasonForDelivery: String {
        let name = service.rawValue
        if service == .locationPush { return "The push runs the service extension, whether or not the app runs." }
        if isTerminated {
            if device.terminatedBy == .user {
                return "The app is started in the background for \(name), even after a force quit, as the grant is "
                    + "\(device.grant.rawValue)."
            }
            return "The app is started in the background for \(name), as the grant is \(device.grant.rawValue)."
        }
        if device.lifecycle == .suspended {
            return "The suspended app is woken in the background for \(name)."
        }
        switch use {
        case nil: return "The app runs in the background, and its grant of Always lets \(name) reach it."
        case .foreground: return "The app is in the foreground, so \(name) reaches it."
        case .grace: return "The app has just left the foreground and still counts as in use."
        case .backgroundIndicator: return "Continuous background location keeps the app in use."
        case .backgroundSession: return "A session keeps the app in use in the background."
        case .complication: return "Its complication on the watch face keeps the app in use."
        case .alwaysRunningOnMac: return "A Mac app is in use as long as it runs."
        }
    }
}
