import FencepostGeometry
import FencepostModel

extension CellBuilder {
    /// Classifies a cell that is not divided further as a list of entries.
    mutating func classifyAsLeaf(_ records: borrowing Span<Record>, in cell: CellRectangle) -> UInt32 {
        entries.removeAll(keepingCapacity: true)
        var count = 0
        var (last, isSimple) = (0, true)
        var first = 0
        /// The region that covers the cell; further primitives of the same region are skipped.
        var covering = UInt32.max
        while first < records.count {
            let end = endOfPrimitive(from: first, records)
            defer { first = end }
            let primitive = primitives[Int(records[first].primitive)]
            guard primitive.handle != covering else { continue }
            if records[first].edge == Record.coversCell {
                // Entries of its other primitives that are already written are harmless.
                covering = primitive.handle
                last = entries.count
                count += 1
                entries.append(primitive.handle << 2)
                continue
            }
            isSimple = false
            last = entries.count
            count += 1
            entries.append(primitive.handle << 2 | 1)
            switch primitive.kind {
            case .circle(let circle) where flatCircles[circle].isFlat:
                entries.append(CellIndex.BoundaryTest.circle)
                entries.append(UInt32(circle))
            case .polygon(let outline):
                let own = records.extracting(first..<end)
                if let side = freeSide(of: own, outline, in: cell) {
                    appendRuns(of: own, side)
                } else {
                    entries.append(CellIndex.BoundaryTest.exact)
                }
            case .circle, .corridor, .antimeridianBoundary: entries.append(CellIndex.BoundaryTest.exact)
            }
        }
        guard !entries.isEmpty else { return 0 }
        if entries.count == 1 { return entries[0] | 2 }
        entries[last] |= 2
        maximumLeafCount = max(maximumLeafCount, count)
        if isSimple { return knownLeaves.offset(of: entries, in: &storage) << 2 | 3 }
        let classification = UInt32(storage.count) << 2 | 3
        storage += entries
        return classification
    }

    /// The classification of an area that the owners in a bit mask cover.
    mutating func classification(ofOwners mask: UInt64) -> UInt32 {
        if mask == 0 { return 0 }
        if mask & (mask - 1) == 0 { return owners[mask.trailingZeroBitCount].handle << 2 | 2 }
        entries.removeAll(keepingCapacity: true)
        var last = UInt32.max
        var rest = mask
        while rest != 0 {
            let handle = owners[rest.trailingZeroBitCount].handle
            if handle != last { entries.append(handle << 2) }
            last = handle
            rest &= rest - 1
        }
        if entries.count == 1 { return entries[0] | 2 }
        entries[entries.count - 1] |= 2
        maximumLeafCount = max(maximumLeafCount, entries.count)
        return knownLeaves.offset(of: entries, in: &storage) << 2 | 3
    }

    /// Appends consecutive edges as runs, in the encoding of `CellIndex.BoundaryTest.edges`.
    private mutating func appendRuns(of records: borrowing Span<Record>, _ side: UInt32) {
        let crossing = entries.count
        var runs = 0
        /// The edge that would continue the current run, and the number of edges in that run.
        var (next, count): (UInt32, UInt32) = (0, 0)
        func closeRun() {
            if runs == 1 { entries[crossing] |= count << 8 } else if runs > 1 { entries.append(count) }
        }
        entries.append(CellIndex.BoundaryTest.edges | side)
        for index in 0..<records.count {
            let edge = records[index].edge
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
            entries.append(CellIndex.BoundaryTest.exact)
        }
    }

    /// A side of the cell that no edge touches, with a bit that says whether it is inside; `nil` when all sides are
    /// touched.
    private func freeSide(of records: borrowing Span<Record>, _ outline: Int, in cell: CellRectangle) -> UInt32? {
        for index in 0..<records.count where records[index].edge >= Record.boundary { return nil }
        for index: UInt32 in 0..<4 {
            let side = Side(index, of: cell, grid)
            guard isFree(side.line, of: records) else { continue }
            switch outlines.locate(side.point, in: outline) {
            case .inside: return side.bits | CellIndex.Side.isInside
            case .outside: return side.bits
            case .boundary, .uncertain: continue
            }
        }
        return nil
    }

    private struct Side {
        let bits: UInt32
        let line: Envelope
        /// The middle of the side.
        let point: Coordinate

        /// 0 to 3: east, west, north, south.
        init(_ index: UInt32, of cell: CellRectangle, _ grid: CellGrid) {
            let (isVertical, isLow) = (index & 2 != 0, index & 1 != 0)
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

    /// Whether none of the edges of a cell touches one of its sides.
    ///
    /// An edge that passes stays on the cell's side of it over all rows or columns of the cell. The margin exceeds the
    /// distance by which an edge may miss the cell (4e-12 degrees, rounding included), so no edge lies just beyond the
    /// side.
    private func isFree(_ side: Envelope, of records: borrowing Span<Record>) -> Bool {
        for index in 0..<records.count
        where records[index].edge < Record.boundary
            && outlines.touches(Int(records[index].edge), side, margin: 8 * CellGrid.margin)
        {
            return false
        }
        return true
    }
}
