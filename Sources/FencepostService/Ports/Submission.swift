public import FencepostFormats
public import FencepostModel

/// The decoded content of one request, not yet stored.
public struct Submission: Hashable, Sendable {
    /// Fixes in the order of the request.
    public var locations: [Location] = []
    /// Current positions of devices, sent ahead of fixes that follow in order. They are shown and never evaluated
    /// (rule I23).
    public var livePositions: [Location] = []
    /// Reports of phones.
    public var reports: [PhoneReport] = []
    /// Records that are not locations, stored for inspection.
    public var quarantined: [QuarantineEntry] = []
    /// The format of the request; a metric label.
    public var format: String
    /// The W3C `traceparent` of the request, passed on with the messages that it causes (rule A11).
    public var traceparent: String?

    /// An empty submission.
    public init(format: String) {
        self.format = format
    }

    /// Whether there is nothing to store.
    public var isEmpty: Bool {
        locations.isEmpty && livePositions.isEmpty && reports.isEmpty && quarantined.isEmpty
    }
}

/// The result of a submission, once it is durable.
public struct SubmissionReceipt: Hashable, Sendable {
    /// Stored fixes, late ones included.
    public var accepted = 0
    /// Stored fixes that came too late to be evaluated.
    public var late = 0
    /// Ignored duplicates.
    public var duplicates = 0

    /// A receipt with counts.
    public init(accepted: Int = 0, late: Int = 0, duplicates: Int = 0) {
        self.accepted = accepted
        self.late = late
        self.duplicates = duplicates
    }
}
