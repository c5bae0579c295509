import FencepostAnalysis
import FencepostEngine
import FencepostFormats
import FencepostHTTP
import FencepostHistory
import FencepostJSON
import FencepostModel
import FencepostService
import Foundation

/// Presences as the rows of a file, and the file.
enum PresenceTexts {
    /// The formats of a query: pages in JSON, or those of files.
    enum Format: String, CaseIterable { case json, csv, xlsx }
    typealias FileFormat = ReportSchedule.Format

    /// The most presences of a file, as of visits.
    static let limit = VisitTexts.limit

    /// Presences in the format of a file.
    static func texts(of presences: [Presence], _ format: FileFormat, _ wording: Table.Wording) -> [String] {
        switch format {
        case .csv: Presence.table(of: presences).csvLines
        case .xlsx: Presence.workbookTable(of: presences, wording).cellTexts
        }
    }

    /// Refuses more presences than a file can have.
    static func check(_ count: Int) throws(Problem) {
        guard count > limit else { return }
        throw .invalid(
            "too_many_presences",
            "There are more than \(limit) presences, the most that a file can have. A shorter span, a smaller area, "
                + "a device or a group gives fewer.")
    }

    /// The file with all presences.
    static func file(_ texts: [String], _ format: FileFormat) throws -> RouteResponse {
        try check(texts.count)
        switch format {
        case .csv:
            return .file(Presence.table(of: []).csv + texts.joined(), type: "text/csv", name: "presences.csv")
        case .xlsx:
            let empty = Presence.workbookTable(of: [], Table.Wording(zone: .gmt, units: .metric))
            return .file(
                bytes: try Table.workbook([try empty.with(cellTexts: texts)]), type: RouteResponse.workbook,
                name: "presences.xlsx")
        }
    }

    /// The rows of a partition, for the node that merges them: each text with its device.
    static func response(_ texts: [String], of presences: [Presence]) -> RouteResponse {
        RouteResponse { writer in
            writer.beginObject()
            writer.array("data", zip(texts, presences)) { writer, element in
                writer.beginObject()
                writer.member("deviceId", element.1.deviceID.rawValue)
                writer.member("text", element.0)
                writer.endObject()
            }
            writer.endObject()
        }
    }
}
