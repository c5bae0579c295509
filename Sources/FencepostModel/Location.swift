public import FencepostGeometry

/// The name that a device goes by, as its users know it.
///
/// 1 to 128 characters without control characters, in NFC; the readers check it, and compare byte for byte.
public struct DeviceID: Hashable, Sendable, Codable, CustomStringConvertible {
    public let rawValue: String

    public init(_ rawValue: String) {
        self.rawValue = rawValue
    }

    public var description: String { rawValue }

    public init(from decoder: any Decoder) throws {
        rawValue = try decoder.singleValueContainer().decode(String.self)
    }

    public func encode(to encoder: any Encoder) throws {
        var container = encoder.singleValueContainer()
        try container.encode(rawValue)
    }
}

/// One fix of one device, in Core Location's terms and units.
public struct Location: Hashable, Sendable, Codable {
    public var deviceID: DeviceID
    /// When the fix was taken.
    public var timestamp: Timestamp
    public var coordinate: Coordinate
    /// Radius of 68 % confidence around the coordinate, in metres, at least 0; `nil` when unknown.
    ///
    /// Core Location reports a negative number for a fix without a valid coordinate;
    /// decoders reject such fixes, so no `Location` holds one.
    public var horizontalAccuracy: Double?
    /// Metres above the geoid.
    public var altitude: Double?
    /// Metres, at least 0.
    public var verticalAccuracy: Double?
    /// Metres per second, at least 0; a phone knows it for satellite fixes only.
    public var speed: Double?
    /// Whether the sender said that it does not know the speed, as Core Location does with a negative number, rather
    /// than saying nothing of speeds at all.
    public var isSpeedUnknown = false
    /// Degrees from true north, 0 up to and without 360.
    public var course: Double?
    /// Storey, 0 at the ground.
    public var floor: Int?
    /// 0 to 1.
    public var batteryLevel: Double?
    public var batteryState: BatteryState?
    /// Whether software made the fix up.
    public var isSimulated: Bool?
    /// The format it came in, where one is worth keeping (`owntracks`, `overland`).
    public var source: String?
    /// Why the phone sent it, in the words of its app.
    public var trigger: String?

    public enum BatteryState: String, Hashable, Sendable, CaseIterable, Codable {
        case unknown, unplugged, charging, full
    }

    public init(deviceID: DeviceID, timestamp: Timestamp, coordinate: Coordinate, horizontalAccuracy: Double? = nil) {
        self.deviceID = deviceID
        self.timestamp = timestamp
        self.coordinate = coordinate
        self.horizontalAccuracy = horizontalAccuracy
    }
}
