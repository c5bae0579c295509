import FencepostJSON
import FencepostModel
import Foundation

extension PlainBenchmark {
    /// Whether a folder has the truth of a plain benchmark: its crossings have `clear` and `due`.
    public static func isPlain(folder: String) throws -> Bool {
        try TruthRecord.all(in: folder + "/truth.ndjson").contains {
            $0.kind == "crossing" && $0.element["clear"] != nil && $0.element["due"] != nil
        }
    }

    /// Reads a folder with `locations.ndjson`, `regions.geojson` and `truth.ndjson`.
    ///
    /// Each line of the truth has `device` and a `kind`: a `stream` has the values of its cell; a `pair` has `region`
    /// and `startsInside`; a `crossing` has `region`, `type` (`enter` or `exit`), `timestamp`, `required`, `why`,
    /// `earliest` and `until`, and if it is required `clear`, `due` and `fixesAfter`.
    public init(folder: String) throws {
        self.init(name: URL(filePath: folder).lastPathComponent)
        locations = try Benchmark.locations(in: [folder + "/locations.ndjson"])
        regions = try Benchmark.regions(in: folder + "/regions.geojson")
        for record in try TruthRecord.all(in: folder + "/truth.ndjson") {
            switch record.kind {
            case "stream"?: streams.append(Stream(device: try record.device, cell: Self.cell(of: record.element)))
            case "pair"?:
                if record.flag("startsInside") {
                    insideAtStart.insert(
                        Pair(device: try record.device, region: RegionID(record.text("region") ?? "")))
                }
            case "crossing"?: crossings.append(try Self.crossing(record))
            default:
                throw BenchmarkError(
                    description: "\(record.origin): \"kind\" is not \"stream\", \"pair\" or \"crossing\"")
            }
        }
    }

    private static func cell(of element: JSONElement) -> [PlainLabel] {
        PlainLabel.dimensions.compactMap { dimension in
            guard let value = element[dimension] else { return nil }
            return value.isNull ? nil : PlainLabel(dimension, value.string ?? value.text)
        }
    }

    private static func crossing(_ record: TruthRecord) throws -> Crossing {
        var crossing = Crossing(
            device: try record.device, region: RegionID(record.text("region") ?? ""),
            isEntry: record.text("type") == "enter", timestamp: try record.time("timestamp"),
            isRequired: record.flag("required"))
        crossing.reason = record.text("why") ?? ""
        crossing.earliest = try? record.time("earliest")
        crossing.until = try? record.time("until")
        crossing.due = try? record.time("due")
        if crossing.isRequired { crossing.clear = try record.time("clear") }
        if let array = record.element["fixesAfter"]?.array { crossing.fixesAfter = array.compactMap(\.double) }
        return crossing
    }
}
