internal import FencepostGeometry
internal import FencepostJSON
public import FencepostModel

/// Decodes requests of the Overland apps: `{"locations":[Feature …],"current":Feature?,"trip":{…}?}` (rules I2, I20 to
/// I23).
///
/// https://github.com/aaronpk/Overland-iOS
public enum OverlandIngest {
    /// Decodes a request.
    ///
    /// - Parameters:
    ///   - body: the body of the request.
    ///   - tokenDevice: the device of the token, for records with an empty `device_id` or none.
    ///   - rules: which fixes are accepted.
    ///   - limit: the largest number of records.
    /// - Returns: the locations, the reports and the rejected records, in the order of the body; and the live position.
    /// - Throws: `invalid_json`; `invalid_shape` without an array of locations; `too_many_locations`. Other problems
    ///   are rejections, because the app deletes nothing until the response is `ok` (rule I20).
    public static func decode(
        _ body: some Collection<UInt8>, tokenDevice: DeviceID?, rules: FixRules,
        limit: Int = IngestRequest.defaultLimit
    ) throws(Rejection) -> IngestRequest {
        let root = try IngestJSON.parse(body)
        guard root.object != nil else { throw IngestJSON.notAnObject }
        guard let features = root["locations"]?.array else {
            throw Rejection(.invalidShape, "the body has no array of locations")
        }
        try IngestRequest.check(count: features.count, limit: limit)
        var rules = rules
        rules.defaultDevice = tokenDevice ?? rules.defaultDevice
        var names = DeviceNames()
        var request = IngestRequest()
        for (index, feature) in features.enumerated() {
            do throws(Rejection) {
                switch try record(feature, rules: rules, names: &names) {
                case .fix(let raw): request.take(raw, at: index, rules: rules)
                case .report(let report): request.reports.append(report)
                case .other: request.ignored += 1
                }
            } catch {
                request.reject(error, at: index, device: device(of: feature, &names) ?? rules.defaultDevice)
            }
        }
        // It is sent ahead of the queue and comes again as a record, so nothing is lost if it is invalid.
        if let current = root["current"], !current.isNull {
            do throws(Rejection) {
                if case .fix(let raw) = try record(current, rules: rules, names: &names) {
                    request.livePositions.append(try rules.location(from: raw))
                } else {
                    request.ignored += 1
                }
            } catch {
                request.ignored += 1
            }
        }
        if let trip = root["trip"], !trip.isNull { request.ignored += 1 }
        return request
    }

    private enum Record {
        case fix(RawFix)
        case report(PhoneReport)
        /// A log entry of the app, or the summary of a trip.
        case other
    }

    private static func record(
        _ feature: JSONElement, rules: FixRules, names: inout DeviceNames
    ) throws(Rejection) -> Record {
        guard feature.object != nil, let properties = feature["properties"], properties.object != nil else {
            throw Rejection(.invalidShape, "the record is not a feature with properties")
        }
        try feature.checkNames()
        if let action = properties["action"], !action.isNull {
            guard action.string == "visit" else { return .other }
            return .report(try visit(feature, properties, rules: rules, names: &names))
        }
        if properties["type"]?.string == "trip" { return .other }
        var raw = RawFix()
        raw.deviceID = try device(of: properties, rules: rules, names: &names)
        try readCoordinate(of: feature, into: &raw)
        raw.time = properties.value("timestamp")?.time ?? .absent
        raw.horizontalAccuracy = try properties.number("horizontal_accuracy")?.ifKnown
        raw.altitude = try properties.number("altitude") ?? raw.altitude
        raw.verticalAccuracy = try properties.number("vertical_accuracy")
        raw.speed = try properties.number("speed")
        raw.course = try properties.number("course")
        raw.batteryLevel = try properties.number("battery_level")
        raw.batteryState = properties["battery_state"]?.string.flatMap { Location.BatteryState(known: $0) }
        raw.source = "overland"
        return .fix(raw)
    }

    /// The device of a record; the default device goes before a hardware address.
    private static func device(
        of properties: JSONElement, rules: FixRules, names: inout DeviceNames
    ) throws(Rejection) -> DeviceID? {
        guard let id = properties.value("device_id") else { return rules.defaultDevice }
        if id.isHardwareAddress, let device = rules.defaultDevice { return device }
        return try id.device(&names)
    }

    private static func visit(
        _ feature: JSONElement, _ properties: JSONElement, rules: FixRules, names: inout DeviceNames
    ) throws(Rejection) -> PhoneReport {
        guard let device = try device(of: properties, rules: rules, names: &names) else {
            throw Rejection(.missingDevice, "the visit names no device")
        }
        let arrival = try end("arrival_date", of: properties, rules: rules)
        let departure = try end("departure_date", of: properties, rules: rules)
        var time = properties.value("timestamp")?.time ?? .absent
        if case .absent = time, let known = departure ?? arrival { time = .at(known) }
        var report = PhoneReport(
            deviceID: device, timestamp: try rules.timestamp(of: time),
            kind: .visit(arrival: arrival, departure: departure, name: nil))
        // A visit may omit the geometry, but a geometry must be valid.
        if let geometry = feature["geometry"], !geometry.isNull {
            var raw = RawFix()
            raw.deviceID = device
            raw.time = .at(report.timestamp)
            try readCoordinate(of: feature, into: &raw)
            report.coordinate = try rules.location(from: raw).coordinate
        }
        report.horizontalAccuracy = try properties.number("horizontal_accuracy")?.ifKnown
        return report
    }

    /// `nil` where it is unknown: null, or one of the distant dates that Core Location uses for it.
    private static func end(
        _ name: String, of properties: JSONElement, rules: FixRules
    ) throws(Rejection) -> Timestamp? {
        switch properties.value(name)?.time ?? .absent {
        case .absent: return nil
        case .at(let moment): return moment >= rules.earliest && moment <= rules.latest ? moment : nil
        case .invalid(let text): throw Rejection(.invalidTimestamp, "\(name) is \(text), which is not a time")
        }
    }

    private static func readCoordinate(of feature: JSONElement, into raw: inout RawFix) throws(Rejection) {
        guard let geometry = feature["geometry"], geometry["type"]?.string == "Point" else {
            throw Rejection(.missingCoordinate, "the feature has no Point as its geometry")
        }
        try GeoJSONShape.readPosition(geometry["coordinates"], into: &raw)
    }

    private static func device(of feature: JSONElement, _ names: inout DeviceNames) -> DeviceID? {
        (try? feature["properties"]?.value("device_id")?.device(&names)) ?? nil
    }
}
