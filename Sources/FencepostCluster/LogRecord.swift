public import FencepostModel

/// The identity of a record: which run of a node wrote it, and its number in that run.
///
/// An appender uses it to find whether its record is in the log when the answer was lost.
public struct RecordID: Hashable, Sendable {
    /// Identifies the run of a node; random.
    public var run: UInt64
    /// Counts the records of the run.
    public var number: UInt64

    /// Creates an id.
    public init(run: UInt64, number: UInt64) {
        self.run = run
        self.number = number
    }
}

extension RecordID: CustomStringConvertible {
    /// 32 hexadecimal digits; the message id of the record.
    public var description: String { Self.digits(run) + Self.digits(number) }

    private static func digits(_ number: UInt64) -> String {
        let digits = String(number, radix: 16)
        return String(repeating: "0", count: 16 - digits.count) + digits
    }
}

/// One record of a commit log.
public struct LogRecord: Hashable, Sendable {
    /// What a record holds.
    public enum Content: Hashable, Sendable {
        /// The bytes of a commit, which the store of the partition encodes and applies.
        case commit([UInt8])
        /// From here on the database has a newer schema: each copy makes the same change of its own file.
        case upgrade(schema: Int)
        /// A node takes over as leader; its epoch is the record's.
        case lead(Leadership)
        /// A part of a commit that is too large for one record.
        case part(Part)
        /// Nothing. Keeps the newest record of a log in it when an older one is erased.
        case note
    }

    /// A node that takes over, and what it reads and writes.
    public struct Leadership: Hashable, Sendable {
        /// The node's id in the configuration.
        public var node: String
        /// The version of its program.
        public var version: String

        /// Creates a value.
        public init(node: String, version: String) {
            self.node = node
            self.version = version
        }
    }

    /// A part of a commit; the commit is applied when all its parts are there.
    public struct Part: Hashable, Sendable {
        /// The same for all parts of a commit.
        public var transfer: RecordID
        /// From 0.
        public var index: Int
        /// The number of parts, at least 1.
        public var count: Int
        /// The bytes of this part.
        public var bytes: [UInt8]

        /// Creates a value.
        public init(transfer: RecordID, index: Int, count: Int, bytes: [UInt8]) {
            self.transfer = transfer
            self.index = index
            self.count = count
            self.bytes = bytes
        }
    }

    /// The epoch of the leader that wrote it; rises with each takeover.
    public var epoch: UInt64
    /// The position in the log, from 1 without a gap.
    public var position: UInt64
    /// Which append wrote it.
    public var id: RecordID
    /// When it was written, by the leader's clock.
    public var time: Timestamp
    /// What it holds.
    public var content: Content

    /// Creates a record.
    public init(epoch: UInt64, position: UInt64, id: RecordID, time: Timestamp, content: Content) {
        self.epoch = epoch
        self.position = position
        self.id = id
        self.time = time
        self.content = content
    }
}
