import FencepostCluster
import FencepostModel
import FencepostNATS
import Testing

@Suite(.enabled(if: NATSServers.program != nil), .serialized)
struct NATSLogTests {
    private let stream = NATSStream(name: "fp_log", subject: "fp.log.*", replicas: 1, maximumBytes: 1 << 20)

    private func record(_ number: UInt64, epoch: UInt64 = 1, run: UInt64 = 1, bytes: [UInt8] = [1]) -> LogRecord {
        LogRecord(
            epoch: epoch, position: number, id: RecordID(run: run, number: number), time: Timestamp(milliseconds: 0),
            content: .commit(bytes))
    }

    @Test func recordsAreAppendedReadAndFenced() async throws {
        let servers = try NATSServers(count: 1)
        let connection = try await servers.connect()
        try await connection.checkServers()
        try await servers.prepare(stream, on: connection)
        let transport = NATSLog(connection, stream: "fp_log", subject: "fp.log.0")
        let log = ReplicatedLog(transport, seal: RecordSeal(key: [1]))
        let other = ReplicatedLog(
            NATSLog(connection, stream: "fp_log", subject: "fp.log.1"), seal: RecordSeal(key: [1]))
        #expect(try await log.end() == nil)
        #expect(try await log.records(behind: 0, limit: 9).isEmpty)
        var last: UInt64 = 0
        var lastOfOther: UInt64 = 0
        for number in 1...20 {
            last = try await log.append(record(UInt64(number)), behind: last)
            lastOfOther = try await other.append(record(UInt64(number), run: 9), behind: lastOfOther)
        }
        // Read in parts, by one consumer and from the middle.
        let first = try await log.records(behind: 0, limit: 7)
        let second = try await log.records(behind: try #require(first.last?.sequence), limit: 100)
        #expect((first + second).map(\.record) == (1...20).map { record($0) })
        #expect(try await log.records(behind: first[3].sequence, limit: 2).map(\.record) == [record(5), record(6)])
        #expect(try await log.records(behind: last, limit: 2).isEmpty)
        // Servers look at the expectation before the id: a repeat is refused, and the newest record shows that it is stored.
        let predecessor = second[11].predecessor
        let bytes = record(20).encoded(by: RecordSeal(key: [1]), behind: predecessor)
        #expect(await transport.publish(bytes, id: record(20).id, behind: predecessor) == .refused)
        #expect(try await log.append(record(20), behind: predecessor) == last)
        _ = try await log.append(record(1, epoch: 2, run: 2), behind: last)
        await #expect(throws: LogFailure.deposed(epoch: 2)) { try await log.append(record(21), behind: last) }
    }

    @Test func whatDoesNotFitIsNamed() async throws {
        let servers = try NATSServers(count: 1)
        let connection = try await servers.connect()
        try await servers.prepare(stream, on: connection)
        let log = ReplicatedLog(NATSLog(connection, stream: "fp_log", subject: "fp.log.0"), seal: RecordSeal(key: [1]))
        let large = record(1, bytes: Array(repeating: 0, count: 2 << 20))
        await #expect(throws: LogFailure.tooLarge) { try await log.append(large, behind: 0) }
        let half = [UInt8](repeating: 0, count: 600_000)
        let last = try await log.append(record(2, bytes: half), behind: 0)
        await #expect(throws: LogFailure.full) { try await log.append(record(3, bytes: half), behind: last) }
        var other = stream
        other.replicas = 3
        await #expect(throws: NATSError.self) { try await other.prepare(on: connection) }
        // The same settings again are fine.
        try await stream.prepare(on: connection)
    }

    @Test func aValueChangesOnlyAtItsRevision() async throws {
        let servers = try NATSServers(count: 1)
        let connection = try await servers.connect()
        let bucket = try await NATSKeyValue.open("fp_cluster", on: connection, replicas: 1)
        #expect(try await bucket.value("p.0") == nil)
        let first = try await bucket.set("p.0", to: [1], replacing: nil)
        let second = try await bucket.set("p.0", to: [2], replacing: first)
        #expect(second > first)
        await #expect(throws: NATSError.conflict) { _ = try await bucket.set("p.0", to: [3], replacing: first) }
        await #expect(throws: NATSError.conflict) { _ = try await bucket.set("p.0", to: [3], replacing: nil) }
        let again = try await NATSKeyValue.open("fp_cluster", on: connection, replicas: 1)
        let value = try #require(try await again.value("p.0"))
        #expect(value.bytes == [2] && value.revision == second)
    }

    @Test func withoutAServerItFailsSoon() async throws {
        await #expect(throws: NATSError.self) {
            try await NATSConnection.connect(NATSSettings(servers: ["nats://127.0.0.1:1"]))
        }
        // Its sentence is in the log and in answers to anybody.
        let servers = ["nats://jane:p@ss@127.0.0.1:1", "127.0.0.1:2"]
        do {
            _ = try await NATSConnection.connect(NATSSettings(servers: servers))
        } catch {
            #expect("\(error)".contains("NATS at nats://127.0.0.1:1, 127.0.0.1:2 cannot"), "\(error)")
        }
        await #expect(throws: NATSError.invalidSettings("at least one NATS server is required")) {
            try await NATSConnection.connect(NATSSettings(servers: []))
        }
    }
}
