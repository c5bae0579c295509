import FencepostTracing
import Testing

@Suite("Tracer") struct TracerTests {
    private func span(_ tracer: Tracer, _ name: String = "a") throws -> Span {
        let context = try #require(TraceContext(traceparent: "00-4bf92f3577b34da6a3ce929d0e0e4736-00f067aa0ba902b7-01"))
        return Span(name, .internal, context.child(tracer.nextSpanID()), parentID: nil, start: .now, end: .now)
    }

    @Test(
        "records the chosen part of the traces that begin here",
        arguments: [(0.0, 0...0), (0.01, 880...1120), (0.5, 49_400...50_600), (1.0, 100_000...100_000)])
    func ratio(ratio: Double, count: ClosedRange<Int>) {
        let tracer = Tracer(ratio: ratio, seed: 1)
        var recorded = 0
        for _ in 0..<100_000 {
            guard let context = tracer.begin(nil) else { continue }
            recorded += 1
            #expect(context.isSampled)
        }
        #expect(count.contains(recorded), "\(recorded)")
    }

    @Test("decides by the lowest 56 bits of the trace's id, as OpenTelemetry does") func decision() {
        let tracer = Tracer(ratio: 0.25, seed: 7)
        for context in (0..<10_000).compactMap({ _ in tracer.begin(nil) }) {
            #expect(context.traceID.low & (1 << 56 - 1) >= 3 << 54)
        }
    }

    @Test("follows the decision of the caller, whatever the ratio is", arguments: [0.0, 1.0])
    func parent(ratio: Double) throws {
        let tracer = Tracer(ratio: ratio, seed: 1)
        let text = "00-4bf92f3577b34da6a3ce929d0e0e4736-00f067aa0ba902b7-0"
        let parent = try #require(TraceContext(traceparent: text + "1"))
        let own = try #require(tracer.begin(parent))
        #expect(own.traceID == parent.traceID && own.spanID != parent.spanID && own.isSampled)
        #expect(tracer.begin(TraceContext(traceparent: text + "0")) == nil)
    }

    @Test("gives no id twice") func identities() {
        let tracer = Tracer(ratio: 1, seed: 3)
        let contexts = (0..<10_000).compactMap { _ in tracer.begin(nil) }
        #expect(Set(contexts.map(\.traceIDText)).count == 10_000)
        #expect(Set(contexts.map(\.spanID)).count == 10_000)
    }

    @Test("holds spans up to its limit, and counts those that it drops") func limit() throws {
        let tracer = Tracer(ratio: 1, seed: 1, capacity: 10)
        for number in 0..<13 { tracer.record(try span(tracer, "\(number)")) }
        #expect(tracer.count == 10)
        let first = tracer.take(4)
        #expect(first.spans.map(\.name) == ["0", "1", "2", "3"] && first.dropped == 3)
        tracer.record(try span(tracer, "later"))
        let rest = tracer.take(100)
        #expect(rest.spans.map(\.name) == ["4", "5", "6", "7", "8", "9", "later"] && rest.dropped == 0)
    }

    @Test("wakes who waits for spans, and who is cancelled") func waits() async throws {
        let tracer = Tracer(ratio: 1, seed: 1)
        let waiting = Task { await tracer.untilWaiting(3) }
        for _ in 0..<3 {
            await Task.yield()
            tracer.record(try span(tracer))
        }
        await waiting.value
        await tracer.untilWaiting(3)
        let cancelled = Task { await tracer.untilWaiting(4) }
        await Task.yield()
        cancelled.cancel()
        await cancelled.value
        #expect(tracer.count == 3)
    }

    @Test("keeps the end of a span behind its start") func order() throws {
        let tracer = Tracer(ratio: 1, seed: 1)
        let context = try #require(tracer.begin(nil))
        let now = ContinuousClock.now
        #expect(Span("a", .internal, context, parentID: nil, start: now, end: now - .seconds(1)).end == now)
    }
}
