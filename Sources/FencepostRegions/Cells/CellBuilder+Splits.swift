import FencepostGeometry

extension CellBuilder {
    /// Classifies a cell by half-plane splits along the edges in it; `nil` where that is not possible.
    mutating func classifyBySplits(
        _ records: borrowing Span<Record>, in cell: CellRectangle, _ frame: CellFrame
    ) -> UInt32? {
        guard storage.count < storageLimit, splitter.begin(frame, cell) else { return nil }
        owners.removeAll(keepingCapacity: true)
        var first = 0
        while first < records.count {
            let end = endOfPrimitive(from: first, records)
            defer { first = end }
            // Each primitive needs a bit in a 64-bit mask.
            guard owners.count < UInt64.bitWidth else { return nil }
            let primitive = primitives[Int(records[first].primitive)]
            guard records[first].edge != Record.coversCell else {
                owners.append((primitive.handle, nil))
                continue
            }
            guard case .polygon(let outline) = primitive.kind else { return nil }
            var last: (edge: UInt32, end: CellSplitter.Point)?
            for index in first..<end {
                let edge = records[index].edge
                guard edge < Record.boundary else { return nil }
                let start = last.flatMap { $0.edge + 1 == edge ? $0.end : nil }
                let end = frame.point(outlines.vertices.start[Int(edge) + 1])
                splitter.add(start ?? frame.point(outlines.vertices.start[Int(edge)]), end, of: owners.count)
                last = (edge, end)
            }
            owners.append((primitive.handle, outline))
        }
        guard let root = splitter.split() else { return nil }
        var located: (point: CellSplitter.Point, covering: UInt64)?
        guard case .split = root else { return classification(of: root, frame, &located) }
        // Lists of several regions and the leaf of the fallback precede the splits in memory.
        classifications.removeAll(keepingCapacity: true)
        for index in 0..<splitter.splitCount {
            guard let low = classification(of: splitter[index].below, frame, &located),
                let high = classification(of: splitter[index].above, frame, &located)
            else { return nil }
            classifications.append(low)
            classifications.append(high)
        }
        return store(fallback: classifyAsLeaf(records, in: cell))
    }

    private mutating func store(fallback: UInt32) -> UInt32 {
        // A split takes four words; aligned to four, it never straddles a cache line.
        repeat { append(classification: fallback) } while storage.count & 3 != 0
        let start = storage.count
        for index in 0..<splitter.splitCount {
            let (split, below, above) = splitter[index]
            storage.append(UInt32(UInt16(bitPattern: split.a)) | UInt32(UInt16(bitPattern: split.b)) << 16)
            storage.append(UInt32(bitPattern: split.c))
            append(side: below, classifications[2 * index], start)
            append(side: above, classifications[2 * index + 1], start)
        }
        return HalfPlaneSplit.classification(start)
    }

    /// Appends a side of a split; `start` is the offset of the first split of the cell.
    private mutating func append(side: CellSplitter.Side, _ classification: UInt32, _ start: Int) {
        if case .split(let next) = side {
            append(classification: HalfPlaneSplit.classification(start + next * HalfPlaneSplit.wordCount))
        } else {
            append(classification: classification)
        }
    }

    /// The classification of a side that has no further split; `nil` where it is not certain.
    private mutating func classification(
        of side: CellSplitter.Side, _ frame: CellFrame,
        _ located: inout (point: CellSplitter.Point, covering: UInt64)?
    ) -> UInt32? {
        guard case .subcell(let point) = side else { return CellIndex.unknown }
        var covering: UInt64 = 0
        if let counted = located.flatMap({ splitter.covering(point, from: $0) }) {
            covering = counted
        } else {
            let coordinate = frame.coordinate(point)
            for index in owners.indices {
                switch owners[index].outline.map({ outlines.locate(coordinate, in: $0) }) ?? .inside {
                case .inside: covering |= 1 << UInt64(index)
                case .outside: break
                case .boundary, .uncertain: return nil
                }
            }
        }
        located = (point, covering)
        return classification(ofOwners: covering)
    }
}
