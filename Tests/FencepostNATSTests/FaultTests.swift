import FencepostCluster
import FencepostModel
import FencepostNATS
import FencepostTesting
import Foundation
import Synchronization
import Testing

/// Writers compete for a log while its three servers are killed and paused.
@Suite(.enabled(if: NATSServers.program != nil), .serialized)
struct FaultTests {
    /// What was acknowledged, by id.
    private final class Acknowledged: Sendable {
        let sequences = Mutex<[RecordID: UInt64]>([:])
        let failures = Mutex(0)
        let isOver = Atomic(false)
    }

    /// `FENCEPOST_SOAK_ROUNDS` for a long run, `FENCEPOST_SOAK_SEED` for the same one again.
    @Test func whatIsAcknowledgedIsStoredOnceInTheOrderOfEpochs() async throws {
        let environment = ProcessInfo.processInfo.environment
        let rounds = environment["FENCEPOST_SOAK_ROUNDS"].flatMap { Int($0) } ?? 4
        let seed = environment["FENCEPOST_SOAK_SEED"].flatMap { UInt64($0) } ?? .random(in: 0...9_999_999)
        print("FENCEPOST_SOAK_SEED=\(seed), \(rounds) rounds")
        var random = SeededGenerator(seed: seed)
        let servers = try NATSServers(count: 3)
        let connection = try await servers.connect()
        let stream = NATSStream(name: "log", subject: "log.*", replicas: 3, maximumBytes: 512 << 20)
        try await servers.prepare(stream, on: connection)
        let result = Acknowledged()
        try await withThrowingTaskGroup(of: Void.self) { group in
            for run in 1...3 {
                let own = try await servers.connect()
                group.addTask { await Self.write(to: own, run: UInt64(run), rotation: 100 * run, result) }
            }
            for _ in 0..<rounds { try await Self.fault(servers, &random) }
            try await Task.sleep(for: .seconds(8))
            result.isOver.store(true, ordering: .releasing)
            try await group.waitForAll()
        }
        let transport = NATSLog(connection, stream: "log", subject: "log.0")
        try await check(ReplicatedLog(transport, seal: RecordSeal(key: [1])), result)
    }

    private static func fault(_ servers: NATSServers, _ random: inout SeededGenerator) async throws {
        let victim = Int.random(in: 0..<3, using: &random)
        let length = Duration.milliseconds(Int.random(in: 500...4000, using: &random))
        if Bool.random(using: &random) {
            servers.stop(victim)
            try await Task.sleep(for: length)
            try servers.start(victim)
        } else {
            servers.pause(victim, true)
            try await Task.sleep(for: length)
            servers.pause(victim, false)
        }
        try await Task.sleep(for: .milliseconds(Int.random(in: 500...3000, using: &random)))
    }

    /// Takes over, appends some commits, is deposed by another writer or goes on.
    private static func write(to connection: NATSConnection, run: UInt64, rotation: Int, _ result: Acknowledged) async {
        let transport = NATSLog(connection, stream: "log", subject: "log.0")
        let seal = RecordSeal(key: [1])
        let log = ReplicatedLog(transport, seal: seal)
        var number: UInt64 = 0
        while !result.isOver.load(ordering: .acquiring) {
            do throws(LogFailure) {
                // Without an answer nobody knows the epoch, and nobody begins one.
                guard let newest = try? await transport.newest() as StoredBytes?? else { throw .unavailable }
                var last = newest?.sequence ?? 0
                let record = newest.flatMap {
                    try? LogRecord(decoding: $0.bytes, sealedBy: seal, behind: $0.predecessor)
                }
                let epoch = (record?.epoch ?? 0) + 1
                for index in 0..<rotation {
                    number += 1
                    let record = LogRecord(
                        epoch: epoch, position: number, id: RecordID(run: run, number: number),
                        time: Timestamp(milliseconds: 0),
                        content: index == 0 ? .lead(.init(node: "\(run)", version: "1")) : .commit([UInt8(run)]))
                    last = try await log.append(record, behind: last)
                    result.sequences.withLock { $0[record.id] = last }
                    if result.isOver.load(ordering: .acquiring) { return }
                }
            } catch {
                result.failures.withLock { $0 += 1 }
            }
            try? await Task.sleep(for: .milliseconds(200 * Int(run)))
        }
    }

    private func check(_ log: ReplicatedLog<NATSLog>, _ result: Acknowledged) async throws {
        var records: [LoggedRecord] = []
        var attempts = 0
        // A server may still be behind in answering.
        while attempts < 20 {
            let more = try? await log.records(behind: records.last?.sequence ?? 0, limit: 1000)
            if let more, more.isEmpty { break }
            records += more ?? []
            attempts += more == nil ? 1 : 0
        }
        let acknowledged = result.sequences.withLock { $0 }
        let failures = result.failures.withLock { $0 }
        let stored = Dictionary(grouping: records, by: \.record?.id)
        let lost = acknowledged.filter { stored[$0.key]?.first?.sequence != $0.value }.count
        let doubled = stored.values.filter { $0.count > 1 }.count
        let epochs = records.compactMap(\.record?.epoch)
        print(
            "\(acknowledged.count) acknowledged, \(records.count) stored, \(lost) lost, \(doubled) doubled, "
                + "\(failures) failures, \(Set(epochs).count) epochs")
        #expect(acknowledged.count > 100)
        #expect(lost == 0)
        #expect(doubled == 0)
        #expect(epochs == epochs.sorted())
    }
}
