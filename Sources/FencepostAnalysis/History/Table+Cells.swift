public import FencepostFormats
public import FencepostModel
public import Foundation

/// Cells of workbooks, in the numbers that the formats of their columns expect.
extension Table.Cell {
    /// Days between the day 0 of workbooks, 1899-12-30, and 1970-01-01.
    private static let epoch = 25_569.0

    /// A local date such as `2026-03-01`, for a column with the format `date`.
    public static func date(_ text: String) -> Table.Cell {
        guard let midnight = Timestamp(rfc3339: text + "T00:00:00Z") else { return .text(text) }
        return .number(epoch + Double(midnight.milliseconds) / 86_400_000)
    }

    /// The local time at a moment, to the second, for a column with the format `moment`.
    public static func moment(_ time: Timestamp, in zone: TimeZone) -> Table.Cell {
        let seconds = (Double(time.milliseconds) / 1000).rounded()
        let offset = Double(zone.secondsFromGMT(for: Date(timeIntervalSince1970: seconds)))
        return .number(epoch + (seconds + offset) / 86_400)
    }

    /// Whole seconds, for a column with the format `duration`.
    public static func duration(_ seconds: Double) -> Table.Cell { .number(seconds.rounded() / 86_400) }

    /// Metres in the units of the reader, to a ten-thousandth of a kilometre or mile.
    public static func distance(_ metres: Double, _ units: UnitSystem) -> Table.Cell {
        .number((units.inDistanceUnit(metres) * 10_000).rounded() / 10_000)
    }
}
