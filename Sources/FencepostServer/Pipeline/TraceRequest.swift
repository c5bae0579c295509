import FencepostHTTP
import FencepostTracing

/// Begins, divides or ends the trace of a request that takes locations. There is no such stage where nothing is traced.
struct TraceRequest: RequestStage {
    /// Where in the pipeline the stage is.
    enum Part: Hashable, Sendable {
        /// Once the route is known.
        case begin
        /// Before the route runs.
        case decode
        /// At the end.
        case end
    }

    let part: Part
    let tracer: Tracer

    var takesFailures: Bool { part == .end }

    func handle(_ exchange: inout Exchange) {
        switch part {
        case .begin:
            guard exchange.route?.traffic == .ingest else { return }
            exchange.call.trace = RequestTrace(exchange.call.headers, tracer)
        case .decode: exchange.call.trace?.beginDecoding()
        case .end:
            // A request without a response is answered by another node, which has its trace too.
            guard let status = exchange.response?.status else { return }
            exchange.call.trace?.end(exchange, status)
        }
    }
}
