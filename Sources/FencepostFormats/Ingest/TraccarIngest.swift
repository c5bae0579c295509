internal import FencepostJSON
public import FencepostModel

/// Decodes what a Traccar server forwards (`forward.type` json, or an event forward): `{"position":{…},"device":{…}}`, or an
/// array of them. So Traccar's devices reach Fencepost through the server that speaks their protocols.
///
/// Speeds are knots, `batteryLevel` is a percentage, and an accuracy of 0 is one that the device does not state.
/// https://www.traccar.org/forward/
public enum TraccarIngest {
    /// Decodes a request.
    ///
    /// - Parameters:
    ///   - body: the body of the request.
    ///   - rules: which fixes are accepted.
    ///   - sender: the device of a bound token. Without it the device's `uniqueId` names the device, and the default device of
    ///     the rules takes what comes without one.
    ///   - limit: the largest number of records.
    /// - Returns: the locations and the rejected records, in the order of the body. An event without a position, as of a device
    ///   that goes offline, is counted.
    /// - Throws: `invalid_json`; `invalid_shape` for a body that is neither an object nor an array; `too_many_locations`.
    public static func decode(
        _ body: some Collection<UInt8>, rules: FixRules, sender: DeviceID? = nil,
        limit: Int = IngestRequest.defaultLimit
    ) throws(Rejection) -> IngestRequest {
        let root = try IngestJSON.parse(body)
        var request = IngestRequest()
        var names = DeviceNames()
        guard let records = root.array else {
            guard root.object != nil else { throw IngestJSON.notAnObject }
            take(root, at: 0, sender, rules, &names, into: &request)
            return request
        }
        try IngestRequest.check(count: records.count, limit: limit)
        for (index, record) in records.enumerated() {
            take(record, at: index, sender, rules, &names, into: &request)
        }
        return request
    }

    /// Six parameters, because they are those of every ingest decoder.
    private static func take(
        _ record: JSONElement, at index: Int, _ sender: DeviceID?, _ rules: FixRules, _ names: inout DeviceNames,
        into request: inout IngestRequest
    ) {
        var device = sender ?? rules.defaultDevice
        do throws(Rejection) {
            guard record.object != nil else {
                throw Rejection(.invalidShape, "the record is not a JSON object")
            }
            try record.checkNames()
            device = try self.device(of: record, sender: sender, &names) ?? rules.defaultDevice
            guard let position = record["position"], !position.isNull else {
                guard record["event"]?.object != nil else {
                    throw Rejection(
                        .invalidShape,
                        "the record has no \"position\": forward positions from Traccar with forward.type = json")
                }
                request.ignored += 1
                return
            }
            let raw = try fix(position, of: device)
            guard position.value("valid")?.bool != false else {
                throw Rejection(.missingCoordinate, "the sender marks the position as not valid")
            }
            request.take(raw, at: index, rules: rules)
        } catch {
            request.reject(error, at: index, device: device)
        }
    }

    private static func device(
        of record: JSONElement, sender: DeviceID?, _ names: inout DeviceNames
    ) throws(Rejection) -> DeviceID? {
        if let id = record["device"]?.value("uniqueId") { return try id.device(&names) }
        return sender
    }

    private static func fix(_ position: JSONElement, of device: DeviceID?) throws(Rejection) -> RawFix {
        guard position.object != nil else { throw Rejection(.invalidShape, "the position is not a JSON object") }
        var raw = RawFix()
        raw.deviceID = device
        raw.time = position.value("fixTime", "deviceTime", "serverTime")?.time ?? .absent
        raw.latitude = try position.number("latitude")
        raw.longitude = try position.number("longitude")
        raw.horizontalAccuracy = try position.number("accuracy").flatMap { $0 > 0 ? $0 : nil }
        raw.altitude = try position.number("altitude")
        raw.speed = try position.number("speed").map { $0 * 1852 / 3600 }
        raw.course = try position.number("course")
        if let attributes = position["attributes"], attributes.object != nil {
            // Some protocols give words or volts in these; a position is not refused for that.
            raw.batteryLevel = attributes.value("batteryLevel")?.number.map { $0 / 100 }
            raw.batteryState = attributes.value("charge")?.bool.map { $0 ? .charging : .unplugged }
            raw.isSimulated = attributes.value("mock")?.bool
            raw.trigger = attributes.value("alarm", "event")?.string
        }
        raw.source = "traccar"
        return raw
    }
}
