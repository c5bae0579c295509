internal import FencepostJSON
public import FencepostModel

/// What GPSLogger for Android sends to a custom URL: the parameters of its `%ALL`, any of them by itself, or JSON that
/// its user wrote after OwnTracks' (rule I4). Speeds are metres per second in every form (`%SPD`).
///
/// https://gpslogger.app/#usingthecustomurlfeature
public enum GPSLoggerIngest {
    /// Reads one fix of parameters. One that is there twice counts the last time, an empty one not at all.
    ///
    /// - Parameters:
    ///   - parameters: decoded, in the order of the request; names in any case.
    ///   - sender: who sends it, as the token says. A device that the user wrote into the URL (`id`, `device_id` …)
    ///     comes before it, what the app puts in by itself (`tid`, `aid`) after it, the rules' default device last.
    ///   - now: the time of a fix without one.
    /// - Returns: the fix, or why it is none; nothing but a count where there is no coordinate.
    public static func decode(
        parameters: [(String, String)], rules: FixRules, now: Timestamp, sender: DeviceID? = nil
    ) throws(Rejection) -> IngestRequest {
        var record = Record()
        for (name, text) in parameters { record.add(name, IngestValue(text: text.utf8)) }
        var request = IngestRequest()
        var names = DeviceNames()
        record.take(into: &request, at: 0, sender: sender, rules: rules, now: now, names: &names)
        return request
    }

    /// Reads JSON: an object whose members go by the names of the parameters or by those of OwnTracks, or an array of
    /// such objects.
    ///
    /// - Parameter now: the time of a fix without one; `nil` rejects it.
    /// - Throws: `invalid_json`; `too_many_locations`.
    public static func decode(
        json body: some Collection<UInt8>, rules: FixRules, now: Timestamp? = nil, sender: DeviceID? = nil,
        limit: Int = IngestRequest.defaultLimit
    ) throws(Rejection) -> IngestRequest {
        let root = try IngestJSON.parse(body)
        var request = IngestRequest()
        var names = DeviceNames()
        func take(_ element: JSONElement, at index: Int) {
            guard let object = element.object else {
                request.reject(
                    Rejection(.invalidShape, "the record is no JSON object"), at: index,
                    device: sender ?? rules.defaultDevice)
                return
            }
            if let type = element["_type"]?.string, type != "location" {
                request.ignored += 1
                return
            }
            var record = Record()
            for member in object { record.add(member.name, IngestValue(member.value)) }
            record.take(into: &request, at: index, sender: sender, rules: rules, now: now, names: &names)
        }
        if let array = root.array {
            try IngestRequest.check(count: array.count, limit: limit)
            for (index, element) in array.enumerated() { take(element, at: index) }
        } else {
            take(root, at: 0)
        }
        return request
    }

    /// The values of one fix by their names in small letters.
    private struct Record {
        private var values: [String: IngestValue] = [:]

        mutating func add(_ name: String, _ value: IngestValue?) {
            if let value { values[name.lowercased()] = value }
        }

        mutating func take(
            into request: inout IngestRequest, at index: Int, sender: DeviceID?, rules: FixRules, now: Timestamp?,
            names: inout DeviceNames
        ) {
            var device = sender ?? rules.defaultDevice
            do throws(Rejection) {
                device = try self.device(sender: sender, names: &names) ?? rules.defaultDevice
                let raw = try fix(of: device, now: now)
                if raw.latitude == nil, raw.longitude == nil {
                    request.ignored += 1
                } else {
                    request.take(raw, at: index, rules: rules)
                }
            } catch {
                request.reject(error, at: index, device: device)
            }
        }

        private func value(_ names: String...) -> IngestValue? { names.lazy.compactMap { values[$0] }.first }

        private func number(_ names: String...) throws(Rejection) -> Double? {
            for name in names {
                if let value = values[name] { return try value.number(name) }
            }
            return nil
        }

        private func device(sender: DeviceID?, names: inout DeviceNames) throws(Rejection) -> DeviceID? {
            if let named = value("id", "deviceid", "device_id", "device") { return try named.device(&names) }
            if let topic = values["topic"]?.string, let named = OwnTracksPayload.device(topic: topic) {
                return try names.device(named: named.utf8)
            }
            if let sender { return sender }
            return try value("tid", "aid")?.device(&names)
        }

        private func fix(of device: DeviceID?, now: Timestamp?) throws(Rejection) -> RawFix {
            var raw = RawFix()
            raw.deviceID = device
            raw.time = value("timestamp", "tst", "timeoffset", "time")?.time ?? now.map(RawTime.at) ?? .absent
            raw.latitude = try number("lat", "latitude")
            raw.longitude = try number("lon", "lng", "longitude")
            raw.horizontalAccuracy = try number("acc", "accuracy")?.ifKnown
            raw.altitude = try number("alt", "altitude", "ele")
            raw.verticalAccuracy = try number("vac")
            raw.speed = try number("spd", "speed", "vel")
            raw.course = try number("dir", "bearing", "heading", "course", "cog")
            raw.batteryLevel = try number("batt", "battery").map { $0 / 100 }
            raw.batteryState = try batteryState()
            raw.source = "gpslogger"
            raw.trigger = value("t")?.string
            return raw
        }

        /// `%ISCHARGING` is true or false, also where OwnTracks has a number.
        private func batteryState() throws(Rejection) -> Location.BatteryState? {
            if let value = value("ischarging", "charge") { return value.bool.map { $0 ? .charging : .unplugged } }
            guard let value = values["bs"] else { return nil }
            switch value.number {
            case 1: return .unplugged
            case 2: return .charging
            case 3: return .full
            case .some: return nil
            case nil: return value.bool.map { $0 ? .charging : .unplugged }
            }
        }
    }
}
