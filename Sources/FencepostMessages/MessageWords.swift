internal import FencepostGeometry
public import FencepostModel
public import Foundation

/// Times, spans and names as people write them.
public enum MessageWords {
    private static let weekdays = ["Monday", "Tuesday", "Wednesday", "Thursday", "Friday", "Saturday", "Sunday"]
    private static let months = [
        "January", "February", "March", "April", "May", "June", "July", "August", "September", "October", "November",
        "December",
    ]

    /// A span in words, with at most two units: `2 h 5 min`.
    public static func duration(_ span: Duration) -> String {
        let seconds = Int(max(span.components.seconds, 0))
        let parts: [(Int, String)] =
            switch seconds {
            case ..<60: [(seconds, "s")]
            case ..<3600: [(seconds / 60, "min")]
            case ..<86_400: [(seconds / 3600, "h"), (seconds % 3600 / 60, "min")]
            default: [(seconds / 86_400, seconds < 172_800 ? "day" : "days"), (seconds % 86_400 / 3600, "h")]
            }
        return parts.enumerated().filter { $0.offset == 0 || $0.element.0 > 0 }
            .map { "\($0.element.0) \($0.element.1)" }.joined(separator: " ")
    }

    /// A measurement of an alert: `92 km/h`, `350 m`; without a unit a part of 1: `15 %`.
    static func measurement(_ value: Double, _ unit: String?, in units: UnitSystem) -> String {
        guard let unit else { return "\(whole(value * 100)) %" }
        switch unit {
        case "m": return units.distance(value)
        case "s": return duration(.seconds(whole(max(value, 0))))
        default:
            let (value, unit) = units.converted(value, from: unit)
            return "\(whole(value)) \(unit)"
        }
    }

    /// The nearest whole number. A phone may send a speed or an accuracy that no `Int` can hold.
    static func whole(_ number: Double) -> Int { Int(clamped: min(max(number, -1e15), 1e15).rounded()) }

    /// The local time of day: `18:02`.
    public static func time(_ moment: Timestamp, in zone: TimeZone) -> String {
        let minutes = Int(local(moment, zone) % 86_400) / 60
        return padded(minutes / 60) + ":" + padded(minutes % 60)
    }

    /// The local date: `Sunday 22 November`.
    public static func date(_ moment: Timestamp, in zone: TimeZone) -> String {
        let days = Int(local(moment, zone) / 86_400)
        let date = Timestamp.civil(day: days)
        return "\(weekday(moment, in: zone)) \(date.day) \(months[date.month - 1])"
    }

    /// The local day of the week: `Sunday`.
    static func weekday(_ moment: Timestamp, in zone: TimeZone) -> String {
        // 1970-01-01 was a Thursday.
        weekdays[Int((local(moment, zone) / 86_400 + 3) % 7)]
    }

    /// The abbreviation of the zone at a moment: `CET` or `GMT+1`.
    public static func zone(_ zone: TimeZone, at moment: Timestamp) -> String {
        zone.abbreviation(for: Date(timeIntervalSince1970: Double(moment.milliseconds) / 1000)) ?? zone.identifier
    }

    /// A device's name from its id: `jane/phone` is `Jane`.
    public static func name(of device: String) -> String {
        let first = device.split(separator: "/").first.map(String.init) ?? device
        guard let letter = first.first, letter.isLowercase, !first.contains(where: \.isNumber) else { return first }
        return letter.uppercased() + first.dropFirst()
    }

    /// Seconds of local time since 1970-01-01, never negative for times that a device can report.
    private static func local(_ moment: Timestamp, _ zone: TimeZone) -> Int64 {
        let offset = zone.secondsFromGMT(for: Date(timeIntervalSince1970: Double(moment.milliseconds) / 1000))
        return max(moment.milliseconds / 1000 + Int64(offset), 0)
    }

    private static func padded(_ number: Int) -> String { number < 10 ? "0\(number)" : String(number) }
}
