internal import FencepostGeometry

/// The units in which distances and speeds are written for people. Data keep metres and metres per second.
public enum UnitSystem: String, Hashable, Sendable, Codable, CaseIterable {
    /// Metres, kilometres, kilometres per hour.
    case metric
    /// Feet, miles, miles per hour.
    case imperial

    /// A small distance as a whole number: `16 m`, `52 ft`.
    ///
    /// - Parameter metres: of any size.
    /// - Returns: the number and its unit.
    public func length(_ metres: Double) -> String {
        switch self {
        case .metric: "\(Self.whole(metres)) m"
        case .imperial: "\(Self.whole(metres / Self.foot)) ft"
        }
    }

    /// A distance of places: `350 m`, `2.4 km`, `380 km`; `350 ft`, `1.5 mi`.
    public func distance(_ metres: Double) -> String {
        // Below a fifth of a mile, feet are the usual unit.
        let isSmall = self == .metric ? metres < 1000 : metres < Self.mile / 5
        return isSmall ? length(metres) : longDistance(metres, wholeFrom: 100)
    }

    /// A long distance with one decimal: `0.3 km`, `12.5 mi`.
    public func longDistance(_ metres: Double) -> String { longDistance(metres, wholeFrom: .infinity) }

    /// A speed as a whole number: `92 km/h`, `57 mph`.
    ///
    /// - Parameter metresPerSecond: of any size.
    /// - Returns: the number and its unit.
    public func speed(_ metresPerSecond: Double) -> String {
        "\(Self.whole(inSpeedUnit(metresPerSecond))) \(speedUnit)"
    }

    /// The unit of long distances: `km`, `mi`.
    public var distanceUnit: String { self == .metric ? "km" : "mi" }

    /// The unit of speeds: `km/h`, `mph`.
    public var speedUnit: String { self == .metric ? "km/h" : "mph" }

    /// A distance in metres as a number of `distanceUnit`.
    public func inDistanceUnit(_ metres: Double) -> Double { metres / (self == .metric ? 1000 : Self.mile) }

    /// A speed in metres per second as a number of `speedUnit`.
    public func inSpeedUnit(_ metresPerSecond: Double) -> Double { inDistanceUnit(metresPerSecond * 3600) }

    /// A value of an alert in these units.
    ///
    /// - Parameters:
    ///   - value: in `unit`.
    ///   - unit: that of the rule, as in `Alert.unit`. Metric units become imperial ones; others stay as they are.
    /// - Returns: the value and its unit.
    public func converted(_ value: Double, from unit: String) -> (value: Double, unit: String) {
        guard self == .imperial else { return (value, unit) }
        func tenths(_ value: Double) -> Double { (value * 10).rounded() / 10 }
        switch unit {
        case "km/h": return (tenths(value * 1000 / Self.mile), "mph")
        case "m/s": return (tenths(value * 3600 / Self.mile), "mph")
        case "m": return (tenths(value / Self.foot), "ft")
        default: return (value, unit)
        }
    }

    /// Metres of the international foot and mile.
    private static let (foot, mile) = (0.3048, 1609.344)

    private func longDistance(_ metres: Double, wholeFrom bound: Double) -> String {
        let (value, unit) = (inDistanceUnit(metres), distanceUnit)
        let tenths = Self.whole(value * 10)
        if Double(tenths) >= bound * 10 { return "\(Self.whole(value)) \(unit)" }
        let sign = tenths < 0 ? "-" : ""
        return "\(sign)\(tenths.magnitude / 10).\(tenths.magnitude % 10) \(unit)"
    }

    /// The nearest whole number. A phone may send a number that no `Int` can hold.
    private static func whole(_ number: Double) -> Int { Int(clamped: number.bounded(by: 1e15).rounded()) }
}
