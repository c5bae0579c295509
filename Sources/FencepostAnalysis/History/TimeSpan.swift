public import FencepostModel

/// A span of time: its start belongs to it, its end does not.
public struct TimeSpan: Hashable, Sendable {
    public var start: Timestamp
    /// At or after `start`.
    public var end: Timestamp

    /// A span of time. One that would end before its start is empty.
    public init(_ start: Timestamp, _ end: Timestamp) {
        self.start = start
        self.end = max(start, end)
    }

    /// Seconds from start to end.
    public var seconds: Double { (end - start).seconds }

    /// The part within another span; `nil` if there is none, or if it is empty.
    public func clipped(to other: TimeSpan) -> TimeSpan? {
        let (start, end) = (max(start, other.start), min(end, other.end))
        return start < end ? TimeSpan(start, end) : nil
    }
}

extension [TimeSpan] {
    /// The spans without overlaps, in the order of time.
    public var united: [TimeSpan] {
        var result: [TimeSpan] = []
        for span in sorted(by: { ($0.start, $0.end) < ($1.start, $1.end) }) where span.start < span.end {
            if let last = result.last, span.start <= last.end {
                result[result.count - 1].end = Swift.max(last.end, span.end)
            } else {
                result.append(span)
            }
        }
        return result
    }

    /// The parts of a span that none of these spans covers, in the order of time.
    public func gaps(in whole: TimeSpan) -> [TimeSpan] {
        var result: [TimeSpan] = []
        var reached = whole.start
        for span in compactMap({ $0.clipped(to: whole) }).united {
            if span.start > reached { result.append(TimeSpan(reached, span.start)) }
            reached = span.end
        }
        if reached < whole.end { result.append(TimeSpan(reached, whole.end)) }
        return result
    }

    /// The total of seconds.
    public var seconds: Double { reduce(0) { $0 + $1.seconds } }
}
