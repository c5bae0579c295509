internal import FencepostGeometry
public import FencepostModel

/// The time of a record as it was found.
public enum RawTime: Hashable, Sendable {
    case absent
    /// There is something that is no time; the text of it, cut to a length fit for a message.
    case invalid(String)
    case at(Timestamp)
}

/// The numbers of one fix as a format gave them, in Fencepost's units, none of them checked.
///
/// Every codec ends in one of these, and `FixRules` alone says which of them is a `Location`.
public struct RawFix: Sendable {
    /// `nil` where the record names none.
    public var deviceID: DeviceID?
    public var time = RawTime.absent
    /// Degrees.
    public var latitude, longitude: Double?
    /// Metres; negative says that the coordinate is not valid.
    public var horizontalAccuracy: Double?
    public var altitude: Double?
    /// Metres, metres per second, degrees, 0 to 1; outside of their range they count as unknown.
    public var verticalAccuracy, speed, course, batteryLevel: Double?
    public var floor: Int?
    public var batteryState: Location.BatteryState?
    public var isSimulated: Bool?
    public var source, trigger: String?

    public init() {}
}

/// What a fix has to be like to be taken.
public struct FixRules: Hashable, Sendable {
    /// The device of a record that names none; without one such a record is rejected.
    public var defaultDevice: DeviceID?
    /// Without it a record needs no time: one that has none, or none that is good, is of 1970-01-01T00:00:00Z.
    public var requiresTimestamp: Bool
    public var earliest, latest: Timestamp

    /// - Parameter now: what the clock says; a fix of more than 24 hours later is rejected. `nil` sets no limit below
    ///   the end of the year 9999.
    public init(defaultDevice: DeviceID? = nil, requiresTimestamp: Bool = true, now: Timestamp? = nil) {
        self.defaultDevice = defaultDevice
        self.requiresTimestamp = requiresTimestamp
        earliest = FixRules.earliest
        latest = now.map { $0 + .seconds(86_400) } ?? FixRules.latest
    }

    /// 2000-01-01T00:00:00Z: before, a clock has not been set.
    private static let earliest = Timestamp(seconds: 946_684_800)
    /// 9999-12-31T23:59:59Z: a later year cannot be written in RFC 3339.
    private static let latest = Timestamp(seconds: 253_402_300_799)

    /// The location that a record stands for.
    public func location(from raw: RawFix) throws(Rejection) -> Location {
        guard let latitude = raw.latitude, let longitude = raw.longitude else {
            throw Rejection(
                .missingCoordinate,
                raw.latitude != nil
                    ? "the longitude is missing"
                    : raw.longitude != nil ? "the latitude is missing" : "latitude and longitude are missing")
        }
        guard latitude.isFinite, longitude.isFinite else {
            throw Rejection(.invalidNumber, "latitude and longitude have to be finite numbers")
        }
        guard abs(latitude) <= 90 else {
            throw Rejection(.coordinateOutOfRange, "the latitude \(latitude) is not between -90 and 90")
        }
        guard abs(longitude) <= 180 else {
            throw Rejection(.coordinateOutOfRange, "the longitude \(longitude) is not between -180 and 180")
        }
        if let accuracy = raw.horizontalAccuracy, !(accuracy >= 0) {
            throw Rejection(
                .missingCoordinate,
                "the horizontal accuracy is \(accuracy), by which the sender says that the coordinate is not valid")
        }
        guard let deviceID = raw.deviceID ?? defaultDevice else {
            throw Rejection(.missingDevice, "the record names no device: give it a deviceId")
        }
        var location = Location(
            deviceID: deviceID, timestamp: try timestamp(of: raw.time),
            coordinate: Coordinate(latitude: latitude, longitude: longitude),
            horizontalAccuracy: raw.horizontalAccuracy)
        location.altitude = raw.altitude
        if let accuracy = raw.verticalAccuracy, accuracy >= 0 { location.verticalAccuracy = accuracy }
        if let speed = raw.speed {
            if speed >= 0 { location.speed = speed } else { location.isSpeedUnknown = true }
        }
        if let course = raw.course, course >= 0, course <= 360 { location.course = course == 360 ? 0 : course }
        if let level = raw.batteryLevel, level >= 0, level <= 1 { location.batteryLevel = level }
        location.floor = raw.floor
        location.batteryState = raw.batteryState
        location.isSimulated = raw.isSimulated
        location.source = raw.source
        location.trigger = raw.trigger
        return location
    }

    /// The time of a fix, or of what a phone reports.
    public func timestamp(of time: RawTime) throws(Rejection) -> Timestamp {
        switch time {
        case .at(let timestamp) where timestamp >= earliest && timestamp <= latest: return timestamp
        case .at, .absent, .invalid:
            if !requiresTimestamp { return Timestamp(milliseconds: 0) }
        }
        switch time {
        case .absent:
            throw Rejection(.missingTimestamp, "the timestamp is missing")
        case .invalid(let text):
            throw Rejection(
                .invalidTimestamp, "\(text) is no time: write RFC 3339 with an offset, or seconds since 1970")
        case .at(let timestamp):
            let end = timestamp < earliest ? "before \(earliest.rfc3339)" : "more than 24 hours ahead of the clock"
            throw Rejection(.timestampOutOfRange, "the time \(RawTime.words(for: timestamp)) is \(end)")
        }
    }
}

extension RawTime {
    /// Seconds since 1970, with a fraction or without; 1e11 and above are milliseconds.
    public init(epoch number: Double) {
        // Times that are out of range anyway must not overflow either; 1e15 milliseconds are in the year 33 658.
        let milliseconds = (abs(number) >= 1e11 ? number : number * 1000).rounded()
        self = .at(Timestamp(milliseconds: Int64(min(max(milliseconds, -1e15), 1e15))))
    }

    /// RFC 3339.
    ///
    /// - Parameter assumingUTC: whether a time without an offset is of UTC.
    public init(rfc3339 text: UnsafeBufferPointer<UInt8>, assumingUTC: Bool = false) {
        if let timestamp = Timestamp(fastRFC3339: text) ?? Timestamp(rfc3339: text, assumingUTC: assumingUTC) {
            self = .at(timestamp)
        } else {
            self = .invalid(RawTime.quoted(text))
        }
    }

    /// RFC 3339 or a number since 1970, as files of text have it; nothing but space is absent.
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
        let cut = text.prefix(40)
        return "'\(String(decoding: cut, as: UTF8.self))\(text.count > cut.count ? "…" : "")'"
    }

    /// A time out of range may have a year that RFC 3339 cannot write.
    fileprivate static func words(for timestamp: Timestamp) -> String {
        let year = Timestamp.civil(day: Int(timestamp.milliseconds / 86_400_000)).year
        return (1...9998).contains(year) ? timestamp.rfc3339 : "in the year \(year)"
    }
}

extension Timestamp {
    /// The form that nearly all times have, `2026-03-01T08:30:00Z` with or without a fraction; `nil` for any other,
    /// which then may still be RFC 3339.
    init?(fastRFC3339 text: UnsafeBufferPointer<UInt8>) {
        guard text.count >= 20, text[text.count - 1] == UInt8(ascii: "Z"),
            text[4] == UInt8(ascii: "-"), text[7] == UInt8(ascii: "-"), text[10] == UInt8(ascii: "T"),
            text[13] == UInt8(ascii: ":"), text[16] == UInt8(ascii: ":")
        else { return nil }
        var isNumber = true
        func pair(_ at: Int) -> Int {
            let (tens, ones) = (Int(text[at]) - 48, Int(text[at + 1]) - 48)
            if tens < 0 || tens > 9 || ones < 0 || ones > 9 { isNumber = false }
            return tens * 10 + ones
        }
        let year = pair(0) * 100 + pair(2)
        let (month, day, hour, minute, second) = (pair(5), pair(8), pair(11), pair(14), pair(17))
        guard isNumber, month >= 1, month <= 12, day >= 1, hour < 24, minute < 60, second < 60,
            day <= 28 || day <= Timestamp.daysInMonth(month, of: year)
        else { return nil }
        var millisecond = 0
        if text.count > 20 {
            guard text[19] == UInt8(ascii: "."), text.count > 21 else { return nil }
            var scale = 100
            for index in 20..<(text.count - 1) {
                let digit = Int(text[index]) - 48
                guard digit >= 0, digit <= 9 else { return nil }
                millisecond += digit * scale
                scale /= 10
            }
        }
        let days = Timestamp.days(year: year, month: month, day: day)
        let seconds = ((days * 24 + hour) * 60 + minute) * 60 + second
        self.init(milliseconds: Int64(seconds * 1000 + millisecond))
    }
}

extension Collection<UInt8> {
    /// Without the white space of XML and of most text around it.
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
