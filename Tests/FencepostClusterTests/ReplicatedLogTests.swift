import FencepostModel
import Testing

@testable import FencepostCluster

struct ReplicatedLogTests {
    private func record(_ number: UInt64, epoch: UInt64 = 1, run: UInt64 = 1) -> LogRecord {
        LogRecord(
            epoch: epoch, position: number, id: RecordID(run: run, number: number), time: Timestamp(milliseconds: 0),
            content: .commit([UInt8(number)]))
    }

    @Test func recordsAreReadInOrder() async throws {
        let log = ReplicatedLog(MemoryLog(), seal: RecordSeal(key: [1]))
        var last: UInt64 = 0
        for number in 1...5 { last = try await log.append(record(UInt64(number)), behind: last) }
        #expect(try await log.records(behind: 0, limit: 3).map(\.record) == (1...3).map { record($0) })
        #expect(try await log.records(behind: 3, limit: 9).map(\.record) == (4...5).map { record($0) })
        #expect(try await log.records(behind: 5, limit: 9).isEmpty)
        #expect(try await log.end() == 5)
    }

    @Test func aDeposedLeaderCannotAppend() async throws {
        let log = ReplicatedLog(MemoryLog(), seal: RecordSeal(key: [1]))
        let first = try await log.append(record(1), behind: 0)
        _ = try await log.append(record(1, epoch: 2, run: 2), behind: first)
        await #expect(throws: LogFailure.deposed(epoch: 2)) { try await log.append(record(2), behind: first) }
        #expect(try await log.records(behind: 0, limit: 9).count == 2)
    }

    @Test func aCopyThatWasAwayDuringATrimFindsTheHole() async throws {
        let memory = MemoryLog()
        let log = ReplicatedLog(memory, seal: RecordSeal(key: [1]))
        var last: UInt64 = 0
        for number in 1...5 { last = try await log.append(record(UInt64(number)), behind: last) }
        memory.trim(through: 3)
        await #expect(throws: LogFailure.hole(after: 2)) { try await log.records(behind: 2, limit: 9) }
        #expect(try await log.records(behind: 3, limit: 9).count == 2)
        // The newest record stays, so the end is never 0 again.
        memory.trim(through: 99)
        #expect(try await log.end() == 5)
    }

    /// Bytes that others have put into the stream, by what they are.
    private static let junk: [(name: String, bytes: [UInt8])] = [
        ("four bytes", [9, 9, 9, 9]), ("nothing", []), ("one byte", [3]), ("text", Array("hello".utf8)),
        ("a newer format", [255] + Array(repeating: 0, count: 64)),
        ("a record without a seal", junkRecord.unsealed),
        ("a record of another cluster", junkRecord.encoded(by: RecordSeal(key: [2]), behind: 2)),
        ("a record that belongs elsewhere in the log", junkRecord.encoded(by: seal, behind: 1)),
    ]
    private static let seal = RecordSeal(key: [1])
    private static let junkRecord = LogRecord(
        epoch: 7, position: 3, id: RecordID(run: 8, number: 8), time: Timestamp(milliseconds: 0), content: .commit([]))

    @Test(arguments: junk.indices) func whatNoNodeWroteIsSkippedAndNamed(_ index: Int) async throws {
        let memory = MemoryLog()
        let log = ReplicatedLog(memory, seal: Self.seal)
        _ = try await log.append(record(1), behind: 0)
        _ = try await log.append(record(2), behind: 1)
        _ = await memory.publish(Self.junk[index].bytes, id: RecordID(run: 9, number: 9), behind: 2)
        // The leader goes on behind it, and copies read on.
        #expect(try await log.append(record(3), behind: 2) == 4)
        #expect(log.foreign.count == 1 && log.foreign.sequence == 3)
        for reader in [log, ReplicatedLog(memory, seal: Self.seal)] {
            let read = try await reader.records(behind: 0, limit: 9)
            #expect(read.map(\.sequence) == [1, 2, 3, 4])
            #expect(read.map(\.record) == [record(1), record(2), nil, record(3)])
            #expect(reader.foreign.count == 1)
        }
        #expect(try await log.records(behind: 3, limit: 9).map(\.record) == [record(3)])
    }

    @Test func aLogThatEndsWithWhatNoNodeWroteCanBeReadAndAppendedTo() async throws {
        let memory = MemoryLog()
        let log = ReplicatedLog(memory, seal: Self.seal)
        var last = try await log.append(record(1), behind: 0)
        for number in 2...300 {
            _ = await memory.publish([0, 0, 0, 0], id: RecordID(run: 9, number: UInt64(number)), behind: last)
            last += 1
        }
        // One that has applied the record only, and one that has read all of it.
        #expect(try await log.append(record(2), behind: 1) == 301)
        #expect(try await log.records(behind: 301, limit: 9).isEmpty)
        #expect(try await log.append(record(3), behind: 301) == 302)
    }

    @Test func anAppendFindsAnotherNodesRecordBehindWhatNoNodeWrote() async throws {
        let memory = MemoryLog()
        let log = ReplicatedLog(memory, seal: Self.seal)
        _ = try await log.append(record(1), behind: 0)
        _ = try await log.append(record(1, epoch: 2, run: 2), behind: 1)
        _ = await memory.publish([0, 0, 0, 0], id: RecordID(run: 9, number: 9), behind: 2)
        await #expect(throws: LogFailure.deposed(epoch: 2)) { try await log.append(record(2), behind: 1) }
    }

    @Test func recordsWithoutASealAreReadUntilTheFirstSealedOne() async throws {
        let memory = MemoryLog()
        _ = await memory.publish(record(1).unsealed, id: record(1).id, behind: 0)
        _ = await memory.publish(record(2).unsealed, id: record(2).id, behind: 1)
        let log = ReplicatedLog(memory, seal: Self.seal)
        #expect(try await log.records(behind: 0, limit: 9).map(\.record) == [record(1), record(2)])
        await #expect(throws: LogFailure.diverged) { try await log.append(record(3), behind: 1) }
        _ = try await log.append(record(3), behind: 2)
        _ = await memory.publish(record(4).unsealed, id: record(4).id, behind: 3)
        #expect(try await log.records(behind: 2, limit: 9).map(\.record) == [record(3), nil])
        // A copy that has applied a sealed record says so at its start.
        let later = ReplicatedLog(memory, seal: Self.seal)
        later.requireSeals()
        #expect(try await later.records(behind: 3, limit: 9).map(\.record) == [nil])
    }

    @Test func onlyASealedRecordCanAskForANewerVersion() async throws {
        let memory = MemoryLog()
        let bytes: [UInt8] = [4, 1, 2, 3]
        let sealed = bytes + Self.seal.code(for: bytes, behind: 0)
        _ = await memory.publish(sealed, id: RecordID(run: 1, number: 1), behind: 0)
        await #expect(throws: LogFailure.newerFormat(sequence: 1)) {
            try await ReplicatedLog(memory, seal: Self.seal).records(behind: 0, limit: 1)
        }
    }
}
