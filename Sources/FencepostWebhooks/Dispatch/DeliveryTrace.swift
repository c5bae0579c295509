import FencepostGeometry
import FencepostModel
import FencepostService
import FencepostTracing
import Foundation

/// The trace of a delivery: that of the request that caused its event, which is stored with the message.
struct DeliveryTrace {
    /// The span of the request.
    private let request: TraceContext
    /// The span of the delivery. Its id follows from the delivery's, so that the spans of attempts have the same parent before
    /// and after a restart.
    let delivery: TraceContext

    /// `nil` for a delivery whose trace is not recorded.
    init?(_ pending: PendingDelivery) {
        guard let request = pending.headers["traceparent"].flatMap({ TraceContext(traceparent: $0) }),
            request.isSampled
        else { return nil }
        self.request = request
        // FNV-1a, as Swift's own hash differs between processes.
        var hash: UInt64 = 0xcbf2_9ce4_8422_2325
        for byte in pending.id.utf8 { hash = (hash ^ UInt64(byte)) &* 0x0000_0100_0000_01b3 }
        delivery = request.child(hash == 0 ? 1 : hash)
    }

    /// Records the delivery, from the storing of its message to its end, when there is no other attempt.
    static func record(
        _ pending: PendingDelivery, _ settlement: Settlement, at now: Timestamp, _ tracer: Tracer
    ) {
        guard let outcome = settlement.result.name, let trace = DeliveryTrace(pending) else { return }
        let end = tracer.now()
        var span = Span(
            "deliver \(pending.endpointID)", .producer, trace.delivery, parentID: trace.request.spanID,
            start: end - max(now - pending.createdAt, .zero), end: end)
        let attempts = settlement.attempt?.number ?? pending.attempts
        span.attributes = [
            Span.Attribute("messaging.system", "fencepost"), Span.Attribute("messaging.operation.type", "send"),
            Span.Attribute("messaging.operation.name", "deliver"),
            Span.Attribute("messaging.destination.name", pending.endpointID),
            Span.Attribute("messaging.message.id", pending.eventID),
            Span.Attribute("fencepost.event.type", pending.eventType),
            Span.Attribute("fencepost.delivery.id", pending.id), Span.Attribute("fencepost.delivery.outcome", outcome),
            Span.Attribute("fencepost.delivery.attempts", attempts),
        ]
        if tracer.includesDevices, let device = pending.deviceID {
            span.attributes.append(Span.Attribute("fencepost.device.id", device.rawValue))
        }
        if settlement.result == .exhausted || settlement.attempt?.failure != nil {
            span.failure = outcome
            span.attributes.append(
                Span.Attribute("error.type", settlement.attempt?.failure?.rawValue ?? outcome))
        }
        tracer.record(span)
    }
}

extension Settlement.Result {
    /// The outcome of the delivery; `nil` where another attempt follows.
    fileprivate var name: String? {
        switch self {
        case .delivered: "delivered"
        case .retry: nil
        case .exhausted: "exhausted"
        case .cancelled: "cancelled"
        case .expired: "expired"
        case .suppressed: "suppressed"
        }
    }
}

/// The trace of one attempt, which delivers one message or several that were collected.
struct AttemptTrace {
    /// The span of the attempt, which the receiver's spans belong to.
    let context: TraceContext
    private let parent: TraceContext
    /// The other deliveries of the attempt.
    private let others: [TraceContext]
    private let deliveries: [PendingDelivery]
    private let endpoint: Endpoint
    private let tracer: Tracer
    private let start: ContinuousClock.Instant

    /// `nil` where no delivery's trace is recorded.
    init?(_ deliveries: [PendingDelivery], to endpoint: Endpoint, _ tracer: Tracer) {
        let traced = deliveries.compactMap { DeliveryTrace($0)?.delivery }
        guard let parent = traced.first else { return nil }
        (self.deliveries, self.endpoint, self.tracer, self.parent) = (deliveries, endpoint, tracer, parent)
        others = Array(traced.dropFirst())
        (context, start) = (parent.child(tracer.nextSpanID()), tracer.now())
    }

    /// Records the attempt. The URL is left out, since those of chat services are secrets.
    func record(_ result: AttemptResult) {
        let isHTTP: Bool
        switch endpoint.kind {
        case .webhook, .ntfy, .gotify, .telegram, .slack, .discord, .apprise: isHTTP = true
        case .email, .mqtt, .nats, .redis, .amqp, .kafka: isHTTP = false
        }
        var span = Span(
            isHTTP ? "POST" : "send \(endpoint.kind.rawValue)", .client, context, parentID: parent.spanID, start: start,
            end: tracer.now())
        span.links = others
        span.attributes = [
            Span.Attribute("messaging.destination.name", endpoint.id),
            Span.Attribute("fencepost.endpoint.kind", endpoint.kind.rawValue),
        ]
        if deliveries.count > 1 {
            span.attributes.append(Span.Attribute("messaging.batch.message_count", deliveries.count))
        }
        if let url = URLComponents(string: endpoint.url), let host = url.host, !host.isEmpty {
            span.attributes.append(Span.Attribute("server.address", host))
            let port = url.port ?? (url.scheme == "https" ? 443 : url.scheme == "http" ? 80 : nil)
            if let port { span.attributes.append(Span.Attribute("server.port", port)) }
        }
        if isHTTP {
            span.attributes.append(Span.Attribute("http.request.method", "POST"))
            if let status = result.status {
                span.attributes.append(Span.Attribute("http.response.status_code", status))
            }
            if let before = deliveries.first?.attempts, before > 0 {
                span.attributes.append(Span.Attribute("http.request.resend_count", before))
            }
        }
        if let failure = result.failure {
            let type = failure == .status ? result.status.map { String($0) } : nil
            span.attributes.append(Span.Attribute("error.type", type ?? failure.rawValue))
            span.failure = failure.rawValue
        }
        tracer.record(span)
    }
}
