import FencepostGeometry
public import FencepostJSON
public import FencepostModel
import FencepostRegionFiles
public import Foundation

/// Reads and writes a plan as JSON, in the form of the API (rule A45).
public enum PlanFile {
    /// The most patterns of devices, and the most groups, of one plan.
    public static let mostNames = 500
    static let keys = [
        "id", "name", "timeZone", "places", "ordered", "grace", "days", "dates", "except", "first", "last", "devices",
        "groups",
    ]

    /// Reads a plan.
    ///
    /// - Parameters:
    ///   - element: the object.
    ///   - id: the id of a plan that states none.
    ///   - zone: the zone of a plan without one.
    ///   - now: from when it applies.
    ///   - isStored: whether `since`, which answers of the API have, is ignored.
    /// - Returns: the plan, or `nil` with all that is wrong.
    public static func read(
        _ element: JSONElement, id: String, zone: TimeZone, at now: Timestamp, isStored: Bool = false
    ) -> (plan: Plan?, problems: [Diagnostic]) {
        var reader = PlanReader(element, isStored ? keys + ["since"] : keys)
        let plan = reader.plan(id: id, zone: zone, at: now)
        return (reader.problems.isEmpty ? plan : nil, reader.problems)
    }

    /// A time of a window, such as `22:30`, or `00:15+1` on the day after the round's date, in minutes; `nil` for another text.
    public static func minute(_ text: String) -> Int? {
        let isNextDay = text.hasSuffix("+1")
        let parts = (isNextDay ? text.dropLast(2) : Substring(text)).split(
            separator: ":", omittingEmptySubsequences: false)
        guard parts.count == 2, parts.allSatisfy({ $0.utf8.count == 2 && $0.utf8.allSatisfy { 48...57 ~= $0 } }),
            let hour = Int(parts[0]), let minute = Int(parts[1]), minute < 60, hour * 60 + minute <= 1440
        else { return nil }
        return hour * 60 + minute + (isNextDay ? 1440 : 0)
    }

    /// A time of a window as text.
    public static func text(minute: Int) -> String {
        let isNextDay = minute >= 1440
        let ofDay = isNextDay ? minute - 1440 : minute
        func two(_ number: Int) -> String { number < 10 ? "0\(number)" : "\(number)" }
        return "\(two(ofDay / 60)):\(two(ofDay % 60))\(isNextDay ? "+1" : "")"
    }
}

/// Reads the members of a plan, and collects all that is wrong.
private struct PlanReader {
    private static let stopKeys = ["region", "from", "to", "stay"]

    private let root: JSONElement
    private(set) var problems: [Diagnostic] = []

    private let keys: [String]

    init(_ root: JSONElement, _ keys: [String]) { (self.root, self.keys) = (root, keys) }

    mutating func plan(id: String, zone: TimeZone, at now: Timestamp) -> Plan? {
        guard root.object != nil else {
            report("", "A plan has to be a JSON object.")
            return nil
        }
        checkMembers(of: root, keys, at: "")
        let given = text("id", atMost: 128)
        let name = text("name", atMost: 200)
        let zone = timeZone() ?? zone
        let stops = stops()
        let calendar = calendar()
        var plan = Plan(id: given ?? id, stops, calendar, timeZone: zone, since: now)
        plan.name = name
        plan.isOrdered = flag("ordered") ?? false
        if let grace = seconds("grace", atMost: Plan.graces.upperBound.seconds) { plan.grace = grace }
        plan.devices = names("devices")?.map { GlobPattern($0) }
        plan.groups = names("groups")
        if plan.devices == nil, plan.groups == nil, problems.isEmpty {
            report(
                "/devices", "A plan needs \"devices\" or \"groups\": whose round it is. Write [\"*\"] for all devices.",
                code: "missing_member")
        }
        if problems.isEmpty, plan.nextRound(after: now) == nil {
            report(
                "",
                "All rounds of this plan begin in the past: choose a later \"last\", or other \"dates\" or \"days\".",
                code: "plan_in_past")
        }
        return plan
    }

    // MARK: Members

    private mutating func timeZone() -> TimeZone? {
        guard let name = text("timeZone", atMost: 64) else { return nil }
        guard let zone = TimeZone(identifier: name) else {
            report(
                "/timeZone", "There is no time zone \"\(name)\": write an IANA name such as Europe/Lisbon.",
                code: "unknown_time_zone")
            return nil
        }
        return zone
    }

    private mutating func stops() -> [Plan.Stop] {
        guard let array = member("places", of: root)?.array, !array.isEmpty else {
            report(
                "/places",
                "A plan needs \"places\", such as [{\"region\":\"gate\",\"from\":\"22:00\",\"to\":\"22:30\"}].",
                code: "missing_member")
            return []
        }
        guard array.count <= Plan.mostStops else {
            report(
                "/places",
                "A plan has at most \(Plan.mostStops) places, and this one has \(array.count): make two of it.",
                code: "too_many_places")
            return []
        }
        var stops: [Plan.Stop] = []
        for (index, element) in array.enumerated() {
            guard let stop = stop(element, at: "/places/\(index)") else { continue }
            if let other = stops.firstIndex(where: { $0.overlaps(stop) }) {
                report(
                    "/places/\(index)/from",
                    "The window overlaps with that of place \(other + 1), which is the same region: a visit would count twice.",
                    code: "windows_overlap")
            }
            stops.append(stop)
        }
        return stops
    }

    private mutating func stop(_ element: JSONElement, at pointer: String) -> Plan.Stop? {
        guard element.object != nil else {
            report(pointer, "A place has to be an object with \"region\", \"from\" and \"to\".")
            return nil
        }
        checkMembers(of: element, Self.stopKeys, at: pointer)
        guard let region = member("region", of: element)?.string, !region.isEmpty, region.utf8.count <= 256 else {
            report(pointer + "/region", "A place needs \"region\", the id of a region.", code: "missing_member")
            return nil
        }
        guard let start = minute("from", of: element, pointer), let end = minute("to", of: element, pointer) else {
            return nil
        }
        guard end > start else {
            report(
                pointer + "/to",
                "The window ends before it begins: write the end as \"\(PlanFile.text(minute: end % 1440))+1\" if it is on the "
                    + "next day.", code: "window_ends_before_it_begins")
            return nil
        }
        guard end - start <= Plan.longestWindow else {
            report(pointer + "/to", "A window is at most 24 hours long.", code: "window_too_long")
            return nil
        }
        var stay = Duration.zero
        if let element = member("stay", of: element) {
            guard let seconds = element.double, seconds >= 0, seconds <= Double((end - start) * 60) else {
                report(
                    pointer + "/stay",
                    "This has to be a number of seconds from 0 to the length of the window, \((end - start) * 60).",
                    code: "stay_too_long")
                return nil
            }
            stay = .milliseconds(Int64(clamped: (seconds * 1000).rounded()))
        }
        return Plan.Stop(region: RegionID(region), start: start, end: end, stay: stay)
    }

    private mutating func minute(_ name: String, of element: JSONElement, _ pointer: String) -> Int? {
        guard let text = member(name, of: element)?.string, let minute = PlanFile.minute(text) else {
            report(
                "\(pointer)/\(name)",
                "This has to be a time such as \"22:30\", or \"00:15+1\" for the day after the round's date.")
            return nil
        }
        return minute
    }

    private mutating func calendar() -> PlanCalendar {
        let dates = days("dates")
        var weekdays = dates == nil ? Set(0..<7) : []
        if let text = text("days", atMost: 100) {
            if let read = Schedule.Opening(text: "\(text) 00:00-24:00") {
                weekdays = read.weekdays
            } else {
                report("/days", "This has to be days such as \"Mon-Fri\" or \"Sat,Sun\".")
            }
        }
        let (first, last) = (day("first"), day("last"))
        if let first, let last, last < first { report("/last", "This has to be on or after \"first\".") }
        return PlanCalendar(
            weekdays: weekdays, dates: dates ?? [], except: days("except") ?? [], first: first, last: last)
    }

    private mutating func days(_ name: String) -> [Int]? {
        guard let element = member(name, of: root) else { return nil }
        let texts = element.string.map { [$0] } ?? element.array?.map { $0.string ?? "" }
        let days = texts?.map { Timestamp.day(date: $0) } ?? [nil]
        if let index = days.firstIndex(of: nil) {
            report(
                element.array == nil ? "/\(name)" : "/\(name)/\(index)", "This has to be a date such as \"2026-03-07\"."
            )
        } else if days.count > PlanCalendar.mostDates {
            report("/\(name)", "There are at most \(PlanCalendar.mostDates) dates.", code: "too_many_dates")
        }
        return days.compactMap(\.self)
    }

    private mutating func day(_ name: String) -> Int? {
        guard let element = member(name, of: root) else { return nil }
        let day = element.string.flatMap(Timestamp.day(date:))
        if day == nil { report("/\(name)", "This has to be a date such as \"2026-03-07\".") }
        return day
    }

    private mutating func names(_ name: String) -> [String]? {
        guard let element = member(name, of: root) else { return nil }
        let texts = element.string.map { [$0] } ?? element.array?.map { $0.string ?? "" } ?? [""]
        guard texts.count <= PlanFile.mostNames, texts.allSatisfy({ !$0.isEmpty && $0.utf8.count <= 256 }) else {
            report("/\(name)", "This has to be at most \(PlanFile.mostNames) texts of at most 256 bytes each.")
            return nil
        }
        return texts.isEmpty ? nil : texts
    }

    private mutating func text(_ name: String, atMost limit: Int) -> String? {
        guard let element = member(name, of: root) else { return nil }
        guard let text = element.string, !text.isEmpty, text.utf8.count <= limit else {
            report("/\(name)", "This has to be a text of at most \(limit) bytes.")
            return nil
        }
        return text
    }

    private mutating func flag(_ name: String) -> Bool? {
        guard let element = member(name, of: root) else { return nil }
        if element.bool == nil { report("/\(name)", "This has to be true or false.") }
        return element.bool
    }

    private mutating func seconds(_ name: String, atMost limit: Double) -> Duration? {
        guard let element = member(name, of: root) else { return nil }
        guard let seconds = element.double, seconds >= 0, seconds <= limit else {
            report("/\(name)", "This has to be a number of seconds from 0 to \(Int(clamped: limit)).")
            return nil
        }
        return .milliseconds(Int64(clamped: (seconds * 1000).rounded()))
    }

    // MARK: Help

    private mutating func report(_ pointer: String, _ message: String, code: String = "invalid_value") {
        problems.append(Diagnostic(code: code, at: .pointer(pointer), message))
    }

    private func member(_ name: String, of element: JSONElement) -> JSONElement? {
        element[name].flatMap { $0.isNull ? nil : $0 }
    }

    private mutating func checkMembers(of element: JSONElement, _ known: [String], at pointer: String) {
        guard let object = element.object else { return }
        for member in object where !known.contains(member.name) {
            report(
                pointer + JSONPointer().appending(member.name).description,
                "Unknown key \"\(member.name)\"; known keys: \(known.joined(separator: ", ")).", code: "unknown_key")
        }
    }
}

extension Plan.Stop {
    /// Whether both are about the same region and one time: a visit would count twice.
    public func overlaps(_ other: Plan.Stop) -> Bool {
        region == other.region && start < other.end && other.start < end
    }
}

extension JSONWriter {
    /// Writes a plan. `PlanFile.read` reads it again, but for `since`, which answers have.
    public mutating func value(_ plan: Plan) {
        beginObject()
        put("id", plan.id)
        if let text = plan.name { put("name", text) }
        // Foundation calls this zone by its older name, whichever it was made with.
        put("timeZone", plan.timeZone == .gmt ? "UTC" : plan.timeZone.identifier)
        name("places")
        beginArray()
        for stop in plan.stops { value(stop) }
        endArray()
        name("ordered")
        value(plan.isOrdered)
        name("grace")
        value(plan.grace.seconds)
        putMembers(of: plan.calendar)
        if let devices = plan.devices { put("devices", devices.map(\.rawValue)) }
        if let groups = plan.groups { put("groups", groups) }
        put("since", plan.since.rfc3339)
        endObject()
    }

    private mutating func value(_ stop: Plan.Stop) {
        beginObject()
        put("region", stop.region.rawValue)
        put("from", PlanFile.text(minute: stop.start))
        put("to", PlanFile.text(minute: stop.end))
        if stop.stay > .zero {
            name("stay")
            value(stop.stay.seconds)
        }
        endObject()
    }

    private mutating func putMembers(of calendar: PlanCalendar) {
        let names = ["Mon", "Tue", "Wed", "Thu", "Fri", "Sat", "Sun"]
        if !calendar.weekdays.isEmpty { put("days", calendar.weekdays.map { names[$0] }.joined(separator: ",")) }
        if !calendar.dates.isEmpty { put("dates", calendar.dates.map(Timestamp.date(day:))) }
        if !calendar.except.isEmpty { put("except", calendar.except.map(Timestamp.date(day:))) }
        if let first = calendar.first { put("first", Timestamp.date(day: first)) }
        if let last = calendar.last { put("last", Timestamp.date(day: last)) }
    }

    private mutating func put(_ key: String, _ text: String) {
        name(key)
        value(text)
    }

    private mutating func put(_ key: String, _ texts: [String]) {
        name(key)
        beginArray()
        for text in texts { value(text) }
        endArray()
    }
}
