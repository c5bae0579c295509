public import FencepostModel

/// The decoded and checked content of an ingest request, before it is stored.
///
/// A bad record never fails the request: apps resend everything that was not answered with a 2xx, so one bad location
/// would block all later ones (rules I13, I20). Decoders throw only if nothing can be read.
public struct IngestRequest: Hashable, Sendable {
    /// Locations in the order of the request.
    public var locations: [Location] = []
    /// The current positions of devices, sent ahead of locations that will be sent again in order: displayed, never
    /// evaluated (rule I23).
    public var livePositions: [Location] = []
    /// Events that phones report, stored separately from Fencepost's own events (rules I11, I22).
    public var reports: [PhoneReport] = []
    /// Invalid locations and reports, in the order of the request.
    public var rejected: [IngestRejection] = []
    /// The number of records of other kinds without a location (a last will, a card, a trip …).
    public var ignored = 0
    /// The members beyond their ranges, which the locations are without (rule L10).
    public var dropped = DroppedMembers()

    /// The default maximum number of records in one request (rule L1).
    public static let defaultLimit = 10_000

    /// A request without records.
    public init() {}
}

/// One record of a request that is not stored as a location, with the reason.
public struct IngestRejection: Hashable, Sendable {
    /// The index of the record in the request, from 0.
    public var index: Int
    /// The device, if the record names it.
    public var deviceID: DeviceID?
    /// The reason, with its code.
    public var rejection: Rejection
    /// The fix, if only its time is out of range.
    public var fix: Location?

    /// A record at an index from 0 that is not stored as a location.
    public init(index: Int, deviceID: DeviceID?, rejection: Rejection, fix: Location? = nil) {
        self.fix = fix
        self.index = index
        self.deviceID = deviceID
        self.rejection = rejection
    }
}

extension IngestRequest {
    /// Converts a record to a location, or to a rejection if it is invalid.
    mutating func take(_ raw: RawFix, at index: Int, rules: FixRules) {
        do throws(Rejection) {
            locations.append(try rules.location(from: raw, dropping: &dropped))
        } catch {
            // The clock that refuses a time may be wrong, so the fix is kept.
            let fix = error.code == .timestampOutOfRange ? try? rules.acceptingAnyTime.location(from: raw) : nil
            reject(error, at: index, device: raw.deviceID ?? rules.defaultDevice, fix: fix)
        }
    }

    mutating func reject(_ rejection: Rejection, at index: Int, device: DeviceID?, fix: Location? = nil) {
        rejected.append(IngestRejection(index: index, deviceID: device, rejection: rejection, fix: fix))
    }

    /// - Throws: `too_many_locations`.
    static func check(count: Int, limit: Int) throws(Rejection) {
        guard count > limit else { return }
        throw Rejection(
            .tooManyLocations, "a request may have at most \(limit) records: send the rest in another request")
    }
}
