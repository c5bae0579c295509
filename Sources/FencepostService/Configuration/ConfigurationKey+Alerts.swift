import FencepostGeometry
import FencepostJSON
import FencepostModel
import FencepostMonitor
import FencepostRegionFiles
import Foundation

/// Reads and writes alert rules, those of `monitor.alerts` and those of the API.
extension ConfigurationKey.Value {
    /// The members of a rule, as the end of a sentence.
    private static let form =
        "a rule such as {\"type\":\"speed\",\"above\":\"120 km/h\"} or {\"type\":\"battery\",\"below\":0.2}, with "
        + "\"id\", \"for\" in seconds and \"devices\" where they are wanted"

    /// The rules, whose ids are unique.
    func alerts() throws -> [AlertRule] {
        try rules(Self.form)
    }

    /// Reads one rule.
    ///
    /// - Parameter id: that of a rule that states none; `nil` for the name of its type.
    /// - Returns: the rule.
    /// - Throws: a `Mismatch` that names the member which is wrong.
    func alert(id: String? = nil) throws -> AlertRule {
        guard let object = element.object, let name = try at("type", { element["type"]?.string }) else {
            throw ConfigurationKey.Mismatch(wanted: Self.form)
        }
        guard let kind = Alert.Kind(rawValue: name) else {
            let known = Alert.Kind.allCases.map { "\"\($0.rawValue)\"" }.joined(separator: ", ")
            throw ConfigurationKey.Mismatch(wanted: "a rule whose \"type\" is one of \(known)", member: "type")
        }
        let members = ["type", "id", "for", "devices", "groups"] + Self.parameters(of: kind)
        if let unknown = object.first(where: { !members.contains($0.name) }) {
            let known = members.map { "\"\($0)\"" }.joined(separator: ", ")
            throw ConfigurationKey.Mismatch(
                wanted:
                    "a rule with \(known); a rule of this type has no \"\(unknown.name)\"\(Self.reason(unknown.name, kind))",
                member: unknown.name)
        }
        let given: String? = try at("id") { try member("id")?.text("a rule whose \"id\" is a text") }
        var rule = AlertRule(id: given ?? id ?? name, try condition(kind))
        guard rule.id != Alert.regionRule, rule.id.utf8.count <= 128 else {
            throw ConfigurationKey.Mismatch(
                wanted: "a rule whose \"id\" has at most 128 bytes and is not \"\(Alert.regionRule)\"", member: "id")
        }
        try at("for") { if let hold = member("for") { rule.hold = try hold.seconds() } }
        try at("devices") {
            if let devices = member("devices") {
                rule.devices = try devices.texts("a pattern of device ids").map(GlobPattern.init)
            }
        }
        try at("groups") { rule.groups = try member("groups")?.texts("the tag of a group") }
        if kind.takesRegion, member("region") != nil { rule.region = try at("region") { try region() } }
        return rule
    }

    /// Why a rule of a kind has no region, as the end of a sentence; empty for other members.
    private static func reason(_ member: String, _ kind: Alert.Kind) -> String {
        guard member == "region" else { return "" }
        return kind == .jump
            ? ", since a jump goes from one place to another" : ", since nobody knows where a silent device is"
    }

    private func condition(_ kind: Alert.Kind) throws -> AlertRule.Condition {
        switch kind {
        case .speed:
            guard let limit = try at("above", { try member("above")?.speed() }) else {
                throw ConfigurationKey.Mismatch(
                    wanted: "a rule with \"above\", such as \"120 km/h\"", member: "above")
            }
            let error = try at("tolerance") { try tolerance() }
            return .speed(above: limit, tolerance: error ?? AlertRule.Condition.defaultTolerance)
        case .battery:
            return .battery(below: try at("below") { try member("below")?.number(in: 0...1, "parts") } ?? 0.2)
        case .accuracy:
            return .accuracy(above: try at("above") { try member("above")?.number(in: 1...100_000, "metres") } ?? 200)
        case .jump:
            guard let limit = try at("above", { try member("above")?.speed() }) ?? SpeedLimit(400) else {
                throw ConfigurationKey.Mismatch(wanted: Self.form)
            }
            return .jump(above: limit)
        case .unplugged: return .unplugged
        case .absent: return .absent(from: try at("region") { try region() }, by: try dailyTime("by"))
        case .present: return .present(in: try at("region") { try region() }, at: try dailyTime("at"))
        case .silent:
            let seconds = try at("above") { try member("above")?.number(in: 60...31_536_000, "seconds") }
            return .silent(longerThan: seconds.map { .milliseconds(Int64(clamped: ($0 * 1000).rounded())) })
        }
    }

    /// Metres per second; 0 counts a speed as exact.
    private func tolerance() throws -> Double? {
        guard let value = member("tolerance") else { return nil }
        let number = value.element.string.flatMap { Double($0.prefix { $0.isNumber || $0 == "." }) }
        if (value.element.double ?? number) == 0 { return 0 }
        do {
            return try value.speed().metresPerSecond
        } catch {
            throw ConfigurationKey.Mismatch(
                wanted: "a rule whose \"tolerance\" is a speed in km/h or with a unit, such as \"3 km/h\", or 0")
        }
    }

    private func region() throws -> RegionID {
        guard let id = try member("region")?.text("a rule whose \"region\" is the id of a region"), !id.isEmpty else {
            throw ConfigurationKey.Mismatch(wanted: "a rule with \"region\", the id of a region")
        }
        return RegionID(id)
    }

    /// The time of a member such as `"by":"08:15"`, with `days` and `timeZone`.
    private func dailyTime(_ name: String) throws -> DailyTime {
        let start: Int = try at(name) {
            guard let time = try member(name)?.text("a rule whose \"\(name)\" is a time such as \"08:15\""),
                time.utf8.count == 5,
                let opening = Schedule.Opening(text: "\(time)-24:00"), opening.start < 1440
            else {
                throw ConfigurationKey.Mismatch(wanted: "a rule with \"\(name)\", a time from \"00:00\" to \"23:59\"")
            }
            return opening.start
        }
        let timeZone: TimeZone = try at("timeZone") {
            guard let member = member("timeZone") else {
                if let zone { return zone }
                throw ConfigurationKey.Mismatch(
                    wanted: "a rule with \"timeZone\", the name of a time zone such as \"Europe/Berlin\", since the "
                        + "configuration has no \"timeZone\" for all")
            }
            guard let timeZone = TimeZone(identifier: try member.text("a rule whose \"timeZone\" is a text"))
            else {
                throw ConfigurationKey.Mismatch(
                    wanted: "a rule with \"timeZone\", the name of a time zone such as \"Europe/Berlin\"")
            }
            return timeZone
        }
        let weekdays: Set<Int> = try at("days") {
            guard let days: String = try member("days")?.text("a rule whose \"days\" are a text such as \"Mon-Fri\"")
            else {
                return Set(0..<7)
            }
            guard let read = Schedule.Opening(text: "\(days) 00:00-24:00") else {
                throw ConfigurationKey.Mismatch(wanted: "a rule whose \"days\" are such as \"Mon-Fri\" or \"Sat,Sun\"")
            }
            return read.weekdays
        }
        return DailyTime(minute: start, weekdays: weekdays, timeZone: timeZone)
    }

    private static func parameters(of kind: Alert.Kind) -> [String] {
        switch kind {
        case .speed: ["above", "tolerance", "region"]
        case .battery: ["below", "region"]
        case .accuracy: ["above", "region"]
        case .jump, .silent: ["above"]
        case .unplugged: ["region"]
        case .absent: ["region", "by", "days", "timeZone"]
        case .present: ["region", "at", "days", "timeZone"]
        }
    }

    private func speed() throws -> SpeedLimit {
        guard let limit = element.double.flatMap({ SpeedLimit($0) }) ?? element.string.flatMap({ SpeedLimit($0) })
        else {
            throw ConfigurationKey.Mismatch(
                wanted: "a rule with a speed above 0 in km/h or with a unit, such as \"120 km/h\", \"75 mph\", "
                    + "\"12 knots\" or \"33 m/s\"")
        }
        return limit
    }
}

extension JSONWriter {
    /// The members of a rule, as the configuration and the API have them.
    mutating func members(of rule: AlertRule) {
        name("id")
        value(rule.id)
        name("type")
        value(rule.condition.kind.rawValue)
        switch rule.condition {
        case .speed(let limit, let tolerance):
            name("above")
            value(limit.description)
            name("tolerance")
            value("\(tolerance) m/s")
        case .battery(let limit):
            name("below")
            value(limit)
        case .accuracy(let limit):
            name("above")
            value(limit)
        case .jump(let limit):
            name("above")
            value(limit.description)
        case .unplugged: break
        case .absent(let region, let time): appointment(region, "by", time)
        case .present(let region, let time): appointment(region, "at", time)
        case .silent(let limit):
            name("above")
            if let limit { value(limit.seconds) } else { null() }
        }
        name("for")
        value(rule.hold.seconds)
        name("devices")
        if let devices = rule.devices { value(devices.map(\.rawValue)) } else { null() }
        if let groups = rule.groups {
            name("groups")
            value(groups)
        }
        if let region = rule.region {
            name("region")
            value(region.rawValue)
        }
    }

    private mutating func appointment(_ region: RegionID, _ member: String, _ time: DailyTime) {
        name("region")
        value(region.rawValue)
        name(member)
        let (hour, minute) = time.minute.quotientAndRemainder(dividingBy: 60)
        value("\(hour < 10 ? "0" : "")\(hour):\(minute < 10 ? "0" : "")\(minute)")
        name("days")
        let names = ["Mon", "Tue", "Wed", "Thu", "Fri", "Sat", "Sun"]
        value(time.weekdays.sorted().map { names[$0] }.joined(separator: ","))
        name("timeZone")
        value(time.timeZone.identifier)
    }
}
