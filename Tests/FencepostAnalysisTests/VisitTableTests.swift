import FencepostAnalysis
import FencepostFormats
import FencepostGeometry
import FencepostModel
import Foundation
import Testing

@Suite("The tables of visits") struct VisitTableTests {
    /// From 23:30 to 00:15 in Lisbon, over the night in which the clocks go forward there: 00:15 is an hour later in UTC than it
    /// would have been.
    private static func visits() throws -> [DeviceVisit] {
        let arrival = try #require(Timestamp(rfc3339: "2026-03-28T23:30:00.400Z"))
        let departure = try #require(Timestamp(rfc3339: "2026-03-31T00:15:00Z"))
        let centre = Coordinate(latitude: 38.7139104, longitude: -9.1394299)
        var visit = Visit(
            id: "vis_1", arrival: arrival, departure: departure, coordinate: centre, horizontalAccuracy: 12.34,
            regions: [RegionID("office"), RegionID("yard")])
        visit.departureLatest = departure + .seconds(60)
        let open = Visit(id: "vis_2", arrival: nil, coordinate: centre, horizontalAccuracy: 8)
        return [DeviceVisit(visit, of: DeviceID("van/1")), DeviceVisit(open, of: DeviceID("=1+1"))]
    }

    /// To a tenth of a second: the sum of days and seconds is not exact.
    private static func rounded(_ cells: [Table.Cell]) -> [Table.Cell] {
        cells.map { if case .number(let value) = $0 { .number((value * 864_000).rounded()) } else { $0 } }
    }

    @Test("CSV has ids, times in UTC and seconds, and no formulas") func csv() throws {
        #expect(
            DeviceVisit.table(of: try Self.visits()).csv == """
                id,deviceId,arrival,departure,latitude,longitude,horizontalAccuracy,regions,duration,arrivalEarliest,\
                arrivalLatest,departureEarliest,departureLatest
                vis_1,van/1,2026-03-28T23:30:00.400Z,2026-03-31T00:15:00Z,38.71391,-9.13943,12.3,office yard,175500,,,,\
                2026-03-31T00:16:00Z
                vis_2,'=1+1,,,38.71391,-9.13943,8,,,,,,

                """)
    }

    @Test("a workbook has names with ids, local times, and a total of durations") func workbook() throws {
        let zone = try #require(TimeZone(identifier: "Europe/Lisbon"))
        let wording = Table.Wording(
            zone: zone, units: .metric, devices: [DeviceID("van/1"): "Van"], regions: [RegionID("office"): "Office"])
        let table = DeviceVisit.workbookTable(of: try Self.visits(), wording)
        #expect(
            table.columns.map(\.title) == [
                "Device", "Device ID", "Region", "Region ID", "Arrival", "Departure", "Duration", "Latitude",
                "Longitude",
                "Accuracy (m)", "Visit ID",
            ])
        #expect(table.columns.filter(\.isTotalled).map(\.title) == ["Duration"])
        #expect(table.columns[4...6].map(\.format) == [.moment, .moment, .duration])
        // Excel's serial number of 28 March 2026 is 46109; 00:15 in UTC is 01:15 of summer time.
        let (arrival, departure) = (46_109 + 23.5 / 24, 46_112 + 1.25 / 24)
        let row: [Table.Cell] = [
            .text("Van"), .text("van/1"), .text("Office, yard"), .text("office, yard"), .number(arrival),
            .number(departure), .number(175_500.0 / 86_400), .number(38.71391), .number(-9.13943), .number(12.3),
            .text("vis_1"),
        ]
        #expect(Self.rounded(table.rows[0]) == Self.rounded(row))
        let open: [Table.Cell] = [
            .text("=1+1"), .text("=1+1"), .empty, .empty, .empty, .empty, .empty, .number(38.71391),
            .number(-9.13943), .number(8), .text("vis_2"),
        ]
        #expect(table.rows[1] == open)
    }
}
