import FencepostModel
public import FencepostSimulator

/// Makes a scenario of the entries of a device's logs.
///
/// The entries become steps with their times. What the device did becomes `seen` of a step, which `fencepost simulate`
/// compares with the rules. What the logs leave open is assumed, and a note says so.
public struct ScenarioComposer {
    /// What the user knows about the recording and the logs do not say.
    public struct Options: Hashable, Sendable {
        /// The name of the scenario.
        public var name = ""
        /// What produced the log; `nil` for what the recorder says, otherwise a device.
        public var kind: RecordingOrigin.Kind?
        /// The device's model and the version of its system; `nil` for what the recorder says.
        public var device, system: String?
        /// Who ended the process, where the logs do not say it; `nil` means the system.
        public var terminatedBy: Termination?
        /// Events that happened and that the app did not receive.
        public var missed: [ServiceEvent] = []

        /// Makes options without knowledge.
        public init() {}
    }

    enum Process: Hashable { case unknown, foreground, background, terminated }

    let options: Options
    var steps: [RecordedStep] = []
    var notes: [String] = []
    /// The first launch, from which `given` follows.
    var first: AppAtLaunch?
    /// The services that ran before the first step, found when their events came.
    var assumed: [ServiceObject] = []
    var process = Process.unknown
    var startsTerminated = false
    var startsForeground = false
    var startStatus: ReportedStatus?
    var initialCause: Termination?
    var status: ReportedStatus?
    var accuracy: AccuracyAuthorization?
    var isInUse: Bool?
    /// Whether the cause of the last end of the process is an assumption.
    var causeIsAssumed = false
    /// The launch by the system for which no event has come yet.
    var launch: LogEntry?
    /// The last request for permission that has no answer.
    var request: (level: Session.Goal?, step: Int, at: Timestamp)?
    var known: [ServiceObject] = []
    var hasSentLocations = false
    /// Whether the user has allowed use only, and the API reports Always.
    var isProvisional = false

    /// How long after a launch an event counts as its cause.
    static let causeInterval = Duration.seconds(60)

    /// Makes a composer.
    public init(_ options: Options = Options()) {
        self.options = options
    }

    /// Makes a scenario.
    ///
    /// - Parameter contents: the entries, in any order, and the lines without a known meaning.
    /// - Returns: the text of a scenario file, and notes for people.
    public consuming func compose(_ contents: LogContents) -> (json: String, notes: [String], steps: Int) {
        let missed = options.missed.map { event in
            LogEntry(
                at: event.at ?? .distantFuture, source: "",
                .missed(event.service, event.kind, identifier: event.identifier))
        }
        // The order of equal times is that of the files.
        let entries = (contents.entries + missed).enumerated()
            .sorted { ($0.element.at, $0.offset) < ($1.element.at, $1.offset) }.map(\.element)
        for entry in entries { take(entry) }
        flushLaunch()
        let date = entries.first.map { String($0.at.rfc3339.prefix(10)) }
        return (text(contents, date: date), notes, steps.count)
    }

    mutating func note(_ text: String) {
        if !notes.contains(text) { notes.append(text) }
    }

    mutating func add(
        _ verb: String, _ members: [AnswerValue.Member] = [], _ entry: LogEntry, _ seen: SeenOnDevice = SeenOnDevice()
    ) {
        var step = RecordedStep(verb, members, at: entry.at, line: entry.source.isEmpty ? nil : entry.source)
        step.seen = seen
        steps.append(step)
    }

    mutating func take(_ entry: LogEntry) {
        if let launch, entry.at - launch.at > Self.causeInterval { flushLaunch() }
        switch entry.fact {
        case .launched(let app): launched(app, entry)
        case .foreground: foreground(entry)
        case .background: background(entry)
        case .terminated(let cause): terminated(cause, entry)
        case .status(let status, let accuracy): changed(status, accuracy, entry)
        case .requested(let request): requested(request, entry)
        case .promptShown(let goal): promptShown(goal, entry)
        case .started(let object): started(object, entry)
        case .stopped(let service, let identifier): stopped(service, identifier, entry)
        case .tookSession(let session):
            add("createSession", [AnswerValue.Member("session", .text("\(session)"))], entry)
        case .endedSession(let session):
            add("endSession", [AnswerValue.Member("session", .text("\(session)"))], entry)
        case .openedMonitor(let name): add("openMonitor", [AnswerValue.Member("name", .text(name))], entry)
        case .allowsBackground(let value):
            add("setAllowsBackgroundLocationUpdates", [AnswerValue.Member("value", .bool(value))], entry)
        case .received(let service, let kind, let identifier):
            received(ServiceEvent(service, kind, identifier: identifier), entry)
        case .missed(let service, let kind, let identifier):
            assume(service, identifier)
            var seen = SeenOnDevice()
            (seen.delivered, seen.relaunch) = (false, false)
            add("event", Self.members(of: ServiceEvent(service, kind, identifier: identifier)), entry, seen)
        case .inUse(let isInUse):
            guard isInUse != self.isInUse else { return }
            self.isInUse = isInUse
            var seen = SeenOnDevice()
            seen.inUse = isInUse
            add("query", [AnswerValue.Member("what", .text("inUse"))], entry, seen)
        case .sendsLocations: sendsLocations(entry)
        }
    }

    static func members(of event: ServiceEvent) -> [AnswerValue.Member] {
        var members = [
            AnswerValue.Member("service", .text(event.service.rawValue)),
            AnswerValue.Member("kind", .text(event.kind.rawValue)),
        ]
        if let identifier = event.identifier { members.append(AnswerValue.Member("identifier", .text(identifier))) }
        return members
    }
}
