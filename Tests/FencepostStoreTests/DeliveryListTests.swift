import FencepostModel
import FencepostService
import FencepostTesting
import GRDB
import Testing

@testable import FencepostStore

/// Lists of deliveries along the index of endpoints and states, and their ids.
@Suite("Lists of deliveries") struct DeliveryListTests {
    static let results: [Settlement.Result] = [.delivered, .exhausted, .cancelled, .expired, .suppressed]

    @Test("are those that a look at every delivery finds, page by page", arguments: [1, 2, 3] as [UInt64])
    func equality(seed: UInt64) async throws {
        let scratch = try Scratch()
        var random = SeededGenerator(seed: seed)
        let names = ["a", "b", "c é", "z"]
        try await withStore(scratch) { store in
            for name in names { try await store.save(Endpoint.made(name)) }
            for number in 0..<80 {
                let event = NewEvent.made("evt_\(number)")
                let to = names.filter { _ in Bool.random(using: &random) }
                try await store.append(event, deliveries: to.map { .made(event.id, to: $0) }, at: MadeUp.start)
            }
            let all = try await store.deliveries(endpoint: nil, status: nil, event: nil, after: 0, limit: 999)
            for delivery in all where Int.random(in: 0..<3, using: &random) > 0 {
                let result = Self.results.randomElement(using: &random) ?? .delivered
                try await store.settle([Settlement(delivery.record.pending.id, result)], events: [], deliveries: [])
            }
            _ = try await store.removeEndpoint(id: "b")
            let rows = try await store.deliveries(endpoint: nil, status: nil, event: nil, after: 0, limit: 999)
            for endpoint in [nil] + names.map(Optional.some) + ["none"] {
                for status in [nil] + DeliveryRecord.Status.allCases.map(Optional.some) {
                    let event = Bool.random(using: &random) ? "evt_\(Int.random(in: 0..<90, using: &random))" : nil
                    let expected = rows.filter {
                        endpoint == nil || $0.record.pending.endpointID == endpoint
                    }.filter { status == nil || $0.record.status == status }.filter {
                        event == nil || $0.record.pending.eventID == event
                    }
                    var found: [Int64] = []
                    while true {
                        let page = try await store.deliveries(
                            endpoint: endpoint, status: status, event: event, after: found.last ?? 0, limit: 7)
                        found += page.map(\.number)
                        if page.count < 7 { break }
                    }
                    let what = "\(endpoint ?? "-") \(status?.rawValue ?? "-") \(event ?? "-")"
                    #expect(found == expected.map(\.number), "\(what)")
                }
            }
            let pending = rows.filter { $0.record.status == .pending }
            let backlog = try await store.backlog()
            #expect(backlog.pending == pending.count && backlog.oldest == pending.first?.record.pending.createdAt)
        }
    }

    @Test("an id follows from endpoint, event and time, and ids are in the order of the times")
    func ids() {
        let times = [-5, 0, 1, 31, 32, 1_772_000_000_000, 1_772_000_000_001, 1 << 45 - 1, 1 << 50] as [Int64]
        let ids = times.map { DeliveryQueue.id(endpoint: "a", event: "e", timestamp: Timestamp(milliseconds: $0)) }
        #expect(ids == ids.sorted() && ids.allSatisfy { $0.hasPrefix("dlv_") && $0.utf8.count == 30 })
        let now = MadeUp.start
        let known = DeliveryQueue.id(endpoint: "a", event: "e", timestamp: now)
        #expect(known != DeliveryQueue.id(endpoint: "b", event: "e", timestamp: now))
        #expect(known != DeliveryQueue.id(endpoint: "a", event: "f", timestamp: now))
        #expect(known == DeliveryQueue.id(endpoint: "a", event: "e", timestamp: now))
    }

    @Test("an event whose message has an id of an earlier version gets no second one")
    func formerIDs() async throws {
        let scratch = try Scratch()
        try await withStore(scratch) { store in
            try await store.save(Endpoint.made())
            try await store.append(.made("evt_1"), deliveries: [.made("evt_1")], at: MadeUp.start)
            try await store.append(.made("evt_2"), deliveries: [], at: MadeUp.start)
        }
        let queue = try DatabaseQueue(path: scratch.database)
        try await queue.write { db in
            var identity = Identity()
            identity.add("ops")
            identity.add("evt_1")
            try db.execute(sql: "UPDATE delivery SET id = ?, hash = NULL", arguments: [identity.text(prefix: "dlv_")])
        }
        try queue.close()
        try await withStore(scratch) { store in
            let first = try await store.enqueue([.made("evt_1"), .made("evt_2")], at: MadeUp.start)
            let second = try await store.enqueue([.made("evt_1"), .made("evt_2")], at: MadeUp.start)
            #expect((first, second) == (1, 0))
        }
    }
}
