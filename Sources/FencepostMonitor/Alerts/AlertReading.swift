import FencepostGeometry
import FencepostModel

/// What a location says about the condition of an alert rule.
struct AlertReading: Hashable, Sendable {
    enum Verdict: Hashable, Sendable {
        /// It has no value to compare.
        case unknown
        /// The condition certainly holds.
        case met
        /// The value is too near the limit for the condition to begin or to end.
        case between
        /// The condition does not hold.
        case notMet
    }

    var verdict: Verdict
    /// As in `Alert`.
    var value, limit, distance: Double?
    var unit: String?
}

/// A location and the one before it, as the conditions of alerts read them.
struct AlertStep {
    let location: Location
    /// The one before; `nil` for the first one.
    let previous: AlertFix?
    /// Whether both positions are trusted.
    let isTrusted: Bool

    /// A speed over the ground from positions is computed for gaps of at most this many seconds.
    private static let widestGap = 600.0
    /// A battery that is this much above the limit is no longer low.
    private static let batteryMargin = 0.05

    /// Reads the value that a condition compares.
    func reading(of condition: AlertRule.Condition) -> AlertReading {
        switch condition {
        case .speed(let limit, let tolerance): speed(limit, tolerance)
        case .battery(let limit): battery(limit)
        case .accuracy(let limit): accuracy(limit)
        case .jump(let limit): jump(limit)
        case .unplugged: power
        // The clock decides; see `DeviceMonitor+Appointments` and `DeviceMonitor+Silence`.
        case .absent, .present, .silent: AlertReading(verdict: .unknown)
        }
    }

    /// The reported speed, or else the one between two trusted positions, less what their errors can explain.
    private func speed(_ limit: SpeedLimit, _ tolerance: Double) -> AlertReading {
        let bound = limit.metresPerSecond
        if let speed = location.speed {
            return reading(
                speed > bound + tolerance ? .met : speed <= bound ? .notMet : .between, speed, against: limit)
        }
        guard isTrusted, let movement, movement.seconds <= Self.widestGap else {
            return AlertReading(verdict: .unknown)
        }
        let speed = movement.distance / movement.seconds
        return reading(
            movement.leastSpeed > bound + tolerance ? .met : speed <= bound ? .notMet : .between, speed,
            against: limit)
    }

    private func battery(_ limit: Double) -> AlertReading {
        switch location.batteryState {
        case .charging, .full:
            return AlertReading(verdict: .notMet, value: location.batteryLevel.map(rounded), limit: limit)
        case .unknown, .unplugged, nil: break
        }
        guard let level = location.batteryLevel else { return AlertReading(verdict: .unknown) }
        let verdict: AlertReading.Verdict =
            level <= limit ? .met : level > limit + Self.batteryMargin ? .notMet : .between
        return AlertReading(verdict: verdict, value: rounded(level), limit: limit)
    }

    private func accuracy(_ limit: Double) -> AlertReading {
        guard let accuracy = location.horizontalAccuracy else { return AlertReading(verdict: .unknown) }
        return AlertReading(
            verdict: accuracy > limit ? .met : .notMet, value: (accuracy * 10).rounded() / 10, limit: limit, unit: "m")
    }

    private func jump(_ limit: SpeedLimit) -> AlertReading {
        guard let movement else { return AlertReading(verdict: .unknown) }
        var reading = reading(
            movement.leastSpeed > limit.metresPerSecond ? .met : .notMet, movement.distance / movement.seconds,
            against: limit)
        reading.distance = movement.distance.rounded()
        return reading
    }

    private var power: AlertReading {
        switch location.batteryState {
        case .unplugged: AlertReading(verdict: .met)
        case .charging, .full: AlertReading(verdict: .notMet)
        case .unknown, nil: AlertReading(verdict: .unknown)
        }
    }

    private func reading(
        _ verdict: AlertReading.Verdict, _ speed: Double, against limit: SpeedLimit
    ) -> AlertReading {
        AlertReading(verdict: verdict, value: limit.inUnit(speed), limit: limit.value, unit: limit.unit.rawValue)
    }

    /// To a thousandth; further digits are rounding noise.
    private func rounded(_ level: Double) -> Double { (level * 1000).rounded() / 1000 }

    /// Metres, seconds, and the least speed that the accuracies of both positions allow, in metres per second.
    private var movement: (distance: Double, seconds: Double, leastSpeed: Double)? {
        guard let previous, location.timestamp > previous.timestamp else { return nil }
        let seconds = (location.timestamp - previous.timestamp).seconds
        let distance = Geodesic.distance(previous.coordinate, location.coordinate)
        let error = previous.accuracy + (location.horizontalAccuracy ?? FixRule.defaultAccuracy)
        return (distance, seconds, max(distance - error, 0) / seconds)
    }
}

/// What later locations need of one.
struct AlertFix: Hashable, Sendable, Codable {
    var timestamp: Timestamp
    var coordinate: Coordinate
    /// Metres.
    var accuracy: Double
    var isTrusted: Bool

    init(_ location: Location, isTrusted: Bool) {
        timestamp = location.timestamp
        coordinate = location.coordinate
        accuracy = location.horizontalAccuracy ?? FixRule.defaultAccuracy
        self.isTrusted = isTrusted
    }
}
