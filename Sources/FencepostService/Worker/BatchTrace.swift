import FencepostModel
import FencepostTracing

/// A submission whose trace is recorded.
struct SubmissionTrace: Sendable {
    /// The span of the request.
    let context: TraceContext
    /// When it came into the inbox.
    let arrival: ContinuousClock.Instant

    /// `nil` for a submission whose trace is not recorded.
    init?(_ submission: Submission, _ tracer: Tracer) {
        guard let context = submission.traceparent.flatMap({ TraceContext(traceparent: $0) }), context.isSampled else {
            return nil
        }
        (self.context, arrival) = (context, tracer.now())
    }
}

/// When a batch went through its steps, and which of its submissions are traced.
///
/// Submissions are evaluated and written together, so the spans of all of them have the times of their batch.
struct BatchTrace: Sendable {
    /// The traced submissions, by their number in the batch; not empty.
    let submissions: [(number: Int, trace: SubmissionTrace)]
    /// The start and the end of the evaluation.
    var evaluation: Range<ContinuousClock.Instant>?
    /// When the write of the commit began; `nil` before, and for a batch without one.
    var writeStart: ContinuousClock.Instant?

    /// `nil` where none of the submissions is traced.
    init?(_ senders: [SubmissionReply]) {
        var found: [(number: Int, trace: SubmissionTrace)] = []
        for (number, sender) in senders.enumerated() {
            if let trace = sender.trace { found.append((number, trace)) }
        }
        guard !found.isEmpty else { return nil }
        submissions = found
    }

    /// Records the spans of a batch that is over.
    ///
    /// - Parameters:
    ///   - batch: the evaluated batch; `nil` when its evaluation failed.
    ///   - end: when the write of the commit ended.
    ///   - failure: why the batch was refused; `nil` where it was not.
    ///   - tracer: takes the spans.
    func record(_ batch: EvaluatedBatch?, writtenAt end: ContinuousClock.Instant, failure: String?, _ tracer: Tracer) {
        for (number, trace) in submissions {
            func record(
                _ name: String, from start: ContinuousClock.Instant, to end: ContinuousClock.Instant,
                failure: String? = nil, _ complete: (inout Span) -> Void = { _ in }
            ) {
                let context = trace.context.child(tracer.nextSpanID())
                var span = Span(
                    name, .internal, context, parentID: trace.context.spanID, start: start, end: end)
                if let failure {
                    span.failure = failure
                    span.attributes.append(Span.Attribute("error.type", failure))
                }
                complete(&span)
                tracer.record(span)
            }

            guard let evaluation else {
                record("wait for evaluation", from: trace.arrival, to: end, failure: failure)
                continue
            }
            record("wait for evaluation", from: trace.arrival, to: evaluation.lowerBound)
            record(
                "evaluate", from: evaluation.lowerBound, to: evaluation.upperBound,
                failure: batch == nil ? failure : nil
            ) { span in
                guard let batch else { return }
                let receipt = batch.receipts[number]
                span.attributes += [
                    Span.Attribute("fencepost.locations.accepted", receipt.accepted),
                    Span.Attribute("fencepost.locations.late", receipt.late),
                    Span.Attribute("fencepost.locations.duplicate", receipt.duplicates),
                    Span.Attribute("fencepost.batch.submissions", batch.receipts.count),
                ]
                let events = batch.eventsByCause[number] ?? 0..<0
                span.events = events.prefix(Span.eventLimit).map { index in
                    Self.event(batch.commit.events[index], at: evaluation.upperBound, tracer)
                }
                span.droppedEvents = events.count - span.events.count
            }
            guard batch != nil else { continue }
            guard let writeStart else {
                if failure != nil {
                    record("wait for commit", from: evaluation.upperBound, to: end, failure: failure)
                }
                continue
            }
            record("wait for commit", from: evaluation.upperBound, to: writeStart)
            record("commit", from: writeStart, to: end, failure: failure)
        }
    }

    private static func event(_ event: NewEvent, at time: ContinuousClock.Instant, _ tracer: Tracer) -> Span.Event {
        var attributes = [
            Span.Attribute("fencepost.event.id", event.id), Span.Attribute("fencepost.event.type", event.type),
        ]
        if let region = event.regionID { attributes.append(Span.Attribute("fencepost.region.id", region.rawValue)) }
        if tracer.includesDevices, let device = event.deviceID {
            attributes.append(Span.Attribute("fencepost.device.id", device.rawValue))
        }
        return Span.Event("event", at: time, attributes)
    }
}
