import FencepostGeometry

/// Which records of a log may be removed.
public enum LogTrim {
    /// What a log holds.
    public struct Content: Hashable, Sendable {
        /// Its size in bytes.
        public var bytes: Int64
        /// The sequences of its oldest and newest record.
        public var first, last: UInt64

        /// Creates a value.
        public init(bytes: Int64, first: UInt64, last: UInt64) {
            self.bytes = bytes
            self.first = first
            self.last = last
        }
    }

    /// The first record to keep when a log has reached half of its limit: a quarter of the limit stays. Records that a copy has
    /// yet to apply stay too, until the log has five sixths of its limit; a copy that is away for longer has to be replaced.
    ///
    /// - Parameters:
    ///   - content: what the log holds.
    ///   - limit: its largest size in bytes.
    ///   - needed: the newest record that every copy has applied; `nil` when that is not known.
    ///   - applied: the newest record that the copy of the node has applied which asks; it stays in any case.
    /// - Returns: a sequence behind which nothing is removed, at most the newest; `nil` when nothing has to be.
    public static func firstToKeep(
        _ content: Content, limit: Int64, needed: UInt64?, applied: UInt64 = .max
    ) -> UInt64? {
        guard content.bytes > limit / 2, content.last > content.first else { return nil }
        let share = Double(limit / 4) / Double(content.bytes)
        let kept = UInt64(clamped: (Double(content.last - content.first) * share).rounded(.up))
        var first = content.last - min(kept, content.last - content.first)
        if content.bytes < limit / 6 * 5 { first = min(first, needed ?? 0) }
        first = min(first, applied)
        return first > content.first ? first : nil
    }
}
