internal import FencepostJSON
internal import FencepostModel

/// The canonical location, as Fencepost writes it and takes it by more than one name.
enum NativeShape {
    /// Each member with its names: where an object has more than one of them, the first in this order counts.
    ///
    /// `fencepost_fix_parse` knows the same names.
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

    /// The members of an object by their canonical names; `null` counts as absent, the later of one name twice counts.
    static func members(of object: JSONObject) -> [String: JSONElement] {
        var found: [String: (value: JSONElement, rank: Int)] = [:]
        for member in object where !member.value.isNull {
            guard let (name, rank) = ranks[member.name] else { continue }
            if rank <= found[name]?.rank ?? .max { found[name] = (member.value, rank) }
        }
        return found.mapValues(\.value)
    }

    static let otherValue = "what is neither a string nor a number"

    static func noNumber(_ name: String) -> Rejection {
        Rejection(.invalidNumber, "\(name) is no number")
    }

    static func noString(_ name: String, _ code: RejectionCode) -> Rejection {
        Rejection(code, "\(name) is no string")
    }

    static func noBool(_ name: String) -> Rejection {
        Rejection(.invalidShape, "\(name) is neither true nor false")
    }

    static func floor(_ number: Double) throws(Rejection) -> Int {
        guard let floor = Int(exactly: number) else { throw Rejection(.invalidNumber, "floor is no whole number") }
        return floor
    }
}

extension RawFix {
    /// Reads a location in Fencepost's own shape.
    init(native element: JSONElement, names: inout DeviceNames) throws(Rejection) {
        guard let object = element.object else { throw Rejection(.invalidShape, "the record is no JSON object") }
        let members = NativeShape.members(of: object)
        func number(_ name: String) throws(Rejection) -> Double? {
            guard let member = members[name] else { return nil }
            guard let number = member.double else { throw NativeShape.noNumber(name) }
            return number
        }
        func text(_ name: String, _ code: RejectionCode) throws(Rejection) -> ArraySlice<UInt8>? {
            guard let member = members[name] else { return nil }
            guard let text = member.utf8 else { throw NativeShape.noString(name, code) }
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
            guard let bool = member.bool else { throw NativeShape.noBool("isSimulated") }
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
    /// `nil` for `unknown`, which is told by absence, and for words of later versions.
    init?(known word: String) {
        guard let state = Location.BatteryState(rawValue: word), state != .unknown else { return nil }
        self = state
    }
}
