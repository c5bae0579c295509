import FencepostModel
package import FencepostTracing
package import FencepostTransport
import Foundation
package import Logging
package import Metrics
import Synchronization

/// Sends the spans of a tracer by OTLP over HTTP, in batches.
///
/// A receiver that does not answer disturbs nothing else: spans wait up to the limit of the tracer, and then new ones are
/// dropped and counted. The log says once that the receiver is away, and once that it is back.
package final class TraceExporter: Sendable {
    /// Where spans are sent, and as what.
    package struct Settings: Sendable {
        /// The complete address.
        package var endpoint: String
        /// Headers besides those of the protocol.
        package var headers: [(name: String, value: String)] = []
        /// Attributes of the process.
        package var resource: [Span.Attribute] = []
        /// The largest number of spans in a request.
        package var batch = 512
        /// The longest time that a span waits for others.
        package var interval = Duration.seconds(5)
        /// The longest time of a request.
        package var timeout = Duration.seconds(10)
        /// The first delay before a request is sent again. Each one after is twice as long, up to the last.
        package var firstDelay = Duration.seconds(1)
        /// The longest delay before a request is sent again.
        package var lastDelay = Duration.seconds(30)
        /// How long a batch is tried before it is dropped.
        package var maximumRetryTime = Duration.seconds(60)
        /// How long a stop waits for the spans that are left.
        package var stopTime = Duration.seconds(2)

        /// Wall time since 1970. A `Timestamp` has milliseconds, and spans are shorter.
        package var wall: @Sendable () -> Duration = { .seconds(Date().timeIntervalSince1970) }
        /// Waits.
        package var sleep: @Sendable (Duration) async throws -> Void = { try await Task.sleep(for: $0) }

        /// The defaults of the documentation.
        package init(endpoint: String) { self.endpoint = endpoint }
    }

    /// The result of one request.
    private enum Outcome: Equatable {
        case accepted(rejected: Int, message: String)
        /// It may be sent again: after this time, if the receiver says when.
        case unavailable(String, retryAfter: Duration?)
        case refused(String)
    }

    private struct State {
        /// The spans that are being sent.
        var batch: [Span] = []
        /// Requests that have failed since the last that has not.
        var failures = 0
        /// What the log says last; empty while all is well.
        var problem = ""
        /// A moment in both times.
        var anchor: (instant: ContinuousClock.Instant, wall: Duration)
    }

    private let settings: Settings
    private let tracer: Tracer
    private let client: HTTPClient
    private let logger: Logger
    private let state: Mutex<State>
    private let (stops, stopping) = AsyncStream.makeStream(of: Void.self)
    private let sent, rejected, failed, dropped: Counter

    /// An exporter that sends nothing before it runs.
    ///
    /// - Parameters:
    ///   - settings: where spans are sent.
    ///   - tracer: has the spans; no other exporter takes them.
    ///   - client: makes the requests.
    ///   - logger: logs that the receiver is away, and that it is back.
    ///   - metrics: counts spans.
    package init(
        _ settings: Settings, _ tracer: Tracer, client: HTTPClient, logger: Logger,
        metrics: any MetricsFactory = MetricsSystem.factory
    ) {
        func counter(_ outcome: String) -> Counter {
            Counter(label: "fencepost_trace_spans_total", dimensions: [("outcome", outcome)], factory: metrics)
        }
        (sent, rejected) = (counter("sent"), counter("rejected"))
        (failed, dropped) = (counter("failed"), counter("dropped"))
        (self.settings, self.tracer, self.client, self.logger) = (settings, tracer, client, logger)
        state = Mutex(State(anchor: (tracer.now(), settings.wall())))
        for counter in [sent, rejected, failed, dropped] { counter.increment(by: 0) }
    }

    /// Sends spans until `stop`, and then those that are left, as far as the time allows.
    package func run() async {
        await withTaskGroup(of: Void.self) { group in
            group.addTask { await self.sendBatches() }
            for await _ in stops {}
            group.cancelAll()
        }
        await flush()
        client.shutdown()
    }

    /// Lets `run` return soon.
    package func stop() { stopping.finish() }

    // MARK: Batches

    private func sendBatches() async {
        while !Task.isCancelled {
            await untilBatch()
            while !Task.isCancelled {
                takeBatch()
                guard state.withLock({ !$0.batch.isEmpty }) else { break }
                await sendBatch()
                guard tracer.count >= settings.batch else { break }
            }
        }
    }

    /// Waits until a batch is full, or the first span has waited for long enough.
    private func untilBatch() async {
        await withTaskGroup(of: Void.self) { group in
            group.addTask { [tracer, settings] in await tracer.untilWaiting(settings.batch) }
            group.addTask { [settings] in try? await settings.sleep(settings.interval) }
            await group.next()
            group.cancelAll()
        }
    }

    private func takeBatch() {
        let taken = tracer.take(settings.batch)
        if taken.dropped > 0 { dropped.increment(by: taken.dropped) }
        state.withLock { $0.batch = taken.spans }
    }

    /// Sends the batch until it is accepted or refused, its time is over, or the task is cancelled.
    private func sendBatch() async {
        let end = tracer.now() + settings.maximumRetryTime
        while !Task.isCancelled {
            let outcome = await sendOnce(within: settings.timeout)
            // The rest of the service stops; `flush` sends the batch once more.
            if Task.isCancelled, case .unavailable = outcome { return }
            guard let delay = handle(outcome) else { return }
            let isOver = tracer.now() >= end
            if isOver { giveUp() }
            // The next batch waits too.
            try? await settings.sleep(delay)
            if isOver { return }
        }
    }

    /// Sends what is left, without waiting for a receiver that is away.
    private func flush() async {
        let end = tracer.now() + settings.stopTime
        while true {
            if state.withLock({ $0.batch.isEmpty }) { takeBatch() }
            guard state.withLock({ !$0.batch.isEmpty }) else { return }
            let left = end - tracer.now()
            guard left > .zero else { break }
            guard handle(await sendOnce(within: min(left, settings.timeout))) == nil else { break }
        }
        giveUp()
        let rest = tracer.take(.max)
        failed.increment(by: rest.spans.count)
        dropped.increment(by: rest.dropped)
    }

    private func giveUp() {
        let count = state.withLock { state in
            defer { state.batch = [] }
            return state.batch.count
        }
        failed.increment(by: count)
    }

    /// Counts and logs the result of a request.
    ///
    /// - Returns: the time until the batch is sent again; `nil` when it is done with.
    private func handle(_ outcome: Outcome) -> Duration? {
        let count = state.withLock { $0.batch.count }
        switch outcome {
        case .accepted(let rejected, let message):
            sent.increment(by: max(count - rejected, 0))
            if rejected > 0 { self.rejected.increment(by: min(rejected, count)) }
            note(rejected > 0 ? "it rejected some spans: \(message.prefix(200))" : "", failures: 0)
            state.withLock { $0.batch = [] }
            return nil
        case .refused(let reason):
            failed.increment(by: count)
            note(reason, failures: 0)
            state.withLock { $0.batch = [] }
            return nil
        case .unavailable(let reason, let retryAfter):
            let failures = state.withLock { $0.failures }
            note(reason, failures: failures + 1)
            var delay = min(settings.firstDelay * (1 << min(failures, 16)), settings.lastDelay)
            // Chance keeps the processes of a cluster from sending at the same time.
            delay = delay * Double.random(in: 0.5...1)
            return max(delay, retryAfter ?? .zero)
        }
    }

    /// Logs the first failure after a success, and the first success after a failure.
    private func note(_ problem: String, failures: Int) {
        let former = state.withLock { state in
            defer { (state.problem, state.failures) = (problem, failures) }
            return state.problem
        }
        if former.isEmpty, !problem.isEmpty {
            logger.warning(
                "the receiver of traces does not take them; spans that cannot wait are dropped",
                metadata: ["endpoint": "\(shownEndpoint)", "reason": "\(problem)"])
        } else if !former.isEmpty, problem.isEmpty {
            logger.info("the receiver of traces takes them again", metadata: ["endpoint": "\(shownEndpoint)"])
        }
    }

    /// Without the query, which may have a key.
    private var shownEndpoint: Substring { settings.endpoint.prefix { $0 != "?" } }

    // MARK: Requests

    private func sendOnce(within time: Duration) async -> Outcome {
        let spans = state.withLock { $0.batch }
        let anchor = anchor()
        let body = ExportRequest(resource: settings.resource, version: FencepostVersion.current) { instant in
            let (seconds, attoseconds) = (anchor.wall + (instant - anchor.instant)).components
            return UInt64(max(seconds * 1_000_000_000 + attoseconds / 1_000_000_000, 0))
        }
        var request = HTTPClientRequest("POST", settings.endpoint, body: body.bytes(spans))
        for (name, value) in settings.headers { request.setHeader(name, value) }
        request.setHeader("content-type", "application/x-protobuf")
        request.setHeader("user-agent", "Fencepost/" + FencepostVersion.current)
        (request.connect, request.total) = (time, time)
        request.isEnough = { $0.count >= 65_536 }
        do throws(TransportFailure) {
            return Self.outcome(of: try await client.response(to: request))
        } catch {
            return .unavailable("\(error)", retryAfter: nil)
        }
    }

    /// OTLP 1.9, "Failures": these statuses alone, and missing responses, allow another attempt.
    private static func outcome(of response: HTTPClientResponse) -> Outcome {
        switch response.status {
        case 200..<300:
            let answer = ExportResponse(response.body)
            return .accepted(rejected: answer.rejectedSpans, message: answer.message)
        case 429, 502, 503, 504:
            let seconds = response.header("retry-after").flatMap { Int64($0) }
            return .unavailable(
                "status \(response.status)", retryAfter: seconds.map { .seconds(min(max($0, 0), 300)) })
        default: return .refused("status \(response.status)")
        }
    }

    // MARK: Time

    /// The anchor is kept, so that the times of a trace fit together, until somebody sets the system's clock.
    private func anchor() -> (instant: ContinuousClock.Instant, wall: Duration) {
        let (instant, wall) = (tracer.now(), settings.wall())
        return state.withLock { state in
            let difference = wall - state.anchor.wall - (instant - state.anchor.instant)
            if difference > .milliseconds(10) || difference < .milliseconds(-10) { state.anchor = (instant, wall) }
            return state.anchor
        }
    }
}
