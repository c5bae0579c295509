internal import FencepostGeometry
internal import FencepostJSON
internal import FencepostModel

/// One JSON object of an OwnTracks app.
///
/// https://owntracks.org/booklet/tech/json/
enum OwnTracksPayload {
    case fix(RawFix)
    /// Events that the phone detected, each validated on its own.
    case reports([Result<PhoneReport, Rejection>])
    /// Another kind of message without a location (`lwt`, `card`, `cmd`, `steps` …).
    case other

    /// Which device counts if both the payload and its context name one.
    enum Precedence {
        /// The payload's topic, then the context: for files, whose folders can have any name.
        case topic
        /// The context, then the payload's topic, then the default device of the rules (rule I10).
        case device
    }

    /// Reads a payload. `device` is the device known from the context; the payload's `tid` comes last. The rules are
    /// for reports, which are validated here.
    init(
        _ element: JSONElement, device: DeviceID?, precedence: Precedence = .topic, rules: FixRules,
        names: inout DeviceNames
    ) throws(Rejection) {
        guard element.object != nil else { throw Rejection(.invalidShape, "the payload is not a JSON object") }
        guard let type = element["_type"]?.string else {
            throw Rejection(.invalidShape, "the payload has no _type: it is not an OwnTracks payload")
        }
        switch type {
        case "location":
            self = .fix(
                try OwnTracksPayload.fix(
                    element, device: device, precedence: precedence, rules: rules, names: &names))
        case "transition", "waypoint":
            let sender = try OwnTracksPayload.sender(
                of: element, device: device, precedence: precedence, rules: rules, names: &names)
            self = .reports([
                try OwnTracksPayload.report(element, type: type, device: sender ?? rules.defaultDevice, rules: rules)
            ])
        case "waypoints":
            let sender = try OwnTracksPayload.sender(
                of: element, device: device, precedence: precedence, rules: rules, names: &names)
            var reports: [Result<PhoneReport, Rejection>] = []
            if let waypoints = element["waypoints"]?.array {
                for waypoint in waypoints {
                    do throws(Rejection) {
                        reports.append(
                            try OwnTracksPayload.report(
                                waypoint, type: "waypoint", device: sender ?? rules.defaultDevice, rules: rules))
                    } catch {
                        reports.append(.failure(error))
                    }
                }
            }
            self = .reports(reports)
        default:
            self = .other
        }
    }

    private static func fix(
        _ element: JSONElement, device: DeviceID?, precedence: Precedence, rules: FixRules, names: inout DeviceNames
    ) throws(Rejection) -> RawFix {
        var raw = RawFix()
        raw.deviceID = try sender(of: element, device: device, precedence: precedence, rules: rules, names: &names)
        raw.time = time(element["tst"])
        raw.latitude = try number(element, "lat")
        raw.longitude = try number(element, "lon")
        // Here a negative value means unknown; in Fencepost's own format it marks the coordinate as invalid.
        raw.horizontalAccuracy = try number(element, "acc").flatMap { $0 < 0 ? nil : $0 }
        raw.altitude = try number(element, "alt")
        raw.verticalAccuracy = try number(element, "vac")
        raw.speed = try number(element, "vel").map { $0 / 3.6 }
        raw.course = try number(element, "cog")
        raw.batteryLevel = try number(element, "batt").map { $0 / 100 }
        switch try number(element, "bs") {
        case 1: raw.batteryState = .unplugged
        case 2: raw.batteryState = .charging
        case 3: raw.batteryState = .full
        default: break
        }
        raw.source = "owntracks"
        raw.trigger = element["t"]?.string
        return raw
    }

    private static func report(
        _ element: JSONElement, type: String, device: DeviceID?, rules: FixRules
    ) throws(Rejection) -> Result<PhoneReport, Rejection> {
        guard let device else { throw Rejection(.missingDevice, "the payload names no device") }
        // A waypoint's time is its creation time, which serves as its id if it has no other; any time is valid.
        let made = time(element["tst"])
        let kind: PhoneReport.Kind
        let timestamp: Timestamp
        if type == "transition" {
            timestamp = try rules.timestamp(of: made)
            guard let event = element["event"]?.string.flatMap({ PhoneReport.Transition(rawValue: $0) }) else {
                throw Rejection(.invalidShape, "the event of the transition is neither enter nor leave")
            }
            kind = .transition(
                event, region: element["desc"]?.string, regionID: element["rid"]?.string,
                trigger: element["t"]?.string)
        } else {
            guard case .at(let time) = made else { throw Rejection(.missingTimestamp, "the waypoint has no tst") }
            guard (0...rules.latest.milliseconds).contains(time.milliseconds) else {
                throw Rejection(.timestampOutOfRange, "the waypoint's tst is out of range")
            }
            timestamp = time
            kind = .waypoint(
                name: element["desc"]?.string, regionID: element["rid"]?.string,
                radius: try number(element, "rad").flatMap { $0 < 0 ? nil : $0 }, createdAt: time)
        }
        var report = PhoneReport(deviceID: device, timestamp: timestamp, kind: kind)
        if let latitude = try number(element, "lat"), let longitude = try number(element, "lon") {
            let coordinate = Coordinate(latitude: latitude, longitude: longitude)
            guard coordinate.isValid else {
                throw Rejection(.coordinateOutOfRange, "the coordinate \(latitude), \(longitude) is not on the globe")
            }
            report.coordinate = coordinate
        }
        report.horizontalAccuracy = try number(element, "acc").flatMap { $0 < 0 ? nil : $0 }
        return .success(report)
    }

    /// The sender of a payload; `nil` for the default device of the rules.
    static func sender(
        of element: JSONElement, device: DeviceID?, precedence: Precedence, rules: FixRules,
        names: inout DeviceNames
    ) throws(Rejection) -> DeviceID? {
        if precedence == .device, let device { return device }
        if let name = element["topic"]?.string.flatMap({ OwnTracksPayload.device(topic: $0) }) {
            return try names.device(named: name.utf8)
        }
        if let device { return device }
        if precedence == .device, rules.defaultDevice != nil { return nil }
        // The two letters that an app shows on the map.
        guard let tid = element["tid"]?.utf8, !tid.isEmpty else { return nil }
        return try names.device(named: tid)
    }

    /// `user/device` of the topic `owntracks/user/device` and of its subtopics.
    static func device(topic: String) -> String? {
        let parts = topic.split(separator: "/", omittingEmptySubsequences: false)
        return parts.count >= 3 && parts[0] == "owntracks" ? "\(parts[1])/\(parts[2])" : nil
    }

    private static func time(_ element: JSONElement?) -> RawTime {
        guard let element, !element.isNull else { return .absent }
        if let number = element.double { return RawTime(epoch: number) }
        guard let text = element.utf8 else { return .invalid(NativeShape.otherValue) }
        guard let number = DecimalNumber.parse(text) else { return .invalid(RawTime.quoted(text)) }
        return RawTime(epoch: number)
    }

    /// A number, or a string that contains one, as old apps and bridges write them.
    private static func number(_ element: JSONElement, _ name: String) throws(Rejection) -> Double? {
        guard let member = element[name], !member.isNull else { return nil }
        if let number = member.double { return number }
        guard let text = member.utf8, let number = DecimalNumber.parse(text) else { throw NativeShape.notANumber(name) }
        return number
    }
}
