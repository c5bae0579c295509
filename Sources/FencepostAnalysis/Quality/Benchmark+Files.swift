import FencepostFormats
import FencepostGeometry
import FencepostModel
import FencepostRegionFiles
import Foundation

/// A benchmark cannot be read.
public struct BenchmarkError: Error, CustomStringConvertible, Sendable {
    /// The file and the reason.
    public let description: String

    init(description: String) {
        self.description = description
    }

    /// The error of a file, with the reason.
    public init(_ file: String, _ reason: String) {
        self.init(description: "\(file): \(reason)")
    }
}

extension Benchmark {
    /// Reads a folder with `locations.ndjson`, `truth.ndjson` and, for crossings, `regions.geojson`.
    ///
    /// Each line of the truth has `device` and a `kind`: a `stream` has `profile`, `start` and `end`; a `crossing` has
    /// `region`, `type` (`enter` or `exit`), `timestamp`, `required`, and where they apply `earliest`, `until` and
    /// `observable_at`; a `visit` has `visit`, `arrival`, `departure`, `lat`, `lon`, `required`, `open_start`,
    /// `open_end`.
    public init(folder: String) throws {
        self.init(name: URL(filePath: folder).lastPathComponent)
        locations = try Self.locations(in: [folder + "/locations.ndjson"])
        try readTruth(folder + "/truth.ndjson")
        if FileManager.default.fileExists(atPath: folder + "/regions.geojson") {
            regions = try Self.regions(in: folder + "/regions.geojson")
        }
    }

    static func regions(in file: String) throws -> [Region] {
        let set = RegionSet.load(paths: [file])
        guard !set.hasErrors else { throw BenchmarkError(description: "\(set.diagnostics[0])") }
        return set.regions
    }

    /// All locations of the files in their order. Invalid records are skipped.
    static func locations(in files: [String]) throws -> [Location] {
        var locations: [Location] = []
        for file in files {
            var reader = LocationReader(try ByteSource(path: file), options: .init(fileName: file))
            while let records = try reader.next() {
                for case .location(let location, _) in records { locations.append(location) }
            }
        }
        return locations
    }

    private mutating func readTruth(_ file: String) throws {
        for record in try TruthRecord.all(in: file) {
            switch record.kind {
            case "stream"?:
                streams.append(
                    Stream(
                        device: try record.device, profile: record.text("profile") ?? "",
                        start: try record.time("start"), end: try record.time("end")))
            case "crossing"?:
                crossings.append(
                    Crossing(
                        device: try record.device, region: RegionID(record.text("region") ?? ""),
                        isEntry: record.text("type") == "enter", timestamp: try record.time("timestamp"),
                        isRequired: record.flag("required"), earliest: try? record.time("earliest"),
                        until: try? record.time("until"), observableAt: try? record.time("observable_at")))
            default:
                stays.append(
                    Stay(
                        device: try record.device, id: record.text("visit") ?? "", arrival: try record.time("arrival"),
                        departure: try record.time("departure"), coordinate: try record.coordinate,
                        isRequired: record.flag("required"), isOpenAtStart: record.flag("open_start"),
                        isOpenAtEnd: record.flag("open_end")))
            }
        }
        // A reviewed file has no streams: a stream is from the first arrival to the last departure.
        let known = Set(streams.map(\.device))
        for (device, stays) in Dictionary(grouping: stays, by: \.device) where !known.contains(device) {
            guard let start = stays.map(\.arrival).min(), let end = stays.map(\.departure).max() else { continue }
            streams.append(Stream(device: device, profile: "real", start: start, end: end))
        }
    }

    /// Reads reviewed visits, and the recording of each of their devices from the file with its name in the same
    /// folder.
    public init(reviewed file: String) throws {
        self.init(name: URL(filePath: file).deletingPathExtension().lastPathComponent)
        try readTruth(file)
        let folder = URL(filePath: file).deletingLastPathComponent().path
        locations = try Self.locations(in: streams.map { "\(folder)/\($0.device).ndjson" }.sorted())
    }
}
