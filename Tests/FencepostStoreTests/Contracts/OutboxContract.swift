import FencepostModel
import FencepostService
import Testing

/// The behaviour of every outbox. Each implementation's suite runs it on an empty one.
struct OutboxContract<Store: InspectableOutbox> {
    let store: Store

    private func commit(_ events: [NewEvent], _ deliveries: [NewDelivery], at seconds: Int64 = 0) async throws {
        try await store.put(events, deliveries, at: MadeUp.start + .seconds(seconds))
    }

    private func due(_ endpoint: String = "ops", at seconds: Int64, excluding: Set<String> = []) async throws
        -> [PendingDelivery]
    {
        try await store.due(for: endpoint, at: MadeUp.start + .seconds(seconds), excluding: excluding, limit: 50)
    }

    private func attempt(_ number: Int, at seconds: Int64) -> DeliveryAttempt {
        DeliveryAttempt(
            number: number, startedAt: MadeUp.start + .seconds(seconds), duration: .milliseconds(17), status: 500,
            failure: .status, excerpt: "no", nextAttempt: MadeUp.start + .seconds(seconds + 5))
    }

    func livesThroughRetries() async throws {
        try await store.put(Endpoint.made())
        try await commit([.made("evt_1")], [.made("evt_1")], at: 10)
        #expect(try await due(at: 9).isEmpty)
        let first = try await due(at: 10)
        #expect(first.map(\.eventID) == ["evt_1"])
        #expect(first[0].eventType == "region.entered" && first[0].deviceID == DeviceID("jane"))
        #expect(first[0].headers == ["content-type": "application/json"] && first[0].attempts == 0)
        #expect(first[0].createdAt == MadeUp.start + .seconds(10))
        let id = first[0].id
        #expect(id.hasPrefix("dlv_"))
        #expect(try await due(at: 10, excluding: [id]).isEmpty)
        #expect(try await store.nextDue(for: "ops", excluding: []) == MadeUp.start + .seconds(10))
        #expect(try await store.nextDue(for: "ops", excluding: [id]) == nil)
        #expect(try await store.backlog() == (1, MadeUp.start + .seconds(10)))

        let failed = attempt(1, at: 11)
        try await store.settle(
            [Settlement(id, .retry(at: MadeUp.start + .seconds(16)), attempt: failed)], events: [], deliveries: [])
        #expect(try await due(at: 15).isEmpty)
        #expect(try await due(at: 16).map(\.attempts) == [1])
        // Postponed without an attempt.
        try await store.settle([Settlement(id, .retry(at: MadeUp.start + .seconds(20)))], events: [], deliveries: [])
        #expect(try await due(at: 20).map(\.attempts) == [1])
        let taken = DeliveryAttempt(
            number: 2, startedAt: MadeUp.start + .seconds(20), duration: .seconds(1), status: 204)
        try await store.settle([Settlement(id, .delivered, attempt: taken)], events: [], deliveries: [])
        #expect(try await due(at: 1000).isEmpty)
        let record = try await store.storedDelivery(id)
        #expect(record?.status == .delivered && record?.attempts == [failed, taken])
        #expect(try await store.backlog().pending == 0)
    }

    func addsOnce() async throws {
        try await store.put(Endpoint.made())
        try await commit([.made("evt_1")], [.made("evt_1")])
        let id = try await due(at: 0)[0].id
        try await store.settle([Settlement(id, .delivered)], events: [], deliveries: [])
        // An event that is emitted again adds no message, also not to a new endpoint.
        try await store.put(Endpoint.made("new"))
        try await commit([.made("evt_1")], [.made("evt_1"), .made("evt_1", to: "new")])
        #expect(try await due(at: 9).isEmpty)
        #expect(try await due("new", at: 9).isEmpty)
    }

    func keepsOrder() async throws {
        try await store.put(Endpoint.made())
        let events = (1...4).map { NewEvent.made("evt_\($0)", sequence: $0) }
        try await commit(events, events.map { .made($0.id, isOrdered: true) })
        try await commit([.made("evt_5", device: "tom")], [.made("evt_5", device: "tom", isOrdered: true)])
        try await commit([.made("evt_6", device: nil)], [.made("evt_6", device: nil, isOrdered: true)])
        func open() async throws -> [String] { try await due(at: 99).map(\.eventID) }
        #expect(try await open() == ["evt_1", "evt_5", "evt_6"])
        let id = { (event: String) in
            try #require(await store.storedDeliveries(to: "ops").first { $0.pending.eventID == event }).pending.id
        }
        // During an attempt of the first one, the ones behind it are not due.
        #expect(try await due(at: 99, excluding: [id("evt_1")]).map(\.eventID) == ["evt_5", "evt_6"])
        try await store.settle(
            [Settlement(id("evt_1"), .retry(at: MadeUp.start + .seconds(500)))], events: [], deliveries: [])
        #expect(try await open() == ["evt_5", "evt_6"])
        try await store.settle([Settlement(id("evt_1"), .exhausted)], events: [], deliveries: [])
        #expect(try await open() == ["evt_2", "evt_5", "evt_6"])
        try await store.settle(
            [Settlement(id("evt_2"), .delivered), Settlement(id("evt_3"), .cancelled)], events: [], deliveries: [])
        #expect(try await open() == ["evt_4", "evt_5", "evt_6"])
    }

    func followsTheEndpoint() async throws {
        var endpoint = Endpoint.made()
        try await store.put(endpoint)
        try await commit([.made("evt_1")], [.made("evt_1"), .made("evt_1", to: "gone")])
        endpoint.state = .disabled(since: MadeUp.start, reason: "410")
        var health = EndpointHealth()
        health.consecutiveFailures = 3
        try await store.update(endpoint, health: health)
        #expect(try await due(at: 9).isEmpty)
        #expect(try await store.nextDue(for: "ops", excluding: []) == nil)
        #expect(try await store.backlog().pending == 1)
        #expect(try await store.health(of: "ops") == health)
        // A save does not change the health.
        endpoint.state = .active
        endpoint.description = "Operations"
        try await store.put(endpoint)
        let found = try await store.storedEndpoint("ops")
        #expect(found?.endpoint == endpoint && found?.health == health)
        #expect(try await store.endpoints() == [endpoint])
        #expect(try await due(at: 9).count == 1)
        // An update with an older version changes nothing: it is about another address.
        var older = endpoint
        older.url = "https://old.example/"
        older.state = .disabled(since: MadeUp.start, reason: "410")
        try await store.update(older, health: EndpointHealth())
        #expect(try await store.endpoints() == [endpoint])
        #expect(try await store.health(of: "ops") == health)
        #expect(try await store.storedDeliveries(to: "gone").map(\.status) == [.cancelled])
        #expect(try await store.take(endpoint: "ops"))
        #expect(try await !store.take(endpoint: "ops"))
        #expect(try await store.storedDeliveries(to: "ops").map(\.status) == [.cancelled])
        #expect(try await store.backlog().pending == 0)
    }

    func settlesWithWhatFollows() async throws {
        for endpoint in ["ops", "dev"] { try await store.put(Endpoint.made(endpoint)) }
        try await commit([.made("evt_1")], [.made("evt_1")])
        let id = try await due(at: 0)[0].id
        let event = NewEvent.made("evt_x", "delivery.exhausted", device: nil, region: nil, at: 30)
        let delivery = NewDelivery.made("evt_x", to: "dev", device: nil)
        try await store.settle([Settlement(id, .exhausted)], events: [event], deliveries: [delivery])
        #expect(try await store.storedEvent("evt_x") == event)
        #expect(try await due("dev", at: 30).map(\.eventID) == ["evt_x"])
        // An event that is stored already adds no delivery; a delivery of a stored event is added.
        try await store.settle([], events: [event], deliveries: [.made("evt_x", to: "ops", device: nil)])
        #expect(try await due("ops", at: 99).isEmpty)
        try await store.settle([], events: [], deliveries: [.made("evt_x", to: "ops", device: nil)])
        #expect(try await store.storedDeliveries(to: "ops").map(\.pending.eventID) == ["evt_1", "evt_x"])
        await #expect(throws: (any Error).self) {
            try await store.settle([], events: [], deliveries: [.made("evt_none", device: nil)])
        }
        // A settlement of an unknown or finished delivery changes nothing.
        try await store.settle([Settlement("dlv_none", .delivered)], events: [], deliveries: [])
        try await store.settle([Settlement(id, .retry(at: MadeUp.start))], events: [], deliveries: [])
        #expect(try await store.storedDelivery(id)?.status == .exhausted)
    }

    /// An attempt that ends after its delivery was finished.
    func settlesLateAttempts() async throws {
        try await store.put(Endpoint.made())
        try await commit([.made("evt_1")], [.made("evt_1")])
        let id = try await due(at: 0)[0].id
        try await store.settle([Settlement(id, .cancelled)], events: [], deliveries: [])
        try await store.settle(
            [Settlement(id, .retry(at: MadeUp.start), attempt: attempt(1, at: 1))], events: [], deliveries: [])
        #expect(try await due(at: 9).isEmpty)
        #expect(try await store.storedDelivery(id)?.status == .cancelled)
        #expect(try await store.storedDelivery(id)?.attempts == [attempt(1, at: 1)])
        try await store.settle([Settlement(id, .delivered, attempt: attempt(2, at: 2))], events: [], deliveries: [])
        #expect(try await store.storedDelivery(id)?.status == .delivered)
        #expect(try await store.storedDelivery(id)?.pending.attempts == 2)
    }
}

/// The behaviour of every store of endpoints. Each implementation's suite runs it on an empty one.
struct EndpointStoreContract<Store: InspectableOutbox & EndpointStore> {
    let store: Store

    private func commit(_ events: [NewEvent], _ deliveries: [NewDelivery], at seconds: Int64 = 0) async throws {
        try await store.put(events, deliveries, at: MadeUp.start + .seconds(seconds))
    }

    private func due(_ endpoint: String = "ops", at seconds: Int64, excluding: Set<String> = []) async throws
        -> [PendingDelivery]
    {
        try await store.due(for: endpoint, at: MadeUp.start + .seconds(seconds), excluding: excluding, limit: 50)
    }

    /// A change that was made from what is no longer stored changes nothing.
    func replaces() async throws {
        let first = Endpoint.made()
        #expect(try await store.add(first))
        #expect(try await !store.add(first))
        var (second, third) = (first, first)
        second.url = "https://example.org/second"
        third.url = "https://example.org/third"
        #expect(try await store.replace(first, with: second))
        #expect(try await !store.replace(first, with: third))
        #expect(try await !store.removeEndpoint(first))
        #expect(try await store.endpoint(id: first.id)?.endpoint == second)
        #expect(try await store.removeEndpoint(second))
        #expect(try await !store.replace(second, with: third))
        #expect(try await store.endpoint(id: first.id) == nil)
    }

    func enqueuesOnce() async throws {
        for endpoint in ["ops", "new"] { try await store.save(Endpoint.made(endpoint)) }
        try await commit([.made("evt_1")], [.made("evt_1")])
        let more: [NewDelivery] = [.made("evt_1"), .made("evt_1", to: "new"), .made("evt_none", to: "new")]
        #expect(try await store.enqueue(more, at: MadeUp.start) == 1)
        #expect(try await store.enqueue(more, at: MadeUp.start) == 0)
        #expect(try await due("new", at: 0).count == 1)
    }

    /// A dead letter of an ordered endpoint that is retried precedes the later messages again.
    func retriesInOrder() async throws {
        try await store.save(Endpoint.made())
        let events = (1...2).map { NewEvent.made("evt_\($0)", sequence: $0) }
        try await commit(events, events.map { .made($0.id, isOrdered: true) })
        let id = try await due(at: 9)[0].id
        try await store.settle([Settlement(id, .exhausted)], events: [], deliveries: [])
        #expect(try await due(at: 9).map(\.eventID) == ["evt_2"])
        #expect(try await store.retry(delivery: id, at: MadeUp.start))
        #expect(try await due(at: 9).map(\.eventID) == ["evt_1"])
        try await store.settle([Settlement(id, .delivered)], events: [], deliveries: [])
        #expect(try await due(at: 9).map(\.eventID) == ["evt_2"])
    }

    func appends() async throws {
        try await store.save(Endpoint.made())
        try await store.append(
            .made("evt_t", "webhook.test", device: nil, region: nil, at: 40), deliveries: [.made("evt_t", device: nil)],
            at: MadeUp.start + .seconds(41))
        #expect(try await due(at: 41).map(\.eventType) == ["webhook.test"])
    }

    func revives() async throws {
        try await store.save(Endpoint.made())
        for number in 1...3 {
            try await commit([.made("evt_\(number)")], [.made("evt_\(number)")], at: Int64(number) * 10)
        }
        let ids = try await due(at: 99).map(\.id)
        try await store.settle(ids.map { Settlement($0, .exhausted) }, events: [], deliveries: [])
        let since = MadeUp.start + .seconds(20)
        #expect(try await store.retryExhausted(endpoint: "ops", since: since, at: MadeUp.start + .seconds(40)) == 2)
        #expect(try await store.retryExhausted(endpoint: "ops", since: since, at: MadeUp.start + .seconds(40)) == 0)
        #expect(try await due(at: 39).isEmpty)
        #expect(try await due(at: 40).map(\.eventID) == ["evt_2", "evt_3"])
        #expect(try await store.retry(delivery: ids[0], at: MadeUp.start))
        #expect(try await due(at: 1).map(\.eventID) == ["evt_1"])
        #expect(try await !store.retry(delivery: "dlv_none", at: MadeUp.start))
    }

    func lists() async throws {
        for endpoint in ["ops", "dev"] { try await store.save(Endpoint.made(endpoint)) }
        for number in 1...6 {
            let endpoint = number.isMultiple(of: 2) ? "dev" : "ops"
            try await commit([.made("evt_\(number)")], [.made("evt_\(number)", to: endpoint)])
        }
        let first = try await due(at: 0)[0].id
        try await store.settle([Settlement(first, .delivered)], events: [], deliveries: [])
        func list(_ endpoint: String?, _ status: DeliveryRecord.Status?, after: Int64 = 0, limit: Int = 9) async throws
            -> [(number: Int64, record: DeliveryRecord)]
        {
            try await store.deliveries(endpoint: endpoint, status: status, event: nil, after: after, limit: limit)
        }
        let all = try await list(nil, nil)
        #expect(all.map(\.record.pending.eventID) == (1...6).map { "evt_\($0)" })
        #expect(
            try await list(nil, nil, after: all[1].number, limit: 2).map(\.record.pending.eventID) == [
                "evt_3", "evt_4",
            ])
        #expect(try await list("ops", nil).count == 3)
        #expect(try await list("ops", .pending).map(\.record.pending.eventID) == ["evt_3", "evt_5"])
        #expect(try await list(nil, .delivered).map(\.record.pending.id) == [first])
        #expect(
            try await store.deliveries(endpoint: nil, status: nil, event: "evt_4", after: 0, limit: 9).count == 1)
    }
}
