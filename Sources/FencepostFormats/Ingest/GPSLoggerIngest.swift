internal import FencepostJSON
public import FencepostModel

/// Decodes requests of GPSLogger for Android to a custom URL: the parameters of its `%ALL`, any subset of them, or JSON
/// in the style of OwnTracks that the user wrote (rule I4). Speeds are metres per second in every form (`%SPD`).
///
/// https://gpslogger.app/#usingthecustomurlfeature
public enum GPSLoggerIngest {
    /// Decodes one location from parameters. The last value of a repeated parameter counts; empty ones are ignored.
    ///
    /// - Parameters:
    ///   - parameters: decoded, in the order of the request; names are case-insensitive.
    ///   - rules: which fixes are accepted.
    ///   - now: the time of a location without one.
    ///   - sender: the device of the token. A device that the user wrote into the URL (`id`, `device_id` …) takes
    ///     precedence; the app's own `tid` and `aid` and the rules' default device come after it.
    /// - Returns: the location or a rejection; only a count when there is no coordinate.
    /// - Throws: nothing; the signature is that of the other decoders.
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

    /// Decodes JSON: an object with the member names of the parameters or of OwnTracks, or an array of such objects.
    ///
    /// - Parameters:
    ///   - body: the body of the request.
    ///   - rules: which fixes are accepted.
    ///   - now: the time of a location without one; `nil` rejects it.
    ///   - sender: the device of the token, with the precedence that it has for parameters.
    ///   - limit: the largest number of records.
    /// - Returns: the locations and the rejected records, in the order of the body.
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
                    Rejection(.invalidShape, "the record is not a JSON object"), at: index,
                    device: sender ?? rules.defaultDevice)
                return
            }
            if let type = element["_type"]?.string, type != "location" {
                request.ignored += 1
                return
            }
            do throws(Rejection) {
                try element.checkNames()
            } catch {
                request.reject(error, at: index, device: sender ?? rules.defaultDevice)
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
            guard root.object != nil else { throw IngestJSON.notAnObject }
            take(root, at: 0)
        }
        return request
    }

    /// The values of one location by lower-case name.
    private struct Record {
        private var values: [String: IngestValue] = [:]

        mutating func add(_ name: String, _ value: IngestValue?) {
            // No known name is longer, and some texts take minutes to hash.
            if let value, name.utf8.count <= 64 { values[name.lowercased()] = value }
        }

        /// Adds the collected values as one location. Six parameters, because they are those of every ingest decoder.
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
            let named = ["id", "deviceid", "device_id", "device"].compactMap { values[$0] }
            if let name = named.first(where: { !$0.isHardwareAddress }) { return try name.device(&names) }
            if !named.isEmpty, let name = values["name"], !name.isHardwareAddress { return try name.device(&names) }
            if let topic = values["topic"]?.string, let named = OwnTracksPayload.device(topic: topic) {
                return try names.device(named: named.utf8)
            }
            if let sender { return sender }
            if let name = value("tid", "aid"), named.isEmpty || !name.isHardwareAddress {
                return try name.device(&names)
            }
            return try named.first?.device(&names)
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

        /// `%ISCHARGING` is true or false, also under the name for which OwnTracks uses a number.
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
