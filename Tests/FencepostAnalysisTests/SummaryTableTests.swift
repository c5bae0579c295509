import FencepostAnalysis
import FencepostFormats
import FencepostModel
import Foundation
import Testing

@Suite("The workbook of a summary") struct SummaryTableTests {
    private static func summary(_ grouping: SummaryGrouping) -> Summary {
        let start = Timestamp(milliseconds: 1_772_323_200_000)
        var row = Summary.Row(
            group: "van-1", period: TimeSpan(start, start + .seconds(86_400)), date: "2026-03-01")
        (row.insideSeconds, row.visits, row.trips, row.distance, row.movingSeconds) = (5400.4, 2, 1, 1609.344, 60)
        if grouping == .device || grouping == .group { (row.knownSeconds, row.unknownSeconds) = (86_400, 0) }
        return Summary(grouping: grouping, period: .day, timeZone: "UTC", dayStart: .midnight, rows: [row])
    }

    @Test("has names, dates, durations and units") func device() {
        let table = Self.summary(.device).workbookTable(names: ["van-1": "Van"], units: .imperial)
        #expect(
            table.columns.map(\.title) == [
                "Device", "Device ID", "Date", "Time inside", "Visits", "Trips", "Distance (mi)", "Time in motion",
                "Time known", "Time unknown",
            ])
        // Excel's serial number of 1 March 2026 is 46082; durations are days.
        let figures: [Double] = [46_082, 1.5 / 24, 2, 1, 1, 1 / 1440, 1, 0]
        let row: [Table.Cell] = [.text("Van"), .text("van-1")] + figures.map { .number($0) }
        #expect(table.rows == [row])
    }

    @Test("has totals where no time is in two rows", arguments: SummaryGrouping.allCases)
    func totals(grouping: SummaryGrouping) {
        let table = Self.summary(grouping).workbookTable(names: [:], units: .metric)
        #expect(table.columns.contains(where: \.isTotalled) == (grouping == .device))
        #expect(table.rows.allSatisfy { $0.count == table.columns.count })
    }

    @Test("has the local time of a moment, also where clocks change") func moments() throws {
        let lisbon = try #require(TimeZone(identifier: "Europe/Lisbon"))
        // Half past midnight in UTC, before and after the clocks go forward on 29 March 2026.
        for (day, hour) in [(28, 0.5), (30, 1.5)] {
            let time = try #require(Timestamp(rfc3339: "2026-03-\(day)T00:30:00.400Z"))
            guard case .number(let days) = Table.Cell.moment(time, in: lisbon) else {
                Issue.record("a moment is no number")
                continue
            }
            // To the second.
            #expect(((days - 46_082 - Double(day - 1)) * 86_400).rounded() == hour * 3600)
        }
    }
}
