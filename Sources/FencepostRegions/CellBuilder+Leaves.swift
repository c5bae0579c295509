import FencepostGeometry
import FencepostModel

extension CellBuilder {
    /// The code of a cell that is not divided further.
    mutating func leaf(_ records: borrowing Span<Record>, in cell: CellRectangle) -> UInt32 {
        if let code = sharedLeaf(records, in: cell) { return code }
        var entries: [UInt32] = []
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
                if let runs = runs(records.extracting(first..<end)),
                    let side = side(of: records.extracting(first..<end), outline, in: cell)
                {
                    entries.append(
                        CellIndex.Crossing.edges | side | UInt32(runs[0].count) << 8
                            | UInt32(runs.count - 1) << 16)
                    entries.append(runs[0].first)
                    for run in runs.dropFirst() { entries += [run.first, UInt32(run.count)] }
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

    /// Edges that follow each other, as an entry holds them; `nil` when there are too many.
    private func runs(_ records: borrowing Span<Record>) -> [(first: UInt32, count: Int)]? {
        var runs: [(first: UInt32, count: Int)] = []
        for place in 0..<records.count {
            let edge = records[place].edge
            guard edge < Record.boundary else { return nil }
            if let run = runs.last, run.first + UInt32(run.count) == edge, run.count < 255 {
                runs[runs.count - 1].count += 1
            } else {
                runs.append((edge, 1))
            }
        }
        return runs.count <= 65_536 ? runs : nil
    }

    /// A side of the cell that no edge touches, and whether it is inside; `nil` when there is none.
    private func side(of records: borrowing Span<Record>, _ outline: Int, in cell: CellRectangle) -> UInt32? {
        for side in sides(of: cell) where isFree(side.line, of: records) {
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
    }

    private func sides(of cell: CellRectangle) -> [Side] {
        let box = grid.envelope(cell)
        let (isVertical, isLow) = (CellIndex.Side.isVertical, CellIndex.Side.isLow)
        func side(_ bits: UInt32, _ west: Double, _ south: Double, _ east: Double, _ north: Double) -> Side {
            let line = Envelope(west: west, south: south, east: east, north: north)
            let point = Coordinate(
                latitude: south == north ? south : box.middle.latitude,
                longitude: west == east ? west : box.middle.longitude)
            return Side(bits: bits, line: line, point: point)
        }
        return [
            side(0, box.east, box.south, box.east, box.north),
            side(isLow, box.west, box.south, box.west, box.north),
            side(isVertical, box.west, box.north, box.east, box.north),
            side(isVertical | isLow, box.west, box.south, box.east, box.south),
        ]
    }

    /// Whether no edge touches a side of the cell that they are in.
    ///
    /// Such an edge lies on the cell's side of it, all through the rows or columns of the cell. The margin is larger than
    /// that by which an edge may miss the cell, 4e-12 with rounding, so that none lies just beyond the side.
    private func isFree(_ side: Envelope, of records: borrowing Span<Record>) -> Bool {
        for place in 0..<records.count
        where records[place].edge < Record.boundary
            && outlines.touches(Int(records[place].edge), side, margin: 8 * CellGrid.margin)
        {
            return false
        }
        return true
    }

    // MARK: Shared edges

    /// An edge, whichever way it is drawn.
    private struct Line: Hashable {
        let a, b: Coordinate

        init(_ a: Coordinate, _ b: Coordinate) {
            let isOrdered = (a.longitude, a.latitude) < (b.longitude, b.latitude)
            (self.a, self.b) = isOrdered ? (a, b) : (b, a)
        }
    }

    /// A leaf of several polygons that are told apart in one go along all edges; `nil` where that cannot be.
    ///
    /// Where polygons tile the ground, an edge is that of two: it is looked at once.
    private mutating func sharedLeaf(_ records: borrowing Span<Record>, in cell: CellRectangle) -> UInt32? {
        // Most are of one piece, and of those there is nothing to share.
        guard records.count > 1 && records[0].piece != records[records.count - 1].piece else { return nil }
        var handles: [UInt32] = []
        var inside: UInt32 = 0
        var crossed: [(outline: Int, bit: UInt32)] = []
        var edges: [(edge: UInt32, regions: UInt32)] = []
        var known: [Line: Int] = [:]
        var first = 0
        while first < records.count {
            let end = endOfPiece(from: first, records)
            defer { first = end }
            guard handles.count < CellIndex.Shared.mostRegions else { return nil }
            let piece = pieces[Int(records[first].piece)]
            let bit: UInt32 = 1 << UInt32(handles.count)
            handles.append(piece.handle)
            if records[first].edge == Record.whole {
                inside |= bit
                continue
            }
            guard case .polygon(let outline) = piece.kind else { return nil }
            crossed.append((outline, bit))
            for place in first..<end {
                let edge = records[place].edge
                guard edge < Record.boundary else { return nil }
                let line = Line(outlines.vertices.start[Int(edge)], outlines.vertices.start[Int(edge) + 1])
                if let same = known[line] {
                    edges[same].regions ^= bit
                } else {
                    known[line] = edges.count
                    edges.append((edge, bit))
                }
            }
        }
        guard crossed.count > 1 else { return nil }
        let side = sides(of: cell).first { side in
            isFree(side.line, of: records)
                && crossed.allSatisfy { outline, _ in
                    switch outlines.locate(side.point, in: outline) {
                    case .inside, .outside: true
                    case .boundary, .unsure: false
                    }
                }
        }
        guard let side else { return nil }
        for (outline, bit) in crossed where outlines.locate(side.point, in: outline) == .inside { inside |= bit }
        var runs: [(first: UInt32, count: UInt32, regions: UInt32)] = []
        for (edge, regions) in edges {
            if let run = runs.last, run.first + run.count == edge, run.regions == regions, run.count < 255 {
                runs[runs.count - 1].count += 1
            } else {
                runs.append((edge, 1, regions))
            }
        }
        guard runs.count <= CellIndex.Shared.mostRuns else { return nil }
        mostInLeaf = max(mostInLeaf, handles.count)
        let code = UInt32(words.count) << 2 | 3 | CellIndex.Shared.flag
        words.append(side.bits | UInt32(handles.count) << 8 | UInt32(runs.count) << 16)
        words.append(inside)
        for run in runs { words += [run.first, run.regions << 8 | run.count] }
        words += handles
        return code
    }
}
