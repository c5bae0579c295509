/// What a log has at a sequence. Sequences rise, with gaps.
public struct LoggedRecord: Hashable, Sendable {
    /// What it is to the nodes of the cluster.
    public enum Content: Hashable, Sendable {
        /// A record of one of them.
        case record(LogRecord)
        /// Bytes that none of them wrote; the reason. Every copy skips them.
        case foreign(String)
    }

    /// The sequence of the record.
    public var sequence: UInt64
    /// The sequence of what was before it; 0 for the first one.
    public var predecessor: UInt64
    /// The record, or what is not one.
    public var content: Content

    /// Creates a value.
    public init(sequence: UInt64, predecessor: UInt64, content: Content) {
        self.sequence = sequence
        self.predecessor = predecessor
        self.content = content
    }

    /// The record; `nil` for bytes that no node wrote.
    public var record: LogRecord? {
        switch content {
        case .record(let record): record
        case .foreign: nil
        }
    }
}

/// Why an append or a read of the log failed. An append that failed may be in the log or come into it later: the caller
/// reads the log on and applies what it finds before it appends again.
public enum LogFailure: Error, Hashable, Sendable {
    /// Another node leads, with this epoch.
    case deposed(epoch: UInt64)
    /// There is a record of this epoch that the caller has not applied.
    case diverged
    /// There are records of an older epoch that the caller has not applied.
    case behind
    /// The log ends before what the caller has applied: its servers lost records that they had acknowledged.
    case forgotten(end: UInt64)
    /// Records between two sequences are missing: they were trimmed while the copy was away.
    case hole(after: UInt64)
    /// The log or the disk below it is full.
    case full
    /// The record exceeds what the servers take in one message.
    case tooLarge
    /// The log did not answer in the time allowed.
    case unavailable
    /// A record has a newer format than this version reads.
    case newerFormat(sequence: UInt64)
}

/// A log of which several nodes have copies, and which grows only behind an end that the appender knows.
public protocol CommitLog: Sendable {
    /// Appends a record if nobody has appended since.
    ///
    /// - Parameters:
    ///   - record: a record whose id was never used before.
    ///   - last: the sequence of the newest record that the caller has applied; 0 for none.
    /// - Returns: the sequence of the record, which is now durable.
    /// - Throws: when it may not be in the log.
    func append(_ record: LogRecord, behind last: UInt64) async throws(LogFailure) -> UInt64

    /// The newest sequence of the log, also of what no node wrote.
    ///
    /// - Returns: `nil` for an empty log.
    /// - Throws: when the log does not answer.
    func end() async throws(LogFailure) -> UInt64?

    /// Reads records in order.
    ///
    /// - Parameters:
    ///   - last: the sequence of the newest record that the caller has applied; 0 for none.
    ///   - limit: the largest number of records to return, at least 1.
    /// - Returns: the next records, with what no node wrote between them; none at the end of the log.
    /// - Throws: when the log does not answer, or does not go on with a successor of `last`.
    func records(behind last: UInt64, limit: Int) async throws(LogFailure) -> [LoggedRecord]
}

/// What a server that holds a log can do, in single attempts: `ReplicatedLog` makes a `CommitLog` of it.
public protocol LogTransport: Sendable {
    /// Sends a record once, to be stored only behind a sequence, and waits for the answer for some seconds.
    ///
    /// - Parameters:
    ///   - bytes: the encoded record.
    ///   - id: its id, by which the server recognises a repeat.
    ///   - last: the sequence that the newest record must have; 0 for an empty log.
    /// - Returns: the answer, or that none came.
    func publish(_ bytes: [UInt8], id: RecordID, behind last: UInt64) async -> PublishAnswer

    /// The newest record, from the server that orders the appends.
    ///
    /// - Returns: `nil` for an empty log.
    /// - Throws: when no answer comes.
    func newest() async throws(LogUnanswered) -> StoredBytes?

    /// The next records behind a sequence, fewer than `limit` at the end of the log.
    ///
    /// - Parameters:
    ///   - last: a sequence; 0 for the beginning.
    ///   - limit: the largest number of records to return, at least 1.
    /// - Returns: the records in their order.
    /// - Throws: when no answer comes.
    func read(behind last: UInt64, limit: Int) async throws(LogUnanswered) -> [StoredBytes]
}

/// The bytes of a record and what the server stored with them.
public struct StoredBytes: Hashable, Sendable {
    /// The sequence of the record.
    public var sequence: UInt64
    /// The sequence behind which it was stored.
    public var predecessor: UInt64
    /// The encoded record.
    public var bytes: [UInt8]

    /// Creates a value.
    public init(sequence: UInt64, predecessor: UInt64, bytes: [UInt8]) {
        self.sequence = sequence
        self.predecessor = predecessor
        self.bytes = bytes
    }
}

/// A server's answer to a record that was sent once.
public enum PublishAnswer: Hashable, Sendable {
    /// It is stored, now or by an earlier attempt, with this sequence.
    case stored(sequence: UInt64)
    /// The server says that the log ends elsewhere. That is not always so.
    case refused
    /// The log or the disk below it is full.
    case full
    /// The record exceeds the largest message.
    case tooLarge
    /// No answer came. The record may be stored, now or later.
    case unanswered
}

/// No answer came from the servers.
public struct LogUnanswered: Error, Hashable, Sendable {
    /// Creates the error.
    public init() {}
}
