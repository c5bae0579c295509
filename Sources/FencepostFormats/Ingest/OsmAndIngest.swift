internal import FencepostJSON
public import FencepostModel

/// Decodes requests of OsmAnd and the Traccar Client: parameters of a query or a form, or JSON (rules I3, I30 to I33).
///
/// https://www.traccar.org/osmand/
public enum OsmAndIngest {
    /// Decodes one location from parameters, with speeds in knots. The last value of a repeated parameter counts; empty
    /// ones are ignored.
    ///
    /// - Parameters:
    ///   - parameters: decoded, in the order of the request.
    ///   - rules: which fixes are accepted.
    ///   - now: the time of a location without one.
    /// - Returns: the location or a rejection; only a count when there is no coordinate (cells, networks).
    /// - Throws: `missing_device` without an id and without a default device of the rules; `invalid_device_id`;
    ///   `invalid_number` (rule I32).
    public static func decode(
        parameters: [(String, String)], rules: FixRules, now: Timestamp
    ) throws(Rejection) -> IngestRequest {
        var values: [String: IngestValue] = [:]
        // No known name is longer, and some texts take minutes to hash. Where a Traccar server forwards to a URL, an attribute that
        // the position has not is "null".
        for (name, text) in parameters where name.utf8.count <= 64 && text != "null" {
            if let value = IngestValue(text: text.utf8) { values[name] = value }
        }
        func value(_ names: String...) -> IngestValue? { names.lazy.compactMap { values[$0] }.first }
        func number(_ names: String...) throws(Rejection) -> Double? {
            for name in names {
                if let value = values[name] { return try value.number(name) }
            }
            return nil
        }
        var raw = RawFix()
        raw.deviceID = try device(["id", "deviceid"].compactMap { values[$0] }, name: values["name"], rules: rules)
        raw.time = value("timestamp")?.time ?? .at(now)
        raw.latitude = try number("lat")
        raw.longitude = try number("lon")
        if let pair = values["location"]?.string {
            let numbers = pair.split(separator: ",", omittingEmptySubsequences: false).map {
                DecimalNumber.parse($0.utf8.trimmed)
            }
            guard numbers.count == 2, let latitude = numbers[0], let longitude = numbers[1] else {
                throw Rejection(.invalidNumber, "location is not a pair of latitude and longitude")
            }
            (raw.latitude, raw.longitude) = (latitude, longitude)
        }
        raw.speed = try number("speed").map { $0 * 1852 / 3600 }
        raw.course = try number("bearing", "heading")
        raw.altitude = try number("altitude")
        raw.horizontalAccuracy = try number("accuracy")?.ifKnown
        _ = try number("hdop")
        raw.batteryLevel = try number("batt").map { $0 / 100 }
        raw.batteryState = value("charge")?.bool.map { $0 ? .charging : .unplugged }
        raw.isSimulated = value("mock")?.bool
        raw.source = "osmand"
        raw.trigger = value("event")?.string
        return request(raw, isValid: value("valid")?.bool != false, rules: rules)
    }

    /// Decodes the JSON of the Traccar Client, with speeds in metres per second: one location, or an array of them.
    ///
    /// - Parameters:
    ///   - body: the body of the request.
    ///   - rules: which fixes are accepted.
    ///   - now: the time of a location without one; `nil` rejects it.
    ///   - limit: the largest number of records.
    /// - Returns: the locations and the rejected records, in the order of the body.
    /// - Throws: `invalid_json`; `invalid_shape`; `too_many_locations`; and, for a body with one location, the errors
    ///   of the form with parameters.
    public static func decode(
        json body: some Collection<UInt8>, rules: FixRules, now: Timestamp? = nil,
        limit: Int = IngestRequest.defaultLimit
    ) throws(Rejection) -> IngestRequest {
        let root = try IngestJSON.parse(body)
        guard root.object != nil else { throw Rejection(.invalidShape, "the body is not a JSON object") }
        var rules = rules
        rules.defaultDevice = try device(
            ["device_id", "deviceId", "id", "deviceid"].compactMap { IngestValue(root[$0]) }, name: root.value("name"),
            rules: rules)
        guard let locations = root["location"]?.array else {
            return try one(root["location"], rules: rules, now: now)
        }
        try IngestRequest.check(count: locations.count, limit: limit)
        var request = IngestRequest()
        for (index, location) in locations.enumerated() {
            do throws(Rejection) {
                var part = try one(location, rules: rules, now: now)
                for rejection in part.rejected.indices { part.rejected[rejection].index = index }
                request.locations += part.locations
                request.rejected += part.rejected
                request.ignored += part.ignored
                request.dropped.add(part.dropped)
            } catch {
                request.reject(error, at: index, device: rules.defaultDevice)
            }
        }
        return request
    }

    private static func one(
        _ location: JSONElement?, rules: FixRules, now: Timestamp?
    ) throws(Rejection) -> IngestRequest {
        var request = IngestRequest()
        guard let location, !location.isNull else {
            request.ignored = 1
            return request
        }
        guard location.object != nil else { throw Rejection(.invalidShape, "the location is not a JSON object") }
        try location.checkNames()
        var raw = RawFix()
        raw.deviceID = rules.defaultDevice
        raw.time = location.value("timestamp")?.time ?? now.map(RawTime.at) ?? .absent
        if let coords = location["coords"], coords.object != nil {
            raw.latitude = try coords.number("latitude")
            raw.longitude = try coords.number("longitude")
            raw.horizontalAccuracy = try coords.number("accuracy")?.ifKnown
            raw.speed = try coords.number("speed")
            raw.course = try coords.number("heading")
            raw.altitude = try coords.number("altitude")
            raw.verticalAccuracy = try coords.number("altitude_accuracy")
        }
        if let battery = location["battery"], battery.object != nil {
            raw.batteryLevel = try battery.number("level")
            raw.batteryState = battery.value("is_charging")?.bool.map { $0 ? .charging : .unplugged }
        }
        raw.isSimulated = location.value("mock")?.bool
        raw.source = "osmand"
        raw.trigger = location["event"]?.string.flatMap { $0.isEmpty ? nil : $0 }
        return self.request(raw, isValid: true, rules: rules)
    }

    /// The device of the request: its id; before a hardware address the name and the default device.
    private static func device(
        _ ids: [IngestValue], name: IngestValue?, rules: FixRules
    ) throws(Rejection) -> DeviceID {
        var names = DeviceNames()
        if let id = ids.first(where: { !$0.isHardwareAddress }) { return try id.device(&names) }
        if let address = ids.first {
            if let name, !name.isHardwareAddress { return try name.device(&names) }
            if let device = rules.defaultDevice { return device }
            return try address.device(&names)
        }
        guard let device = rules.defaultDevice else {
            throw Rejection(.missingDevice, "the request names no device: add an id")
        }
        return device
    }

    private static func request(_ raw: RawFix, isValid: Bool, rules: FixRules) -> IngestRequest {
        var request = IngestRequest()
        if raw.latitude == nil, raw.longitude == nil {
            request.ignored = 1
        } else if isValid {
            request.take(raw, at: 0, rules: rules)
        } else {
            let rejection = Rejection(.missingCoordinate, "the sender marks the position as not valid")
            request.reject(rejection, at: 0, device: raw.deviceID)
        }
        return request
    }
}
