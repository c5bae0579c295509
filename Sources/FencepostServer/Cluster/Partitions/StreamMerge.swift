/// Gives the events of all partitions ids that say how far the stream is in each of them.
///
/// Nothing is sent before it is known where the stream of each partition begins, since every id says so.
struct StreamMerge: Sendable {
    /// How many pieces wait for the beginning of all streams, which comes with the first bytes of each.
    private static let limit = 256

    private var numbers: [Int64?]
    private var waiting: [(partition: Int, blocks: [StreamReader.Block])] = []

    /// - Parameters:
    ///   - partitions: their number.
    ///   - start: the id after which the stream goes on; `nil` for now.
    init(partitions: Int, after start: StreamID?) {
        numbers = start.map { $0.numbers.map { $0 } } ?? Array(repeating: nil, count: partitions)
    }

    /// The text for the reader; `nil` when too much waits for the beginning of a partition's stream.
    mutating func text(of blocks: [StreamReader.Block], from partition: Int) -> String? {
        for case .start(let number) in blocks.prefix(2) { numbers[partition] = numbers[partition] ?? number }
        waiting.append((partition, blocks))
        guard numbers.allSatisfy({ $0 != nil }) else { return waiting.count <= Self.limit ? "" : nil }
        defer { waiting = [] }
        var text = ""
        for (partition, blocks) in waiting {
            for block in blocks { text += self.text(of: block, from: partition) }
        }
        return text
    }

    private mutating func text(of block: StreamReader.Block, from partition: Int) -> String {
        switch block {
        case .start(let number):
            numbers[partition] = number
            return ""
        case .gap(let lines): return lines
        case .event(let number, let lines):
            numbers[partition] = number
            return "id: \(StreamID(numbers.map { $0 ?? 0 }))\n\(lines)"
        }
    }
}
