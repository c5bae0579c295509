import FencepostAnalysis
import FencepostFormats
import FencepostHTTP
import FencepostJSON
import FencepostModel
import FencepostService
import Foundation

/// Reads the JSON of a report schedule.
struct ReportScheduleReader {
    static let keys =
        ["id", "name", "report", "format", "frequency", "firstDay", "at", "timeZone", "endpoints", "state"]
        + ReportSchedule.Report.summaries.parameters
    static let weekdays = ["monday", "tuesday", "wednesday", "thursday", "friday", "saturday", "sunday"]
    private static let largestNumberOfEndpoints = 16

    private let members: [String: JSONElement]
    private let zone: TimeZone
    private var faults: [Problem.Fault] = []

    /// - Parameters:
    ///   - root: the body.
    ///   - base: the schedule that is changed, whose members stay where the body has none; `nil` for a new one.
    ///   - zone: the zone of a schedule that names none.
    /// - Throws: a `Problem` with unknown members.
    init(_ root: JSONElement, over base: ReportSchedule?, zone: TimeZone) throws(Problem) {
        try root.checkMembers(Self.keys)
        self.zone = zone
        var members: [String: JSONElement] = [:]
        if let base {
            var writer = JSONWriter()
            writer.beginObject()
            writer.members(of: base)
            writer.endObject()
            let document: JSONDocument
            do throws(JSONSyntaxError) { document = try JSONDocument(parsing: writer.bytes) } catch {
                throw .syntax(error)
            }
            for member in document.root.object.map(Array.init) ?? [] { members[member.name] = member.value }
        }
        for member in root.object.map(Array.init) ?? [] {
            members[member.name] = member.value.isNull ? nil : member.value
        }
        self.members = members
    }

    /// The schedule, with the id `""` where the body has none.
    ///
    /// - Throws: a `Problem` with all faults.
    mutating func schedule(at now: Timestamp) throws(Problem) -> ReportSchedule {
        let id = text("id") ?? ""
        if !id.utf8.allSatisfy({ API.idCharacters.contains($0) }) {
            fault("id", "An id has only letters, digits, \"-\" and \"_\".")
        }
        let name = required("name") ?? ""
        let report = word("report", ReportSchedule.Report.self) ?? .summaries
        let format = word("format", ReportSchedule.Format.self) ?? .xlsx
        var schedule = ReportSchedule(
            id: id, name: name, report: report, format: format, timing: timing(), endpoints: endpoints(),
            createdAt: now)
        for name in ReportSchedule.Report.summaries.parameters {
            guard let text = text(name) else { continue }
            guard report.parameters.contains(name) else {
                fault(name, "The report \"\(report.rawValue)\" has no \"\(name)\": leave it out.")
                continue
            }
            schedule.parameters[name] = text
        }
        check(schedule)
        switch text("state") {
        case nil, "active": break
        case "disabled": schedule.isActive = false
        default: fault("state", "The value has to be \"active\" or \"disabled\".")
        }
        guard faults.isEmpty else {
            throw .invalid(
                "invalid_value", faults.count == 1 ? faults[0].detail : "The report schedule is invalid.", faults)
        }
        return schedule
    }

    private mutating func timing() -> ReportTiming {
        let frequency = word("frequency", ReportTiming.Frequency.self)
        if frequency == nil, members["frequency"] == nil {
            fault("frequency", "It is required: daily, weekly or monthly.")
        }
        var timing = ReportTiming(frequency ?? .daily, minute: 7 * 60, timeZone: zone)
        if let name = text("firstDay") {
            if let day = Self.weekdays.firstIndex(of: name) {
                timing.weekday = day
            } else {
                fault("firstDay", "The value has to be one of \(Self.weekdays.joined(separator: ", ")).")
            }
            if let frequency, frequency != .weekly {
                fault("firstDay", "Only a weekly report has a first day: leave it out.")
            }
        }
        timing.minute = minute("at") ?? timing.minute
        timing.dayStart = minute("dayStartsAt") ?? 0
        if timing.minute < timing.dayStart {
            fault("at", "It is before dayStartsAt, when the last day of the report has not ended: choose a later time.")
        }
        if let name = text("timeZone") {
            if let zone = TimeZone(identifier: name) {
                timing.timeZone = zone
            } else {
                fault("timeZone", "The value has to be the IANA name of a time zone, such as Europe/Lisbon.")
            }
        }
        return timing
    }

    private mutating func endpoints() -> [String] {
        let texts = members["endpoints"]?.array.map(Array.init)?.map(\.string) ?? []
        let ids = texts.compactMap { $0 }
        if ids.isEmpty || ids.count != texts.count || ids.count > Self.largestNumberOfEndpoints
            || Set(ids).count != ids.count
        {
            fault(
                "endpoints",
                "The value has to be an array of the ids of 1 to \(Self.largestNumberOfEndpoints) endpoints, each once."
            )
        }
        return ids
    }

    /// Checks the parameters as their route does.
    private mutating func check(_ schedule: ReportSchedule) {
        let parameters = schedule.parameters
        let grouping = word("by", SummaryGrouping.self) ?? .device
        _ = word("period", SummaryPeriod.self)
        if let name = parameters["deviceId"], (try? DeviceID(validating: name)) == nil {
            fault("deviceId", "The value has to be the id of a device, or a pattern such as vans/*.")
        }
        if word("units", UnitSystem.self) != nil, schedule.format != .xlsx {
            fault("units", "It needs \"format\":\"xlsx\", since the other format has metres and seconds.")
        }
        guard schedule.report == .summaries else { return }
        switch grouping {
        case .device, .group:
            for name in ["regionId", "tag"] where parameters[name] != nil {
                fault(
                    name,
                    "It needs \"by\":\"region\"\(name == "tag" ? " or \"tag\"" : ""), since \(grouping.rawValue)s have none."
                )
            }
        case .region: break
        case .tag:
            if parameters["regionId"] != nil { fault("regionId", "It needs \"by\":\"region\", since tags have none.") }
        }
    }

    // MARK: Members

    private mutating func required(_ name: String) -> String? {
        if members[name] == nil { fault(name, "It is required.") }
        return text(name)
    }

    private mutating func text(_ name: String) -> String? {
        guard let element = members[name] else { return nil }
        if let text = element.string, !text.isEmpty, text.unicodeScalars.count <= 256,
            text.unicodeScalars.allSatisfy({ $0.value >= 0x20 && $0.value != 0x7F })
        {
            return text
        }
        fault(name, "The value has to be a text of 1 to 256 characters.")
        return nil
    }

    private mutating func word<Word: RawRepresentable & CaseIterable>(
        _ name: String, _: Word.Type
    ) -> Word? where Word.RawValue == String {
        guard let text = text(name) else { return nil }
        if let word = Word(rawValue: text) { return word }
        fault(name, "The value has to be one of \(Word.allCases.map(\.rawValue).joined(separator: ", ")).")
        return nil
    }

    /// Minutes after midnight.
    private mutating func minute(_ name: String) -> Int? {
        guard let text = text(name) else { return nil }
        if let time = DayStart(text) { return time.hour * 60 + time.minute }
        fault(name, "The value has to be a time of day from 00:00 to 23:59, such as 07:00.")
        return nil
    }

    private mutating func fault(_ name: String, _ detail: String) {
        let pointer = JSONPointer().appending(name).description
        guard !faults.contains(where: { $0.pointer == pointer }) else { return }
        faults.append(Problem.Fault(pointer: pointer, code: "invalid_value", detail: detail))
    }
}

extension JSONWriter {
    /// The members of a schedule that people set.
    mutating func members(of schedule: ReportSchedule) {
        func time(_ minute: Int) -> String {
            func padded(_ number: Int) -> String { number < 10 ? "0\(number)" : String(number) }
            return "\(padded(minute / 60)):\(padded(minute % 60))"
        }
        member("id", schedule.id)
        member("name", schedule.name)
        member("report", schedule.report.rawValue)
        for (name, text) in schedule.parameters.sorted(by: { $0.key < $1.key }) { member(name, text) }
        member("format", schedule.format.rawValue)
        let timing = schedule.timing
        member("frequency", timing.frequency.rawValue)
        if timing.frequency == .weekly { member("firstDay", ReportScheduleReader.weekdays[timing.weekday]) }
        member("at", time(timing.minute))
        member("timeZone", timing.timeZone.identifier)
        list("endpoints", schedule.endpoints)
        member("state", schedule.isActive ? "active" : "disabled")
    }

    /// A schedule as the API shows it.
    mutating func value(_ schedule: ReportSchedule, at now: Timestamp) {
        beginObject()
        members(of: schedule)
        member("createdAt", schedule.createdAt)
        member("nextRun", schedule.next(after: now))
        if let last = schedule.lastSent {
            name("lastRun")
            beginObject()
            member("at", last.at)
            member("from", last.run.start)
            member("to", last.run.end)
            member("eventId", last.eventID)
            endObject()
        }
        endObject()
    }
}
