internal import FencepostGeometry
public import FencepostModel

/// The time of a record before validation.
public enum RawTime: Hashable, Sendable {
    /// The record has no time.
    case absent
    /// A value that is not a time, truncated for a message.
    case invalid(String)
    /// A time in UTC, not checked against the rules.
    case at(Timestamp)
}

/// The values of one record in Fencepost's units, before validation.
///
/// Every decoder produces these, and `FixRules` alone decides which of them is a `Location`.
public struct RawFix: Sendable {
    /// `nil` where the record names none.
    public var deviceID: DeviceID?
    /// When the fix was taken.
    public var time = RawTime.absent
    /// Degrees.
    public var latitude, longitude: Double?
    /// Metres; a negative value means that the coordinate is invalid.
    public var horizontalAccuracy: Double?
    /// Metres above the geoid.
    public var altitude: Double?
    /// Metres, metres per second, degrees, and 0 to 1; values out of range count as unknown.
    public var verticalAccuracy, speed, course, batteryLevel: Double?
    /// Storey of a building, 0 at the ground.
    public var floor: Int?
    /// Whether the battery is being charged; `nil` where the record does not say.
    public var batteryState: Location.BatteryState?
    /// Whether software simulated the fix; `nil` where the record does not say.
    public var isSimulated: Bool?
    /// The input format, and why the phone sent the fix; `nil` where the record does not say.
    public var source, trigger: String?

    /// A record without values.
    public init() {}
}

/// The rules by which a fix is accepted.
public struct FixRules: Hashable, Sendable {
    /// The device of records that name none; without it such records are rejected.
    public var defaultDevice: DeviceID?
    /// If false, a record without a valid time gets 1970-01-01T00:00:00Z.
    public var requiresTimestamp: Bool
    /// The inclusive limits of times.
    public var earliest, latest: Timestamp
    /// When the records arrive, if they are sent and not read from a file.
    private var arrival: Timestamp?

    /// Rules that accept times from the year 2000 on.
    ///
    /// - Parameters:
    ///   - defaultDevice: the device of records that name none; without it such records are rejected.
    ///   - requiresTimestamp: whether a record without a valid time is rejected.
    ///   - now: the current time; a fix more than 24 hours later is rejected. With `nil` the limit is the end of the
    ///     year 9999.
    ///   - areSent: whether the fixes arrive now, so that one of the day 1024 weeks ago has the time of a receiver whose week
    ///     counter has rolled over.
    public init(
        defaultDevice: DeviceID? = nil, requiresTimestamp: Bool = true, now: Timestamp? = nil, areSent: Bool = false
    ) {
        self.defaultDevice = defaultDevice
        self.requiresTimestamp = requiresTimestamp
        earliest = FixRules.earliest
        latest = now.map { $0 + .seconds(86_400) } ?? FixRules.latest
        arrival = areSent ? now : nil
    }

    /// 2000-01-01T00:00:00Z: an earlier time means that the clock was not set.
    private static let earliest = Timestamp(seconds: 946_684_800)
    /// 0001-01-01T00:00:00Z
    private static let firstRepresentable = Timestamp(seconds: -62_135_596_800)
    /// 9999-12-31T23:59:59Z: RFC 3339 cannot represent a later year.
    private static let latest = Timestamp(seconds: 253_402_300_799)

    /// The same rules with all times that RFC 3339 can represent.
    var acceptingAnyTime: FixRules {
        var rules = self
        rules.earliest = FixRules.firstRepresentable
        rules.latest = FixRules.latest
        rules.arrival = nil
        return rules
    }

    /// The location of a record, without the optional members that are beyond their ranges.
    ///
    /// - Throws: the reason why the record is rejected.
    public func location(from raw: RawFix) throws(Rejection) -> Location {
        var dropped = DroppedMembers()
        return try location(from: raw, dropping: &dropped)
    }

    /// The location of a record.
    ///
    /// - Parameters:
    ///   - raw: the values of the record.
    ///   - dropped: counts the optional members that are beyond their ranges (rule L10); the location is without them.
    /// - Returns: the location.
    /// - Throws: the reason why the record is rejected.
    public func location(from raw: RawFix, dropping dropped: inout DroppedMembers) throws(Rejection) -> Location {
        guard let latitude = raw.latitude, let longitude = raw.longitude else {
            throw Rejection(
                .missingCoordinate,
                raw.latitude != nil
                    ? "the longitude is missing"
                    : raw.longitude != nil ? "the latitude is missing" : "latitude and longitude are missing")
        }
        guard latitude.isFinite, longitude.isFinite else {
            throw Rejection(.invalidNumber, "latitude and longitude must be finite numbers")
        }
        guard latitude.magnitude <= 90 else {
            throw Rejection(.coordinateOutOfRange, "the latitude \(latitude) is not between -90 and 90")
        }
        guard longitude.magnitude <= 180 else {
            throw Rejection(.coordinateOutOfRange, "the longitude \(longitude) is not between -180 and 180")
        }
        if let accuracy = raw.horizontalAccuracy, !(accuracy >= 0) {
            throw Rejection(
                .missingCoordinate,
                "the horizontal accuracy is \(accuracy), so the coordinate is not valid")
        }
        guard let deviceID = raw.deviceID ?? defaultDevice else {
            throw Rejection(.missingDevice, "the record names no device: add a deviceId")
        }
        var location = Location(
            deviceID: deviceID, timestamp: try timestamp(of: raw.time),
            coordinate: Coordinate(latitude: latitude, longitude: longitude),
            horizontalAccuracy: raw.horizontalAccuracy)
        // A location takes no number beyond its range, so what it does not have afterwards is dropped.
        location.altitude = raw.altitude
        location.verticalAccuracy = raw.verticalAccuracy
        location.speed = raw.speed
        location.course = raw.course == 360 ? 0 : raw.course
        location.batteryLevel = raw.batteryLevel
        location.floor = raw.floor
        location.batteryState = raw.batteryState
        location.isSimulated = raw.isSimulated
        location.source = raw.source.flatMap { $0.utf8.count <= ValueLimits.textBytes ? $0 : nil }
        location.trigger = raw.trigger.flatMap { $0.utf8.count <= ValueLimits.textBytes ? $0 : nil }
        raw.countDropped(from: location, in: &dropped)
        return location
    }

    /// Whether a time is in the accepted range.
    public func accepts(_ time: Timestamp) -> Bool { time >= earliest && time <= latest }

    /// The time of a fix or of a phone's report.
    public func timestamp(of time: RawTime) throws(Rejection) -> Timestamp {
        switch time {
        case .at(let timestamp) where timestamp >= earliest && timestamp <= latest:
            if let arrival, timestamp.isRolledOver(from: arrival) {
                throw Rejection(
                    .weekRollover,
                    "the time \(timestamp.rfc3339) is 1024 weeks before now: the week counter of the receiver has "
                        + "rolled over, which a new version of its software mends")
            }
            return timestamp
        case .at, .absent, .invalid:
            if !requiresTimestamp { return Timestamp(milliseconds: 0) }
        }
        switch time {
        case .absent:
            throw Rejection(.missingTimestamp, "the timestamp is missing")
        case .invalid(let text):
            throw Rejection(
                .invalidTimestamp, "\(text) is not a time: use RFC 3339 with an offset, or seconds since 1970")
        case .at(let timestamp):
            let end = timestamp < earliest ? "before \(earliest.rfc3339)" : "more than 24 hours ahead of the clock"
            throw Rejection(.timestampOutOfRange, "the time \(RawTime.description(of: timestamp)) is \(end)")
        }
    }
}

extension RawFix {
    /// Counts the members that the location of this record lacks. Negative numbers by which phones say that a value is
    /// unknown are not counted.
    fileprivate func countDropped(from location: Location, in dropped: inout DroppedMembers) {
        func isLost(_ number: Double?, _ kept: Double?) -> Bool {
            guard let number, kept == nil else { return false }
            return !(number < 0)
        }
        if isLost(horizontalAccuracy, location.horizontalAccuracy) { dropped.count(.horizontalAccuracy) }
        if altitude != nil, location.altitude == nil { dropped.count(.altitude) }
        if isLost(verticalAccuracy, location.verticalAccuracy) { dropped.count(.verticalAccuracy) }
        if isLost(speed, location.speed) { dropped.count(.speed) }
        if isLost(course, location.course) { dropped.count(.course) }
        if isLost(batteryLevel, location.batteryLevel) { dropped.count(.batteryLevel) }
        if floor != nil, location.floor == nil { dropped.count(.floor) }
        if source != nil, location.source == nil { dropped.count(.source) }
        if trigger != nil, location.trigger == nil { dropped.count(.trigger) }
    }
}

extension RawTime {
    /// Seconds since 1970, with or without a fraction; from 1e11 on milliseconds.
    public init(epoch number: Double) {
        // Clamped, so times out of range do not overflow; 1e15 milliseconds are in the year 33 658.
        let milliseconds = (number.magnitude >= 1e11 ? number : number * 1000).rounded()
        self = .at(Timestamp(milliseconds: Int64(clamped: milliseconds.bounded(by: 1e15))))
    }

    /// Parses RFC 3339. A time without an offset is UTC if `assumingUTC` is set, and else invalid.
    public init(rfc3339 text: UnsafeBufferPointer<UInt8>, assumingUTC: Bool = false) {
        if let timestamp = Timestamp(commonRFC3339: text) ?? Timestamp(rfc3339: text, assumingUTC: assumingUTC) {
            self = .at(timestamp)
        } else {
            self = .invalid(RawTime.quoted(text))
        }
    }

    /// Parses RFC 3339 or a number since 1970, as in text files; blank text is absent.
    init(text: some Collection<UInt8>, assumingUTC: Bool = true) {
        let result = text.withContiguousStorageIfAvailable { RawTime(text: $0, assumingUTC: assumingUTC) }
        self = result ?? Array(text).withUnsafeBufferPointer { RawTime(text: $0, assumingUTC: assumingUTC) }
    }

    init(text: UnsafeBufferPointer<UInt8>, assumingUTC: Bool) {
        let text = UnsafeBufferPointer(rebasing: text.trimmed)
        if text.isEmpty {
            self = .absent
        } else if let number = DecimalNumber.parse(text) {
            self = RawTime(epoch: number)
        } else {
            self = RawTime(rfc3339: text, assumingUTC: assumingUTC)
        }
    }

    static func quoted(_ text: some Collection<UInt8>) -> String {
        let prefix = text.prefix(40)
        return "'\(String(decoding: prefix, as: UTF8.self))\(text.count > prefix.count ? "…" : "")'"
    }

    /// A time out of range may have a year that RFC 3339 cannot represent.
    fileprivate static func description(of timestamp: Timestamp) -> String {
        let year = Timestamp.civil(day: Int(timestamp.milliseconds / 86_400_000)).year
        return (1...9998).contains(year) ? timestamp.rfc3339 : "in the year \(year)"
    }
}

extension Collection<UInt8> {
    /// The bytes without surrounding white space.
    var trimmed: SubSequence {
        func isSpace(_ byte: UInt8) -> Bool { byte == 0x20 || byte == 0x09 || byte == 0x0A || byte == 0x0D }
        let start = drop(while: isSpace)
        var end = start.endIndex
        var lastKept = start.startIndex
        var index = start.startIndex
        while index != start.endIndex {
            let next = start.index(after: index)
            if !isSpace(start[index]) { lastKept = next }
            index = next
        }
        end = lastKept
        return start[start.startIndex..<end]
    }
}
