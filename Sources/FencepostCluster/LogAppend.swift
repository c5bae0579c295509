/// One append to a log whose answers may be lost and whose refusals may be wrong: receives what happened, returns what to do.
///
/// A refusal by the server shows nothing: it may be wrong, and a lost answer may have been a success. So whatever is not an
/// acknowledgement is decided by the newest record: if it is the one that the caller has applied last, the append is repeated under
/// the same id; if it is the record itself, the append has succeeded; any other record means that another node appended. Behind what
/// no node wrote the append goes on.
public struct LogAppend: Sendable {
    /// What happened.
    public enum Input: Hashable, Sendable {
        /// The answer to the record.
        case answer(PublishAnswer)
        /// The newest record; `nil` for an empty log.
        case end(End?)
        /// The newest record could not be read.
        case endUnanswered
        /// The wait is over.
        case waited
    }

    /// The newest record of the log.
    public struct End: Hashable, Sendable {
        /// Its sequence.
        public var sequence: UInt64
        /// Which node wrote it; `nil` for bytes of no node, with no record between them and what the caller has applied, and for what
        /// the caller has applied.
        public var writer: Writer?

        /// Creates a value.
        public init(sequence: UInt64, writer: Writer?) {
            self.sequence = sequence
            self.writer = writer
        }
    }

    /// Who wrote a record.
    public struct Writer: Hashable, Sendable {
        /// The record's id.
        public var id: RecordID
        /// The epoch of its leader.
        public var epoch: UInt64

        /// Creates a value.
        public init(id: RecordID, epoch: UInt64) {
            self.id = id
            self.epoch = epoch
        }
    }

    /// What to do next.
    public enum Step: Hashable, Sendable {
        /// Send the record.
        case publish
        /// Read the newest record.
        case readEnd
        /// Wait before the next attempt.
        case wait(Duration)
        /// The append has ended.
        case finished(Result<UInt64, LogFailure>)
    }

    private enum Next { case publish, readEnd }

    /// How long an append is repeated before it fails.
    public static let maximumTime = Duration.seconds(15)
    private static let firstDelay = Duration.milliseconds(50)
    private static let maximumDelay = Duration.seconds(1)

    private let id: RecordID
    private let epoch: UInt64
    /// The sequence behind which the record is sent: of the newest record that the caller has applied, or of bytes behind it that no
    /// node wrote.
    public private(set) var last: UInt64
    private var delay = Self.firstDelay
    private var afterWait = Next.publish
    /// Whether the record was sent again at once after a refusal.
    private var hasRepeated = false
    /// The end of a log that is shorter than what the caller has applied, while no answer has shown a later one.
    private var earlierEnd: UInt64?
    /// Whether an answer has shown the record that the caller has applied.
    private var isEndKnown = false

    /// Creates the append of a record; the first step is to send it.
    ///
    /// - Parameters:
    ///   - record: the record.
    ///   - last: the sequence of the newest record that the caller has applied.
    public init(_ record: LogRecord, behind last: UInt64) {
        id = record.id
        epoch = record.epoch
        self.last = last
    }

    /// The next step.
    ///
    /// - Parameters:
    ///   - input: what happened.
    ///   - elapsed: the time since the record was sent first.
    /// - Returns: what to do.
    public mutating func step(after input: Input, elapsed: Duration) -> Step {
        switch input {
        case .answer(.stored(let sequence)):
            // An acknowledgement of a sequence that was applied before would be of another record.
            return sequence > last ? .finished(.success(sequence)) : .readEnd
        case .answer(.refused):
            return .readEnd
        case .answer(.full):
            return .finished(.failure(.full))
        case .answer(.tooLarge):
            return .finished(.failure(.tooLarge))
        case .answer(.unanswered), .endUnanswered:
            return wait(for: .readEnd, elapsed: elapsed)
        case .waited:
            switch afterWait {
            case .publish: return .publish
            case .readEnd: return .readEnd
            }
        case .end(let end):
            return step(atEnd: end, elapsed: elapsed)
        }
    }

    private mutating func step(atEnd end: End?, elapsed: Duration) -> Step {
        let sequence = end?.sequence ?? 0
        guard let end, sequence > last else {
            // A server that was cut off may answer with an end that is older than the log's. It is asked again.
            isEndKnown = isEndKnown || sequence == last
            earlierEnd = isEndKnown ? nil : sequence
            if sequence == last, !hasRepeated {
                hasRepeated = true
                return .publish
            }
            return wait(for: sequence == last ? .publish : .readEnd, elapsed: elapsed)
        }
        guard let writer = end.writer else {
            guard elapsed < Self.maximumTime else { return .finished(.failure(.unavailable)) }
            last = sequence
            hasRepeated = false
            return .publish
        }
        if writer.id == id { return .finished(.success(sequence)) }
        if writer.epoch > epoch { return .finished(.failure(.deposed(epoch: writer.epoch))) }
        return .finished(.failure(writer.epoch == epoch ? .diverged : .behind))
    }

    private mutating func wait(for next: Next, elapsed: Duration) -> Step {
        guard elapsed < Self.maximumTime else {
            return .finished(.failure(earlierEnd.map { .forgotten(end: $0) } ?? .unavailable))
        }
        afterWait = next
        defer { delay = min(delay * 2, Self.maximumDelay) }
        return .wait(delay)
    }
}
