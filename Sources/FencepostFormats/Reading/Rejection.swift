/// The reason why a record is not a location: a small set of values, suitable for metric labels.
public enum RejectionCode: String, Hashable, Sendable, CaseIterable {
    /// Not JSON (RFC 8259).
    case invalidJSON = "invalid_json"
    /// Readable, but not a location in its format.
    case invalidShape = "invalid_shape"
    /// No device in the record, its context or the rules.
    case missingDevice = "missing_device"
    /// Not 1 to 128 characters without control characters.
    case invalidDeviceID = "invalid_device_id"
    /// No coordinate, or one that the sender marks as invalid.
    case missingCoordinate = "missing_coordinate"
    /// A number that is no number, or not one of its member.
    case invalidNumber = "invalid_number"
    /// A latitude beyond ±90° or a longitude beyond ±180°.
    case coordinateOutOfRange = "coordinate_out_of_range"
    /// No time, where the rules require one.
    case missingTimestamp = "missing_timestamp"
    /// A time that is not of the format, or does not exist.
    case invalidTimestamp = "invalid_timestamp"
    /// A time before the year 2000, or more than 24 hours ahead.
    case timestampOutOfRange = "timestamp_out_of_range"
    /// A time 1024 weeks before the arrival: that of a receiver whose week counter has rolled over.
    case weekRollover = "week_rollover"
    /// More bytes than the format or the service allows for one record or payload.
    case payloadTooLarge = "payload_too_large"
    /// More records than the limit of a request.
    case tooManyLocations = "too_many_locations"
    /// A media type that no decoder reads.
    case unsupportedMediaType = "unsupported_media_type"
    /// Encrypted, and not with a known key (rule I14).
    case cannotDecrypt = "cannot_decrypt"
}

/// The problem with one record.
public struct Rejection: Error, Hashable, Sendable {
    /// The reason as a stable name.
    public var code: RejectionCode
    /// One sentence for a person.
    public var message: String

    /// A problem with its reason and a sentence for people.
    public init(_ code: RejectionCode, _ message: String) {
        self.code = code
        self.message = message
    }
}
