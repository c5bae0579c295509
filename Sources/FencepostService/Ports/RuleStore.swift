/// Stores the rules that are made over the API.
public protocol RuleStore: Sendable {
    /// All rules of a kind, sorted by the bytes of their ids.
    func rules<Rule: NamedRule>(_ kind: Rule.Type) async throws -> [StoredRule<Rule>]
    /// Adds, replaces or removes a rule, unless the stored one is not as it was read.
    ///
    /// - Parameters:
    ///   - id: the id of the rule.
    ///   - kind: what it is a rule of.
    ///   - former: the text that the change was made from; `nil` for a new rule.
    ///   - text: the changed rule; `nil` removes it.
    ///   - limit: the most rules of the kind that may be stored after a new one.
    /// - Returns: what has happened.
    /// - Throws: when the store cannot write.
    func changeRule(
        _ id: String, of kind: RuleKind, from former: String?, to text: String?, limit: Int
    ) async throws -> RuleChange
}

/// What has happened with a change of a rule or a plan.
public enum RuleChange: Hashable, Sendable {
    /// The change is durable.
    case done
    /// What is stored is another one than the change was made from; nothing is changed.
    case outdated
    /// There are as many as there may be; nothing is changed.
    case tooMany
}

/// A rule as it is stored.
public struct StoredRule<Rule: NamedRule>: Hashable, Sendable {
    /// The id of the rule.
    public var id: String
    /// The rule; `RuleFile` reads it.
    public var text: String

    /// A stored rule.
    public init(id: String, text: String) { (self.id, self.text) = (id, text) }

    /// The rule; `nil` when it is damaged.
    public var rule: Rule? { RuleFile.read(stored: text).flatMap { $0.id == id ? $0 : nil } }
}

extension Sequence {
    /// The rules of the configuration, and the stored ones that it does not hide and that can be read.
    public func added<Rule: NamedRule>(to configured: [Rule]) -> [Rule] where Element == StoredRule<Rule> {
        let known = Set(configured.map(\.id))
        return configured + filter { !known.contains($0.id) }.compactMap(\.rule)
    }
}
