import CPrefetch
public import FencepostGeometry

/// Hints to the processor to load what a later query of a coordinate reads, while earlier ones are evaluated. They change
/// no result.
extension RegionQuery {
    /// Loads the cell of a coordinate.
    public func prefetchCell(of coordinate: Coordinate) { reader.prefetchCell(of: coordinate) }

    /// Loads what divides the cell of a coordinate, if its cell is loaded already.
    public func prefetchSplits(of coordinate: Coordinate) { reader.prefetchSplits(of: coordinate) }
}

extension CellReader {
    @inline(__always)
    func prefetchCell(of coordinate: Coordinate) {
        let (x, y) = grid.position(coordinate)
        if (x | y) >> 32 == 0 { fencepost_prefetch(first.address(x, y)) }
    }

    @inline(__always)
    func prefetchSplits(of coordinate: Coordinate) {
        let (x, y) = grid.position(coordinate)
        guard (x | y) >> 32 == 0 else { return }
        let classification = first.address(x, y).pointee
        // Neither empty nor one region: the other cells have an offset.
        guard classification & 1 == 1 else { return }
        let target = storage + CellIndex.offset(classification)
        fencepost_prefetch(target)
        fencepost_prefetch(target + CellIndex.wordsPerCacheLine)
    }
}
