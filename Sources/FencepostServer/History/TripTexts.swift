import FencepostAnalysis
import FencepostFormats
import FencepostHTTP
import FencepostJSON
import FencepostModel
import Foundation

/// Trips as texts in the formats of their list, and the list of such texts.
enum TripTexts {
    enum Format: String, CaseIterable { case json, csv, geojson, xlsx }

    /// One trip: an object, a line, a feature, or the cells of a row as an array. `endMembers` writes more members of both ends in `json`.
    static func text(
        of trip: Trip, _ format: Format, _ wording: Trip.Wording, endMembers: (inout JSONWriter, Trip.End) -> Void
    ) -> String {
        var writer = JSONWriter()
        switch format {
        case .json: writer.value(trip, endMembers: endMembers)
        case .geojson: writer.feature(trip)
        case .xlsx:
            writer.beginArray()
            for cell in Trip.workbookTable(of: [trip], wording).rows.joined() {
                switch cell {
                case .text(let text): writer.value(text)
                case .number(let number): writer.value(number)
                case .empty: writer.null()
                }
            }
            writer.endArray()
        case .csv: return String(Trip.table(of: [trip]).csv.dropFirst(Trip.table(of: []).csv.count))
        }
        return String(decoding: writer.bytes, as: UTF8.self)
    }

    /// The response with all trips.
    static func response(_ texts: [String], _ format: Format, _ units: UnitSystem) throws -> RouteResponse {
        switch format {
        case .xlsx:
            .file(
                bytes: try Table.workbook([try table(of: texts, units)]), type: RouteResponse.workbook,
                name: "trips.xlsx")
        case .json:
            RouteResponse { writer in
                writer.beginObject()
                writer.array("data", texts) { $0.raw($1) }
                writer.name("nextCursor")
                writer.null()
                writer.endObject()
            }
        case .csv: .file(Trip.table(of: []).csv + texts.joined(), type: "text/csv", name: "trips.csv")
        case .geojson:
            RouteResponse(type: RouteResponse.geoJSON) { writer in
                writer.beginObject()
                writer.member("type", "FeatureCollection")
                writer.array("features", texts) { $0.raw($1) }
                writer.endObject()
            }
        }
    }

    /// The table of texts in the format `xlsx`.
    private static func table(of texts: [String], _ units: UnitSystem) throws -> Table {
        var table = Trip.workbookTable(of: [], Trip.Wording(zone: .gmt, units: units))
        table.rows = try texts.map { text in
            guard let cells = try JSONDocument(parsing: Array(text.utf8)).root.array else {
                throw Problem.internalError
            }
            return cells.map { cell in
                cell.string.map { .text($0) } ?? cell.double.map { .number($0) } ?? .empty
            }
        }
        return table
    }

    /// The trips of a partition, for the node that merges them: each text with its device.
    static func response(_ texts: [String], of trips: [Trip]) -> RouteResponse {
        RouteResponse { writer in
            writer.beginObject()
            writer.array("data", zip(texts, trips)) { writer, element in
                writer.beginObject()
                writer.member("deviceId", element.1.deviceID.rawValue)
                writer.member("text", element.0)
                writer.endObject()
            }
            writer.endObject()
        }
    }
}
