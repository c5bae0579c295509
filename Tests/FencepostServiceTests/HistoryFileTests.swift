import FencepostFormats
import FencepostJSON
import FencepostModel
import Testing

@testable import FencepostService

@Suite("A history file") struct HistoryFileTests {
    private static func reader(_ text: String) -> HistoryFileReader {
        HistoryFileReader(
            ByteSource(bytes: Array(text.utf8), maximumRead: 4096), name: "walk.ndjson", format: nil,
            device: DeviceID("a"), now: Timestamp(seconds: 1_800_000_000))
    }

    private static func line(_ second: Int) -> String {
        "{\"deviceId\":\"a\",\"timestamp\":\(1_772_000_000 + second),\"latitude\":48.85,\"longitude\":2.35}\n"
    }

    @Test("keeps 1,000 rejected records and counts the others by code")
    func rejected() throws {
        var reader = Self.reader(Self.line(0) + String(repeating: "x\n", count: 5000) + Self.line(1))
        var found: HistoryFile?
        while found == nil { found = try reader.readNext() }
        let file = try #require(found)
        #expect(file.submission.locations.count == 2 && file.failure == nil && file.isComplete)
        #expect(file.rejected.count == HistoryFile.rejectedLimit)
        #expect(file.moreRejected.values.reduce(0, +) == 4000 && file.moreRejected.count == 1)
        var writer = JSONWriter()
        writer.value(file, name: nil, receipt: nil)
        let rejected = try JSONDocument(parsing: writer.bytes).root["rejected"]?.array.map(Array.init) ?? []
        #expect(rejected.count == 1001)
        #expect(rejected.last?["count"]?.int == 4000)
        #expect(writer.bytes.count < 1 << 20)
    }

    @Test("is read in parts that have all of its locations, each by time")
    func parts() throws {
        let seconds = (0..<5000).map { $0 ^ 5 }
        var reader = Self.reader(seconds.map(Self.line).joined() + "x\n")
        var parts: [HistoryFile] = []
        while parts.last?.isComplete != true {
            if let part = try reader.readNext(limit: 1000) { parts.append(part) }
        }
        #expect(parts.count >= 5)
        #expect(parts.allSatisfy { $0.submission.locations.count < 1100 })
        for part in parts {
            let times = part.submission.locations.map(\.timestamp)
            #expect(times == times.sorted())
        }
        #expect(parts.last?.rejected.count == 1)
        var whole = parts[0]
        for part in parts.dropFirst() { whole.append(part) }
        #expect(whole.isComplete && whole.submission.locations.count == 5000)
        #expect(Set(whole.submission.locations.map(\.timestamp)).count == 5000)
    }
}
