import FencepostCluster
import FencepostModel
import Testing

struct ReplicatedLogTests {
    private func record(_ number: UInt64, epoch: UInt64 = 1, run: UInt64 = 1) -> LogRecord {
        LogRecord(
            epoch: epoch, position: number, id: RecordID(run: run, number: number), time: Timestamp(milliseconds: 0),
            content: .commit([UInt8(number)]))
    }

    @Test func recordsAreReadInOrder() async throws {
        let log = ReplicatedLog(MemoryLog())
        var last: UInt64 = 0
        for number in 1...5 { last = try await log.append(record(UInt64(number)), behind: last) }
        #expect(try await log.records(behind: 0, limit: 3).map(\.record) == (1...3).map { record($0) })
        #expect(try await log.records(behind: 3, limit: 9).map(\.record) == (4...5).map { record($0) })
        #expect(try await log.records(behind: 5, limit: 9).isEmpty)
        #expect(try await log.end()?.record == record(5))
    }

    @Test func aDeposedLeaderCannotAppend() async throws {
        let log = ReplicatedLog(MemoryLog())
        let first = try await log.append(record(1), behind: 0)
        _ = try await log.append(record(1, epoch: 2, run: 2), behind: first)
        await #expect(throws: LogFailure.deposed(epoch: 2)) { try await log.append(record(2), behind: first) }
        #expect(try await log.records(behind: 0, limit: 9).count == 2)
    }

    @Test func aCopyThatWasAwayDuringATrimFindsTheHole() async throws {
        let memory = MemoryLog()
        let log = ReplicatedLog(memory)
        var last: UInt64 = 0
        for number in 1...5 { last = try await log.append(record(UInt64(number)), behind: last) }
        memory.trim(through: 3)
        await #expect(throws: LogFailure.hole(after: 2)) { try await log.records(behind: 2, limit: 9) }
        #expect(try await log.records(behind: 3, limit: 9).count == 2)
        // The newest record stays, so the end is never 0 again.
        memory.trim(through: 99)
        #expect(try await log.end()?.sequence == 5)
    }

    @Test func bytesThatAreNoRecordAreNamedWithTheirSequence() async throws {
        let memory = MemoryLog()
        _ = await memory.publish([9, 9], id: RecordID(run: 1, number: 1), behind: 0)
        await #expect(throws: LogFailure.unreadable(sequence: 1, .newerFormat(9))) {
            try await ReplicatedLog(memory).end()
        }
    }
}
