public import FencepostModel

/// A condition of a device that is reported when it begins and when it ends: of its own readings, of the region that it is
/// in at a time of day, or of its silence.
public struct AlertRule: Hashable, Sendable, Codable {
    /// What is compared with what.
    public enum Condition: Hashable, Sendable, Codable {
        /// A speed above a limit. The speed that a location reports counts as exact to `tolerance`, in metres per second.
        case speed(above: SpeedLimit, tolerance: Double)
        /// A battery level at or below a limit from 0 to 1.
        case battery(below: Double)
        /// An accuracy worse than a limit, in metres.
        case accuracy(above: Double)
        /// A movement from one location to the next that is faster than a limit.
        case jump(above: SpeedLimit)
        /// A device on its battery that had external power before.
        case unplugged
        /// A device that is not in a region by a time of day.
        case absent(from: RegionID, by: DailyTime)
        /// A device that is still in a region at a time of day.
        case present(in: RegionID, at: DailyTime)
        /// A device that has sent no location for longer than this; `nil` for what is unusual for the device.
        case silent(longerThan: Duration?)
    }

    /// The id, unique among the rules; events state it.
    public var id: String
    /// The condition.
    public var condition: Condition
    /// How long the condition must hold before it is reported; zero or more. For conditions of a time of day it is the
    /// time after it at which the device is looked for, and for silence the least one that is reported.
    public var hold: Duration
    /// The devices that it applies to; `nil` with `groups` `nil` means all.
    public var devices: [GlobPattern]?
    /// The tags of groups whose devices it applies to, besides `devices`. The monitor knows no groups: see `resolved(in:)`.
    public var groups: [String]?
    /// The region in which readings count, by the events of the device; `nil` for everywhere. Only for kinds that
    /// `Alert.Kind.takesRegion` names; the region of a time of day is part of the condition.
    public var region: RegionID?

    /// A rule.
    ///
    /// - Parameters:
    ///   - id: unique among the rules.
    ///   - condition: what is compared with what.
    ///   - hold: how long it must hold; `nil` for the default of its kind.
    ///   - devices: the devices that it applies to; `nil` for all.
    public init(id: String, _ condition: Condition, hold: Duration? = nil, devices: [GlobPattern]? = nil) {
        (self.id, self.condition, self.devices) = (id, condition, devices)
        self.hold = hold ?? Self.defaultHold(of: condition)
    }

    /// The rule with the devices of its groups in place of the groups.
    ///
    /// - Parameter groups: the devices of each group, by its tag. A group that does not exist has no devices.
    /// - Returns: a rule without groups.
    public func resolved(in groups: [String: [GlobPattern]]) -> AlertRule {
        guard let tags = self.groups else { return self }
        var rule = self
        rule.devices = (devices ?? []) + tags.flatMap { groups[$0] ?? [] }
        rule.groups = nil
        return rule
    }

    /// How long a condition must hold where a rule does not say it.
    public static func defaultHold(of condition: Condition) -> Duration {
        switch condition {
        // Two locations: one wrong reading raises no alert.
        case .speed: .seconds(10)
        case .accuracy: .seconds(900)
        // A crossing shortly before the time may be decided by the next location.
        case .absent, .present: .seconds(300)
        // Shorter ones happen in every tunnel.
        case .silent(longerThan: nil): .seconds(900)
        case .silent, .battery, .jump, .unplugged: .zero
        }
    }

    /// Whether it goes on with what is known of another rule: it has its id and watches the same thing, if by another limit.
    func continues(_ other: AlertRule) -> Bool {
        id == other.id && condition.kind == other.condition.kind && region == other.region
            && condition.appointment?.region == other.condition.appointment?.region
    }

    /// Whether it applies to a device. Groups that are not resolved have no devices.
    func applies(to device: DeviceID) -> Bool {
        devices.map { $0.contains { $0.matches(device.rawValue) } } ?? (groups == nil)
    }
}

extension Alert.Kind {
    /// Whether a rule of this kind can be restricted to a region.
    ///
    /// A jump has two positions, and while a device is silent nobody knows where it is.
    public var takesRegion: Bool {
        switch self {
        case .speed, .battery, .accuracy, .unplugged: true
        case .jump, .absent, .present, .silent: false
        }
    }
}

extension AlertRule.Condition {
    /// The tolerance of reported speeds where a rule does not say it: 3 km/h, in metres per second.
    public static let defaultTolerance = 3 / 3.6

    /// The kind of the condition.
    public var kind: Alert.Kind {
        switch self {
        case .speed: .speed
        case .battery: .battery
        case .accuracy: .accuracy
        case .jump: .jump
        case .unplugged: .unplugged
        case .absent: .absent
        case .present: .present
        case .silent: .silent
        }
    }

    /// The region and the time of day of a condition of these; `nil` for others.
    var appointment: (region: RegionID, time: DailyTime)? {
        switch self {
        case .absent(let region, let time), .present(let region, let time): (region, time)
        case .speed, .battery, .accuracy, .jump, .unplugged, .silent: nil
        }
    }
}
