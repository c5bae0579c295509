public import FencepostModel

/// The behaviour of Core Location towards one app, as a state machine: steps in, actions out, in virtual time.
///
/// It is a pure value. The same steps on the same state give the same actions. Nothing waits and nothing is random; the
/// numbers that Core Location leaves open are parameters.
public struct CoreLocationSimulation: Hashable, Sendable {
    /// The current state of the device and the app.
    public internal(set) var device: DeviceState
    /// Decides the deliveries.
    public let gate: RelaunchGate
    /// How many steps were handled.
    public internal(set) var stepCount = 0
    /// How often the system launched the app.
    public internal(set) var launches = 0
    /// Whether the system will show the second prompt.
    public internal(set) var secondPromptScheduled = false

    /// The cause of each launch by the system.
    var launchCauses: [String] = []

    /// The time since the start.
    public internal(set) var elapsed = Duration.zero
    /// The time of the start; `nil` until a step names a time.
    var origin: Timestamp?
    /// When the time in the foreground's grace, the run time and the memory of sessions end; `nil` when they do not
    /// run.
    var graceEnds, runtimeEnds, sessionsForgotten: Duration?
    /// When the user gave the current grant.
    var grantedAt = Duration.zero
    /// The status and accuracy that the app was last notified of.
    var known: KnownAuthorization
    var promptOnScreen: PendingPrompt?
    var held: WaitingEvent?
    var queue: [WaitingEvent] = []
    var deliveryCount = 0
    var lastSignificantChange: Duration?
    /// The start of the current visit, as far as the system saw it.
    var visitArrival: Delivery.VisitDates.Date?
    var openMonitors: Set<String> = []
    /// Whether the app was launched and has not iterated its monitors since.
    var isFreshlyLaunched = false
    var wasLaunched = false
    var usedLocationInBackground = false
    /// Whether an Allow Once has ended before.
    var onceHasEnded = false
    var liveUpdatesArePaused = false
    /// The property of the location manager. Later starts inherit it.
    var allowsBackgroundUpdates: Bool?
    /// The watch app of a paired iPhone app, once a step names it: no element or one.
    var watch: [CoreLocationSimulation] = []
    var output = StepOutput()

    /// The status and accuracy that an app knows.
    struct KnownAuthorization: Hashable, Sendable, Codable {
        var status: ReportedStatus
        var accuracy: AccuracyAuthorization
    }

    struct PendingPrompt: Hashable, Sendable, Codable {
        var kind: Prompt.Kind
        var buttons: [Choice]
        /// The level that was asked for.
        var goal = Session.Goal.whenInUse
    }

    /// An event that waits for the app or for the user.
    struct WaitingEvent: Hashable, Sendable, Codable {
        var delivery: Int
        var event: ServiceEvent
        var since: Duration
    }

    /// What the current step has produced so far.
    struct StepOutput: Hashable, Sendable {
        var report = StepReport()
        var actions: [Action] = []
    }

    /// Starts a simulation.
    ///
    /// - Parameters:
    ///   - device: the state of the device and the app at the start.
    ///   - gate: decides the deliveries.
    public init(_ device: DeviceState, gate: RelaunchGate = RelaunchGate()) {
        self.device = device
        self.gate = gate
        known = KnownAuthorization(status: device.reportedStatus, accuracy: device.accuracyAuthorization)
        self.device.hasDelegate = device.managers > 0
        if device.lifecycle.isRunning { openMonitors = Set(device.services.compactMap(\.monitor)) }
        if device.lifecycle == .backgroundGrace { graceEnds = gate.parameters.grace }
        if self.device.lifecycle == .terminated, self.device.terminatedBy == nil {
            self.device.terminatedBy = device.appEverLaunched ? .system : .neverLaunched
        }
        for index in device.services.indices { self.device.services[index].listed = device.services[index].state }
        numberConditions()
        limitRuntime()
    }

    /// Starts a simulation with a policy and parameters in place of a gate.
    public init(_ device: DeviceState, policy: SimulatorPolicy, parameters: SimulatorParameters = SimulatorParameters())
    {
        self.init(device, gate: RelaunchGate(policy: policy, parameters: parameters))
    }

    /// The current time; `nil` until a step names one.
    public var now: Timestamp? { origin.map { $0 + elapsed } }

    var parameters: SimulatorParameters { gate.parameters }
    var system: OperatingSystem { device.system }

    /// Handles one step.
    ///
    /// - Returns: the results of the step, in order. The last one is the report of the step.
    public mutating func handle(_ step: Step) -> [Action] {
        output = StepOutput()
        if let at = step.at { advance(to: at) }
        let wasInUse = device.isInUse
        perform(step.verb)
        if wasInUse { useMayHaveEnded() }
        limitRuntime()
        notifyOfAuthorization()
        output.actions.append(.report(output.report))
        stepCount += 1
        defer {
            output = StepOutput()
            // A step on the phone also records rules on the watch, where nobody reads them.
            for index in watch.indices { watch[index].output = StepOutput() }
        }
        return output.actions
    }

    private mutating func perform(_ verb: Verb) {
        switch verb {
        case .request(let request): perform(request)
        case .answer(let choice, let precise): answer(choice, precise: precise)
        case .start(let object, let inside, let assumed): start(object, deviceInside: inside, assuming: assumed)
        case .stop(let service, let identifier): stop(service, identifier)
        case .setAllowsBackgroundLocationUpdates(let value): setAllowsBackgroundUpdates(value)
        case .createManager: createManager()
        case .createSession(let session): createSession(session)
        case .endSession(let session): endSession(session)
        case .openMonitor(let name): openMonitor(name)
        case .iterate(.liveUpdates): iterateLiveUpdates()
        case .iterate(.monitorEvents): iterateMonitor()
        case .requestState(let identifier): requestState(identifier)
        case .query(let query): answer(query)
        case .enterBackground: enterBackground()
        case .enterForeground: enterForeground()
        case .resume: resume()
        case .wait(let span): wait(span)
        case .terminate(let cause): terminate(by: cause)
        case .reboot: terminate(by: .reboot)
        case .launch(let launcher, let cause): launch(by: launcher, for: cause)
        case .updateSystem(let version, let resets): updateSystem(to: version, resetsGrant: resets)
        case .restoreBackup: restoreBackup()
        case .offload: offload()
        case .unlock: unlock()
        case .lookAway: lookAway()
        case .install: install()
        case .uninstall: uninstall()
        case .updateApp(let keys): updateApp(keys)
        case .settings(let change): changeSettings(change)
        case .event(let event): receive(event)
        case .move(let distance, let stay): move(distance, stay)
        case .moveAcrossBoundaryWhilePoweredOff(let kind): moveWhilePoweredOff(kind)
        case .deviceStationary(let span): becomeStationary(span)
        case .deviceMoves: resumeMoving()
        case .systemShowsSecondPrompt: showSecondPrompt()
        case .systemShowsReminder: showReminder()
        case .onWatch(let step): handleOnWatch(step)
        case .appWorks(let span, let task, let retakes, let holdsLock):
            work(span, task: task, retakesSessions: retakes, holdsFileLock: holdsLock)
        case .checkAuthorization: checkAuthorization()
        case .getAuthorizationStatus: getAuthorizationStatus()
        case .lint(let intentions): lint(intentions)
        }
    }
}

extension CoreLocationSimulation {
    /// Records the rules that decide the effect of the step.
    mutating func cite(_ ids: RuleID...) {
        for id in ids where !output.report.rules.contains(id) { output.report.rules.append(id) }
    }

    mutating func note(_ text: String) { output.report.notes.append(text) }
    mutating func effect(_ effect: String) { output.report.effect = effect }
    mutating func emit(_ action: Action) { output.actions.append(action) }

    mutating func warn(_ id: RuleID, _ text: String? = nil) {
        cite(id)
        emit(.warn(RuleWarning(id, text)))
    }

    mutating func reply(_ name: String, _ value: AnswerValue) {
        output.report.result.removeAll { $0.name == name }
        output.report.result.append(AnswerValue.Member(name, value))
    }

    mutating func fail(_ code: SDKErrorCode, region: String? = nil) {
        emit(.fail(ServiceError(step: stepCount, code: code, region: region)))
    }

    mutating func crash(_ rule: RuleID, _ text: String) {
        cite(rule)
        effect("crash")
        emit(.crash(Crash(step: stepCount, rule: rule, text: text)))
        endProcess(.crash)
    }

    /// Calls the delegate if the status or the accuracy differs from what the running app knows.
    mutating func notifyOfAuthorization() {
        let wakes = device.lifecycle == .suspended && !system.isAtLeast(11)
        guard device.lifecycle.isRunning || wakes, device.managers > 0, device.hasDelegate else { return }
        let current = KnownAuthorization(status: device.reportedStatus, accuracy: device.accuracyAuthorization)
        let statusHasChanged = current.status != known.status
        guard statusHasChanged || (current.accuracy != known.accuracy && system.isAtLeast(14)) else { return }
        known = current
        cite(.cb02)
        emit(.callback(current.status))
    }
}
