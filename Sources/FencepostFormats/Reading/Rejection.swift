/// Why a record is not a location: few values, fit for a metric label.
public enum RejectionCode: String, Hashable, Sendable, CaseIterable {
    case invalidJSON = "invalid_json"
    /// Readable, and not what a location looks like in its format.
    case invalidShape = "invalid_shape"
    case missingDevice = "missing_device"
    case invalidDeviceID = "invalid_device_id"
    /// No coordinate, or one that its sender says is not valid.
    case missingCoordinate = "missing_coordinate"
    case invalidNumber = "invalid_number"
    case coordinateOutOfRange = "coordinate_out_of_range"
    case missingTimestamp = "missing_timestamp"
    case invalidTimestamp = "invalid_timestamp"
    case timestampOutOfRange = "timestamp_out_of_range"
    case payloadTooLarge = "payload_too_large"
    case tooManyLocations = "too_many_locations"
    case unsupportedMediaType = "unsupported_media_type"
    /// Encrypted, and not with a key that is known (rule I14).
    case cannotDecrypt = "cannot_decrypt"
}

/// What is wrong with one record.
public struct Rejection: Error, Hashable, Sendable {
    public var code: RejectionCode
    /// One sentence for a person.
    public var message: String

    public init(_ code: RejectionCode, _ message: String) {
        self.code = code
        self.message = message
    }
}
