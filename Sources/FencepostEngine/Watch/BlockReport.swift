public import FencepostFormats
public import FencepostModel

/// What came of one block of a file.
public struct BlockReport: Sendable {
    /// How many bytes of the file it stands for.
    public let bytes: Int
    /// The good and the bad.
    public internal(set) var records = 0
    /// In the order of their lines.
    public internal(set) var rejected: [Diagnostic] = []
    /// Why the file, or the rest of it, is not read.
    public internal(set) var unreadable: FileWatch.UnreadableFile?
    var outputs: [ShardOutput] = []

    init(bytes: Int) { self.bytes = bytes }

    /// Writes the events into a stream.
    public func write(to encoder: inout EventEncoder) {
        merge { output, range in encoder.append(piece: output.bytes[range]) }
    }

    /// The events, where they are handed on as they are.
    public var told: [AppRoster.Told] {
        var told: [AppRoster.Told] = []
        merge { output, range in told += output.told[range] }
        return told
    }

    /// Gives what the shares told in the order of the records that it was told of.
    private func merge(_ body: (ShardOutput, Range<Int>) -> Void) {
        var next = [Int](repeating: 0, count: outputs.count)
        while true {
            var first: (share: Int, record: Int32)?
            for (share, output) in outputs.enumerated() where next[share] < output.marks.count {
                let record = output.marks[next[share]].record
                if first.map({ record < $0.record }) ?? true { first = (share, record) }
            }
            guard let (share, record) = first else { return }
            let marks = outputs[share].marks
            // All that one record led to is of one device.
            while next[share] < marks.count, marks[next[share]].record == record {
                let start = next[share] > 0 ? marks[next[share] - 1].end : 0
                body(outputs[share], start..<marks[next[share]].end)
                next[share] += 1
            }
        }
    }
}
