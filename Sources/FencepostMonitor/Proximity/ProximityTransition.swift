public import FencepostModel

/// Whether two devices are near each other.
public enum ProximityPhase: Hashable, Sendable {
    /// They are not, or it is not known. `since`: the time of the exit; `nil` before the first entry.
    case separate(since: Timestamp?)
    /// They are. `hasDwelled`: whether the dwell is reported.
    case near(since: Timestamp, hasDwelled: Bool)

    var isNear: Bool { if case .near = self { true } else { false } }
}

/// Something that happened to a pair of devices, as the comparison of their positions finds it.
public struct ProximityTransition: Hashable, Sendable {
    /// What happened.
    public enum Kind: Hashable, Sendable {
        case entered
        case dwelled(Duration)
        case exited(isClosed: Bool)
        /// `isFirst`: whether the first device of the pair is the one that moved.
        case unaccompanied(isFirst: Bool)
    }

    /// What happened.
    public var kind: Kind
    /// When it happened.
    public var timestamp: Timestamp
    /// The time of the fix that decided it.
    public var detectedAt: Timestamp
    /// Since when the devices are near each other; `nil` if they are apart after it.
    public var since: Timestamp?
    /// The distance of both devices in metres, and its radius of 68 % confidence.
    public var distance, uncertainty: Double
    /// The probability that it is true, 0 to 1; `nil` for what the clock decides.
    public var confidence: Double?
    /// The rule that decided it.
    public var rule: Why.Rule
    /// The time of the earlier comparison that spoke for it; `nil` without one.
    public var pending: Timestamp?
    /// Where the device was that the event is about, with the time and the accuracy of the fix.
    public var fix: ProximityFix?

    /// What two evaluations agree on if they have found the same.
    public func isSame(as other: ProximityTransition) -> Bool { kind == other.kind && timestamp == other.timestamp }

    /// The phase after it.
    public var phase: ProximityPhase {
        guard let since else { return .separate(since: timestamp) }
        if case .dwelled = kind { return .near(since: since, hasDwelled: true) }
        return .near(since: since, hasDwelled: false)
    }

    /// Where it stands among those that one fix has decided.
    public var rank: Int64 {
        switch kind {
        case .entered: 0
        case .dwelled: 1
        case .exited: 2
        case .unaccompanied: 3
        }
    }

    /// A transition with all members, for one that is read. More parameters than five, because each is a member.
    public init(
        _ kind: Kind, timestamp: Timestamp, detectedAt: Timestamp, since: Timestamp?, distance: Double = 0,
        uncertainty: Double = 0, confidence: Double? = nil, rule: Why.Rule, pending: Timestamp? = nil,
        fix: ProximityFix? = nil
    ) {
        (self.kind, self.timestamp, self.detectedAt, self.since) = (kind, timestamp, detectedAt, since)
        (self.distance, self.uncertainty, self.confidence) = (distance, uncertainty, confidence)
        (self.rule, self.pending, self.fix) = (rule, pending, fix)
    }
}

extension ProximityTransition {
    /// The event of it, without a sequence number.
    ///
    /// - Parameters:
    ///   - rule: the rule that watches the pair.
    ///   - first: the device that events are about.
    ///   - second: the other one.
    /// - Returns: the event; of a second device that went away it is about that one.
    public func event(of rule: ProximityRule, _ first: DeviceID, _ second: DeviceID) -> Event {
        let report: ProximityReport.Kind
        var (device, other) = (first, second)
        switch kind {
        case .entered: report = .entered
        case .dwelled(let span): report = .dwelled(span)
        case .exited(let isClosed): report = .exited(isClosed: isClosed)
        case .unaccompanied(let isFirst):
            report = .unaccompanied
            if !isFirst { (device, other) = (second, first) }
        }
        let occurrence = ProximityReport(
            report, rule: rule.id, other: other, distance: distance, uncertainty: uncertainty, limit: rule.distance)
        let location = fix.map {
            Location(
                deviceID: device, timestamp: $0.timestamp, coordinate: $0.coordinate, horizontalAccuracy: $0.accuracy)
        }
        var event = Event(
            id: "", sequence: 0, deviceID: device, occurrence: .proximity(occurrence), timestamp: timestamp,
            detectedAt: max(detectedAt, timestamp), location: location, confidence: confidence,
            why: Why(
                rule: self.rule, fix: location, distance: (distance - rule.distance).roundedToDecimetre,
                accuracy: uncertainty, probability: confidence, pendingFixes: pending.map { [$0] } ?? []))
        event.identity = occurrence.identity(of: device, at: timestamp)
        return event
    }
}

extension Double {
    fileprivate var roundedToDecimetre: Double { (self * 10).rounded() / 10 }
}
