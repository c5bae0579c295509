import FencepostAnalysis
import FencepostFormats
import FencepostJSON
import FencepostModel

/// Trips as texts in the formats of their list, and the list of such texts.
enum TripTexts {
    enum Format: String, CaseIterable { case json, csv, geojson }

    /// One trip: an object, a line or a feature. `endMembers` writes more members of both ends in `json`.
    static func text(
        of trip: Trip, _ format: Format, endMembers: (inout JSONWriter, Trip.End) -> Void
    ) -> String {
        var writer = JSONWriter()
        switch format {
        case .json: writer.value(trip, endMembers: endMembers)
        case .geojson: writer.feature(trip)
        case .csv: return String(Trip.table(of: [trip]).csv.dropFirst(Trip.table(of: []).csv.count))
        }
        return String(decoding: writer.bytes, as: UTF8.self)
    }

    /// The response with all trips.
    static func response(_ texts: [String], _ format: Format) -> RouteResponse {
        switch format {
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
