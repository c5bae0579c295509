import FencepostJSON
import FencepostModel
import FencepostMonitor
import FencepostRegionFiles
import Foundation

/// Reads and writes proximity rules, those of `monitor.proximity` and those of the API.
extension ConfigurationKey.Value {
    private static let pairForm =
        "a rule such as {\"id\":\"dog\",\"distance\":100,\"devices\":[\"kids/*\"],\"others\":[\"dog\"]}"
    private static let pairMembers = [
        "id", "distance", "hysteresis", "dwell", "unaccompanied", "devices", "groups", "others", "otherGroups", "hours",
    ]

    /// The rules, whose ids are unique.
    func proximity() throws -> [ProximityRule] {
        try rules(Self.pairForm)
    }

    /// Reads one rule.
    ///
    /// - Parameter id: that of a rule that states none; `nil` where it has to state one.
    /// - Returns: the rule.
    /// - Throws: a `Mismatch` that names the member which is wrong.
    func proximityRule(id: String? = nil) throws -> ProximityRule {
        guard let object = element.object else { throw ConfigurationKey.Mismatch(wanted: Self.pairForm) }
        if let unknown = object.first(where: { !Self.pairMembers.contains($0.name) }) {
            let known = Self.pairMembers.map { "\"\($0)\"" }.joined(separator: ", ")
            throw ConfigurationKey.Mismatch(
                wanted: "a rule with \(known), which has no \"\(unknown.name)\"", member: unknown.name)
        }
        let given = try pair("id") { try $0.text("a rule whose \"id\" is a text") }
        guard let id = given ?? id, !id.isEmpty, id.utf8.count <= 128 else {
            throw ConfigurationKey.Mismatch(wanted: "a rule with an \"id\" of 1 to 128 bytes", member: "id")
        }
        guard let distance = try pair("distance", { try $0.number(in: ProximityRule.distances, "metres") }) else {
            throw ConfigurationKey.Mismatch(
                wanted: "a rule with \"distance\", the metres within which two devices are near each other",
                member: "distance")
        }
        var rule = ProximityRule(
            id: id, distance: distance,
            hysteresis: try pair("hysteresis") { try $0.number(in: 0...10_000, "metres") })
        rule.dwell = try pair("dwell") { try $0.seconds(from: 1) }
        rule.reportsUnaccompanied = try pair("unaccompanied") { try $0.bool() } ?? false
        rule.devices = try pair("devices") { try $0.texts("a pattern of device ids").map(GlobPattern.init) }
        rule.groups = try pair("groups") { try $0.texts("the tag of a group") }
        rule.others = try pair("others") { try $0.texts("a pattern of device ids").map(GlobPattern.init) }
        rule.otherGroups = try pair("otherGroups") { try $0.texts("the tag of a group") }
        rule.hours = try pair("hours") { try $0.hours() }
        if let device = rule.deviceOnBothSides {
            let index = rule.others?.firstIndex { $0.rawValue == device }
            throw ConfigurationKey.Mismatch(
                wanted: "another device than those of \"devices\": \"\(device)\" would be watched against itself",
                index: index, member: "others")
        }
        return rule
    }

    /// Reads a member; what it throws names the member. `nil` where it is absent or null.
    private func pair<Read>(_ name: String, _ read: (ConfigurationKey.Value) throws -> Read) throws -> Read? {
        try at(name) { try member(name).map(read) }
    }

    /// The forms are those of quiet hours.
    private func hours() throws -> Schedule {
        var hours = Endpoint.QuietHours(timeZone: zone?.identifier ?? "", weekly: [])
        var isKnown = true
        if let text = element.string {
            hours.weekly = [text]
        } else if let object = element.object {
            isKnown = object.allSatisfy { ["timeZone", "weekly", "except"].contains($0.name) }
            if let zone = element["timeZone"], !zone.isNull { hours.timeZone = zone.string ?? "" }
            hours.weekly = element["weekly"]?.array?.map { $0.string ?? "" } ?? []
            hours.except = element["except"]?.array?.map { $0.string ?? "" } ?? []
        }
        guard isKnown, hours.weekly.count <= 128, hours.except.count <= 1024, let schedule = hours.schedule else {
            throw ConfigurationKey.Mismatch(
                wanted: "hours such as \"Mon-Fri 08:00-18:00\" or {\"timeZone\":\"Europe/Lisbon\","
                    + "\"weekly\":[\"Mon-Fri 08:00-18:00\"]}, with a time zone here or for all")
        }
        return schedule
    }
}

extension JSONWriter {
    /// The members of a rule, as the configuration and the API have them.
    mutating func members(of rule: ProximityRule) {
        name("id")
        value(rule.id)
        name("distance")
        value(rule.distance)
        name("hysteresis")
        value(rule.hysteresis)
        name("dwell")
        if let dwell = rule.dwell { value(dwell.seconds) } else { null() }
        name("unaccompanied")
        value(rule.reportsUnaccompanied)
        for (member, patterns) in [("devices", rule.devices), ("others", rule.others)] {
            name(member)
            if let patterns { value(patterns.map(\.rawValue)) } else { null() }
        }
        for (member, tags) in [("groups", rule.groups), ("otherGroups", rule.otherGroups)] {
            guard let tags else { continue }
            name(member)
            value(tags)
        }
        if let hours = rule.hours {
            name("hours")
            value(hours)
        }
    }
}
