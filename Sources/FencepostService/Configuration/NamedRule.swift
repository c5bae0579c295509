public import FencepostJSON
public import FencepostModel
public import FencepostMonitor
public import Foundation

/// A kind of rules that the configuration and the API make.
public enum RuleKind: Hashable, Sendable, CaseIterable {
    case alert, proximity

    /// The key of the configuration that has rules of this kind, as a JSON Pointer.
    public var pointer: String {
        switch self {
        case .alert: "/monitor/alerts"
        case .proximity: "/monitor/proximity"
        }
    }
}

/// A rule with an id that no other one of its kind has. Its members are the same in the configuration, in the API and where it is
/// stored.
public protocol NamedRule: Hashable, Sendable {
    /// What it is a rule of.
    static var kind: RuleKind { get }
    /// The id.
    var id: String { get }

    /// Reads a rule.
    ///
    /// - Parameters:
    ///   - element: the object.
    ///   - id: the id of a rule that states none; `nil` where the kind has to say.
    ///   - zone: the zone of times without one; `nil` where they have to have one.
    /// - Throws: what is wrong; `RuleFile` makes a diagnostic of it.
    init(reading element: JSONElement, id: String?, zone: TimeZone?) throws
    /// Writes the members.
    func writeMembers(_ writer: inout JSONWriter)
}

extension AlertRule: NamedRule {
    /// Rules of `monitor.alerts` (rule K9).
    public static let kind = RuleKind.alert

    /// Reads a rule. Without an id it has the name of its type.
    public init(reading element: JSONElement, id: String?, zone: TimeZone?) throws {
        self = try ConfigurationKey.Value(element: element, folder: "", zone: zone).alert(id: id)
    }

    /// Writes the members.
    public func writeMembers(_ writer: inout JSONWriter) { writer.members(of: self) }
}

extension ProximityRule: NamedRule {
    /// Rules of `monitor.proximity` (rule K11).
    public static let kind = RuleKind.proximity

    /// Reads a rule. Without an id it is refused.
    public init(reading element: JSONElement, id: String?, zone: TimeZone?) throws {
        self = try ConfigurationKey.Value(element: element, folder: "", zone: zone).proximityRule(id: id)
    }

    /// Writes the members.
    public func writeMembers(_ writer: inout JSONWriter) { writer.members(of: self) }
}

/// Reads and writes one rule as JSON.
public enum RuleFile<Rule: NamedRule> {
    /// The most rules of the configuration and of the API together.
    public static var maximumRules: Int { 100 }

    /// Reads a rule.
    ///
    /// - Parameters:
    ///   - element: the object.
    ///   - id: the id of a rule that states none.
    ///   - zone: the zone of times without one; `nil` where they have to have one.
    /// - Returns: the rule, or `nil` with what is wrong.
    public static func read(
        _ element: JSONElement, id: String? = nil, zone: TimeZone? = nil
    ) -> (rule: Rule?, problem: Diagnostic?) {
        do {
            return (try Rule(reading: element, id: id, zone: zone), nil)
        } catch {
            let mismatch = error as? ConfigurationKey.Mismatch
            var pointer = JSONPointer()
            if let member = mismatch?.member { pointer = pointer.appending(member) }
            if mismatch?.member != nil, let index = mismatch?.index { pointer = pointer.appending(index) }
            return (
                nil,
                Diagnostic(
                    code: "invalid_value", file: nil, at: .pointer(pointer.description),
                    "This has to be \(mismatch?.wanted ?? "something else").")
            )
        }
    }

    /// Reads a stored rule; `nil` for a damaged one.
    public static func read(stored text: String) -> Rule? {
        (try? JSONDocument(parsing: text)).flatMap { read($0.root).rule }
    }

    /// A rule as it is stored. `read` reads it again as it was.
    public static func text(of rule: Rule) -> String {
        var writer = JSONWriter()
        writer.beginObject()
        rule.writeMembers(&writer)
        writer.endObject()
        return String(decoding: writer.bytes, as: UTF8.self)
    }
}

extension JSONWriter {
    /// A rule of the API or of the configuration, with where it is from.
    public mutating func value(_ rule: some NamedRule, source: String) {
        beginObject()
        rule.writeMembers(&self)
        name("source")
        value(source)
        endObject()
    }

    /// The rules of the configuration.
    mutating func rules(_ rules: [some NamedRule]) {
        beginArray()
        for rule in rules {
            beginObject()
            rule.writeMembers(&self)
            endObject()
        }
        endArray()
    }
}

extension ConfigurationKey.Value {
    /// Reads rules, whose ids are unique.
    ///
    /// - Parameter form: what a rule looks like, as the end of a sentence.
    /// - Returns: the rules.
    /// - Throws: a `Mismatch` that has the index of the rule which is wrong.
    func rules<Rule: NamedRule>(_ form: String) throws -> [Rule] {
        if isNull { return [] }
        guard let array = element.array, array.count <= RuleFile<Rule>.maximumRules else {
            throw ConfigurationKey.Mismatch(
                wanted: "an array of at most \(RuleFile<Rule>.maximumRules) rules, each \(form)")
        }
        var rules: [Rule] = []
        for (index, item) in array.enumerated() {
            do {
                let rule = try Rule(reading: item, id: nil, zone: zone)
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

    /// A member of an object; `nil` where it is absent or null.
    func member(_ name: String) -> ConfigurationKey.Value? {
        guard let value = element[name], !value.isNull else { return nil }
        return ConfigurationKey.Value(element: value, folder: folder, zone: zone)
    }

    /// Reads a member; what it throws names the member.
    func at<Read>(_ member: String, _ read: () throws -> Read) throws -> Read {
        do {
            return try read()
        } catch var mismatch as ConfigurationKey.Mismatch {
            mismatch.member = member
            throw mismatch
        }
    }
}
