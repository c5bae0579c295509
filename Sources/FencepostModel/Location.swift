public import FencepostGeometry

/// One fix of one device, in Core Location's terms and units.
///
/// The complete fix, as decoders produce it and events carry it. Many are copied, so it is kept to 112 bytes: an absent
/// number is a reserved NaN, and the members that few fixes have are on the heap. A number beyond its range of
/// `ValueLimits`, or NaN, becomes absent, wherever it comes from. The smaller forms of a fix each hold
/// what one algorithm keeps per device: `LastFix`, `FixSummary` and `VisitFix` in Monitor.
public struct Location: Hashable, Sendable {
    /// The device that the fix is of.
    public var deviceID: DeviceID
    /// When the fix was taken.
    public var timestamp: Timestamp
    /// The position, on WGS 84.
    public var coordinate: Coordinate
    @usableFromInline var accuracy: OptionalNumber
    @usableFromInline var height = OptionalNumber.absent
    @usableFromInline var heightAccuracy = OptionalNumber.absent
    @usableFromInline var pace = OptionalNumber.absent
    @usableFromInline var heading = OptionalNumber.absent
    @usableFromInline var battery = OptionalNumber.absent
    /// The members that few fixes have: empty, or one element.
    @usableFromInline var extras: [Extras] = []
    /// Whether the battery is being charged; `nil` if the sender does not say.
    public var batteryState: BatteryState?
    /// Whether software simulated the fix; `nil` if the sender does not say.
    public var isSimulated: Bool?

    /// The state of the battery, in the terms of `UIDevice.BatteryState`.
    public enum BatteryState: String, Hashable, Sendable, CaseIterable, Codable {
        /// As the phone states it, also `unknown`.
        case unknown, unplugged, charging, full
    }

    @usableFromInline
    struct Extras: Hashable, Sendable {
        var floor: Int?
        var source, trigger: String?
    }

    /// A fix without the optional members but the accuracy, in metres.
    @inlinable
    public init(deviceID: DeviceID, timestamp: Timestamp, coordinate: Coordinate, horizontalAccuracy: Double? = nil) {
        self.deviceID = deviceID
        self.timestamp = timestamp
        self.coordinate = coordinate
        accuracy = OptionalNumber(horizontalAccuracy, in: ValueLimits.accuracy)
    }
}

extension Location {
    /// The trigger of the fixes at the begin and at the end of a stay that a file or a phone states, and no receiver measured then.
    public static let statedStay = "visit"

    /// Radius of 68 % confidence around the coordinate, in metres, at least 0; `nil` when unknown.
    ///
    /// Core Location reports a negative number for a fix without a valid coordinate.
    /// Decoders reject such fixes, so no `Location` has one.
    @inlinable public var horizontalAccuracy: Double? {
        get { accuracy.value }
        set { accuracy = OptionalNumber(newValue, in: ValueLimits.accuracy) }
    }

    /// Metres above the geoid.
    @inlinable public var altitude: Double? {
        get { height.value }
        set { height = OptionalNumber(newValue, in: ValueLimits.altitude) }
    }

    /// Metres, at least 0.
    @inlinable public var verticalAccuracy: Double? {
        get { heightAccuracy.value }
        set { heightAccuracy = OptionalNumber(newValue, in: ValueLimits.accuracy) }
    }

    /// Metres per second, at least 0. Phones report it for satellite fixes only. A negative number, by which Core
    /// Location and phones say that the speed is unknown, is the same as no speed (rule V2).
    @inlinable public var speed: Double? {
        get { pace.value }
        set { pace = OptionalNumber(newValue, in: ValueLimits.speed) }
    }

    /// Degrees from true north, at least 0 and below 360.
    @inlinable public var course: Double? {
        get { heading.value }
        set { heading = OptionalNumber(newValue, in: ValueLimits.course) }
    }

    /// 0 to 1.
    @inlinable public var batteryLevel: Double? {
        get { battery.value }
        set { battery = OptionalNumber(newValue, in: ValueLimits.batteryLevel) }
    }

    /// Storey of a building, 0 at the ground.
    public var floor: Int? {
        get { extras.first?.floor }
        set {
            let floor = newValue.flatMap { ValueLimits.floor.contains($0) ? $0 : nil }
            updateExtras(isSet: floor != nil) { $0.floor = floor }
        }
    }

    /// The input format (`owntracks`, `overland`), if the decoder of that format sets it.
    public var source: String? {
        get { extras.first?.source }
        set { updateExtras(isSet: newValue != nil) { $0.source = newValue } }
    }

    /// Why the phone sent the fix, as its app states it.
    public var trigger: String? {
        get { extras.first?.trigger }
        set { updateExtras(isSet: newValue != nil) { $0.trigger = newValue } }
    }

    /// Whether it has no floor, no source and no trigger.
    @inlinable public var hasNoExtras: Bool { extras.isEmpty }

    private mutating func updateExtras(isSet: Bool, _ change: (inout Extras) -> Void) {
        if extras.isEmpty {
            guard isSet else { return }
            extras = [Extras()]
        }
        change(&extras[0])
        // An empty element would make two equal fixes unequal.
        if !isSet, extras[0] == Extras() { extras = [] }
    }
}

/// An optional number in eight bytes.
@usableFromInline
struct OptionalNumber: Hashable, Sendable {
    @usableFromInline let number: Double

    /// The bits that stand for an absent number: a NaN that no calculation produces.
    @usableFromInline static var absentBits: UInt64 { 0x7FFC_0FEE_CE90_5700 }
    @usableFromInline static var absent: OptionalNumber { OptionalNumber(nil, in: 0...0) }

    /// `nil` and a number that is not in the range, such as NaN, are absent.
    @inlinable
    init(_ value: Double?, in range: ClosedRange<Double>) {
        if let value, value >= range.lowerBound, value <= range.upperBound {
            number = value
        } else {
            number = Double(bitPattern: OptionalNumber.absentBits)
        }
    }

    @inlinable var value: Double? { number.bitPattern == OptionalNumber.absentBits ? nil : number }

    @usableFromInline
    static func == (a: OptionalNumber, b: OptionalNumber) -> Bool { a.value == b.value }

    @usableFromInline
    func hash(into hasher: inout Hasher) { hasher.combine(value) }
}

// MARK: - Coding
//
// The keys are part of stored states and must not change.

extension Location: Codable {
    private enum CodingKeys: CodingKey {
        case deviceID, timestamp, coordinate, horizontalAccuracy, altitude, verticalAccuracy, speed, isSpeedUnknown
        case course, floor, batteryLevel, batteryState, isSimulated, source, trigger
    }

    /// Reads a stored fix; absent members are `nil`.
    ///
    /// - Throws: `DecodingError` if the device, the time or the coordinate is absent, or a member has another type.
    public init(from decoder: any Decoder) throws {
        let container = try decoder.container(keyedBy: CodingKeys.self)
        self.init(
            deviceID: try container.decode(DeviceID.self, forKey: .deviceID),
            timestamp: try container.decode(Timestamp.self, forKey: .timestamp),
            coordinate: try container.decode(Coordinate.self, forKey: .coordinate),
            horizontalAccuracy: try container.decodeIfPresent(Double.self, forKey: .horizontalAccuracy))
        altitude = try container.decodeIfPresent(Double.self, forKey: .altitude)
        verticalAccuracy = try container.decodeIfPresent(Double.self, forKey: .verticalAccuracy)
        speed = try container.decodeIfPresent(Double.self, forKey: .speed)
        course = try container.decodeIfPresent(Double.self, forKey: .course)
        floor = try container.decodeIfPresent(Int.self, forKey: .floor)
        batteryLevel = try container.decodeIfPresent(Double.self, forKey: .batteryLevel)
        batteryState = try container.decodeIfPresent(BatteryState.self, forKey: .batteryState)
        isSimulated = try container.decodeIfPresent(Bool.self, forKey: .isSimulated)
        source = try container.decodeIfPresent(String.self, forKey: .source)
        trigger = try container.decodeIfPresent(String.self, forKey: .trigger)
    }

    /// Writes the fix for a stored state; members that are `nil` are left out.
    public func encode(to encoder: any Encoder) throws {
        var container = encoder.container(keyedBy: CodingKeys.self)
        try container.encode(deviceID, forKey: .deviceID)
        try container.encode(timestamp, forKey: .timestamp)
        try container.encode(coordinate, forKey: .coordinate)
        try container.encodeIfPresent(horizontalAccuracy, forKey: .horizontalAccuracy)
        try container.encodeIfPresent(altitude, forKey: .altitude)
        try container.encodeIfPresent(verticalAccuracy, forKey: .verticalAccuracy)
        try container.encodeIfPresent(speed, forKey: .speed)
        // Earlier versions read it, and keep a speed of -1 apart. This version does not.
        try container.encode(false, forKey: .isSpeedUnknown)
        try container.encodeIfPresent(course, forKey: .course)
        try container.encodeIfPresent(floor, forKey: .floor)
        try container.encodeIfPresent(batteryLevel, forKey: .batteryLevel)
        try container.encodeIfPresent(batteryState, forKey: .batteryState)
        try container.encodeIfPresent(isSimulated, forKey: .isSimulated)
        try container.encodeIfPresent(source, forKey: .source)
        try container.encodeIfPresent(trigger, forKey: .trigger)
    }
}
