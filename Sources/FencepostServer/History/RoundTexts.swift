import FencepostAnalysis
import FencepostFormats
import FencepostHTTP
import FencepostJSON
import FencepostModel
import FencepostService
import Foundation

/// Rounds as the rows of a file, and the file.
enum RoundTexts {
    /// The formats of rounds: JSON, or those of files.
    enum Format: String, CaseIterable { case json, csv, xlsx }
    typealias FileFormat = ReportSchedule.Format

    /// A row in the format of a file, with what it is sorted by.
    struct Row: Hashable, Sendable {
        var start: Timestamp
        var text: String
    }

    /// The rows of rounds: one for each place.
    static func rows(of rounds: [PlanRound], _ format: FileFormat, _ wording: Table.Wording) -> [Row] {
        rounds.flatMap { round in
            let texts =
                switch format {
                case .csv: PlanRound.table(of: [round]).csvLines
                case .xlsx: PlanRound.workbookTable(of: [round], wording).cellTexts
                }
            return texts.map { Row(start: round.start, text: $0) }
        }
    }

    /// The file with all rounds.
    static func file(_ texts: [String], _ format: FileFormat) throws -> RouteResponse {
        switch format {
        case .csv:
            return .file(PlanRound.table(of: []).csv + texts.joined(), type: "text/csv", name: "rounds.csv")
        case .xlsx:
            let empty = PlanRound.workbookTable(of: [], Table.Wording(zone: .gmt, units: .metric))
            return .file(
                bytes: try Table.workbook([try empty.with(cellTexts: texts)]), type: RouteResponse.workbook,
                name: "rounds.xlsx")
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

extension JSONWriter {
    /// Writes a round.
    mutating func value(_ round: PlanRound) {
        beginObject()
        member("planId", round.plan)
        if let name = round.name { member("name", name) }
        member("date", Timestamp.date(day: round.day))
        member("deviceId", round.deviceID.rawValue)
        member("start", round.start)
        member("end", round.end)
        member("state", round.state.rawValue)
        member("visited", round.count(.visited))
        member("late", round.count(.late))
        member("missed", round.count(.missed))
        if let isInOrder = round.isInOrder { member("inOrder", isInOrder) }
        array("places", round.stops) { $0.value($1) }
        endObject()
    }

    private mutating func value(_ stop: PlanRound.Stop) {
        beginObject()
        member("place", stop.number)
        member("regionId", stop.region.rawValue)
        member("from", stop.start)
        member("to", stop.end)
        member("state", stop.state.rawValue)
        if let time = stop.time { member("time", time) }
        if let time = stop.arrival { member("arrival", time) }
        if let confidence = stop.confidence { member("confidence", confidence) }
        if let isInOrder = stop.isInOrder { member("inOrder", isInOrder) }
        if let event = stop.event { member("eventId", event) }
        endObject()
    }
}
