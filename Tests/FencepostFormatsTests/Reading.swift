import FencepostFormats
import FencepostGeometry
import FencepostJSON
import FencepostModel
import Foundation
import Testing

/// The result of a reader for some bytes.
struct Reading: Equatable {
    var records: [Decoded] = []
    var format: LocationFormat?
    var failure: Diagnostic?
    var dropped = DroppedMembers()

    /// Half a year after the fixes in the fixtures.
    static let now = Timestamp(seconds: 1_790_000_000)

    init(
        _ bytes: [UInt8], name: String? = nil, format: LocationFormat? = nil, maximumRead: Int = .max,
        rules: FixRules = FixRules(defaultDevice: DeviceID("default"), now: Reading.now)
    ) throws {
        var reader = LocationReader(
            ByteSource(bytes: bytes, maximumRead: maximumRead),
            options: .init(format: format, fileName: name, rules: rules))
        while let records = try reader.next() {
            self.records += records
        }
        self.format = reader.format
        failure = reader.failure
        dropped = reader.dropped
    }

    var locations: [Location] {
        records.compactMap { if case .location(let location, _) = $0 { location } else { nil } }
    }

    var rejections: [Diagnostic] {
        records.compactMap { if case .rejected(let diagnostic) = $0 { diagnostic } else { nil } }
    }

    /// One line for each record, for people to compare.
    var text: String {
        var lines = ["format \(format?.rawValue ?? "unknown")"]
        for record in records {
            switch record {
            case .location(let location, let position):
                var writer = JSONWriter()
                writer.value(location)
                lines.append("\(Reading.words(for: position)) \(String(decoding: writer.bytes, as: UTF8.self))")
            case .rejected(let diagnostic):
                lines.append(
                    "\(Reading.words(for: diagnostic.position)) rejected \(diagnostic.code): \(diagnostic.message)")
            case .reported(let report, let position):
                lines.append("\(Reading.words(for: position)) \(Reading.words(for: report))")
            case .gap: lines.append("gap")
            }
        }
        lines.append(failure == nil ? "complete" : "failed")
        return lines.joined(separator: "\n") + "\n"
    }

    private static func words(for position: Diagnostic.Position) -> String {
        switch position {
        case .file: "file"
        case .line(let line): "line \(line)"
        case .position(let line, let column): "line \(line), column \(column)"
        case .index(let index): "record \(index)"
        case .pointer(let pointer): pointer
        }
    }

    private static func words(for report: PhoneReport) -> String {
        func optional<Value>(_ value: Value?, _ words: (Value) -> String) -> String { value.map(words) ?? "-" }
        let what =
            switch report.kind {
            case .transition(let transition, let region, let id, let trigger):
                "\(transition) \(region ?? "-") \(id ?? "-") \(trigger ?? "-")"
            case .waypoint(let name, let id, let radius, let createdAt):
                "waypoint \(name ?? "-") \(id ?? "-") \(optional(radius) { "\($0)" }) \(optional(createdAt) { $0.rfc3339 })"
            case .visit(let arrival, let departure, let name):
                "visit \(optional(arrival) { $0.rfc3339 }) \(optional(departure) { $0.rfc3339 }) \(name ?? "-")"
            }
        let position = optional(report.coordinate) { "\($0.latitude) \($0.longitude)" }
        return "reported \(report.deviceID) \(report.timestamp.rfc3339) \(position) "
            + "\(optional(report.horizontalAccuracy) { "\($0)" }) \(what)"
    }
}

/// A fixture file, with its expected records in a file with the suffix `.expected`.
struct Fixture: CustomTestStringConvertible, Sendable {
    let url: URL
    var testDescription: String { url.lastPathComponent }

    static func all() throws -> [Fixture] {
        let folder = URL(filePath: #filePath).deletingLastPathComponent().appending(path: "Fixtures")
        return try FileManager.default.contentsOfDirectory(at: folder, includingPropertiesForKeys: nil)
            .filter { $0.pathExtension != "expected" }
            .sorted { $0.lastPathComponent < $1.lastPathComponent }
            .map { Fixture(url: $0) }
    }

    func bytes() throws -> [UInt8] { Array(try Data(contentsOf: url)) }

    var expected: URL { url.appendingPathExtension("expected") }
}
