import ArgumentParser
import FencepostFormats
import FencepostGeometry
import FencepostJSON
import FencepostModel
import Foundation

/// Decodes lines of NDJSON to locations, and compares with Foundation's decoder on the same bytes.
struct DecodeBenchmark: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "decode", abstract: "Measures how fast NDJSON locations are decoded.")

    @Option(help: "The number of lines.") var lines = 1_000_000
    @Option(help: "The seed of the random numbers.") var seed: UInt64 = 1
    @Option(help: "The number of runs.") var runs = 5
    @Option(help: "The number of lines for Foundation, which is slow.") var baseline = 50_000

    @OptionGroup var report: ReportOptions

    func run() throws {
        let bytes = makeLines()
        report.title("decode: seed \(seed), \(lines) lines, \(bytes.count) bytes")
        let few = bytes.split(separator: 0x0A).prefix(baseline)
        let ours = try times(of: lines) { try decode(bytes) }
        let foundation = try times(of: few.count) { try decodeWithFoundation(few) }
        var measurement = Measurement(
            "decode", "NDJSON to locations", ["seed": Int(seed), "lines": lines, "bytes": bytes.count], unit: "ns/line",
            ours)
        measurement.compare(with: "Foundation's JSONDecoder", foundation)
        try report.write(measurement)
    }

    /// Nanoseconds of processor time per line, for each run.
    private func times(of count: Int, _ work: () throws -> Double) rethrows -> [Double] {
        var checksum: Double?
        return try (0..<runs).map { _ in
            let start = ProcessorTime.now()
            let sum = try work()
            let time = ProcessorTime.now() - start
            precondition(checksum ?? sum == sum, "the runs differ")
            checksum = sum
            return time / Double(count)
        }
    }

    private func makeLines() -> [UInt8] {
        var generator = SplitMix64(seed: seed)
        var writer = JSONWriter()
        func thousandths(_ range: ClosedRange<Int>) -> Double {
            Double(Int.random(in: range, using: &generator)) / 1000
        }
        for line in 0..<lines {
            var location = Location(
                deviceID: DeviceID("user\(line / 100 % 500)/phone"),
                timestamp: Timestamp(milliseconds: 1_772_353_800_000 + Int64(line) * 1370),
                coordinate: Coordinate(
                    latitude: Double(Int.random(in: 485_000_000...490_000_000, using: &generator)) / 1e7,
                    longitude: Double(Int.random(in: 20_000_000...25_000_000, using: &generator)) / 1e7),
                horizontalAccuracy: thousandths(3000...60_000))
            location.altitude = thousandths(0...90_000)
            location.speed = thousandths(0...30_000)
            location.course = thousandths(0...359_999)
            writer.value(location)
            writer.newline()
        }
        return writer.bytes
    }

    private func decode(_ bytes: [UInt8]) throws -> Double {
        var reader = LocationReader(ByteSource(bytes: bytes), options: .init(format: .ndjson))
        var sum = 0.0
        while let records = try reader.next() {
            for case .location(let location, _) in records {
                sum += location.coordinate.latitude + Double(location.timestamp.milliseconds)
            }
        }
        return sum
    }

    private struct Line: Decodable {
        var deviceId: String
        var timestamp: Date
        var latitude, longitude: Double
        var horizontalAccuracy, altitude, speed, course: Double?
    }

    private func decodeWithFoundation(_ lines: some Sequence<ArraySlice<UInt8>>) throws -> Double {
        let decoder = JSONDecoder()
        let plain = Date.ISO8601FormatStyle()
        let fractional = Date.ISO8601FormatStyle(includingFractionalSeconds: true)
        decoder.dateDecodingStrategy = .custom { decoder in
            let text = try decoder.singleValueContainer().decode(String.self)
            return try text.utf8.contains(UInt8(ascii: ".")) ? fractional.parse(text) : plain.parse(text)
        }
        var sum = 0.0
        for line in lines {
            let fix = try decoder.decode(Line.self, from: Data(line))
            sum += fix.latitude + (fix.timestamp.timeIntervalSince1970 * 1000).rounded()
        }
        return sum
    }
}
