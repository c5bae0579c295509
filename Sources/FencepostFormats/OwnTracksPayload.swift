internal import FencepostGeometry
internal import FencepostJSON
internal import FencepostModel

/// One JSON object of an OwnTracks app: what it says, in Fencepost's terms.
///
/// https://owntracks.org/booklet/tech/json/
enum OwnTracksPayload {
    case fix(RawFix)
    /// What the phone found out itself, each checked on its own.
    case reports([Result<PhoneReport, Rejection>])
    /// Another kind of message, which holds no location (`lwt`, `card`, `cmd`, `steps` …).
    case other

    /// - Parameters:
    ///   - device: who sends it as far as is known otherwise; a `topic` in the payload comes first, `tid` last.
    ///   - rules: for reports, which are checked here.
    init(
        _ element: JSONElement, device: DeviceID?, rules: FixRules, names: inout DeviceNames
    ) throws(Rejection) {
        guard element.object != nil else { throw Rejection(.invalidShape, "the payload is no JSON object") }
        guard let type = element["_type"]?.string else {
            throw Rejection(.invalidShape, "the payload has no _type: it is not of OwnTracks")
        }
        switch type {
        case "location":
            self = .fix(try OwnTracksPayload.fix(element, device: device, names: &names))
        case "transition", "waypoint":
            self = .reports([
                try OwnTracksPayload.report(element, type: type, device: device, rules: rules, names: &names)
            ])
        case "waypoints":
            let sender = try OwnTracksPayload.sender(of: element, device: device, names: &names) ?? rules.defaultDevice
            var reports: [Result<PhoneReport, Rejection>] = []
            if let waypoints = element["waypoints"]?.array {
                for waypoint in waypoints {
                    do throws(Rejection) {
                        reports.append(
                            try OwnTracksPayload.report(
                                waypoint, type: "waypoint", device: sender, rules: rules, names: &names))
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
        _ element: JSONElement, device: DeviceID?, names: inout DeviceNames
    ) throws(Rejection) -> RawFix {
        var raw = RawFix()
        raw.deviceID = try sender(of: element, device: device, names: &names)
        raw.time = time(element["tst"])
        raw.latitude = try number(element, "lat")
        raw.longitude = try number(element, "lon")
        // Negative is unknown here, and not, as in Fencepost's own shape, a coordinate that is not valid.
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
        _ element: JSONElement, type: String, device: DeviceID?, rules: FixRules, names: inout DeviceNames
    ) throws(Rejection) -> Result<PhoneReport, Rejection> {
        guard let sender = try sender(of: element, device: device, names: &names) ?? rules.defaultDevice else {
            throw Rejection(.missingDevice, "the payload names no device")
        }
        // A waypoint's time is when it was made, and serves as its id where it has no other: any time will do.
        let made = time(element["tst"])
        let kind: PhoneReport.Kind
        let timestamp: Timestamp
        if type == "transition" {
            timestamp = try rules.timestamp(of: made)
            guard let event = element["event"]?.string.flatMap({ PhoneReport.Transition(rawValue: $0) }) else {
                throw Rejection(.invalidShape, "the transition says neither enter nor leave")
            }
            kind = .transition(
                event, region: element["desc"]?.string, regionID: element["rid"]?.string,
                trigger: element["t"]?.string)
        } else {
            guard case .at(let time) = made else { throw Rejection(.missingTimestamp, "the waypoint has no tst") }
            timestamp = time
            kind = .waypoint(
                name: element["desc"]?.string, regionID: element["rid"]?.string,
                radius: try number(element, "rad").flatMap { $0 < 0 ? nil : $0 }, createdAt: time)
        }
        var report = PhoneReport(deviceID: sender, timestamp: timestamp, kind: kind)
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

    /// `owntracks/user/device` of a topic, else who is known, else the two letters of the app.
    private static func sender(
        of element: JSONElement, device: DeviceID?, names: inout DeviceNames
    ) throws(Rejection) -> DeviceID? {
        if let topic = element["topic"]?.string {
            let parts = topic.split(separator: "/", omittingEmptySubsequences: false)
            if parts.count >= 3, parts[0] == "owntracks" {
                return try names.device(named: "\(parts[1])/\(parts[2])".utf8)
            }
        }
        if let device { return device }
        guard let tid = element["tid"]?.utf8, !tid.isEmpty else { return nil }
        return try names.device(named: tid)
    }

    private static func time(_ element: JSONElement?) -> RawTime {
        guard let element, !element.isNull else { return .absent }
        if let number = element.double { return RawTime(epoch: number) }
        guard let text = element.utf8 else { return .invalid(NativeShape.otherValue) }
        guard let number = DecimalNumber.parse(text) else { return .invalid(RawTime.quoted(text)) }
        return RawTime(epoch: number)
    }

    /// A number, or a string that holds one, as old apps and bridges write them.
    private static func number(_ element: JSONElement, _ name: String) throws(Rejection) -> Double? {
        guard let member = element[name], !member.isNull else { return nil }
        if let number = member.double { return number }
        guard let text = member.utf8, let number = DecimalNumber.parse(text) else { throw NativeShape.noNumber(name) }
        return number
    }
}
