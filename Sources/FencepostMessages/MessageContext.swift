internal import FencepostGeometry
public import FencepostJSON
public import FencepostModel
public import Foundation

/// The variables of templates, from one message as a webhook would receive it.
///
/// The message contains only what the endpoint may see, so a template cannot show more.
public struct MessageContext: Sendable {
    /// How devices, times and links are written.
    public struct Style: Sendable {
        /// Names of devices by id.
        public var names: [String: String]
        /// The zone of times.
        public var timeZone: TimeZone
        /// Address of the page, for links; `nil` for none.
        public var link: String?
        /// The units of distances and speeds.
        public var units: UnitSystem

        /// A style.
        public init(
            names: [String: String] = [:], timeZone: TimeZone, link: String? = nil, units: UnitSystem = .metric
        ) {
            self.names = names
            self.timeZone = timeZone
            self.link = link
            self.units = units
        }
    }

    /// All names of variables, in the order of the documentation.
    public static let names = [
        "sentence", "detail", "type", "device", "deviceId", "region", "regionId", "tags", "place", "when", "time",
        "date", "zone", "timestamp", "duration", "distance", "speed", "battery", "latitude", "longitude", "accuracy",
        "arrival", "departure", "confidence", "reason", "app", "endpoint", "value", "limit", "eventId", "link",
        "entered", "exited", "dwelled", "arrived", "departed", "alert", "ended", "home", "test",
    ]

    /// Values by name: texts, and `true` for those that hold. What does not apply is absent.
    private(set) var texts: [String: String] = [:]
    private(set) var flags: Set<String> = []
    private let zone: TimeZone

    var values: [String: any Sendable] {
        var values: [String: any Sendable] = texts
        for flag in flags { values[flag] = true }
        return values
    }

    /// The event type.
    public var type: String { texts["type"] ?? "" }
    /// A link to the event on the page; `nil` without one.
    public var link: String? { texts["link"] }
    /// Whether the message is a test.
    public var isTest: Bool { flags.contains("test") }

    /// The variables of a message in the standard format.
    public init(_ message: JSONElement, style: Style) {
        let data = message["data"]
        zone = style.timeZone
        texts["type"] = message["type"]?.string
        texts["timestamp"] = message["timestamp"]?.string
        texts["eventId"] = data?["eventId"]?.string
        if data?["test"]?.bool == true { flags.insert("test") }
        let moment = message["timestamp"]?.string.flatMap { Timestamp(rfc3339: $0) }
        if let moment {
            texts["time"] = MessageWords.time(moment, in: zone)
            texts["date"] = MessageWords.date(moment, in: zone)
            texts["zone"] = MessageWords.zone(zone, at: moment)
        }
        if let bounds = bounds(data) {
            flags.insert("bounded")
            texts["when"] = bounds
        } else {
            texts["when"] = texts["time"].map { "at \($0)" }
        }
        if let id = data?["deviceId"]?.string {
            texts["deviceId"] = id
            texts["device"] = style.names[id] ?? MessageWords.name(of: id)
        }
        readRegion(data)
        readNamedRegions(data)
        readPosition(data, style.units)
        readVisit(data?["visit"])
        for name in ["reason"] { texts[name] = data?[name]?.string }
        texts["app"] = data?["app"]?["name"]?.string ?? data?["app"]?["id"]?.string ?? data?["app"]?.string
        texts["endpoint"] = data?["endpoint"]?["description"]?.string ?? data?["endpoint"]?["id"]?.string
        if let seconds = data?["dwell"]?.double { texts["duration"] = words(seconds) }
        if let confidence = data?["confidence"]?.double {
            texts["confidence"] = "\(MessageWords.whole(confidence * 100)) %"
        }
        readAlert(data, style.units)
        if let metres = data?["fence"]?["distance"]?.double { texts["distance"] = style.units.distance(metres) }
        if let other = data?["proximity"]?["otherDeviceId"]?.string {
            texts["other"] = style.names[other] ?? MessageWords.name(of: other)
            texts["distance"] = data?["proximity"]?["distance"]?.double.map { style.units.distance($0) }
        }
        readPlan(data)
        readReport(data)
        if let link = style.link, let id = texts["eventId"] {
            texts["link"] = (link.hasSuffix("/") ? String(link.dropLast()) : link) + "/#event=\(id)"
        }
        switch type {
        case "region.entered": flags.insert("entered")
        case "region.exited": flags.insert("exited")
        case "region.dwelled": flags.insert("dwelled")
        case "visit.arrived": flags.insert("arrived")
        case "visit.departed": flags.insert("departed")
        default:
            let alerting = [EventType.fenceBroken, .planMissed, .planLate].map(\.rawValue)
            if type.hasPrefix("alert.") || alerting.contains(type) { flags.insert("alert") }
        }
        texts["sentence"] = MessageSentences.sentence(self)
        texts["detail"] = MessageSentences.detail(self)
    }

    /// The round, the place and its window, or the result.
    private mutating func readPlan(_ data: JSONElement?) {
        guard let plan = data?["plan"], let id = plan["id"]?.string else { return }
        texts["plan"] = plan["name"]?.string ?? id
        texts["round"] = plan["date"]?.string
        let times = ["from", "to"].compactMap { plan[$0]?.string.flatMap { Timestamp(rfc3339: $0) } }
        if times.count == 2 {
            texts["window"] = times.map { MessageWords.time($0, in: zone) }.joined(separator: " to ")
        }
        for name in ["visited", "late", "missed", "places"] {
            if let number = plan[name]?.int { texts[name] = String(number) }
        }
        if plan["inOrder"]?.bool == false { flags.insert("outOfOrder") }
    }

    /// The name of a report and the dates of its period.
    private mutating func readReport(_ data: JSONElement?) {
        guard type == "report.ready", let report = data?["report"] else { return }
        texts["report"] = data?["schedule"]?["name"]?.string
        let dates = ["firstDate", "lastDate"].compactMap { report[$0]?.string }
        guard let first = dates.first, let last = dates.last else { return }
        texts["period"] = first == last ? first : "\(first) to \(last)"
        let titles = ["trips": "Trips", "visits": "Visits"]
        let what = report["kind"]?.string.flatMap { titles[$0] } ?? "Summary"
        let days = first == last ? "of \(first)" : "from \(first) to \(last)"
        texts["reportDetail"] = "\(what) \(days), \(report["timeZone"]?.string ?? "UTC")"
    }

    private mutating func readRegion(_ data: JSONElement?) {
        guard let region = data?["region"], let id = region["id"]?.string else { return }
        texts["regionId"] = id
        texts["region"] = region["name"]?.string ?? id
        texts["place"] = texts["region"]
        if let tags = region["tags"]?.array?.compactMap(\.string), !tags.isEmpty {
            texts["tags"] = tags.joined(separator: ", ")
        }
        if texts["region"]?.lowercased() == "home" { flags.insert("home") }
    }

    /// The regions by name, the smallest first; a message for people has them.
    private mutating func readNamedRegions(_ data: JSONElement?) {
        if data?["crossing"]?.bool == false { flags.insert("there") }
        let regions = data?["places"]?.array.map(Array.init) ?? []
        guard let first = regions.first else { return }
        texts["regionId"] = first["id"]?.string
        texts["place"] = first["name"]?.string
        texts["region"] = texts["place"]
        if regions.contains(where: { $0["home"]?.bool == true }) { flags.insert("home") }
    }

    /// Bounds that are so far apart are said instead of the estimate between them.
    private static let saidBounds = Duration.seconds(600)

    /// When it happened, if that is known by wide bounds: `between 08:00 and 09:15`.
    private func bounds(_ data: JSONElement?) -> String? {
        let bounds =
            switch type {
            case "visit.arrived": wideBounds(data?["visit"], "arrivalEarliest", "arrivalLatest")
            case "visit.departed": wideBounds(data?["visit"], "departureEarliest", "departureLatest")
            default: wideBounds(data, "earliest", "latest")
            }
        guard let (earliest, latest) = bounds else { return nil }
        let days = [earliest, latest].map { MessageWords.weekday($0, in: zone) }
        let isOneDay = latest - earliest < .seconds(86_400) && days[0] == days[1]
        let words = zip(days, [earliest, latest]).map { day, moment in
            (isOneDay ? "" : day + " ") + MessageWords.time(moment, in: zone)
        }
        return "between \(words[0]) and \(words[1])"
    }

    /// Two times that are members of an object and so far apart that they are said; `nil` without such times.
    private func wideBounds(_ object: JSONElement?, _ first: String, _ second: String) -> (Timestamp, Timestamp)? {
        func time(_ name: String) -> Timestamp? { object?[name]?.string.flatMap { Timestamp(rfc3339: $0) } }
        guard let earliest = time(first), let latest = time(second), latest - earliest >= Self.saidBounds else {
            return nil
        }
        return (earliest, latest)
    }

    private mutating func readPosition(_ data: JSONElement?, _ units: UnitSystem) {
        guard let location = data?["location"] ?? data?["visit"] else { return }
        if let latitude = location["latitude"]?.double, let longitude = location["longitude"]?.double {
            texts["latitude"] = String(latitude)
            texts["longitude"] = String(longitude)
        }
        if let accuracy = location["horizontalAccuracy"]?.double, accuracy >= 0 {
            texts["accuracy"] = units.distance(accuracy)
        }
        if let speed = location["speed"]?.double, speed >= 0 {
            texts["speed"] = units.speed(speed)
        }
        if let level = location["batteryLevel"]?.double, (0...1).contains(level) {
            texts["battery"] = "\(MessageWords.whole(level * 100)) %"
        }
    }

    private mutating func readVisit(_ visit: JSONElement?) {
        guard let visit else { return }
        let arrival = visit["arrival"]?.string.flatMap { Timestamp(rfc3339: $0) }
        let departure = visit["departure"]?.string.flatMap { Timestamp(rfc3339: $0) }
        texts["arrival"] = arrival.map { MessageWords.time($0, in: zone) }
        texts["departure"] = departure.map { MessageWords.time($0, in: zone) }
        if arrival == nil { flags.insert("there") }
        // The length of a stay whose ends are known by wide bounds is not known.
        let isBounded =
            wideBounds(visit, "arrivalEarliest", "arrivalLatest") != nil
            || wideBounds(visit, "departureEarliest", "departureLatest") != nil
        if let arrival, let departure, !isBounded {
            texts["duration"] = MessageWords.duration(departure - arrival)
        }
        let regions = visit["regions"]?.array?.compactMap(\.string) ?? []
        if texts["place"] != nil { return }
        if !regions.isEmpty {
            texts["regionId"] = regions.first
            texts["place"] = regions.joined(separator: ", ")
            texts["region"] = texts["place"]
            if regions.contains(where: { $0.lowercased() == "home" }) { flags.insert("home") }
        } else if let latitude = visit["latitude"]?.double, let longitude = visit["longitude"]?.double {
            texts["place"] = "\(Self.rounded(latitude)), \(Self.rounded(longitude))"
        }
    }

    private mutating func readAlert(_ data: JSONElement?, _ units: UnitSystem) {
        guard let alert = data?["alert"] else { return }
        let unit = alert["unit"]?.string
        if let value = alert["value"]?.double { texts["value"] = MessageWords.measurement(value, unit, in: units) }
        if let limit = alert["limit"]?.double { texts["limit"] = MessageWords.measurement(limit, unit, in: units) }
        if alert["state"]?.string == "ended" { flags.insert("ended") }
        if let metres = alert["distance"]?.double { texts["distance"] = units.distance(metres) }
        if let seconds = alert["duration"]?.double { texts["duration"] = words(seconds) }
    }

    private func words(_ seconds: Double) -> String {
        MessageWords.duration(.seconds(Int64(clamped: min(max(seconds, 0), 1e12))))
    }

    /// Degrees with four decimals, about 11 m.
    private static func rounded(_ degrees: Double) -> Double { (degrees * 10_000).rounded() / 10_000 }
}
