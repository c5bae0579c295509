import FencepostGeometry
import FencepostJSON
import FencepostModel
import Foundation

/// A line of a truth file.
struct TruthRecord {
    let element: JSONElement
    let origin: String

    init(_ element: JSONElement, origin: String) {
        self.element = element
        self.origin = origin
    }

    /// All records of a file, without empty lines.
    static func all(in file: String) throws -> [TruthRecord] {
        let text = try String(contentsOf: URL(filePath: file), encoding: .utf8)
        return try text.split(separator: "\n", omittingEmptySubsequences: false).enumerated().compactMap {
            number, line in
            line.isEmpty
                ? nil : TruthRecord(try JSONDocument(parsing: String(line)).root, origin: "\(file):\(number + 1)")
        }
    }

    var kind: String? { text("kind") }
    func text(_ name: String) -> String? { element[name]?.string }
    func flag(_ name: String) -> Bool { element[name]?.bool ?? false }

    var device: DeviceID {
        get throws {
            guard let name = text("device") else {
                throw BenchmarkError(description: "\(origin): \"device\" is missing")
            }
            return DeviceID(name)
        }
    }

    var coordinate: Coordinate {
        get throws {
            guard let latitude = element["lat"]?.double, let longitude = element["lon"]?.double else {
                throw BenchmarkError(description: "\(origin): \"lat\" or \"lon\" is missing")
            }
            return Coordinate(latitude: latitude, longitude: longitude)
        }
    }

    func time(_ name: String) throws -> Timestamp {
        guard let time = text(name).flatMap({ Timestamp(rfc3339: $0) }) else {
            throw BenchmarkError(description: "\(origin): \"\(name)\" is not a time")
        }
        return time
    }
}
