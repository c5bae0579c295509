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

    private static let seal = RecordSeal(key: Array(1...32))

    /// What a version has written must stay readable: records with seals, and in the folder `unsealed` those of before.
    /// `FENCEPOST_WRITE_GOLDEN=1` writes the files of a new format.
    @Test(arguments: samples.indices) func bytesAreThoseOfTheGoldenFiles(_ index: Int) throws {
        let (name, record) = Self.samples[index]
        try Self.expect(record.unsealed, in: "unsealed/\(name).hex")
        #expect(try LogRecord(decodingUnsealed: record.unsealed) == record)
        let sealed = record.encoded(by: Self.seal, behind: 69_999)
        try Self.expect(sealed, in: "\(name).hex")
        #expect(try LogRecord(decoding: sealed, sealedBy: Self.seal, behind: 69_999) == record)
    }

    private static func expect(_ bytes: [UInt8], in name: String) throws {
        let file = folder.appending(path: name)
        let hex = bytes.map { String(format: "%02x", $0) }.joined()
        if ProcessInfo.processInfo.environment["FENCEPOST_WRITE_GOLDEN"] != nil {
            try Data((hex + "\n").utf8).write(to: file)
        }
        #expect(try String(contentsOf: file, encoding: .utf8) == hex + "\n")
    }

    /// Each byte string with one bit changed, and each beginning of it.
    private static func damaged(_ bytes: [UInt8]) -> [[UInt8]] {
        bytes.indices.map { Array(bytes[..<$0]) }
            + bytes.indices.flatMap { offset in
                (0..<8).map { bit in
                    var damaged = bytes
                    damaged[offset] ^= 1 << UInt8(bit)
                    return damaged
                }
            }
    }

    @Test(arguments: samples.indices) func damageIsFound(_ index: Int) {
        let record = Self.samples[index].record
        for bytes in Self.damaged(record.unsealed) {
            #expect(throws: LogRecordError.self) { try LogRecord(decodingUnsealed: bytes) }
        }
        for bytes in Self.damaged(record.encoded(by: Self.seal, behind: 4)) {
            #expect(throws: LogRecordError.damaged("the cluster has not sealed it")) {
                try LogRecord(decoding: bytes, sealedBy: Self.seal, behind: 4)
            }
        }
    }

    @Test func aSealCountsForOneClusterBehindOneSequence() {
        let record = Self.samples[0].record
        let bytes = record.encoded(by: Self.seal, behind: 4)
        #expect(throws: LogRecordError.self) { try LogRecord(decoding: bytes, sealedBy: Self.seal, behind: 5) }
        #expect(throws: LogRecordError.self) {
            try LogRecord(decoding: bytes, sealedBy: RecordSeal(key: [1]), behind: 4)
        }
    }

    /// Versions before it refuse formats 2 and 3 by name, and would take an unknown kind of format 1 for damage.
    @Test func formatsAreThoseThatOlderVersionsRefuseByName() {
        #expect(Self.samples.filter { $0.record.unsealed[0] == 2 }.map(\.name) == ["upgrade"])
        #expect(Self.samples.allSatisfy { $0.record.encoded(by: Self.seal, behind: 0)[0] == 3 })
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
            let sealed = record.encoded(by: Self.seal, behind: record.position)
            #expect(try LogRecord(decoding: sealed, sealedBy: Self.seal, behind: record.position) == record)
        }
    }
}
