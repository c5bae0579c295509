/// The reason why a record is not a location: a small set of values, suitable for metric labels.
public enum RejectionCode: String, Hashable, Sendable, CaseIterable {
    case invalidJSON = "invalid_json"
    /// Readable, but not a location in its format.
    case invalidShape = "invalid_shape"
    case missingDevice = "missing_device"
    case invalidDeviceID = "invalid_device_id"
    /// No coordinate, or one that the sender marks as invalid.
    case missingCoordinate = "missing_coordinate"
    case invalidNumber = "invalid_number"
    case coordinateOutOfRange = "coordinate_out_of_range"
    case missingTimestamp = "missing_timestamp"
    case invalidTimestamp = "invalid_timestamp"
    case timestampOutOfRange = "timestamp_out_of_range"
    case payloadTooLarge = "payload_too_large"
    case tooManyLocations = "too_many_locations"
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
