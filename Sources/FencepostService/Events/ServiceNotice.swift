public import FencepostModel

/// Something about the service itself: an endpoint, a delivery or a report.
public struct ServiceNotice: Hashable, Sendable {
    /// The endpoint that a notice is about.
    public struct EndpointSummary: Hashable, Sendable {
        /// The id.
        public var id: String
        /// Its text for people; `nil` if it has none.
        public var description: String?

        /// An endpoint.
        public init(id: String, description: String?) { (self.id, self.description) = (id, description) }
    }

    /// The delivery whose last attempt failed.
    public struct DeliverySummary: Hashable, Sendable {
        /// The id of the delivery, and its event.
        public var id, eventID, eventType: String
        /// How often it was tried.
        public var attempts: Int

        /// A delivery.
        public init(id: String, eventID: String, eventType: String, attempts: Int) {
            (self.id, self.eventID, self.eventType, self.attempts) = (id, eventID, eventType, attempts)
        }
    }

    /// The schedule of a report.
    public struct ScheduleSummary: Hashable, Sendable {
        /// The id, and the name for people.
        public var id, name: String

        /// A schedule.
        public init(id: String, name: String) { (self.id, self.name) = (id, name) }
    }

    /// The report that is ready: what it is about, and where it is.
    public struct ReportSummary: Hashable, Sendable {
        /// What is reported and as what, as on the wire.
        public var kind, format: String
        /// The period, as on the wire.
        public var from, to, timeZone, firstDate, lastDate: String
        /// The path of the download.
        public var path: String

        /// A report. More parameters than five, because each is a member.
        public init(
            kind: String, format: String, from: String, to: String, timeZone: String, firstDate: String,
            lastDate: String, path: String
        ) {
            (self.kind, self.format, self.from, self.to) = (kind, format, from, to)
            (self.timeZone, self.firstDate, self.lastDate, self.path) = (timeZone, firstDate, lastDate, path)
        }
    }

    /// What it is about.
    public enum Subject: Hashable, Sendable {
        /// The service has disabled an endpoint, because of this.
        case disabled(EndpointSummary, reason: String)
        /// The last attempt of a delivery has failed.
        case exhausted(EndpointSummary, DeliverySummary)
        /// A test that somebody asked for.
        case test(EndpointSummary)
        /// A report is ready, for these endpoints.
        case report(ScheduleSummary, ReportSummary, recipients: [String])
    }

    /// The id, which follows from the cause.
    public var id: String
    /// When it happened.
    public var timestamp: Timestamp
    /// What it is about.
    public var subject: Subject

    /// A notice whose id follows from its type and its cause.
    public init(_ subject: Subject, cause: [String], at timestamp: Timestamp) {
        self.init(id: "", timestamp: timestamp, subject: subject)
        var identity = Identity()
        identity.add(type.rawValue)
        for part in cause { identity.add(part) }
        id = identity.text(prefix: "evt_")
    }

    /// A notice with all members, for one that is read.
    init(id: String, timestamp: Timestamp, subject: Subject) {
        (self.id, self.timestamp, self.subject) = (id, timestamp, subject)
    }

    /// The type on the wire.
    public var type: ServiceEventType {
        switch subject {
        case .disabled: .endpointDisabled
        case .exhausted: .deliveryExhausted
        case .test: .webhookTest
        case .report: .reportReady
        }
    }

    /// The endpoint that it is about; `nil` for a report.
    public var endpoint: EndpointSummary? {
        switch subject {
        case .disabled(let endpoint, _), .exhausted(let endpoint, _), .test(let endpoint): endpoint
        case .report: nil
        }
    }

    /// Why an endpoint was disabled; `nil` for other notices.
    var reason: String? { if case .disabled(_, let reason) = subject { reason } else { nil } }

    /// The delivery whose last attempt failed; `nil` for other notices.
    var delivery: DeliverySummary? { if case .exhausted(_, let delivery) = subject { delivery } else { nil } }

    /// The schedule of a report; `nil` for other notices.
    var schedule: ScheduleSummary? { if case .report(let schedule, _, _) = subject { schedule } else { nil } }

    /// The report that is ready; `nil` for other notices.
    var report: ReportSummary? { if case .report(_, let report, _) = subject { report } else { nil } }

    /// The endpoints that receive a report; `nil` for other notices.
    public var recipients: [String]? { if case .report(_, _, let all) = subject { all } else { nil } }
}
