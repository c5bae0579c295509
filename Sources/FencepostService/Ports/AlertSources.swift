public import FencepostModel
public import FencepostMonitor

/// What decides the rules and plans besides the configuration.
public struct AlertSources: Hashable, Sendable {
    /// The rules of the API.
    public var rules: [StoredRule<AlertRule>] = []
    /// The proximity rules of the API.
    public var proximity: [StoredRule<ProximityRule>] = []
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
        let groups = Dictionary(sources.groups.map { ($0.tag, $0.devices) }, uniquingKeysWith: { first, _ in first })
        settings.alerts = sources.rules.added(to: alerts).map { $0.resolved(in: groups) }
        settings.proximity = sources.proximity.added(to: proximity).map { $0.resolved(in: groups) }
        settings.plans = sources.plans.map { $0.resolved(in: groups) }
        return settings
    }
}
