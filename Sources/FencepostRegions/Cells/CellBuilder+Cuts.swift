import FencepostGeometry

extension CellBuilder {
    /// The code of a cell that is cut along the edges in it; `nil` where that cannot be.
    mutating func cuts(
        _ records: borrowing Span<Record>, in cell: CellRectangle, _ frame: CellFrame
    ) -> UInt32? {
        guard words.count < mostWords, cutter.begin(frame, cell) else { return nil }
        owners.removeAll(keepingCapacity: true)
        var first = 0
        while first < records.count {
            let end = endOfPiece(from: first, records)
            defer { first = end }
            // Each has a bit.
            guard owners.count < UInt64.bitWidth else { return nil }
            let piece = pieces[Int(records[first].piece)]
            guard records[first].edge != Record.whole else {
                owners.append((piece.handle, nil))
                continue
            }
            guard case .polygon(let outline) = piece.kind else { return nil }
            var last: (edge: UInt32, end: CellCutter.Point)?
            for place in first..<end {
                let edge = records[place].edge
                guard edge < Record.boundary else { return nil }
                let start = last.flatMap { $0.edge + 1 == edge ? $0.end : nil }
                let end = frame.point(outlines.vertices.start[Int(edge) + 1])
                cutter.add(start ?? frame.point(outlines.vertices.start[Int(edge)]), end, of: owners.count)
                last = (edge, end)
            }
            owners.append((piece.handle, outline))
        }
        guard let root = cutter.cut() else { return nil }
        var known: (point: CellCutter.Point, covering: UInt64)?
        guard case .cut = root else { return code(of: root, frame, &known) }
        // What is in several regions, and what edges say, is written before the cuts.
        codes.removeAll(keepingCapacity: true)
        for number in cutter.cuts.indices {
            guard let low = code(of: cutter.cuts[number].below, frame, &known),
                let high = code(of: cutter.cuts[number].above, frame, &known)
            else { return nil }
            codes.append(low)
            codes.append(high)
        }
        return write(byEdges: leaf(records, in: cell))
    }

    private mutating func write(byEdges: UInt32) -> UInt32 {
        // Four to a line of the cache.
        repeat { append(code: byEdges) } while words.count & 3 != 0
        let start = words.count
        for (number, (cut, below, above)) in cutter.cuts.enumerated() {
            words.append(UInt32(UInt16(bitPattern: cut.a)) | UInt32(UInt16(bitPattern: cut.b)) << 16)
            words.append(UInt32(bitPattern: cut.c))
            for (side, code) in [(below, codes[2 * number]), (above, codes[2 * number + 1])] {
                if case .cut(let next) = side {
                    append(code: CellCut.code(start + next * CellCut.wordCount))
                } else {
                    append(code: code)
                }
            }
        }
        return CellCut.code(start)
    }

    /// What to write of a side that is not cut further; `nil` where it is not certain what is there.
    private mutating func code(
        of side: CellCutter.Side, _ frame: CellFrame,
        _ known: inout (point: CellCutter.Point, covering: UInt64)?
    ) -> UInt32? {
        guard case .piece(let point) = side else { return CellIndex.unknown }
        var covering: UInt64 = 0
        if let counted = known.flatMap({ cutter.covering(point, from: $0) }) {
            covering = counted
        } else {
            let coordinate = frame.coordinate(point)
            for number in owners.indices {
                switch owners[number].outline.map({ outlines.locate(coordinate, in: $0) }) ?? .inside {
                case .inside: covering |= 1 << UInt64(number)
                case .outside: break
                case .boundary, .unsure: return nil
                }
            }
        }
        known = (point, covering)
        if covering == 0 { return 0 }
        if covering & (covering - 1) == 0 { return owners[covering.trailingZeroBitCount].handle << 2 | 2 }
        var handles: [UInt32] = []
        for (number, owner) in owners.enumerated()
        where covering >> UInt64(number) & 1 == 1 && handles.last != owner.handle {
            handles.append(owner.handle)
        }
        return code(ofAll: handles)
    }
}
