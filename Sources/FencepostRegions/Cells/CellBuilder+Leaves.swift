import FencepostGeometry
import FencepostModel

extension CellBuilder {
    /// The code of a cell that is not divided further.
    mutating func leaf(_ records: borrowing Span<Record>, in cell: CellRectangle) -> UInt32 {
        entries.removeAll(keepingCapacity: true)
        var count = 0
        var (last, isSimple) = (0, true)
        var first = 0
        /// The region that is known to cover the cell, and what else there is of it.
        var covering = UInt32.max
        while first < records.count {
            let end = endOfPiece(from: first, records)
            defer { first = end }
            let piece = pieces[Int(records[first].piece)]
            guard piece.handle != covering else { continue }
            if records[first].edge == Record.whole {
                // What was written of its other pieces does no harm.
                covering = piece.handle
                last = entries.count
                count += 1
                entries.append(piece.handle << 2)
                continue
            }
            isSimple = false
            last = entries.count
            count += 1
            entries.append(piece.handle << 2 | 1)
            switch piece.kind {
            case .circle(let circle) where flatCircles[circle].isFlat:
                entries.append(CellIndex.Crossing.circle)
                entries.append(UInt32(circle))
            case .polygon(let outline):
                let own = records.extracting(first..<end)
                if let side = side(of: own, outline, in: cell) {
                    appendRuns(of: own, side)
                } else {
                    entries.append(CellIndex.Crossing.exact)
                }
            case .circle, .corridor, .seamBoundary: entries.append(CellIndex.Crossing.exact)
            }
        }
        guard !entries.isEmpty else { return 0 }
        if entries.count == 1 { return entries[0] | 2 }
        entries[last] |= 2
        mostInLeaf = max(mostInLeaf, count)
        if isSimple, let place = known[entries] { return place }
        let code = UInt32(words.count) << 2 | 3
        words += entries
        if isSimple { known[entries] = code }
        return code
    }

    /// The code of regions that cover a place, in their order.
    mutating func code(ofAll handles: [UInt32]) -> UInt32 {
        guard handles.count > 1 else { return handles.first.map { $0 << 2 | 2 } ?? 0 }
        mostInLeaf = max(mostInLeaf, handles.count)
        var entries = handles.map { $0 << 2 }
        entries[entries.count - 1] |= 2
        if let place = known[entries] { return place }
        let code = UInt32(words.count) << 2 | 3
        words += entries
        known[entries] = code
        return code
    }

    /// Appends edges that follow each other, as an entry holds them.
    private mutating func appendRuns(of records: borrowing Span<Record>, _ side: UInt32) {
        let crossing = entries.count
        var runs = 0
        /// The edge that would go on with the last run, and how many this has.
        var (next, count): (UInt32, UInt32) = (0, 0)
        func closeRun() {
            if runs == 1 { entries[crossing] |= count << 8 } else if runs > 1 { entries.append(count) }
        }
        entries.append(CellIndex.Crossing.edges | side)
        for place in 0..<records.count {
            let edge = records[place].edge
            if runs > 0 && edge == next && count < 255 {
                count += 1
            } else {
                closeRun()
                runs += 1
                entries.append(edge)
                count = 1
            }
            next = edge + 1
        }
        closeRun()
        if runs <= 65_536 {
            entries[crossing] |= UInt32(runs - 1) << 16
        } else {
            entries.removeLast(entries.count - crossing)
            entries.append(CellIndex.Crossing.exact)
        }
    }

    /// A side of the cell that no edge touches, and whether it is inside; `nil` when there is none.
    private func side(of records: borrowing Span<Record>, _ outline: Int, in cell: CellRectangle) -> UInt32? {
        for place in 0..<records.count where records[place].edge >= Record.boundary { return nil }
        for number: UInt32 in 0..<4 {
            let side = Side(number, of: cell, grid)
            guard isFree(side.line, of: records) else { continue }
            switch outlines.locate(side.point, in: outline) {
            case .inside: return side.bits | CellIndex.Side.isInside
            case .outside: return side.bits
            case .boundary, .unsure: continue
            }
        }
        return nil
    }

    private struct Side {
        let bits: UInt32
        let line: Envelope
        /// In its middle.
        let point: Coordinate

        /// East, west, north or south.
        init(_ number: UInt32, of cell: CellRectangle, _ grid: CellGrid) {
            let (isVertical, isLow) = (number & 2 != 0, number & 1 != 0)
            let box = grid.envelope(cell)
            bits = (isVertical ? CellIndex.Side.isVertical : 0) | (isLow ? CellIndex.Side.isLow : 0)
            line = Envelope(
                west: isVertical || isLow ? box.west : box.east, south: isVertical && !isLow ? box.north : box.south,
                east: !isVertical && isLow ? box.west : box.east, north: isVertical && isLow ? box.south : box.north)
            point = Coordinate(
                latitude: isVertical ? line.south : box.middle.latitude,
                longitude: isVertical ? box.middle.longitude : line.west)
        }
    }

    /// Whether no edge touches a side of the cell that they are in.
    ///
    /// Such an edge lies on the cell's side of it, all through the rows or columns of the cell. The margin is larger
    /// than that by which an edge may miss the cell, 4e-12 with rounding, so that none lies just beyond the side.
    private func isFree(_ side: Envelope, of records: borrowing Span<Record>) -> Bool {
        for place in 0..<records.count
        where records[place].edge < Record.boundary
            && outlines.touches(Int(records[place].edge), side, margin: 8 * CellGrid.margin)
        {
            return false
        }
        return true
    }
}
