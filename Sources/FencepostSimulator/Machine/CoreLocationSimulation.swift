public import FencepostModel

/// What Core Location does with one app: steps in, actions out, in virtual time.
///
/// A pure value: the same steps on the same state give the same actions. Nothing waits and nothing is random; the
/// numbers that Core Location leaves open are its parameters.
public struct CoreLocationSimulation: Hashable, Sendable {
    /// The device and the app as they now are.
    public internal(set) var given: Given
    public let gate: RelaunchGate
    public internal(set) var stepCount = 0
    /// How often the system launched the app.
    public internal(set) var launches = 0
    /// Whether the system is going to show the second prompt.
    public internal(set) var secondPromptScheduled = false

    /// Since the start.
    public internal(set) var elapsed = Duration.zero
    /// The time at the start; `nil` until a step names a time.
    var origin: Timestamp?
    var graceEnds, runtimeEnds, sessionsForgotten: Duration?
    /// When the present grant was given.
    var grantedAt = Duration.zero
    /// What the app has heard last.
    var known: Knowledge
    var promptOnScreen: PendingPrompt?
    var held: WaitingEvent?
    var queue: [WaitingEvent] = []
    var deliveryCount = 0
    var lastSignificantChange: Duration?
    /// When the visit began that goes on, as far as it was seen.
    var visitArrival: Delivery.VisitDates.Date?
    var openMonitors: Set<String> = []
    /// Whether the app was launched and has not iterated its monitors since.
    var isFreshlyLaunched = false
    var wasLaunched = false
    var usedLocationInBackground = false
    var liveUpdatesArePaused = false
    /// The location manager's property, which later starts take over.
    var allowsBackgroundUpdates: Bool?
    /// The watch app beside a paired iPhone app, once a step has spoken of it: none or one.
    var watch: [CoreLocationSimulation] = []
    var turn = Turn()

    /// The status and accuracy that an app knows of.
    struct Knowledge: Hashable, Sendable, Codable {
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

    /// What one step has brought about so far.
    struct Turn: Hashable, Sendable {
        var report = StepReport()
        var actions: [Action] = []
    }

    public init(_ given: Given, gate: RelaunchGate = RelaunchGate()) {
        self.given = given
        self.gate = gate
        known = Knowledge(status: given.reportedStatus, accuracy: given.accuracyAuthorization)
        self.given.hasDelegate = given.managers > 0
        if given.lifecycle.isRunning { openMonitors = Set(given.services.compactMap(\.monitor)) }
        if given.lifecycle == .backgroundGrace { graceEnds = gate.parameters.grace }
        if self.given.lifecycle == .terminated, self.given.terminatedBy == nil {
            self.given.terminatedBy = given.appEverLaunched ? .system : .neverLaunched
        }
        for index in given.services.indices { self.given.services[index].listed = given.services[index].state }
        numberConditions()
        limitRuntime()
    }

    public init(_ given: Given, policy: SimulatorPolicy, parameters: SimulatorParameters = SimulatorParameters()) {
        self.init(given, gate: RelaunchGate(policy: policy, parameters: parameters))
    }

    /// The time by the simulation's clock; `nil` until a step has named one.
    public var now: Timestamp? { origin.map { $0 + elapsed } }

    var parameters: SimulatorParameters { gate.parameters }
    var system: OperatingSystem { given.system }

    /// Takes one step and says what it brought about, its own report last.
    public mutating func handle(_ step: Step) -> [Action] {
        turn = Turn()
        if let at = step.at { advance(to: at) }
        let wasInUse = given.isInUse
        perform(step.verb)
        if wasInUse { useMayHaveEnded() }
        limitRuntime()
        tell()
        turn.actions.append(.report(turn.report))
        stepCount += 1
        defer {
            turn = Turn()
            // What a step on the phone changes on the watch is cited there too, where nobody reads it.
            for index in watch.indices { watch[index].turn = Turn() }
        }
        return turn.actions
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
        case .launch(let launcher): launch(by: launcher)
        case .unlock: unlock()
        case .lookAway: lookAway()
        case .install: install()
        case .uninstall: uninstall()
        case .updateApp(let keys): updateApp(keys)
        case .settings(let change): changeSettings(change)
        case .event(let event): take(event)
        case .move(let distance, let stay): move(distance, stay)
        case .moveAcrossBoundaryWhilePoweredOff(let kind): moveWhilePoweredOff(kind)
        case .deviceStationary(let span): rest(span)
        case .deviceMoves: moveOn()
        case .systemShowsSecondPrompt: showSecondPrompt()
        case .systemShowsReminder: showReminder()
        case .onWatch(let step): handleOnWatch(step)
        case .appWorks(let span, let task, let retakes): work(span, task: task, retakesSessions: retakes)
        case .checkAuthorization: checkAuthorization()
        case .getAuthorizationStatus: getAuthorizationStatus()
        case .lint(let intentions): lint(intentions)
        }
    }
}

extension CoreLocationSimulation {
    /// Names the rules that decided.
    mutating func cite(_ ids: RuleID...) {
        for id in ids where !turn.report.rules.contains(id) { turn.report.rules.append(id) }
    }

    mutating func note(_ text: String) { turn.report.notes.append(text) }
    mutating func effect(_ effect: String) { turn.report.effect = effect }
    mutating func emit(_ action: Action) { turn.actions.append(action) }

    mutating func warn(_ id: RuleID, _ text: String? = nil) {
        cite(id)
        emit(.warn(RuleWarning(id, text)))
    }

    mutating func reply(_ name: String, _ value: AnswerValue) {
        turn.report.result.removeAll { $0.name == name }
        turn.report.result.append(AnswerValue.Member(name, value))
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

    /// Lets the app hear what is news to it, if it runs.
    mutating func tell() {
        let wakes = given.lifecycle == .suspended && !system.isAtLeast(11)
        guard given.lifecycle.isRunning || wakes, given.managers > 0, given.hasDelegate else { return }
        let news = Knowledge(status: given.reportedStatus, accuracy: given.accuracyAuthorization)
        let statusIsNews = news.status != known.status
        guard statusIsNews || (news.accuracy != known.accuracy && system.isAtLeast(14)) else { return }
        known = news
        emit(.callback(news.status))
    }
}
