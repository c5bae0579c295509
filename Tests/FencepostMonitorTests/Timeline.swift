import FencepostGeometry
import FencepostModel
import FencepostMonitor
import Foundation
import Testing

/// A recorded walk and its events as a text file: inputs in order, outputs after `>`.
///
/// The world is a street: a position is a number of metres along it, a region is a circle with its centre on it.
///
///     set crossing raw                 settings: crossing, staleAfter (or off), reorderWindow, cushion, stay,
///                                      minimumStay (of visits, which are off without it)
///     region office 0 r=100 dwell=300  also: silent, noentry, noexit, crossing=, expires=, minAltitude=,
///                                      maxAltitude=, devices=, schedule=ZONE|Fri|19:00-01:00, limit=50_mph
///     alert speed 120 10               a rule: kind, limit (speeds in km/h), and seconds that it must hold
///     alert speed 30 10 in=depot       the same, only in a region
///     alert absent office 08:15 300    a rule of a time of day in UTC (absent or present), decided after so many seconds
///     alert silent 3600 0              a rule of silence: seconds, or `learned`
///     120 at 50 acc=10 alt=5           at second 120 a fix 50 m along the street; also: speed=, battery=, power=
///     every 20 from 0 to 600 at 0 acc=10         fixes at seconds 0, 20 … 580
///     every 20 from 0 to 600 at 0..900 acc=10    the same on the way
///     clock 500                        the clock is at second 500
///     remove office 600                the region is deleted at second 600
///     > 120 region.entered office      an event; 120(180) = at 120, detected at 180; 120[60...180] = between these
///     > 900 visit.departed since 120   the end of a visit and its arrival, or - if that is unknown
///
/// Seconds count from 2026-03-06T00:00:00Z, a Friday.
struct Timeline: CustomTestStringConvertible {
    let name: String
    let text: String

    var testDescription: String { name }

    static let folder = URL(filePath: #filePath).deletingLastPathComponent().appending(path: "Timelines")

    static func all() throws -> [Timeline] {
        try FileManager.default.contentsOfDirectory(at: folder, includingPropertiesForKeys: nil)
            .filter { $0.pathExtension == "txt" }
            .sorted { $0.path < $1.path }
            .map { Timeline(name: $0.lastPathComponent, text: try String(contentsOf: $0, encoding: .utf8)) }
    }

    /// The inputs with the events of the current monitor, which is restored from its snapshot after every input if
    /// `restarting` is set.
    func replay(restarting: Bool = false) throws -> String {
        var street = Street(restarting: restarting)
        var lines: [String] = []
        for line in text.split(separator: "\n", omittingEmptySubsequences: false) where !line.hasPrefix(">") {
            lines.append(String(line))
            lines += try street.take(line.split(separator: " ").map(String.init))
        }
        return lines.joined(separator: "\n")
    }
}

/// The street of a timeline, with one device on it.
struct Street {
    static let start = Timestamp(rfc3339: "2026-03-06T00:00:00Z") ?? .distantPast
    static let plane = LocalPlane(origin: Coordinate(latitude: 38.71, longitude: -9.14))

    let restarting: Bool
    var settings = MonitorSettings()
    var catalog = RegionCatalog()
    var circles: [RegionID: (center: Double, radius: Double)] = [:]
    private var buffer = ReorderBuffer()
    private var memory = FixMemory()
    private lazy var monitor = DeviceMonitor(deviceID: DeviceID("jane/phone"), settings: settings)

    init(restarting: Bool = false) {
        self.restarting = restarting
        settings.visits = nil
        settings.staleAfter = nil
        settings.crossing = .raw
    }

    mutating func take(_ words: [String]) throws -> [String] {
        guard let first = words.first, !first.hasPrefix("#") else { return [] }
        switch first {
        case "set": try set(words[1], words[2])
        case "alert": try settings.alerts.append(alert(words))
        case "region": return try add(words)
        case "remove": return remove(RegionID(words[1]), at: time(words[2]))
        case "clock":
            var ready: [Location] = []
            let now = time(words[1])
            buffer.release(through: now - settings.reorderWindow) { ready.append($0) }
            return ready.flatMap { locate($0) } + handle(.clock(now - settings.reorderWindow))
        case "every":
            let (step, from, to) = (try number(words[1]), try number(words[3]), try number(words[5]))
            let ends = words[7].split(separator: ".", omittingEmptySubsequences: true).map(String.init)
            let (start, end) = (try number(ends[0]), try number(ends.last ?? ""))
            return try stride(from: from, to: to, by: step).flatMap { second in
                let position = start + (end - start) * (second - from) / (to - from)
                return try take(["\(second)", "at", "\(position)"] + words.dropFirst(8))
            }
        case "end":
            var ready: [Location] = []
            buffer.end(ahead: { _ in }, ready: { ready.append($0) })
            return ready.flatMap { locate($0) }
        default:
            var ready: [Location] = []
            let verdict = buffer.accept(
                try location(words), of: 1, window: settings.reorderWindow, memory: &memory
            ) { ready.append($0) }
            return (verdict == .accepted ? [] : ["> \(verdict)"]) + ready.flatMap { locate($0) }
        }
        return []
    }

    private mutating func locate(_ location: Location) -> [String] {
        let (east, _) = Self.plane.project(location.coordinate)
        let proximities = catalog.regions.map { handle, region in
            let circle = circles[region.id] ?? (0, 0)
            // The projection there and back rounds; the street is exact to a millimetre.
            let distance = ((abs(east - circle.center) - circle.radius) * 1000).rounded() / 1000
            return Proximity(
                region: handle, covers: distance <= 0, signedDistance: distance, width: circle.radius * 2)
        }
        return handle(.located(location, proximities))
    }

    private mutating func handle(_ input: DeviceMonitor.Input) -> [String] {
        let events = monitor.handle(input, WatchRules(catalog, settings))
        if restarting, let data = try? JSONEncoder().encode(monitor.snapshot(in: catalog)),
            let snapshot = try? JSONDecoder().decode(DeviceMonitor.Snapshot.self, from: data)
        {
            monitor = DeviceMonitor(snapshot, in: catalog, settings: settings)
        }
        return events.map { "> " + describe($0) }
    }

    private func describe(_ event: Event) -> String {
        func seconds(_ moment: Timestamp) -> String {
            let value = (moment - Self.start).seconds
            return value == value.rounded() ? String(Int(value)) : String(value)
        }
        var text = seconds(event.timestamp)
        if event.detectedAt != event.timestamp { text += "(\(seconds(event.detectedAt)))" }
        if let earliest = event.earliest, let latest = event.latest {
            text += "[\(seconds(earliest))...\(seconds(latest))]"
        }
        text += " \(event.occurrence.type.rawValue)"
        if let region = event.occurrence.region { text += " \(region.id)" }
        if case .regionExited(_, let reason?) = event.occurrence { text += " \(reason.rawValue)" }
        if case .alert(let alert) = event.occurrence {
            text += " \(alert.rule) \(alert.state.rawValue)"
            if let value = alert.value { text += " \(value)" }
            if let limit = alert.limit { text += "/\(limit)" }
            if let unit = alert.unit { text += " \(unit)" }
            if let duration = alert.duration { text += " for \(duration.seconds) s" }
            if let distance = alert.distance { text += " over \(distance) m" }
        }
        if case .visitDeparted(let visit) = event.occurrence {
            text += " since \(visit.arrival.map(seconds) ?? "-")"
        }
        if case .regionDwelled(_, let dwell) = event.occurrence { text += " \(dwell.milliseconds / 1000)" }
        return text
    }

    private mutating func add(_ words: [String]) throws -> [String] {
        let id = RegionID(words[1])
        var region = Region(id: id, shape: .circle(Circle(center: Self.plane.origin, radius: 1)))
        var radius = 0.0
        for option in words.dropFirst(3) {
            let (key, value) = split(option)
            switch key {
            case "r": radius = try number(value)
            case "dwell": region.dwells = try value.split(separator: ",").map { .seconds(try number(String($0))) }
            case "silent": region.initialState = .silent
            case "noentry": region.notifyOnEntry = false
            case "noexit": region.notifyOnExit = false
            case "crossing": region.crossing = CrossingMode(rawValue: value)
            case "expires": region.expires = time(value)
            case "minAltitude": region.minAltitude = try number(value)
            case "maxAltitude": region.maxAltitude = try number(value)
            case "limit": region.speedLimit = SpeedLimit(value.replacing("_", with: " "))
            case "devices": region.devices = value.split(separator: ",").map { GlobPattern(String($0)) }
            case "schedule": region.schedule = try schedule(value)
            default: throw TimelineError(text: option)
            }
        }
        circles[id] = (try number(words[2]), radius)
        let known = catalog.handle(for: id)
        catalog.update([region])
        return known.map { handle(.replaced([$0], at: monitor.lastLocation?.timestamp ?? Self.start)) } ?? []
    }

    private mutating func remove(_ id: RegionID, at moment: Timestamp) -> [String] {
        guard let known = catalog.handle(for: id), let region = catalog[known] else { return [] }
        catalog.update([], removing: [id])
        return handle(.removed([known: region], at: moment))
    }

    private mutating func set(_ key: String, _ value: String) throws {
        switch key {
        case "crossing": settings.crossing = CrossingMode(rawValue: value) ?? .raw
        case "staleAfter": settings.staleAfter = value == "off" ? nil : .seconds(try number(value))
        case "reorderWindow": settings.reorderWindow = .seconds(try number(value))
        case "cushion": settings.cushion = try number(value)
        case "minimumStay": settings.visits = VisitSettings(minimumStay: .seconds(try number(value)))
        case "stay": settings.cushionStay = .seconds(try number(value))
        default: throw TimelineError(text: key)
        }
    }

    private func location(_ words: [String]) throws -> Location {
        guard words.count >= 3, words[1] == "at" else { throw TimelineError(text: words.joined(separator: " ")) }
        var location = Location(
            deviceID: DeviceID("jane/phone"), timestamp: time(words[0]),
            coordinate: Self.plane.unproject(east: try number(words[2]), north: 0))
        for option in words.dropFirst(3) {
            let (key, value) = split(option)
            switch key {
            case "acc": location.horizontalAccuracy = try number(value)
            case "alt": location.altitude = try number(value)
            case "speed": location.speed = try number(value)
            case "battery": location.batteryLevel = try number(value)
            case "power": location.batteryState = Location.BatteryState(rawValue: value)
            default: throw TimelineError(text: option)
            }
        }
        return location
    }

    private func alert(_ words: [String]) throws -> AlertRule {
        if let last = words.last, last.hasPrefix("in=") {
            var rule = try alert(words.dropLast())
            rule.region = RegionID(String(last.dropFirst(3)))
            return rule
        }
        let condition: AlertRule.Condition
        if words[1] == "absent" || words[1] == "present" {
            let clock = try words[3].split(separator: ":").map { try number(String($0)) }
            let time = DailyTime(minute: Int(clock[0] * 60 + clock[1]), timeZone: .gmt)
            condition =
                words[1] == "absent"
                ? .absent(from: RegionID(words[2]), by: time) : .present(in: RegionID(words[2]), at: time)
            return AlertRule(id: words[1], condition, hold: try words.count > 4 ? .seconds(number(words[4])) : nil)
        }
        if words[1] == "silent" {
            let limit: Duration? = words[2] == "learned" ? nil : .seconds(try number(words[2]))
            return AlertRule(
                id: words[1], .silent(longerThan: limit),
                hold: try words.count > 3 ? .seconds(number(words[3])) : nil)
        }
        switch (words[1], SpeedLimit(words[2])) {
        case ("speed", let limit?): condition = .speed(above: limit, tolerance: 3 / 3.6)
        case ("jump", let limit?): condition = .jump(above: limit)
        case ("battery", _): condition = .battery(below: try number(words[2]))
        case ("accuracy", _): condition = .accuracy(above: try number(words[2]))
        case ("unplugged", _): condition = .unplugged
        default: throw TimelineError(text: words.joined(separator: " "))
        }
        return AlertRule(id: words[1], condition, hold: try words.count > 3 ? .seconds(number(words[3])) : nil)
    }

    private func schedule(_ value: String) throws -> Schedule {
        let parts = value.split(separator: "|").map(String.init)
        let days = ["Mon", "Tue", "Wed", "Thu", "Fri", "Sat", "Sun"]
        guard parts.count == 3, let zone = TimeZone(identifier: parts[0]) else { throw TimelineError(text: value) }
        let hours = parts[2].split(whereSeparator: { $0 == ":" || $0 == "-" }).compactMap { Int($0) }
        guard hours.count == 4 else { throw TimelineError(text: value) }
        let weekdays = Set(parts[1].split(separator: ",").compactMap { days.firstIndex(of: String($0)) })
        return Schedule(
            timeZone: zone,
            weekly: [.init(weekdays: weekdays, start: hours[0] * 60 + hours[1], end: hours[2] * 60 + hours[3])])
    }

    private func time(_ word: String) -> Timestamp {
        Self.start + .milliseconds(Int64((Double(word) ?? 0) * 1000))
    }

    private func split(_ option: String) -> (key: String, value: String) {
        let parts = option.split(separator: "=", maxSplits: 1).map(String.init)
        return (parts[0], parts.count > 1 ? parts[1] : "")
    }

    private func number(_ word: String) throws -> Double {
        guard let value = Double(word) else { throw TimelineError(text: word) }
        return value
    }
}

struct TimelineError: Error { let text: String }
