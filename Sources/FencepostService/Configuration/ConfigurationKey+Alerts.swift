import FencepostJSON
import FencepostModel
import FencepostMonitor

/// Reads and writes `monitor.alerts`.
extension ConfigurationKey.Value {
    /// The members of a rule, as the end of a sentence.
    private static let form =
        "a rule such as {\"type\":\"speed\",\"above\":\"120 km/h\"} or {\"type\":\"battery\",\"below\":0.2}, with "
        + "\"id\", \"for\" in seconds and \"devices\" where they are wanted"
    private static let most = 100

    /// The rules, whose ids are unique.
    func alerts() throws -> [AlertRule] {
        if isNull { return [] }
        guard let array = element.array, array.count <= Self.most else {
            throw ConfigurationKey.Mismatch(wanted: "an array of at most \(Self.most) rules, each \(Self.form)")
        }
        var rules: [AlertRule] = []
        for (index, item) in array.enumerated() {
            do {
                let rule = try ConfigurationKey.Value(element: item, folder: folder).alert()
                guard !rules.contains(where: { $0.id == rule.id }) else {
                    throw ConfigurationKey.Mismatch(
                        wanted: "a rule with an \"id\" of its own, since another rule has \"\(rule.id)\"")
                }
                rules.append(rule)
            } catch let mismatch as ConfigurationKey.Mismatch {
                throw ConfigurationKey.Mismatch(wanted: mismatch.wanted, index: index)
            }
        }
        return rules
    }

    private func alert() throws -> AlertRule {
        guard let object = element.object, let name = element["type"]?.string else {
            throw ConfigurationKey.Mismatch(wanted: Self.form)
        }
        guard let kind = Alert.Kind(rawValue: name) else {
            let known = Alert.Kind.allCases.map { "\"\($0.rawValue)\"" }.joined(separator: ", ")
            throw ConfigurationKey.Mismatch(wanted: "a rule whose \"type\" is one of \(known)")
        }
        let members = ["type", "id", "for", "devices"] + Self.parameters(of: kind)
        if let unknown = object.first(where: { !members.contains($0.name) }) {
            let known = members.map { "\"\($0)\"" }.joined(separator: ", ")
            throw ConfigurationKey.Mismatch(
                wanted: "a rule with \(known); a rule of this type has no \"\(unknown.name)\"")
        }
        var rule = AlertRule(id: try member("id")?.text("a rule whose \"id\" is a text") ?? name, try condition(kind))
        guard rule.id != Alert.regionRule, rule.id.utf8.count <= 128 else {
            throw ConfigurationKey.Mismatch(
                wanted: "a rule whose \"id\" has at most 128 bytes and is not \"\(Alert.regionRule)\"")
        }
        if let hold = member("for") { rule.hold = try hold.seconds() }
        if let devices = member("devices") {
            rule.devices = try devices.texts("a pattern of device ids").map(GlobPattern.init)
        }
        return rule
    }

    private func condition(_ kind: Alert.Kind) throws -> AlertRule.Condition {
        switch kind {
        case .speed:
            guard let limit = try member("above")?.speed() else {
                throw ConfigurationKey.Mismatch(wanted: "a rule with \"above\", such as \"120 km/h\"")
            }
            let tolerance = try member("tolerance")?.speed().metresPerSecond
            return .speed(above: limit, tolerance: tolerance ?? AlertRule.Condition.defaultTolerance)
        case .battery: return .battery(below: try member("below")?.number(in: 0...1, "parts") ?? 0.2)
        case .accuracy: return .accuracy(above: try member("above")?.number(in: 1...100_000, "metres") ?? 200)
        case .jump:
            guard let limit = try member("above")?.speed() ?? SpeedLimit(400) else {
                throw ConfigurationKey.Mismatch(wanted: Self.form)
            }
            return .jump(above: limit)
        case .unplugged: return .unplugged
        }
    }

    private static func parameters(of kind: Alert.Kind) -> [String] {
        switch kind {
        case .speed: ["above", "tolerance"]
        case .battery: ["below"]
        case .accuracy, .jump: ["above"]
        case .unplugged: []
        }
    }

    private func member(_ name: String) -> ConfigurationKey.Value? {
        guard let value = element[name], !value.isNull else { return nil }
        return ConfigurationKey.Value(element: value, folder: folder)
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
    mutating func alerts(_ rules: [AlertRule]) {
        beginArray()
        for rule in rules {
            beginObject()
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
            }
            name("for")
            value(rule.hold.seconds)
            name("devices")
            if let devices = rule.devices { value(devices.map(\.rawValue)) } else { null() }
            endObject()
        }
        endArray()
    }
}
