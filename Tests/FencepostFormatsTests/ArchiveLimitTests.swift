import FencepostModel
import FencepostTesting
import Foundation
import Testing

@testable import FencepostFormats

@Suite("Limits of archives") struct ArchiveLimitTests {
    /// Compresses with Debian's gzip, which every system of the project has.
    static func gzip(_ bytes: [UInt8]) throws -> [UInt8] {
        let file = FileManager.default.temporaryDirectory.appending(path: "fencepost-gzip-\(UUID().uuidString)")
        try Data(bytes).write(to: file)
        defer { try? FileManager.default.removeItem(at: file) }
        let process = Process()
        process.executableURL = URL(filePath: "/usr/bin/env")
        process.arguments = ["gzip", "-9c", file.path]
        let output = Pipe()
        process.standardOutput = output
        try process.run()
        let compressed = try output.fileHandleForReading.readToEnd() ?? Data()
        process.waitUntilExit()
        return Array(compressed)
    }

    /// So many bytes of lines that are no locations.
    private static func lines(_ bytes: Int, of length: Int) -> [UInt8] {
        var text = [UInt8](repeating: UInt8(ascii: "x"), count: bytes)
        for end in stride(from: length - 1, to: bytes, by: length) { text[end] = UInt8(ascii: "\n") }
        return text
    }

    private static let track =
        Array(
            #"{"deviceId":"a","timestamp":1772000000,"latitude":48.85,"longitude":2.35}"#.utf8) + [10]

    /// Reads a file, and never has many records at a time.
    private static func read(
        _ bytes: [UInt8], name: String
    ) throws -> (locations: Int, rejected: Int, failure: Diagnostic?, most: Int) {
        var reader = LocationReader(ByteSource(bytes: bytes), options: LocationReader.Options(fileName: name))
        var (locations, rejected, most) = (0, 0, 0)
        while let records = try reader.next() {
            most = max(most, records.count)
            for record in records {
                switch record {
                case .location: locations += 1
                case .rejected: rejected += 1
                case .gap, .reported: break
                }
            }
        }
        return (locations, rejected, reader.failure, most)
    }

    @Test("an archive has files, not archives", arguments: ["walk.ndjson.gz.gz", "walk.gz"])
    func oneLevel(name: String) throws {
        let once = try Self.gzip(Self.track)
        #expect(try Self.read(once, name: "walk.ndjson.gz").locations == 1)
        let twice = try Self.read(try Self.gzip(once), name: name)
        #expect(twice.locations == 0)
        #expect(twice.failure?.message.contains("archive within an archive") == true)
        // 16 MB in some 100 bytes.
        let bomb = try Self.gzip(try Self.gzip(Self.lines(16_000_000, of: 2)))
        #expect(bomb.count < 1000)
        let result = try Self.read(bomb, name: name)
        #expect(result.rejected <= 1 && result.failure?.code == "invalid_shape")
    }

    @Test("a file in a zip archive is no archive")
    func zip() throws {
        let archive = try ZipWriter.archive([
            (name: "walk.ndjson.gz", bytes: try Self.gzip(Self.track)), (name: "ride.ndjson", bytes: Self.track),
        ])
        let result = try Self.read(archive, name: "all.zip")
        #expect(result.locations == 1 && result.rejected == 1 && result.failure == nil)
    }

    @Test("a file may become 200 times its size, and a short one more")
    func ratio() throws {
        let short = try Self.read(try Self.gzip(Self.lines(1_000_000, of: 2)), name: "short.ndjson.gz")
        #expect(short.failure == nil && short.rejected == 500_000)
        // 256 bytes become 264 kB at most.
        #expect(short.most < 200_000)
        let long = try Self.read(try Self.gzip(Self.lines(20_000_000, of: 2000)), name: "long.ndjson.gz")
        #expect(long.failure?.code == "payload_too_large")
        #expect(long.rejected <= InflationLimit.free / 2000 + 100)
        var limit = InflationLimit()
        try limit.add(InflationLimit.free, of: 1)
        #expect(throws: Rejection.self) { try limit.add(1, of: 1) }
        var other = InflationLimit()
        try other.add(1 << 30, of: (1 << 30) / InflationLimit.ratio)
        #expect(throws: Rejection.self) { try other.add(2 << 30, of: .max) }
    }
}
