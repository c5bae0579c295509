import FencepostCluster
import FencepostModel
import FencepostTesting
import Foundation
import Testing

struct LogRecordTests {
    /// One record of each kind, by the name of its golden file.
    static let samples: [(name: String, record: LogRecord)] = {
        let contents: [(String, LogRecord.Content)] = [
            ("commit", .commit([0, 1, 127, 128, 255])),
            ("upgrade", .upgrade(schema: 300)),
            ("lead", .lead(.init(node: "fencepost-1", version: "1.2.3"))),
            ("part", .part(.init(transfer: RecordID(run: 3, number: 4), index: 1, count: 300, bytes: [9, 8]))),
            ("note", .note),
        ]
        return contents.map { name, content in
            let record = LogRecord(
                epoch: 300, position: 70_000, id: RecordID(run: 0x0123_4567_89AB_CDEF, number: 5),
                time: Timestamp(milliseconds: 1_795_392_000_123), content: content)
            return (name, record)
        }
    }()

    private static let folder = URL(filePath: #filePath).deletingLastPathComponent().appending(path: "Golden")

    /// What a version has written must stay readable. `FENCEPOST_WRITE_GOLDEN=1` writes the files of a new format.
    @Test(arguments: samples.indices) func bytesAreThoseOfTheGoldenFile(_ index: Int) throws {
        let (name, record) = Self.samples[index]
        let file = Self.folder.appending(path: "\(name).hex")
        let hex = record.encoded.map { String(format: "%02x", $0) }.joined()
        if ProcessInfo.processInfo.environment["FENCEPOST_WRITE_GOLDEN"] != nil {
            try Data((hex + "\n").utf8).write(to: file)
        }
        #expect(try String(contentsOf: file, encoding: .utf8) == hex + "\n")
        #expect(try LogRecord(decoding: record.encoded) == record)
    }

    @Test(arguments: samples.indices) func damageIsFound(_ index: Int) {
        let bytes = Self.samples[index].record.encoded
        for count in bytes.indices {
            #expect(throws: LogRecordError.self) { try LogRecord(decoding: Array(bytes[..<count])) }
        }
        for offset in bytes.indices {
            for bit in 0..<8 {
                var damaged = bytes
                damaged[offset] ^= 1 << UInt8(bit)
                #expect(throws: LogRecordError.self) { try LogRecord(decoding: damaged) }
            }
        }
    }

    @Test func aNewerFormatIsNamed() {
        var bytes = Self.samples[0].record.encoded
        bytes[0] = 3
        #expect(throws: LogRecordError.newerFormat(3)) { try LogRecord(decoding: bytes) }
    }

    /// Versions before it refuse format 2 by name, and would take an unknown kind of format 1 for damage.
    @Test func onlyAnUpgradeHasTheSecondFormat() {
        #expect(Self.samples.filter { $0.record.encoded[0] == 2 }.map(\.name) == ["upgrade"])
    }

    @Test func randomRecordsAreReadBack() throws {
        var random = SeededGenerator(seed: 1)
        for _ in 0..<2000 {
            let count = Int.random(in: 0..<300, using: &random)
            let bytes = (0..<count).map { _ in UInt8.random(in: 0...255, using: &random) }
            let record = LogRecord(
                epoch: .random(in: 0...(.max), using: &random), position: .random(in: 0...(.max), using: &random),
                id: RecordID(run: .random(in: 0...(.max), using: &random), number: .random(in: 0...9, using: &random)),
                time: Timestamp(milliseconds: .random(in: -9_000_000_000_000...9_000_000_000_000, using: &random)),
                content: .commit(bytes))
            #expect(try LogRecord(decoding: record.encoded) == record)
        }
    }
}
