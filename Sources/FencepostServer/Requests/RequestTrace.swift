import FencepostHTTP
import FencepostTracing
import HTTPTypes
import Hummingbird
import Synchronization

/// The recorded trace of a request that takes locations.
final class RequestTrace: Sendable {
    private struct Decoding {
        var start: ContinuousClock.Instant?
        var isOver = false
    }

    /// The span of the request.
    let context: TraceContext
    private let parent: TraceContext?
    private let tracer: Tracer
    private let decoding = Mutex(Decoding())

    /// - Parameters:
    ///   - headers: those of the request, which may have the caller's trace.
    ///   - tracer: decides whether the trace is recorded; the result is `nil` when it is not.
    init?(_ headers: HTTPFields, _ tracer: Tracer) {
        parent = headers[.traceParent].flatMap { TraceContext(traceparent: $0) }
        guard let context = tracer.begin(parent) else { return nil }
        (self.context, self.tracer) = (context, tracer)
    }

    /// The body is there; the route begins to decode it.
    func beginDecoding() { decoding.withLock { $0.start = tracer.now() } }

    /// The body is decoded and checked.
    func endDecoding(locations: Int, rejected: Int) {
        endDecoding(failure: nil) {
            [Span.Attribute("fencepost.locations", locations), Span.Attribute("fencepost.rejected", rejected)]
        }
    }

    /// Records the decoding once: where a request is decoded again, the first time counts.
    private func endDecoding(failure: String?, _ attributes: () -> [Span.Attribute]) {
        let start = decoding.withLock { decoding -> ContinuousClock.Instant? in
            defer { decoding.isOver = true }
            return decoding.isOver ? nil : decoding.start
        }
        guard let start else { return }
        var span = Span(
            "decode", .internal, context.child(tracer.nextSpanID()), parentID: context.spanID, start: start,
            end: tracer.now())
        span.attributes = attributes()
        span.failure = failure
        tracer.record(span)
    }

    /// The response is known.
    ///
    /// - Parameters:
    ///   - exchange: the request with its response.
    ///   - status: the response's.
    func end(_ exchange: Exchange, _ status: HTTPResponse.Status) {
        if let cause = exchange.cause {
            endDecoding(failure: cause) { [Span.Attribute("error.type", cause)] }
        }
        let method = exchange.request.method.rawValue
        // A route has no parameters in its path where it takes locations, so the path says nothing of a person.
        let path = exchange.route?.path ?? exchange.path
        var span = Span(
            "\(method) \(path)", .server, context, parentID: parent?.spanID, start: exchange.started, end: tracer.now())
        span.attributes = [
            Span.Attribute("http.request.method", method),
            Span.Attribute("url.scheme", exchange.request.head.scheme ?? "http"),
            Span.Attribute("url.path", exchange.path), Span.Attribute("http.route", path),
            Span.Attribute("http.response.status_code", status.code),
        ]
        if let (host, port) = exchange.call.authority.flatMap(Self.host(of:)) {
            span.attributes.append(Span.Attribute("server.address", host))
            if let port { span.attributes.append(Span.Attribute("server.port", port)) }
        }
        if status.code >= 400 {
            span.attributes.append(Span.Attribute("error.type", exchange.cause ?? String(status.code)))
        }
        // A request that the client has to mend is no failure of the service.
        if status.code >= 500 { span.failure = exchange.cause ?? String(status.code) }
        tracer.record(span)
    }

    /// The length of the longest name of a host. The header is the client's to write.
    private static let hostLimit = 253

    /// The parts of `host:port`; an IPv6 address without its brackets.
    private static func host(of authority: String) -> (host: String, port: Int?)? {
        guard !authority.isEmpty else { return nil }
        let end = authority.lastIndex(of: ":").flatMap { colon -> String.Index? in
            authority[colon...].contains("]") ? nil : colon
        }
        let host = authority[..<(end ?? authority.endIndex)].filter { $0 != "[" && $0 != "]" }
        return (String(host.prefix(hostLimit)), end.flatMap { Int(authority[authority.index(after: $0)...]) })
    }
}

extension HTTPField.Name {
    static let traceParent = HTTPField.Name(literal: "traceparent")
}
