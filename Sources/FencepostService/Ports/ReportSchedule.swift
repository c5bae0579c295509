public import FencepostModel
import Foundation

/// A report that is sent to endpoints, again and again.
public struct ReportSchedule: Hashable, Sendable, Codable {
    /// What is reported: the list of the API of which the file is a download.
    public enum Report: String, Hashable, Sendable, Codable, CaseIterable {
        case summaries, trips, visits

        /// The parameters that its route takes besides those of the period, the format and the time zone.
        public var parameters: [String] {
            let common = ["deviceId", "group", "regionId", "tag"]
            return switch self {
            case .summaries: ["by", "period", "dayStartsAt"] + common + ["units"]
            case .trips: common + ["units"]
            case .visits: common
            }
        }
    }

    /// The format of the file.
    public enum Format: String, Hashable, Sendable, Codable, CaseIterable {
        case csv, xlsx
    }

    /// The last report that was handed to the outbox.
    public struct Sent: Hashable, Sendable, Codable {
        /// Which one it was.
        public var run: ReportTiming.Run
        /// When it was handed over.
        public var at: Timestamp
        /// Its `report.ready`.
        public var eventID: String

        /// A report that was handed to the outbox.
        public init(run: ReportTiming.Run, at: Timestamp, eventID: String) {
            (self.run, self.at, self.eventID) = (run, at, eventID)
        }
    }

    /// Largest number of schedules.
    public static let limit = 200

    /// `rep_…`, or what its user has chosen.
    public var id: String
    /// A text for people, which is the title of the messages.
    public var name: String
    /// What is reported.
    public var report: Report
    /// Parameters of the report's route, by their names.
    public var parameters: [String: String] = [:]
    /// The format of the file.
    public var format: Format
    /// When it is made.
    public var timing: ReportTiming
    /// The ids of the recipients.
    public var endpoints: [String]
    /// Whether it is made at its times.
    public var isActive = true
    /// When it was created.
    public var createdAt: Timestamp
    /// Runs that were due until then are not made: when it was created, got other times or was enabled.
    public var since: Timestamp
    /// `nil` before the first one.
    public var lastSent: Sent?

    /// A schedule that is made from now on. More than five parameters, because none has a default.
    public init(
        id: String, name: String, report: Report, format: Format, timing: ReportTiming, endpoints: [String],
        createdAt: Timestamp
    ) {
        (self.id, self.name, self.report, self.format) = (id, name, report, format)
        (self.timing, self.endpoints, self.createdAt, since) = (timing, endpoints, createdAt, createdAt)
    }

    /// The run that has to be made now; `nil` when there is none.
    ///
    /// Of several that were missed it is the last one.
    public func due(at now: Timestamp) -> ReportTiming.Run? {
        guard isActive else { return nil }
        let run = timing.latest(at: now)
        guard run.due > since, run.due > lastSent?.run.due ?? .distantPast else { return nil }
        return run
    }

    /// When it is made next; `nil` while it is disabled.
    public func next(after now: Timestamp) -> Timestamp? {
        guard isActive else { return nil }
        return due(at: now)?.due ?? timing.next(after: now).due
    }
}

extension ReportSchedule {
    /// The path and the query of the download that gives the file of a run.
    public func target(of run: ReportTiming.Run) -> String {
        var query = parameters
        query["format"] = format.rawValue
        query["from"] = run.start.rfc3339
        query["to"] = run.end.rfc3339
        // Trips and visits have local times in a workbook only.
        if report == .summaries || format == .xlsx { query["timeZone"] = timing.timeZone.identifier }
        let items = query.sorted { $0.key < $1.key }.map { "\($0.key)=\($0.value.percentEncoded)" }
        return "/v1/\(report.rawValue)?\(items.joined(separator: "&"))"
    }
}

/// Stores the schedules of reports.
public protocol ReportStore: Sendable {
    /// All schedules, by id.
    func reportSchedules() async throws -> [ReportSchedule]
    /// Adds a schedule; `false` when one with its id exists.
    func add(_ schedule: ReportSchedule) async throws -> Bool
    /// Replaces a schedule that is as it was read.
    ///
    /// - Returns: `false` when it was changed or removed in the meantime; nothing is stored then.
    func replace(_ former: ReportSchedule, with schedule: ReportSchedule) async throws -> Bool
    /// Removes a schedule that is as it was read. Messages that are in the outbox stay.
    func remove(_ schedule: ReportSchedule) async throws -> Bool
    /// Replaces a schedule that is as it was read, and hands a report of it to the outbox, in one transaction.
    ///
    /// - Returns: `false` when it was changed or removed in the meantime; nothing is stored then.
    func send(
        _ former: ReportSchedule, as schedule: ReportSchedule, _ event: NewEvent, _ deliveries: [NewDelivery],
        at now: Timestamp
    ) async throws -> Bool
}

/// The file of a report, as a download of it gives it.
public struct ReportFile: Hashable, Sendable {
    /// The name of the file.
    public var name: String
    /// Its media type.
    public var type: String
    /// Its content.
    public var bytes: [UInt8]

    /// A file.
    public init(name: String, type: String, bytes: [UInt8]) {
        (self.name, self.type, self.bytes) = (name, type, bytes)
    }
}

/// What a request for the file of a report gives.
public enum ReportOutcome: Hashable, Sendable {
    case file(ReportFile)
    /// It cannot be made, however often it is tried; a sentence for people.
    case refused(String)
    /// It cannot be made now.
    case unavailable(String)
}

/// Makes the files of reports.
public protocol ReportSource: Sendable {
    /// The file that a `GET` of this path and query downloads.
    func file(at target: String) async -> ReportOutcome
}

extension Endpoint.Kind {
    /// Why reports are not sent to this kind of endpoint, in one sentence; `nil` where they are.
    public var reportProblem: String? {
        switch self {
        case .email, .ntfy, .telegram, .discord, .webhook: nil
        case .slack:
            "Slack's incoming webhooks take no files: send the report by email, or to ntfy, Telegram or Discord."
        case .gotify: "Gotify takes no files: send the report by email, or to ntfy, Telegram or Discord."
        case .apprise: "Many of Apprise's services take no files: send the report by email, ntfy, Telegram or Discord."
        case .mqtt, .nats, .redis, .amqp, .kafka: "A broker takes no files: send the report by email, or to a webhook."
        }
    }
}
