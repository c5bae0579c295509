import Dispatch
import Synchronization

extension CellBuilder {
    /// With so many edges it is worth working on all processors, and into about so many shares they are cut.
    static let (manyRecords, shares) = (100_000, 16)

    /// Goes on in the cells of the first node, some of them on each processor.
    ///
    /// Always in as many shares, so that what comes of it does not depend on how many processors there are.
    mutating func buildTogether(
        _ sorted: [Record], _ starts: [UInt32], _ strips: CellStrips, _ window: CellWindow
    ) {
        let count = starts.count - 1
        // As many records in each, about.
        var bounds = [0]
        for place in 0..<count where Int(starts[place]) >= sorted.count / Self.shares * bounds.count {
            bounds.append(place)
        }
        bounds.append(count)
        var blank = self
        blank.words = []
        blank.references = []
        blank.mostWords = mostWords / (Self.shares / 2)
        let (empty, ends) = (blank, bounds)
        let shares = Mutex([Share?](repeating: nil, count: ends.count - 1))
        DispatchQueue.concurrentPerform(iterations: ends.count - 1) { number in
            var builder = empty
            // The place 0 would be that of the first node.
            builder.words = Array(largeCapacity: 10 * sorted.count / Self.shares)
            builder.words += repeatElement(0, count: CellIndex.line)
            var cells: [(place: Int, code: UInt32)] = []
            for place in ends[number]..<ends[number + 1] where starts[place] < starts[place + 1] {
                let records = sorted.span.extracting(Int(starts[place])..<Int(starts[place + 1]))
                cells.append((place, builder.build(records, place, of: strips, window)))
            }
            let done = Share(
                cells: cells, words: builder.words, references: builder.references, mostInLeaf: builder.mostInLeaf)
            shares.withLock { $0[number] = done }
        }
        for case let share? in shares.withLock({ $0 }) {
            while words.count % CellIndex.line != 0 { words.append(0) }
            let start = words.count
            words += share.words
            for place in share.references {
                words[start + Int(place)] += UInt32(start) << 2
                references.append(UInt32(start) + place)
            }
            for (place, code) in share.cells {
                set(CellIndex.nodeHeader + place, Self.isReference(code) ? code + UInt32(start) << 2 : code)
            }
            mostInLeaf = max(mostInLeaf, share.mostInLeaf)
        }
    }

    /// What came of a share of the cells of the first node.
    private struct Share: Sendable {
        var cells: [(place: Int, code: UInt32)]
        var words: [UInt32]
        var references: [UInt32]
        var mostInLeaf: Int
    }
}
