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
    /// Why the file, or the rest of it, cannot be read; `nil` normally.
    public internal(set) var unreadable: FileWatch.UnreadableFile?
    var outputs: [ShardOutput] = []

    init(bytes: Int) { self.bytes = bytes }

    /// Appends the encoded events to a stream.
    public func write(to encoder: inout EventEncoder) {
        merge { output, range in encoder.append(piece: output.bytes[range]) }
    }

    /// The events, when `FileWatch.Options.format` is `nil`; otherwise empty.
    public var events: [EmittedEvent] {
        var events: [EmittedEvent] = []
        merge { output, range in events += output.events[range] }
        return events
    }

    /// Merges the outputs of the shards in the order of the records that caused the events.
    private func merge(_ body: (ShardOutput, Range<Int>) -> Void) {
        var next = [Int](repeating: 0, count: outputs.count)
        while true {
            var first: (shard: Int, record: Int32)?
            for (shard, output) in outputs.enumerated() where next[shard] < output.marks.count {
                let record = output.marks[next[shard]].record
                if first.map({ record < $0.record }) ?? true { first = (shard, record) }
            }
            guard let (shard, record) = first else { return }
            let marks = outputs[shard].marks
            // All events of one record belong to one device, and so to one shard.
            while next[shard] < marks.count, marks[next[shard]].record == record {
                let start = next[shard] > 0 ? marks[next[shard] - 1].end : 0
                body(outputs[shard], start..<marks[next[shard]].end)
                next[shard] += 1
            }
        }
    }
}
