public import FencepostFormats
import FencepostGeometry
public import FencepostModel

/// What one sender handed over in one go: decoded, and not yet stored.
public struct Submission: Hashable, Sendable {
    /// Fixes in the order of the request.
    public var locations: [Location] = []
    /// Where devices are now, ahead of fixes that will come again in order: shown, never evaluated (rule I23).
    public var livePositions: [Location] = []
    /// What phones say happened.
    public var reports: [PhoneReport] = []
    /// Records that are no locations, to be kept for people to look at.
    public var quarantined: [QuarantineEntry] = []
    /// The format it came in, fit for a metric label.
    public var format: String
    /// The W3C `traceparent` of the request that it came in, handed on with the messages that it causes (rule A11).
    public var traceparent: String?

    public init(format: String) {
        self.format = format
    }

    public var isEmpty: Bool {
        locations.isEmpty && livePositions.isEmpty && reports.isEmpty && quarantined.isEmpty
    }
}

/// What became of a submission, once it is durable.
public struct SubmissionReceipt: Hashable, Sendable {
    /// Fixes that were stored; late ones count.
    public var accepted = 0
    /// Of those, how many were too late to be evaluated.
    public var late = 0
    public var duplicates = 0

    public init(accepted: Int = 0, late: Int = 0, duplicates: Int = 0) {
        self.accepted = accepted
        self.late = late
        self.duplicates = duplicates
    }
}

/// A record that was not stored as a location, and why.
public struct QuarantineEntry: Hashable, Sendable, Codable {
    public var receivedAt: Timestamp
    /// As in `Submission.format`.
    public var format: String
    /// As far as it is known.
    public var deviceID: DeviceID?
    /// Its place in the request, from 0.
    public var index: Int
    /// One of `RejectionCode`.
    public var code: String
    /// One sentence for a person.
    public var detail: String

    public init(
        receivedAt: Timestamp, format: String, deviceID: DeviceID?, index: Int, code: String, detail: String
    ) {
        self.receivedAt = receivedAt
        self.format = format
        self.deviceID = deviceID
        self.index = index
        self.code = code
        self.detail = detail
    }
}

/// A fix as it is kept.
public struct StoredLocation: Hashable, Sendable {
    public var location: Location
    /// Older than the newest evaluated fix of its device when it came, so never evaluated (rule I52).
    public var isLate: Bool

    public init(_ location: Location, isLate: Bool = false) {
        self.location = location
        self.isLate = isLate
    }
}

/// What makes two fixes the same one (rule I51).
public struct FixKey: Hashable, Sendable {
    public var deviceID: DeviceID
    public var timestamp: Timestamp
    public var latitude, longitude: Double

    public init(_ location: Location) {
        deviceID = location.deviceID
        timestamp = location.timestamp
        latitude = location.coordinate.latitude
        longitude = location.coordinate.longitude
    }
}
