internal import FencepostGeometry
internal import FencepostJSON
internal import FencepostModel

/// Fencepost's canonical location format, with alternative names for its members.
enum NativeShape {
    /// Each member with its names: if an object has more than one of them, the first in this order counts.
    ///
    /// `fencepost_fix_parse` has the same names.
    static let names: [(member: String, names: [String])] = [
        ("deviceId", ["deviceId", "device", "device_id", "tid"]),
        ("timestamp", ["timestamp", "time", "tst", "t"]),
        ("latitude", ["latitude", "lat"]),
        ("longitude", ["longitude", "lon", "lng"]),
        ("horizontalAccuracy", ["horizontalAccuracy", "accuracy", "acc"]),
        ("altitude", ["altitude"]), ("verticalAccuracy", ["verticalAccuracy"]), ("speed", ["speed"]),
        ("course", ["course"]), ("floor", ["floor"]), ("batteryLevel", ["batteryLevel"]),
        ("batteryState", ["batteryState"]), ("isSimulated", ["isSimulated"]), ("source", ["source"]),
        ("trigger", ["trigger"]),
    ]

    private static let ranks: [String: (member: String, rank: Int)] = Dictionary(
        uniqueKeysWithValues: names.flatMap { entry in
            entry.names.enumerated().map { ($0.element, (entry.member, $0.offset)) }
        })

    /// A bit for each name.
    private static let bits: [String: UInt64] = Dictionary(
        uniqueKeysWithValues: names.flatMap(\.names).enumerated().map { ($0.element, 1 << UInt64($0.offset)) })

    /// Refuses an object that has one of these names twice: readers differ in which of the values they take
    /// (RFC 8259, section 4).
    static func checkNames(of object: JSONObject) throws(Rejection) {
        var seen: UInt64 = 0
        for member in object {
            guard let bit = bits[member.shortName] else { continue }
            guard seen & bit == 0 else {
                throw Rejection(.invalidShape, "the member \(member.name) occurs twice: keep one of them")
            }
            seen |= bit
        }
    }

    /// The members of an object by canonical name. `null` counts as absent.
    static func members(of object: JSONObject) -> [String: JSONElement] {
        var found: [String: (value: JSONElement, rank: Int)] = [:]
        for member in object where !member.value.isNull {
            guard let (name, rank) = ranks[member.shortName] else { continue }
            if rank <= found[name]?.rank ?? .max { found[name] = (member.value, rank) }
        }
        return found.mapValues(\.value)
    }

    static let otherValue = "a value that is neither a string nor a number"

    static func notANumber(_ name: String) -> Rejection {
        Rejection(.invalidNumber, "\(name) is not a number")
    }

    static func notAString(_ name: String, _ code: RejectionCode) -> Rejection {
        Rejection(code, "\(name) is not a string")
    }

    static func notABoolean(_ name: String) -> Rejection {
        Rejection(.invalidShape, "\(name) is neither true nor false")
    }

    static func floor(_ number: Double) throws(Rejection) -> Int {
        guard number.rounded() == number else { throw Rejection(.invalidNumber, "floor is not an integer") }
        return Int(clamped: number)
    }
}

extension RawFix {
    /// Reads a location in Fencepost's own format.
    init(native element: JSONElement, names: inout DeviceNames) throws(Rejection) {
        guard let object = element.object else { throw Rejection(.invalidShape, "the record is not a JSON object") }
        try NativeShape.checkNames(of: object)
        let members = NativeShape.members(of: object)
        func number(_ name: String) throws(Rejection) -> Double? {
            guard let member = members[name] else { return nil }
            guard let number = member.double else { throw NativeShape.notANumber(name) }
            return number
        }
        func text(_ name: String, _ code: RejectionCode) throws(Rejection) -> ArraySlice<UInt8>? {
            guard let member = members[name] else { return nil }
            guard let text = member.utf8 else { throw NativeShape.notAString(name, code) }
            return text
        }
        latitude = try number("latitude")
        longitude = try number("longitude")
        horizontalAccuracy = try number("horizontalAccuracy")
        if let member = members["timestamp"] {
            if let number = member.double {
                time = RawTime(epoch: number)
            } else if let text = member.utf8 {
                time = text.withUnsafeBufferPointer { RawTime(rfc3339: $0) }
            } else {
                time = .invalid(NativeShape.otherValue)
            }
        }
        if let name = try text("deviceId", .invalidDeviceID) { deviceID = try names.device(named: name) }
        altitude = try number("altitude")
        verticalAccuracy = try number("verticalAccuracy")
        speed = try number("speed")
        course = try number("course")
        batteryLevel = try number("batteryLevel")
        if let number = try number("floor") { floor = try NativeShape.floor(number) }
        if let text = try text("batteryState", .invalidShape) {
            batteryState = Location.BatteryState(known: String(decoding: text, as: UTF8.self))
        }
        if let member = members["isSimulated"] {
            guard let bool = member.bool else { throw NativeShape.notABoolean("isSimulated") }
            isSimulated = bool
        }
        source = try text("source", .invalidShape).map { String(decoding: $0, as: UTF8.self) }
        trigger = try text("trigger", .invalidShape).map { String(decoding: $0, as: UTF8.self) }
    }
}

extension DeviceNames {
    mutating func device(named name: some Collection<UInt8>) throws(Rejection) -> DeviceID {
        let name = Array(name)
        let result = name.withUnsafeBufferPointer { name -> Result<DeviceID, Rejection> in
            do throws(Rejection) {
                return .success(try device(named: name))
            } catch {
                return .failure(error)
            }
        }
        return try result.get()
    }
}

extension Location.BatteryState {
    /// `nil` for `unknown`, which is represented by absence, and for values of later versions.
    init?(known word: String) {
        guard let state = Location.BatteryState(rawValue: word), state != .unknown else { return nil }
        self = state
    }
}
