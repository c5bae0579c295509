public import FencepostModel
import Foundation

/// Which devices are watched for being near each other.
public struct ProximityRule: Hashable, Sendable, Codable {
    /// The least and the greatest distance of a rule, in metres.
    public static let distances = 5.0...10_000.0
    /// The most pairs of known devices that all rules together may watch.
    public static let maximumPairs = 1_000_000

    /// The id, unique among the rules; events state it.
    public var id: String
    /// Up to this distance in metres two devices are near each other.
    public var distance: Double
    /// How much farther than `distance` they must be to be apart again, in metres; zero or more.
    public var hysteresis: Double
    /// After how long near each other a dwell is reported; `nil` for never.
    public var dwell: Duration?
    /// Whether it is reported that a device of `devices` moves away while the other one stays.
    public var reportsUnaccompanied = false
    /// The devices that are watched; `nil` with `groups` `nil` means all.
    public var devices: [GlobPattern]?
    /// The tags of groups whose devices are watched, besides `devices`.
    public var groups: [String]?
    /// The devices that they are watched against; `nil` with `otherGroups` `nil` means each other.
    public var others: [GlobPattern]?
    /// The tags of groups of these, besides `others`.
    public var otherGroups: [String]?
    /// When the rule applies; `nil` for always.
    public var hours: Schedule?

    /// A rule for all devices against each other.
    ///
    /// - Parameters:
    ///   - id: unique among the rules.
    ///   - distance: in metres.
    ///   - hysteresis: in metres; `nil` for the default.
    public init(id: String, distance: Double, hysteresis: Double? = nil) {
        (self.id, self.distance) = (id, distance)
        self.hysteresis = hysteresis ?? Self.defaultHysteresis(of: distance)
    }

    /// A fifth of the distance, since noise of a fix moves both sides of the boundary alike; at least 5 m.
    public static func defaultHysteresis(of distance: Double) -> Double { max(5, distance / 5) }

    /// The rule with devices in place of its groups.
    ///
    /// - Parameter groups: the devices of each group, by its tag. A group that does not exist has no devices.
    /// - Returns: a rule without groups.
    public func resolved(in groups: [String: [GlobPattern]]) -> ProximityRule {
        var rule = self
        if let tags = self.groups {
            rule.devices = (devices ?? []) + tags.flatMap { groups[$0] ?? [] }
            rule.groups = nil
        }
        if let tags = otherGroups {
            rule.others = (others ?? []) + tags.flatMap { groups[$0] ?? [] }
            rule.otherGroups = nil
        }
        return rule
    }

    /// Whether it watches a device. Groups that are not resolved have no devices.
    public func watches(_ device: DeviceID) -> Bool {
        devices.map { Self.matches($0, device) } ?? (groups == nil)
    }

    /// Whether it watches others against a device.
    public func watchesAgainst(_ device: DeviceID) -> Bool {
        others.map { Self.matches($0, device) } ?? (otherGroups == nil && watches(device))
    }

    /// Whether devices are watched against each other, so that either may be named first.
    public var isAmongThemselves: Bool { others == nil && otherGroups == nil }

    /// The device that patterns name on both sides, which would be watched against itself; `nil` for none.
    public var deviceOnBothSides: String? {
        guard let devices, let others else { return nil }
        let names = Set(devices.map(\.rawValue).filter { !$0.contains { $0 == "*" || $0 == "?" } })
        return others.map(\.rawValue).first { names.contains($0) }
    }

    /// The part of the rule on which the states of pairs depend, so that a rule with another one begins again.
    public var stateKey: String {
        var identity = Identity()
        identity.add(id)
        identity.add(distance)
        identity.add(hysteresis)
        identity.add(dwell?.milliseconds ?? Int64(-1))
        identity.add(Int64(reportsUnaccompanied ? 1 : 0))
        if let hours {
            identity.add(hours.timeZone.identifier)
            for opening in hours.weekly {
                for day in opening.weekdays.sorted() { identity.add(Int64(day)) }
                identity.add(Int64(opening.start))
                identity.add(Int64(opening.end))
            }
            for day in hours.except.sorted() { identity.add(Int64(day)) }
        }
        return identity.text(prefix: "")
    }

    private static func matches(_ patterns: [GlobPattern], _ device: DeviceID) -> Bool {
        patterns.contains { $0.matches(device.rawValue) }
    }
}
