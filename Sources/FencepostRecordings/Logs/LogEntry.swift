public import FencepostModel
public import FencepostSimulator

/// One line of a log that says something about an app, in the simulator's terms.
public struct LogEntry: Hashable, Sendable {
    /// What the line says.
    public enum Fact: Hashable, Sendable {
        /// The process of the app began.
        case launched(AppAtLaunch)
        /// The app came to the foreground, or left it.
        case foreground, background
        /// The process ended; `nil` when the line does not say why.
        case terminated(by: Termination?)
        /// The status and the accuracy that the API returns.
        case status(ReportedStatus, AccuracyAuthorization?)
        /// The app asked for permission.
        case requested(AuthorizationRequest)
        /// The system showed a prompt for this level; `nil` when the line names none.
        case promptShown(Session.Goal?)
        /// The app started a service, or stopped it.
        case started(ServiceObject), stopped(Service, identifier: String?)
        /// The app took a session, or ended it.
        case tookSession(Session), endedSession(Session)
        /// The app opened the monitor of a name.
        case openedMonitor(String)
        /// The app set `allowsBackgroundLocationUpdates`.
        case allowsBackground(Bool)
        /// The app received an event.
        case received(Service, ServiceEvent.Kind, identifier: String?)
        /// An event that happened and that the app did not receive.
        case missed(Service, ServiceEvent.Kind, identifier: String?)
        /// Whether the system regards the app as in use.
        case inUse(Bool)
        /// The location daemon sends locations to the app.
        case sendsLocations
    }

    /// The time of the line.
    public var at: Timestamp
    /// The file and the line, such as `app.jsonl:7`.
    public var source: String
    /// What the line says.
    public var fact: Fact

    /// Makes an entry of a line at a time.
    public init(at: Timestamp, source: String, _ fact: Fact) {
        (self.at, self.source, self.fact) = (at, source, fact)
    }
}

/// What an app's recorder knows when its process begins.
public struct AppAtLaunch: Hashable, Sendable {
    /// Whether the app came up in the background, which means that the system launched it.
    public var isInBackground = false
    /// The bundle identifier.
    public var app: String?
    /// The device's model and the version of its system.
    public var device, system: String?
    /// The platform.
    public var platform: Platform?
    /// The status and the accuracy that the API returns.
    public var status: ReportedStatus?
    /// The accuracy that the API returns.
    public var accuracy: AccuracyAuthorization?
    /// The regions that the system monitors for the app.
    public var regions: [ServiceObject] = []
    /// The entries of the app's Info.plist.
    public var infoPlist: [String] = []
    /// What produced the log, where the recorder names it.
    public var kind: RecordingOrigin.Kind?

    /// Makes a launch in the foreground about which nothing else is known.
    public init() {}
}

/// The entries of all logs, and what could not be read.
public struct LogContents: Hashable, Sendable {
    /// The entries, in the order of the files.
    public var entries: [LogEntry] = []
    /// The number of lines.
    public var lines = 0
    /// The number of lines without a known meaning.
    public var unknownLines = 0
    /// The first lines without a known meaning that concern locations, with their sources.
    public var keptLines: [String] = []
    /// Problems for people, such as a binary file.
    public var problems: [String] = []
    /// The files that were read.
    public var files: [String] = []

    /// The most lines that `keptLines` has.
    public static let keptLimit = 200
    /// The most characters of a kept line.
    static let keptLength = 500

    /// Makes empty contents.
    public init() {}

    /// Counts a line without a known meaning, and keeps it if there is room.
    mutating func keep(_ line: String, _ source: String, isAboutLocation: Bool) {
        unknownLines += 1
        guard isAboutLocation, keptLines.count < Self.keptLimit else { return }
        keptLines.append("\(source): \(line.prefix(Self.keptLength))")
    }
}
