import FencepostHTTP
import FencepostModel
import FencepostTracing
import HTTPTypes
import Hummingbird
import Logging
import Metrics

/// Writes one line per request that was answered, without query, device id and body (rule O5), and counts and
/// measures it.
struct RecordRequest: RequestStage {
    let counters: RequestCounters
    let logger: Logger
    private let unwritable = UnwritableNumbers()
    private let ingestTimer = Metrics.Timer(label: "fencepost_ingest_request_duration_seconds")

    init(_ counters: RequestCounters, _ logger: Logger) { (self.counters, self.logger) = (counters, logger) }

    var takesFailures: Bool { true }

    func handle(_ exchange: inout Exchange) {
        guard let status = exchange.response?.status else { return }
        let duration = ContinuousClock.now - exchange.started
        log(&exchange, status, duration)
        counters.count(exchange.route?.name, status)
        if let count = exchange.response?.unwritableNumbers, count > 0 {
            unwritable.report(count, route: exchange.route?.path ?? "none", logger)
        }
        if exchange.route?.traffic == .ingest { ingestTimer.record(duration: duration) }
    }

    private func log(_ exchange: inout Exchange, _ status: HTTPResponse.Status, _ duration: Duration) {
        // Successful ingest requests and probes come every second: they are logged at a lower level.
        let traffic = exchange.route?.traffic
        let isRoutine = traffic != nil && traffic != .api && status.code < 400
        guard !isRoutine || logger.logLevel <= .debug else { return }
        var metadata: Logger.Metadata = [
            "method": "\(exchange.request.method.rawValue.prefix(16))", "route": "\(exchange.route?.path ?? "none")",
            "status": .stringConvertible(status.code),
            "milliseconds": .stringConvertible(duration.milliseconds), "requestId": "\(exchange.call.requestID)",
        ]
        if let cause = exchange.cause { metadata["cause"] = "\(cause)" }
        let trace =
            exchange.call.trace?.context
            ?? exchange.call.headers[.traceParent].flatMap { TraceContext(traceparent: $0) }
        if let trace { metadata["traceId"] = "\(trace.traceIDText)" }
        logger.log(level: isRoutine ? .debug : .info, "request", metadata: metadata)
    }
}
