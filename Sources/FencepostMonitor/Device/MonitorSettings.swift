public import FencepostModel

/// The settings of the monitor. The names of the members are those of the configuration file.
public struct MonitorSettings: Hashable, Sendable, Codable {
    /// The crossing mode of regions that do not set their own.
    public var crossing = CrossingMode.confirmed
    /// How long fixes are buffered, to sort those that arrive out of order; zero or more.
    public var reorderWindow = Duration.zero
    /// How long after its last fix a device becomes stale; `nil` means never.
    public var staleAfter: Duration?
    /// How far beyond the boundary a device must be in the mode `coreLocation`, in metres (rule REGION-07).
    public var cushion = 200.0
    /// How long it must stay there (rule REGION-07).
    public var cushionStay = Duration.seconds(20)
    /// `nil` means no visits.
    public var visits: VisitSettings? = VisitSettings()

    /// `nil` for none, so that stored settings without the member can be read.
    private var alertRules: [AlertRule]?
    /// The alert rules, whose ids are unique.
    public var alerts: [AlertRule] {
        get { alertRules ?? [] }
        set { alertRules = newValue.isEmpty ? nil : newValue }
    }

    /// `nil` for none, as above.
    private var proximityRules: [ProximityRule]?
    /// The rules about devices near each other, whose ids are unique. They are no part of the state of a device.
    public var proximity: [ProximityRule] {
        get { proximityRules ?? [] }
        set { proximityRules = newValue.isEmpty ? nil : newValue }
    }

    /// `nil` for none, as for alert rules.
    private var storedPlans: [Plan]?
    /// All versions of all plans, without groups.
    public var plans: [Plan] {
        get { storedPlans ?? [] }
        set { storedPlans = newValue.isEmpty ? nil : newValue }
    }

    private enum CodingKeys: String, CodingKey {
        case crossing, reorderWindow, staleAfter, cushion, cushionStay, visits
        case alertRules = "alerts"
        case proximityRules = "proximity"
        case storedPlans = "plans"
    }

    /// The defaults: mode `confirmed`, no reordering, devices that never become stale, and visits.
    public init() {}
}
