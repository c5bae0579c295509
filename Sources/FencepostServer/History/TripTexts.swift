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
        of trip: Trip, _ format: Format, _ wording: Table.Wording, endMembers: (inout JSONWriter, Trip.End) -> Void
    ) -> String {
        var writer = JSONWriter()
        switch format {
        case .json: writer.value(trip, endMembers: endMembers)
        case .geojson: writer.feature(trip)
        case .xlsx: return Trip.workbookTable(of: [trip], wording).cellTexts.joined()
        case .csv: return Trip.table(of: [trip]).csvLines.joined()
        }
        return String(decoding: writer.bytes, as: UTF8.self)
    }

    /// The response with all trips.
    static func response(_ texts: [String], _ format: Format, _ units: UnitSystem) throws -> RouteResponse {
        switch format {
        case .xlsx:
            .file(
                bytes: try Table.workbook([
                    try Trip.workbookTable(of: [], Table.Wording(zone: .gmt, units: units)).with(cellTexts: texts)
                ]), type: RouteResponse.workbook, name: "trips.xlsx")
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
