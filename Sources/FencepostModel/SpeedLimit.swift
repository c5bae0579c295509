internal import FencepostGeometry

/// A speed with the unit in which people state it.
public struct SpeedLimit: Hashable, Sendable, Codable, CustomStringConvertible {
    /// The units of OpenStreetMap's `maxspeed`, and metres per second.
    public enum Unit: String, Hashable, Sendable, CaseIterable, Codable {
        case kilometresPerHour = "km/h"
        case milesPerHour = "mph"
        case knots
        case metresPerSecond = "m/s"

        /// One of the unit, in metres per second.
        var metresPerSecond: Double {
            switch self {
            case .kilometresPerHour: 1 / 3.6
            case .milesPerHour: 0.44704
            case .knots: 1852.0 / 3600
            case .metresPerSecond: 1
            }
        }
    }

    /// The speed in its unit, above 0 and at most 10,000.
    public let value: Double
    /// The unit in which events state speeds too.
    public let unit: Unit

    /// A speed; `nil` if it is not above 0 and at most 10,000.
    public init?(_ value: Double, _ unit: Unit = .kilometresPerHour) {
        guard value > 0, value <= 10_000 else { return nil }
        (self.value, self.unit) = (value, unit)
    }

    /// Reads a number, in km/h, or a number with a unit: `80`, `80 km/h`, `50 mph`, `12 knots`, `22 m/s`.
    ///
    /// - Parameter text: the speed, as in OpenStreetMap's `maxspeed`.
    public init?(_ text: String) {
        let parts = text.split(separator: " ")
        guard parts.count == 1 || parts.count == 2, let value = Double(parts[0]) else { return nil }
        guard parts.count == 2 else {
            self.init(value)
            return
        }
        guard let unit = Unit(rawValue: String(parts[1])) else { return nil }
        self.init(value, unit)
    }

    /// The speed in metres per second.
    public var metresPerSecond: Double { value * unit.metresPerSecond }

    /// A speed in metres per second in the unit of this one, to a tenth.
    public func inUnit(_ metresPerSecond: Double) -> Double {
        (metresPerSecond / unit.metresPerSecond * 10).rounded() / 10
    }

    /// The text that `init(_:)` reads: `80 km/h`.
    public var description: String {
        (value == value.rounded() ? String(Int(clamped: value)) : String(value)) + " " + unit.rawValue
    }
}
