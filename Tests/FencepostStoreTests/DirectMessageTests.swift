import FencepostModel
import FencepostService
import GRDB
import Synchronization
import Testing

@testable import FencepostStore

/// Messages that a commit hands over without rows: nothing of them is lost, whatever happens before their outcome is written.
@Suite("Messages without rows", .enabled(if: !ReplicatedScratch.isOn, "a cluster's store hands nothing over"))
struct DirectMessageTests {
    /// What a dispatcher would get, and what it makes of stored events.
    final class Receiver: Sendable {
        let handed = Mutex<[DirectMessages]>([])

        var delivery: DirectDelivery {
            DirectDelivery(
                messages: { events, endpoint in events.map { .made($0.event.id, to: endpoint.id) } },
                deliver: { messages in self.handed.withLock { $0.append(messages) } })
        }

        var messages: [DirectMessage] { handed.withLock { $0.flatMap(\.messages) } }
    }

    static func commit(_ position: LogPosition, _ events: Int...) -> Commit {
        var commit = Commit.of(position, at: position, [.at("jane", position)])
        for number in events {
            commit.events.append(.made("evt_\(number)", at: Int64(number)))
            var delivery = NewDelivery.made("evt_\(number)")
            delivery.isDirect = true
            commit.deliveries.append(delivery)
        }
        return commit
    }

    static func rows(_ store: SQLiteStore) async throws -> [(event: String, status: DeliveryRecord.Status)] {
        try await store.deliveries(endpoint: nil, status: nil, event: nil, after: 0, limit: 999)
            .map { ($0.record.pending.eventID, $0.record.status) }
    }

    static func through(_ number: Int64?) -> DirectProgress {
        var progress = DirectProgress()
        progress.positions = ["ops": number]
        return progress
    }

    /// A store with an endpoint, which has begun to hand over.
    static func withHandingStore(
        _ scratch: Scratch? = nil, _ body: (SQLiteStore, Receiver) async throws -> Void
    ) async throws {
        try await withStore(scratch) { store in
            if try await store.endpoint(id: "ops") == nil { try await store.save(Endpoint.made()) }
            let receiver = Receiver()
            #expect(try await store.beginDirectDelivery(receiver.delivery))
            try await body(store, receiver)
        }
    }

    @Test("are handed over in the order of commits, with the number of their event, and have no row")
    func handsOver() async throws {
        try await Self.withHandingStore { store, receiver in
            try await store.commit(Self.commit(1, 1, 2))
            try await store.commit(Self.commit(2))
            try await store.commit(Self.commit(3, 3))
            // An event that is stored has no second message.
            try await store.commit(Self.commit(4, 3, 4))
            #expect(receiver.messages.map(\.delivery.eventID) == ["evt_1", "evt_2", "evt_3", "evt_4"])
            #expect(receiver.messages.map(\.event) == [1, 2, 3, 4])
            #expect(receiver.handed.withLock { $0.map(\.through) } == [2, 3, 4])
            #expect(try await Self.rows(store).isEmpty)
        }
    }

    @Test("get one row with their outcome, equal to that of a message that had a row from the beginning")
    func outcomes() async throws {
        try await Self.withHandingStore { store, receiver in
            var commit = Self.commit(1, 1, 2, 3)
            commit.deliveries[0].isDirect = false
            try await store.commit(commit)
            let attempt = DeliveryAttempt(
                number: 1, startedAt: MadeUp.start, duration: .milliseconds(3), status: 204)
            let messages = receiver.messages
            let first = try await store.due(for: "ops", at: .distantFuture, excluding: [], limit: 9)
            #expect(first.map(\.eventID) == ["evt_1"])
            var settlements = [Settlement(first[0].id, .delivered, attempt: attempt)]
            let results: [Settlement.Result] = [.delivered, .retry(at: MadeUp.start + .seconds(5))]
            for (message, result) in zip(messages, results) {
                var settlement = Settlement(message.delivery.id, result, attempt: attempt)
                settlement.message = message
                settlements.append(settlement)
            }
            for _ in 0..<2 {
                // The second time they have rows, which an attempt more is written to.
                try await store.settle(settlements, events: [], deliveries: [], direct: Self.through(3))
                settlements = Array(settlements.suffix(1))
            }
            let records = try await store.deliveries(endpoint: "ops", status: nil, event: nil, after: 0, limit: 9)
            #expect(records.map(\.record.status) == [.delivered, .delivered, .pending])
            #expect(records.map(\.record.attempts.count) == [1, 1, 2])
            #expect(records.map(\.record.pending.attempts) == [1, 1, 2])
            #expect(records[2].record.pending.due == MadeUp.start + .seconds(5))
            #expect(records[1].record.pending.body == NewDelivery.made("evt_2").body)
            let checks = try Doctor.examine(store.path).filter { ["deliveries", "contents"].contains($0.name) }
            #expect(checks.count == 2 && checks.allSatisfy(\.isPassed), "\(checks)")
        }
    }

    @Test("that have no outcome when the process ends get rows at the next start, once")
    func recovery() async throws {
        let scratch = try Scratch()
        try await Self.withHandingStore(scratch) { store, receiver in
            try await store.settle([], events: [], deliveries: [], direct: Self.through(0))
            try await store.commit(Self.commit(1, 1, 2, 3, 4))
            var settlement = Settlement(receiver.messages[2].delivery.id, .delivered)
            settlement.message = receiver.messages[2]
            var first = Settlement(receiver.messages[0].delivery.id, .delivered)
            first.message = receiver.messages[0]
            try await store.settle([settlement, first], events: [], deliveries: [], direct: Self.through(1))
        }
        for _ in 0..<2 {
            try await Self.withHandingStore(scratch) { store, _ in
                let rows = try await Self.rows(store)
                #expect(rows.map(\.event).sorted() == ["evt_1", "evt_2", "evt_3", "evt_4"])
                #expect(rows.filter { $0.status == .pending }.map(\.event) == ["evt_2", "evt_4"])
            }
        }
    }

    @Test("get rows before their endpoint is changed, disabled or removed")
    func barriers() async throws {
        for step in 0..<4 {
            try await Self.withHandingStore { store, _ in
                try await store.settle([], events: [], deliveries: [], direct: Self.through(0))
                try await store.commit(Self.commit(1, 1, 2))
                let former = try #require(try await store.endpoint(id: "ops")).endpoint
                var changed = former
                changed.url = "https://example.org/other"
                switch step {
                case 0: #expect(try await store.replace(former, with: changed))
                case 1: try await store.save(changed)
                case 2: #expect(try await store.removeEndpoint(former))
                default:
                    var disabled = former
                    disabled.state = .disabled(since: MadeUp.start, reason: "gone")
                    try await store.update(disabled, health: EndpointHealth())
                }
                let rows = try await Self.rows(store)
                #expect(rows.map(\.event) == ["evt_1", "evt_2"], "step \(step)")
                #expect(rows.allSatisfy { $0.status == (step == 2 ? .cancelled : .pending) }, "step \(step)")
                // A position of before the change does not undo it.
                try await store.settle([], events: [], deliveries: [], direct: Self.through(0))
            }
        }
    }

    @Test("of a device that was erased are not stored")
    func erasure() async throws {
        try await Self.withHandingStore { store, receiver in
            try await store.commit(Self.commit(1, 1, 2))
            try await store.erase(DeviceID("jane"))
            var progress = Self.through(2)
            progress.messages = [receiver.messages[0]]
            var settlement = Settlement(receiver.messages[1].delivery.id, .delivered)
            settlement.message = receiver.messages[1]
            try await store.settle([settlement], events: [], deliveries: [], direct: progress)
            #expect(try await Self.rows(store).isEmpty)
        }
    }

    @Test("of a commit that failed and is stored nevertheless get rows when the monitor loads its state")
    func uncertainty() async throws {
        try await Self.withHandingStore { store, receiver in
            try await store.settle([], events: [], deliveries: [], direct: Self.through(0))
            try await store.commit(Self.commit(1, 1))
            // As if the answer of the disk had been lost.
            store.direct.noteFailure()
            _ = try await store.load()
            #expect(try await Self.rows(store).map(\.event) == ["evt_1"])
            #expect(receiver.handed.withLock { $0.last?.endpointsWithRows } == ["ops"])
        }
    }
}
