/// What an alert event states: which rule, and whether its condition began or ended.
public struct Alert: Hashable, Sendable {
    /// The conditions that can be watched. The raw values are part of event types and of the configuration.
    public enum Kind: String, Hashable, Sendable, CaseIterable, Codable {
        /// A speed above a limit.
        case speed
        /// A battery level at or below a limit.
        case battery
        /// An accuracy worse than a limit for long.
        case accuracy
        /// A movement faster than the device can move.
        case jump
        /// The loss of external power.
        case unplugged
        /// A device that is not in a region by a time of day.
        case absent
        /// A device that is still in a region at a time of day.
        case present
        /// A device that has sent no location for long.
        case silent

        /// The event type on the wire.
        public var type: EventType {
            switch self {
            case .speed: .alertSpeed
            case .battery: .alertBattery
            case .accuracy: .alertAccuracy
            case .jump: .alertJump
            case .unplugged: .alertUnplugged
            case .absent: .alertAbsent
            case .present: .alertPresent
            case .silent: .alertSilent
            }
        }

        /// The condition of an event type; `nil` for a type that is not of alerts.
        public init?(_ type: EventType) {
            guard let kind = Self.allCases.first(where: { $0.type == type }) else { return nil }
            self = kind
        }
    }

    /// Whether the condition began or ended. A jump only begins.
    public enum State: String, Hashable, Sendable { case started, ended }

    /// The condition.
    public var kind: Kind
    /// The id of the rule in the configuration, or `speedLimit` for that of a region.
    public var rule: String
    /// Whether the condition began or ended.
    public var state: State
    /// What was measured and what the rule allows, in `unit`; `nil` where the condition is no number.
    public var value, limit: Double?
    /// `km/h`, `mph`, `knots`, `m/s`, `m` or `s`; `nil` for a battery level, which is 0 to 1.
    public var unit: String?
    /// How long the condition has held; `nil` if it was met by one location.
    public var duration: Duration?
    /// Metres from the location before; in jumps.
    public var distance: Double?
    /// The region whose limit it is, or that the device is expected in or away from; `nil` for other rules.
    public var region: RegionSummary?

    /// The rule of events that a region's speed limit causes.
    public static let regionRule = "speedLimit"

    /// An alert without measurements.
    public init(kind: Kind, rule: String, state: State, region: RegionSummary? = nil) {
        (self.kind, self.rule, self.state, self.region) = (kind, rule, state, region)
    }
}
