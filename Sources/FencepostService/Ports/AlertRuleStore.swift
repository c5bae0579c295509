public import FencepostModel
public import FencepostMonitor

/// Stores the alert rules that are made over the API.
public protocol AlertRuleStore: Sendable {
    /// All rules, sorted by the bytes of their ids.
    func alertRules() async throws -> [StoredAlertRule]
    /// Adds, replaces or removes a rule, unless the stored one is not as it was read.
    ///
    /// - Parameters:
    ///   - id: the id of the rule.
    ///   - former: the text that the change was made from; `nil` for a new rule.
    ///   - text: the changed rule; `nil` removes it.
    ///   - limit: the most rules that may be stored after a new one.
    /// - Returns: what has happened.
    /// - Throws: when the store cannot write.
    func changeAlertRule(
        _ id: String, from former: String?, to text: String?, limit: Int
    ) async throws -> AlertRuleChange
}

/// What has happened with a change of a rule.
public enum AlertRuleChange: Hashable, Sendable {
    /// The change is durable.
    case done
    /// The stored rule is another one than the change was made from; nothing is changed.
    case outdated
    /// There are as many rules as there may be; nothing is changed.
    case tooMany
}

/// An alert rule as it is stored.
public struct StoredAlertRule: Hashable, Sendable {
    /// The id of the rule.
    public var id: String
    /// The rule; `AlertRuleFile` reads it.
    public var text: String

    /// A stored rule.
    public init(id: String, text: String) { (self.id, self.text) = (id, text) }

    /// The rule; `nil` when it is damaged.
    public var rule: AlertRule? { AlertRuleFile.read(stored: text).flatMap { $0.id == id ? $0 : nil } }

    /// Whether the rule can be read.
    public var isReadable: Bool { rule != nil }
}

/// What decides the rules and plans besides the configuration.
public struct AlertSources: Hashable, Sendable {
    /// The rules of the API.
    public var rules: [StoredAlertRule] = []
    /// The proximity rules of the API.
    public var proximity: [StoredProximityRule] = []
    /// The groups that rules may name.
    public var groups: [DeviceGroup] = []
    /// All versions of the plans of the API.
    public var plans: [Plan] = []

    /// No rules and no groups.
    public init() {}
}

extension MonitorSettings {
    /// The settings with the rules and plans of the API, and with devices in place of the groups of all of them.
    ///
    /// A rule of the configuration goes before a stored one with its id, which can only be when the configuration was changed
    /// later. A stored rule that cannot be read is left out.
    public func adding(_ sources: AlertSources) -> MonitorSettings {
        var settings = self
        let known = Set(alerts.map(\.id))
        let stored = sources.rules.filter { !known.contains($0.id) }.compactMap(\.rule)
        let groups = Dictionary(sources.groups.map { ($0.tag, $0.devices) }, uniquingKeysWith: { first, _ in first })
        settings.alerts = (alerts + stored).map { $0.resolved(in: groups) }
        let configured = Set(proximity.map(\.id))
        let pairs = sources.proximity.filter { !configured.contains($0.id) }.compactMap(\.rule)
        settings.proximity = (proximity + pairs).map { $0.resolved(in: groups) }
        settings.plans = sources.plans.map { $0.resolved(in: groups) }
        return settings
    }
}
