public import FencepostModel

/// What a request to one of the ingest routes holds: decoded and checked, and not yet stored.
///
/// A bad record is never the request's failure: apps keep what was not answered with a 2xx and send it again, so that
/// one bad fix would hold up all later ones (rules I13, I20). Decoders throw only where nothing can be read.
public struct IngestRequest: Hashable, Sendable {
    /// Fixes in the order of the request.
    public var locations: [Location] = []
    /// Where a device is now, ahead of fixes that will come again in order: shown, never evaluated (rule I23).
    public var livePositions: [Location] = []
    /// What phones say happened, kept apart from Fencepost's own evaluation (rules I11, I22).
    public var reports: [PhoneReport] = []
    /// Records that were meant to be fixes or reports and are none, in the order of the request.
    public var rejected: [IngestRejection] = []
    /// How many records hold no location by their kind (a last will, a card, a trip …) and were left out.
    public var ignored = 0

    /// How many records one request may have by default (rule L1).
    public static let defaultLimit = 10_000

    public init() {}
}

/// One record of a request that is not stored as a location, and why.
public struct IngestRejection: Hashable, Sendable {
    /// The place of the record in the request, from 0.
    public var index: Int
    /// As far as it is known.
    public var deviceID: DeviceID?
    public var rejection: Rejection

    public init(index: Int, deviceID: DeviceID?, rejection: Rejection) {
        self.index = index
        self.deviceID = deviceID
        self.rejection = rejection
    }
}

extension IngestRequest {
    /// Takes a record for a fix, or for a rejection where it is none.
    mutating func take(_ raw: RawFix, at index: Int, rules: FixRules) {
        do throws(Rejection) {
            locations.append(try rules.location(from: raw))
        } catch {
            reject(error, at: index, device: raw.deviceID ?? rules.defaultDevice)
        }
    }

    mutating func reject(_ rejection: Rejection, at index: Int, device: DeviceID?) {
        rejected.append(IngestRejection(index: index, deviceID: device, rejection: rejection))
    }

    /// - Throws: `too_many_locations`.
    static func check(count: Int, limit: Int) throws(Rejection) {
        guard count > limit else { return }
        throw Rejection(.tooManyLocations, "a request may have at most \(limit) records: send the rest in another")
    }
}
