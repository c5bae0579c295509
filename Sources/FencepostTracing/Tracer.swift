import Synchronization

/// Decides which traces are recorded, gives their spans ids, and holds the spans until they are sent.
///
/// Where no traces are recorded there is no tracer, and the code that would use it does nothing.
public final class Tracer: Sendable {
    /// Spans that may wait to be sent. Beyond this, new ones are dropped and counted.
    public static let capacity = 8192

    private struct Queue {
        var spans: [Span] = []
        var dropped = 0
        var waiting: CheckedContinuation<Void, Never>?
        /// The number of spans that wakes who waits.
        var wanted = 0
    }

    /// Whether spans may name devices.
    public let includesDevices: Bool
    /// Of the highest 53 of the lowest 56 bits of trace ids, as many as a `Double` has, those below this number are not recorded.
    private let threshold: Double
    private let random: Atomic<UInt64>
    private let queue = Mutex(Queue())
    private let capacity: Int
    /// The time of spans.
    public let now: @Sendable () -> ContinuousClock.Instant

    /// A tracer without spans.
    ///
    /// - Parameters:
    ///   - ratio: of the traces that begin here, the part that is recorded, 0 to 1. A caller's trace is recorded if the
    ///     caller records it.
    ///   - includesDevices: whether spans may name devices.
    ///   - seed: makes the ids.
    ///   - capacity: the largest number of spans that wait.
    ///   - now: the time of spans.
    public init(
        ratio: Double, includesDevices: Bool = false, seed: UInt64 = .random(in: .min ... .max),
        capacity: Int = Tracer.capacity, now: @escaping @Sendable () -> ContinuousClock.Instant = { .now }
    ) {
        precondition((0...1).contains(ratio), "a part of the traces is between none and all")
        threshold = (1 - ratio) * Double(1 << 53 as UInt64)
        self.includesDevices = includesDevices
        (self.capacity, self.now) = (capacity, now)
        random = Atomic(seed)
    }

    // MARK: Decisions

    /// Decides whether a trace is recorded.
    ///
    /// - Parameter parent: the caller's span, whose decision counts; `nil` for a trace that begins here.
    /// - Returns: the context of the first span that this service adds to it; `nil` when it is not recorded.
    public func begin(_ parent: TraceContext?) -> TraceContext? {
        if let parent { return parent.isSampled ? parent.child(nextSpanID()) : nil }
        // OpenTelemetry's decision by the ratio: it follows from the lowest 56 bits of the trace's id.
        let low = nextNumber()
        guard Double((low & (1 << 56 - 1)) >> 3) >= threshold else { return nil }
        return TraceContext(traceID: (nextSpanID(), low), spanID: nextSpanID(), isSampled: true)
    }

    /// The id of a new span, not 0.
    public func nextSpanID() -> UInt64 {
        while true {
            let number = nextNumber()
            if number != 0 { return number }
        }
    }

    /// SplitMix64, which is a bijection of a counter: no id comes twice within one process.
    private func nextNumber() -> UInt64 {
        var z = random.wrappingAdd(0x9e37_79b9_7f4a_7c15, ordering: .relaxed).newValue
        z = (z ^ z >> 30) &* 0xbf58_476d_1ce4_e5b9
        z = (z ^ z >> 27) &* 0x94d0_49bb_1331_11eb
        return z ^ z >> 31
    }

    // MARK: Spans

    /// Holds a span of a recorded trace until it is sent, or drops it when too many wait.
    public func record(_ span: Span) {
        let waiting = queue.withLock { queue -> CheckedContinuation<Void, Never>? in
            guard queue.spans.count < capacity else {
                queue.dropped += 1
                return nil
            }
            queue.spans.append(span)
            guard queue.spans.count >= queue.wanted else { return nil }
            defer { queue.waiting = nil }
            return queue.waiting
        }
        waiting?.resume()
    }

    /// Removes the oldest spans.
    ///
    /// - Parameter limit: the largest number of spans.
    /// - Returns: the spans, and how many were dropped since the call before.
    public func take(_ limit: Int) -> (spans: [Span], dropped: Int) {
        queue.withLock { queue in
            defer { queue.dropped = 0 }
            guard queue.spans.count > limit else {
                defer { queue.spans = [] }
                return (queue.spans, queue.dropped)
            }
            defer { queue.spans.removeFirst(limit) }
            return (Array(queue.spans.prefix(limit)), queue.dropped)
        }
    }

    /// The number of spans that wait.
    public var count: Int { queue.withLock { $0.spans.count } }

    /// Returns when so many spans wait, or the task is cancelled. Only one task may wait.
    public func untilWaiting(_ count: Int) async {
        await withTaskCancellationHandler {
            await withCheckedContinuation { continuation in
                let isDone = queue.withLock { queue in
                    if queue.spans.count >= count || Task.isCancelled { return true }
                    (queue.waiting, queue.wanted) = (continuation, count)
                    return false
                }
                if isDone { continuation.resume() }
            }
        } onCancel: {
            let waiting = queue.withLock { queue in
                defer { queue.waiting = nil }
                return queue.waiting
            }
            waiting?.resume()
        }
    }
}
