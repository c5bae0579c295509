import FencepostTracing

/// What a service does for the traces of requests: the decision, and for those that are recorded the spans of a request with one
/// event and one webhook, and the messages that send them.
enum TracedRequests {
    /// Spans in a message, as the service sends them.
    private static let batch = 512

    /// - Parameters:
    ///   - count: the number of requests.
    ///   - ratio: the part of them that is recorded.
    /// - Returns: the work to measure, which returns the number of bytes that it would send.
    static func run(_ count: Int, ratio: Double) -> () -> Int {
        let tracer = Tracer(ratio: ratio, seed: 1)
        let request = ExportRequest(
            resource: [Span.Attribute("service.name", "fencepost"), Span.Attribute("service.namespace", "maps")],
            version: "a version", unixTime: { _ in 1_772_353_800_000_000_000 })
        return {
            let time = ContinuousClock.now
            var bytes = 0
            for _ in 0..<count {
                guard let context = tracer.begin(nil) else { continue }
                record(context, tracer, time)
                if tracer.count >= batch { bytes += request.bytes(tracer.take(batch).spans).count }
            }
            return bytes + request.bytes(tracer.take(batch).spans).count
        }
    }

    private static func record(_ context: TraceContext, _ tracer: Tracer, _ time: ContinuousClock.Instant) {
        // The worker and the dispatcher have the trace as the text of a header.
        guard let request = TraceContext(traceparent: context.traceparent) else { return }
        func span(_ name: String, _ kind: Span.Kind, of parent: UInt64, _ attributes: [Span.Attribute]) -> Span {
            var span = Span(
                name, kind, request.child(tracer.nextSpanID()), parentID: parent, start: time, end: time)
            span.attributes = attributes
            return span
        }
        tracer.record(
            span(
                "decode", .internal, of: request.spanID,
                [Span.Attribute("fencepost.locations", 1), Span.Attribute("fencepost.rejected", 0)]))
        tracer.record(span("wait for evaluation", .internal, of: request.spanID, []))
        var evaluation = span(
            "evaluate", .internal, of: request.spanID,
            [
                Span.Attribute("fencepost.locations.accepted", 1), Span.Attribute("fencepost.locations.late", 0),
                Span.Attribute("fencepost.locations.duplicate", 0), Span.Attribute("fencepost.batch.submissions", 1),
            ])
        evaluation.events = [
            Span.Event(
                "event", at: time,
                [
                    Span.Attribute("fencepost.event.id", "evt_0123456789abcdef"),
                    Span.Attribute("fencepost.event.type", "region.entered"),
                    Span.Attribute("fencepost.region.id", "office"),
                ])
        ]
        tracer.record(evaluation)
        tracer.record(span("wait for commit", .internal, of: request.spanID, []))
        tracer.record(span("commit", .internal, of: request.spanID, []))
        tracer.record(
            span(
                "POST /v1/locations", .server, of: 1,
                [
                    Span.Attribute("http.request.method", "POST"), Span.Attribute("url.scheme", "http"),
                    Span.Attribute("url.path", "/v1/locations"), Span.Attribute("http.route", "/v1/locations"),
                    Span.Attribute("http.response.status_code", 200), Span.Attribute("server.address", "127.0.0.1"),
                    Span.Attribute("server.port", 8080),
                ]))
        let delivery = span(
            "deliver hook", .producer, of: request.spanID,
            [
                Span.Attribute("messaging.system", "fencepost"), Span.Attribute("messaging.operation.type", "send"),
                Span.Attribute("messaging.operation.name", "deliver"),
                Span.Attribute("messaging.destination.name", "hook"),
                Span.Attribute("messaging.message.id", "evt_0123456789abcdef"),
                Span.Attribute("fencepost.event.type", "region.entered"),
                Span.Attribute("fencepost.delivery.id", "dlv_0123456789abcdef"),
                Span.Attribute("fencepost.delivery.outcome", "delivered"),
                Span.Attribute("fencepost.delivery.attempts", 1),
            ])
        tracer.record(
            span(
                "POST", .client, of: delivery.context.spanID,
                [
                    Span.Attribute("messaging.destination.name", "hook"),
                    Span.Attribute("fencepost.endpoint.kind", "webhook"),
                    Span.Attribute("server.address", "example.org"), Span.Attribute("server.port", 443),
                    Span.Attribute("http.request.method", "POST"), Span.Attribute("http.response.status_code", 204),
                ]))
        tracer.record(delivery)
    }
}
