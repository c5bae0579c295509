import CPrefetch
public import FencepostFormats
public import FencepostModel

/// The results of one block of a file.
public struct BlockReport: Sendable {
    /// Size of the block in bytes.
    public let bytes: Int
    /// Records of the block, including rejected ones.
    public internal(set) var records = 0
    /// The rejected records, in the order of their lines.
    public internal(set) var rejected: [Diagnostic] = []
    /// The members beyond their ranges, which the locations of the block are without (rule L10).
    public internal(set) var dropped = DroppedMembers()
    /// Why the file, or the rest of it, cannot be read; `nil` normally.
    public internal(set) var unreadable: FileWatch.UnreadableFile?
    var outputs: [ShardOutput] = []

    init(bytes: Int) { self.bytes = bytes }

    /// Appends the encoded events to a stream.
    ///
    /// - Parameters:
    ///   - encoder: of the stream.
    ///   - flush: called now and then; it may take away what the encoder has.
    /// - Throws: what `flush` throws.
    public func write<Failure: Error>(
        to encoder: inout EventEncoder, _ flush: (inout EventEncoder) throws(Failure) -> Void
    ) throws(Failure) {
        try merge { shard, range throws(Failure) in
            if let other = outputs[shard].encoder { encoder.append(range, of: other) }
            if encoder.count >= Self.portion { try flush(&encoder) }
        }
        try flush(&encoder)
    }

    /// Bytes between two flushes: few enough to stay in the processor's cache.
    private static let portion = 1 << 17

    /// The events, when `FileWatch.Options.format` is `nil`; otherwise empty.
    public var events: [EmittedEvent] {
        var events: [EmittedEvent] = []
        merge { shard, range in events += outputs[shard].events[range] }
        return events
    }

    /// Merges the outputs of the shards in the order of the records that caused the events.
    ///
    /// - Parameter body: called with the index of an output and the range of an event in it.
    /// - Throws: what `body` throws.
    private func merge<Failure: Error>(_ body: (Int, Range<Int>) throws(Failure) -> Void) throws(Failure) {
        // All events of one record belong to one device, and so they are adjacent in the output of one shard.
        var first = [(shard: Int32, mark: Int32)](repeating: (-1, 0), count: records)
        for (shard, output) in outputs.enumerated() {
            for (mark, item) in output.marks.enumerated().reversed() {
                first[Int(item.record)] = (Int32(shard), Int32(mark))
            }
        }
        for (record, event) in first.enumerated() {
            if record + Self.distance < first.count { prefetch(first[record + Self.distance]) }
            guard event.shard >= 0 else { continue }
            let shard = Int(event.shard)
            var mark = Int(event.mark)
            // Not a copy of the output, which would count its references.
            var start = mark > 0 ? outputs[shard].marks[mark - 1].end : 0
            while mark < outputs[shard].marks.count, outputs[shard].marks[mark].record == record {
                let end = outputs[shard].marks[mark].end
                try body(shard, start..<end)
                (start, mark) = (end, mark + 1)
            }
        }
    }

    /// How many records ahead the bytes of an event are loaded.
    private static let distance = 24

    /// Asks the processor to load the bytes of an event: those of a block are more than the cache of a core has room for,
    /// and their order is another one.
    @inline(__always)
    private func prefetch(_ event: (shard: Int32, mark: Int32)) {
        guard event.shard >= 0 else { return }
        let (shard, mark) = (Int(event.shard), Int(event.mark))
        let start = mark > 0 ? outputs[shard].marks[mark - 1].end : 0
        let end = outputs[shard].marks[mark].end
        outputs[shard].encoder?.withBytes { bytes in
            guard let base = bytes.baseAddress else { return }
            for offset in stride(from: start, to: end, by: 64) { fencepost_prefetch(base + offset) }
        }
    }
}
