import FencepostAnalysis
import FencepostFormats
import FencepostHTTP
import FencepostJSON
import FencepostModel
import FencepostService
import Foundation

/// Visits as the rows of a file, and the file.
enum VisitTexts {
    /// The formats of the list of visits: pages in JSON, or those of files.
    enum Format: String, CaseIterable { case json, csv, xlsx }
    typealias FileFormat = ReportSchedule.Format

    /// The most visits of a file. A worksheet of Excel has at most 1,048,576 rows, and a file is made in memory.
    static let limit = 250_000

    /// A visit in the format of a file.
    struct Row: Hashable, Sendable {
        /// By what rows are sorted.
        var start: Timestamp
        /// A line of CSV, or the cells of a workbook's row as an array.
        var text: String
    }

    /// Visits in the format of a file.
    static func texts(of visits: [DeviceVisit], _ format: FileFormat, _ wording: Table.Wording) -> [String] {
        switch format {
        case .csv: DeviceVisit.table(of: visits).csvLines
        case .xlsx: DeviceVisit.workbookTable(of: visits, wording).cellTexts
        }
    }

    /// Refuses more visits than a file can have.
    static func check(_ count: Int) throws(Problem) {
        guard count > limit else { return }
        throw .parameter(
            "from",
            "it has to be nearer to \"to\": the period has more than \(limit) visits, the most that a file can have. "
                + "A device, a group or a region narrows them too.")
    }

    /// The file with all visits.
    static func file(_ texts: [String], _ format: FileFormat) throws -> RouteResponse {
        try check(texts.count)
        switch format {
        case .csv:
            return .file(DeviceVisit.table(of: []).csv + texts.joined(), type: "text/csv", name: "visits.csv")
        case .xlsx:
            let empty = DeviceVisit.workbookTable(of: [], Table.Wording(zone: .gmt, units: .metric))
            return .file(
                bytes: try Table.workbook([try empty.with(cellTexts: texts)]), type: RouteResponse.workbook,
                name: "visits.xlsx")
        }
    }

    /// The rows of a partition, for the node that merges them.
    static func response(_ rows: [Row]) -> RouteResponse {
        RouteResponse { writer in
            writer.beginObject()
            writer.array("data", rows) { writer, row in
                writer.beginObject()
                writer.member("start", row.start)
                writer.member("text", row.text)
                writer.endObject()
            }
            writer.endObject()
        }
    }
}
