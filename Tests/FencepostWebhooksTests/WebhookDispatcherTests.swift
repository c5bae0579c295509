import FencepostModel
import FencepostService
import FencepostServiceTesting
import FencepostTesting
import FencepostTracing
import Synchronization
import Testing

@testable import FencepostWebhooks

@Suite("Webhook dispatcher") struct WebhookDispatcherTests {
    static let down: ScriptedSender.Script = { _, _ in AttemptResult(failure: .connect) }

    @Test("sends committed messages at once and settles them")
    func delivers() async throws {
        let harness = DispatchHarness()
        try await harness.run {
            try await harness.add(.test())
            let ids = harness.commit(100, to: "end_a")
            await harness.settle()
            #expect(ids.allSatisfy { harness.outbox.record($0)?.status == .delivered })
            #expect(harness.sender.sent.count == 100)
            #expect(harness.sender.sent.allSatisfy { $0.at == DispatchHarness.start })
            #expect(harness.outbox.calls.settle < 100, "many attempts share a transaction")
            let attempt = try #require(harness.outbox.record(ids[0])?.attempts.first)
            #expect(attempt.number == 1 && attempt.status == 200 && attempt.failure == nil)
        }
    }

    @Test("sends the trace of the request that caused a message, on every attempt")
    func traces() async throws {
        let trace = "00-4bf92f3577b34da6a3ce929d0e0e4736-00f067aa0ba902b7-01"
        let harness = DispatchHarness(script: Self.down)
        try await harness.run {
            try await harness.add(.test())
            harness.commit(to: "end_a", headers: ["content-type": "application/json", "traceparent": trace])
            await harness.advance(by: .seconds(60))
            #expect(harness.sender.sent.count == 2)
            #expect(harness.sender.sent.allSatisfy { $0.request.headers["traceparent"] == trace })
        }
    }

    private static let trace = "00-4bf92f3577b34da6a3ce929d0e0e4736-00f067aa0ba902b7-01"

    /// The value of an attribute as text.
    private static func value(_ name: String, of span: Span) -> String? {
        switch span.attributes.first(where: { $0.name == name })?.value {
        case .text(let text): text
        case .number(let number): String(number)
        case .flag(let flag): String(flag)
        case nil: nil
        }
    }

    @Test("records each attempt and the delivery in the trace of the request, also after a restart")
    func recordsTraces() async throws {
        let outbox = MemoryOutbox()
        let tracer = Tracer(ratio: 0, seed: 1)
        var settings = WebhookDispatcher.Settings()
        settings.tracer = tracer
        let first = DispatchHarness(outbox: outbox, settings: settings) { _, _ in
            AttemptResult(status: 503, failure: .status)
        }
        try await first.run {
            try await first.add(.test())
            first.commit(to: "end_a", device: "jane", headers: ["traceparent": Self.trace])
            first.commit(to: "end_a", first: 1, headers: ["traceparent": Self.trace.dropLast() + "0"])
            first.commit(to: "end_a", first: 2)
            await first.settle()
        }
        let second = DispatchHarness(outbox: outbox, settings: settings)
        try await second.run { await second.advance(by: .seconds(60)) }
        let spans = tracer.take(100).spans
        #expect(spans.map(\.name).sorted() == ["POST", "POST", "deliver end_a"])
        let delivery = try #require(spans.first { $0.kind == .producer })
        let attempts = spans.filter { $0.kind == .client }
        let request = try #require(TraceContext(traceparent: Self.trace))
        #expect(delivery.parentID == request.spanID && delivery.failure == nil)
        #expect(spans.allSatisfy { $0.context.traceID == request.traceID })
        #expect(attempts.allSatisfy { $0.parentID == delivery.context.spanID })
        #expect(attempts.map { Self.value("http.response.status_code", of: $0) } == ["503", "200"])
        #expect(attempts.map { Self.value("error.type", of: $0) } == ["503", nil])
        #expect(attempts.map(\.failure) == ["status", nil])
        #expect(attempts.map { Self.value("http.request.resend_count", of: $0) } == [nil, "1"])
        #expect(Self.value("fencepost.delivery.outcome", of: delivery) == "delivered")
        #expect(Self.value("fencepost.delivery.attempts", of: delivery) == "2")
        #expect(Self.value("messaging.message.id", of: delivery) == "evt_0")
        #expect(spans.allSatisfy { Self.value("fencepost.device.id", of: $0) == nil })
        // The receiver's spans belong to the attempt. Messages without a recorded trace keep what the request had.
        let sent = (first.sender.sent + second.sender.sent).map(\.request)
        #expect(
            sent.filter { $0.id == "evt_0" }.map { $0.headers["traceparent"] } == attempts.map(\.context.traceparent))
        #expect(
            sent.filter { $0.id == "evt_1" }.allSatisfy { $0.headers["traceparent"] == Self.trace.dropLast() + "0" })
        #expect(sent.filter { $0.id == "evt_2" }.allSatisfy { $0.headers["traceparent"] == nil })
    }

    @Test("records how a delivery failed, and whose it was where the settings permit that") func recordsFailures()
        async throws
    {
        let tracer = Tracer(ratio: 0, includesDevices: true, seed: 1)
        var settings = WebhookDispatcher.Settings()
        settings.tracer = tracer
        settings.schedule = RetrySchedule(delays: [])
        let harness = DispatchHarness(settings: settings, script: Self.down)
        try await harness.run {
            try await harness.add(.test())
            harness.commit(to: "end_a", device: "jane", headers: ["traceparent": Self.trace])
            await harness.settle()
        }
        let delivery = try #require(tracer.take(100).spans.first { $0.kind == .producer })
        #expect(delivery.failure == "exhausted" && Self.value("error.type", of: delivery) == "connect")
        #expect(Self.value("fencepost.device.id", of: delivery) == "jane")
    }

    @Test("knows its endpoints before it runs, so that no event of the start is without messages")
    func prepares() async throws {
        let outbox = MemoryOutbox()
        outbox.save(.test())
        let harness = DispatchHarness(outbox: outbox)
        let event = ServiceEvents.disabled(.test("end_other"), reason: "gone", at: harness.clock.now())
        #expect(harness.roster.messages(for: event).isEmpty)
        try await harness.dispatcher.prepare()
        #expect(harness.roster.messages(for: event).map(\.endpointID) == ["end_a"])
    }

    @Test("sends messages that were pending before its start")
    func restarts() async throws {
        let outbox = MemoryOutbox()
        outbox.save(.test())
        let harness = DispatchHarness(outbox: outbox)
        let ids = harness.commit(40, to: "end_a")
        try await harness.run {
            #expect(ids.allSatisfy { outbox.record($0)?.status == .delivered })
        }
    }

    @Test(
        "delivers all messages to a receiver that is down for 27 hours, with the same body in each attempt",
        arguments: 1...20 as ClosedRange<UInt64>)
    func outage(seed: UInt64) async throws {
        let end = DispatchHarness.start + .seconds(27 * 3600)
        let harness = DispatchHarness(seed: seed) { _, now in
            now < end ? AttemptResult(failure: .connect) : AttemptResult(status: 200)
        }
        try await harness.run {
            try await harness.add(.test())
            var ids: [String] = []
            for hour in 0..<27 {
                ids += harness.commit(3, to: "end_a", first: 3 * hour)
                await harness.advance(by: .seconds(3600))
            }
            await harness.advance(by: .seconds(20 * 3600))
            let records = ids.compactMap(harness.outbox.record)
            #expect(records.count == 81)
            #expect(records.allSatisfy { $0.status == .delivered })
            #expect(records.allSatisfy { $0.attempts.count <= 8 })
            for (_, attempts) in Dictionary(grouping: harness.sender.sent, by: \.request.id) {
                #expect(Set(attempts.map(\.request.body)).count == 1)
                #expect(attempts.allSatisfy { $0.request.timestamp == $0.at })
            }
        }
    }

    @Test("exhausts a message after eight attempts in about 27.6 hours, and reports that once to the other endpoints")
    func exhausts() async throws {
        let harness = DispatchHarness { request, _ in
            request.endpointID == "end_a" ? AttemptResult(status: 500, failure: .status) : AttemptResult(status: 200)
        }
        try await harness.run {
            try await harness.add(.test(), .test("end_b"))
            let id = harness.commit(to: "end_a")[0]
            await harness.advance(by: .seconds(40 * 3600))
            let record = try #require(harness.outbox.record(id))
            #expect(record.status == .exhausted)
            #expect(record.attempts.map(\.number) == Array(1...8))
            let delays = zip(record.attempts, record.attempts.dropFirst()).map { $1.startedAt - $0.startedAt }
            for (delay, nominal) in zip(delays, RetrySchedule.standard.delays) {
                #expect(delay >= nominal * 0.8 && delay <= nominal * 1.2 + .seconds(60))
            }
            #expect(harness.outbox.events.map(\.type) == ["delivery.exhausted"])
            let reports = harness.sender.sent.filter { $0.request.endpointID == "end_b" }
            #expect(reports.count == 1)
            #expect(reports.first?.request.body.contains("\"delivery\":{\"id\":\"\(id)\"") == true)
        }
    }

    @Test("waits for Retry-After with all messages of the endpoint")
    func retryAfter() async throws {
        let harness = DispatchHarness { request, now in
            now < DispatchHarness.start + .seconds(100)
                ? AttemptResult(status: 503, failure: .status, retryAfter: .seconds(100)) : AttemptResult(status: 200)
        }
        try await harness.run {
            try await harness.add(.test())
            let first = harness.commit(to: "end_a")[0]
            await harness.settle()
            harness.commit(5, to: "end_a", first: 1)
            await harness.advance(by: .seconds(99))
            #expect(harness.sender.sent.count == 1)
            await harness.advance(by: .seconds(20))
            #expect(harness.outbox.record(first)?.status == .delivered)
            #expect(harness.outbox.records.allSatisfy { $0.status == .delivered })
        }
    }

    @Test(
        "disables an endpoint at once on 410 or when asked to, and reports that to the others",
        arguments: [true, false])
    func gone(by status: Bool) async throws {
        let harness = DispatchHarness { request, _ in
            guard request.endpointID == "end_a" else { return AttemptResult(status: 200) }
            return status
                ? AttemptResult(status: 410, failure: .status)
                : AttemptResult(status: 500, failure: .status, instruction: .disable)
        }
        try await harness.run {
            try await harness.add(.test(), .test("end_b"))
            harness.commit(to: "end_a")
            await harness.settle()
            #expect(harness.outbox.endpoint("end_a")?.endpoint.isActive == false)
            #expect(harness.outbox.events.map(\.type) == ["endpoint.disabled"])
            #expect(harness.sender.sent.filter { $0.request.endpointID == "end_b" }.count == 1)
            harness.commit(3, to: "end_a", first: 1)
            await harness.advance(by: .seconds(100_000))
            #expect(harness.sender.sent.filter { $0.request.endpointID == "end_a" }.count == 1)
            // Enabled again, it starts with fresh health.
            harness.sender.answer { _, _ in AttemptResult(status: 200) }
            try await harness.add(.test())
            #expect(harness.outbox.records.count { $0.status == .delivered } == 4)
            #expect(harness.outbox.endpoint("end_a")?.health.firstFailure == nil)
        }
    }

    /// An endpoint with another address.
    private static var moved: Endpoint {
        var endpoint = Endpoint.test()
        endpoint.url = "https://example.org/new"
        return endpoint
    }

    @Test(
        "does not disable an endpoint whose address is changed while the former one answers 410",
        arguments: [true, false])
    func changed(isReadBefore: Bool) async throws {
        let harness = DispatchHarness { request, _ in
            request.url == Self.moved.url
                ? AttemptResult(status: 200) : AttemptResult(status: 410, failure: .status, duration: .seconds(10))
        }
        try await harness.run {
            try await harness.add(.test())
            harness.commit(to: "end_a")
            await harness.advance(by: .seconds(5))
            #expect(harness.sender.inFlight == 1)
            // The change is stored; the dispatcher reads it before or after the answer to the former address.
            harness.outbox.save(Self.moved)
            if isReadBefore { try await harness.dispatcher.reloadEndpoints() }
            await harness.advance(by: .seconds(10))
            if !isReadBefore { try await harness.dispatcher.reloadEndpoints() }
            await harness.advance(by: .seconds(600))
            #expect(harness.outbox.endpoint("end_a")?.endpoint == Self.moved)
            #expect(harness.outbox.endpoint("end_a")?.health.firstFailure == nil)
            let former = Endpoint.test().url
            #expect(harness.sender.sent.first?.request.url == former)
            // Later events have messages for it.
            let event = ServiceEvents.disabled(.test("end_other"), reason: "gone", at: harness.clock.now())
            #expect(harness.roster.messages(for: event).map(\.endpointID) == ["end_a"])
            harness.commit(to: "end_a", first: 1)
            await harness.settle()
            #expect(harness.sender.sent.last?.request.url == Self.moved.url)
            #expect(harness.outbox.records.last?.status == .delivered)
        }
    }

    @Test("counts the failures of another address from zero")
    func otherAddress() async throws {
        let harness = DispatchHarness(script: Self.down)
        try await harness.run {
            try await harness.add(.test())
            for hour in 0..<119 {
                harness.commit(to: "end_a", first: hour)
                await harness.advance(by: .seconds(3600))
            }
            try await harness.add(Self.moved)
            for hour in 119..<130 {
                harness.commit(to: "end_a", first: hour)
                await harness.advance(by: .seconds(3600))
            }
            #expect(harness.outbox.endpoint("end_a")?.endpoint.isActive == true)
        }
    }

    @Test("cancels a message that the receiver refuses, and no other message")
    func aborts() async throws {
        let harness = DispatchHarness { request, _ in
            request.id == "evt_0"
                ? AttemptResult(status: 400, failure: .status, instruction: .abortMessage) : AttemptResult(status: 200)
        }
        try await harness.run {
            try await harness.add(.test())
            harness.commit(3, to: "end_a")
            await harness.advance(by: .seconds(60))
            #expect(harness.outbox.records.map(\.status) == [.cancelled, .delivered, .delivered])
            #expect(harness.sender.sent.count == 3)
        }
    }

    @Test("disables an endpoint that has accepted nothing for five days")
    func silence() async throws {
        let harness = DispatchHarness(script: Self.down)
        try await harness.run {
            try await harness.add(.test())
            for hour in 0..<119 {
                harness.commit(to: "end_a", first: hour)
                await harness.advance(by: .seconds(3600))
            }
            #expect(harness.outbox.endpoint("end_a")?.endpoint.isActive == true)
            for hour in 119..<124 {
                harness.commit(to: "end_a", first: hour)
                await harness.advance(by: .seconds(3600))
            }
            #expect(harness.outbox.endpoint("end_a")?.endpoint.isActive == false)
            #expect(harness.outbox.events.contains { $0.type == "endpoint.disabled" })
        }
    }

    @Test("sends one probe a minute to an endpoint that is down, and uses up no attempts of the waiting messages")
    func breaker() async throws {
        let harness = DispatchHarness(script: Self.down)
        try await harness.run {
            try await harness.add(.test())
            harness.commit(1000, to: "end_a")
            await harness.advance(by: .seconds(1))
            let burst = harness.sender.sent.count
            #expect((10...13).contains(burst))
            await harness.advance(by: .seconds(600))
            #expect((9...11).contains(harness.sender.sent.count - burst))
            #expect(harness.outbox.records.allSatisfy { $0.attempts.count <= 2 })
            harness.sender.answer { _, _ in AttemptResult(status: 200) }
            await harness.advance(by: .seconds(60))
            #expect(harness.outbox.records.count { $0.status == .delivered } > 980)
        }
    }

    @Test("has at most four concurrent attempts per endpoint")
    func inFlight() async throws {
        let harness = DispatchHarness { _, _ in AttemptResult(status: 200, duration: .seconds(1)) }
        try await harness.run {
            try await harness.add(.test())
            harness.commit(40, to: "end_a")
            await harness.advance(by: .seconds(11))
            #expect(harness.sender.mostInFlight(at: "end_a") == 4)
            #expect(harness.outbox.records.allSatisfy { $0.status == .delivered })
        }
    }

    @Test("delays no other endpoint because of one that never responds, and keeps its backlog on disk")
    func isolation() async throws {
        let harness = DispatchHarness { request, _ in
            request.endpointID == "end_0"
                ? AttemptResult(failure: .timeout, duration: .seconds(15))
                : AttemptResult(status: 200, duration: .milliseconds(20))
        }
        try await harness.run {
            for number in 0..<10 { harness.outbox.save(.test("end_\(number)")) }
            try await harness.add(.test("end_0"))
            for step in 0..<200 {
                for number in 0..<10 { harness.commit(10, to: "end_\(number)", first: 10 * step) }
                await harness.advance(by: .milliseconds(100))
            }
            await harness.advance(by: .seconds(1))
            let others = harness.outbox.records.filter { $0.pending.endpointID != "end_0" }
            #expect(others.count == 18_000)
            let waits = others.compactMap { record in
                record.attempts.last.map { $0.startedAt + $0.duration - record.pending.createdAt }
            }.sorted()
            #expect(waits.count == 18_000)
            #expect(waits[waits.count * 99 / 100] < .seconds(1))
            #expect(harness.sender.mostInFlight(at: "end_0") == 4)
        }
    }

    @Test("keeps the order of each device on ordered endpoints, without delaying other devices")
    func ordered() async throws {
        let harness = DispatchHarness { request, now in
            request.id == "evt_0" && now < DispatchHarness.start + .seconds(4)
                ? AttemptResult(failure: .timeout) : AttemptResult(status: 200)
        }
        try await harness.run {
            try await harness.add(.test(ordered: true))
            harness.commit(5, to: "end_a", device: "stuck", ordered: true)
            harness.commit(5, to: "end_a", device: "other", ordered: true, first: 100)
            await harness.settle()
            let done = { harness.sender.sent.map(\.request.id) }
            #expect(done().filter { $0.count == 7 } == (100..<105).map { "evt_\($0)" })
            #expect(done().filter { $0.count == 5 } == ["evt_0"])
            await harness.advance(by: .seconds(10))
            #expect(done().filter { $0.count == 5 } == ["evt_0"] + (0..<5).map { "evt_\($0)" })
        }
    }

    @Test("does not retry early or late when the wall clock jumps by an hour", arguments: [3600, -3600])
    func wallClockJumps(seconds: Int) async throws {
        let harness = DispatchHarness(script: Self.down)
        try await harness.run {
            try await harness.add(.test())
            harness.commit(5, to: "end_a")
            await harness.advance(by: .seconds(60))
            #expect(harness.sender.sent.count == 10)
            harness.time.jump(by: .seconds(seconds))
            await harness.advance(by: .seconds(120))
            #expect(harness.sender.sent.count == 10)
            // The timestamp of messages is wall time, which receivers compare with their clocks.
            await harness.advance(by: .seconds(400))
            let last = try #require(harness.sender.sent.last)
            #expect(harness.sender.sent.count > 10)
            #expect(abs((last.request.timestamp - last.at).milliseconds) > 3_000_000)
        }
    }

    @Test("corrects due times that no retry schedule produces")
    func absurdDueTimes() async throws {
        let outbox = MemoryOutbox()
        outbox.save(.test())
        let harness = DispatchHarness(outbox: outbox)
        let ids = harness.commit(3, to: "end_a")
        for id in ids { outbox.setDue(id, to: DispatchHarness.start + .seconds(400 * 86_400)) }
        try await harness.run {
            await harness.advance(by: .seconds(1))
            #expect(ids.allSatisfy { outbox.record($0)?.status == .delivered })
        }
    }

    @Test("continues sending while the store cannot write, and writes the results later")
    func storeTrouble() async throws {
        let harness = DispatchHarness()
        try await harness.run {
            try await harness.add(.test())
            harness.outbox.failWrites(true)
            let ids = harness.commit(10, to: "end_a")
            await harness.advance(by: .seconds(20))
            #expect(harness.sender.sent.count == 10)
            #expect(ids.allSatisfy { harness.outbox.record($0)?.status == .pending })
            harness.outbox.failWrites(false)
            await harness.advance(by: .seconds(40))
            #expect(ids.allSatisfy { harness.outbox.record($0)?.attempts.count == 1 })
            #expect(ids.allSatisfy { harness.outbox.record($0)?.status == .delivered })
            #expect(harness.sender.sent.count == 10)
        }
    }

    @Test("does not query the outbox without a reason")
    func idles() async throws {
        let harness = DispatchHarness()
        try await harness.run {
            try await harness.add(.test())
            await harness.advance(by: .seconds(5))
            let before = harness.outbox.calls.due
            await harness.advance(by: .seconds(3600))
            #expect(harness.outbox.calls.due == before)
        }
    }

    @Test("sends a test event that is marked as one, regardless of the endpoint's filters")
    func test() async throws {
        let harness = DispatchHarness()
        var endpoint = Endpoint.test()
        endpoint.events = [GlobPattern("region.*")]
        let attempt = await harness.dispatcher.test(endpoint)
        #expect(attempt.status == 200 && attempt.failure == nil)
        let body = try #require(harness.sender.sent.first?.request.body)
        #expect(body.contains("\"type\":\"webhook.test\"") && body.contains("\"test\":true"))
    }
}
