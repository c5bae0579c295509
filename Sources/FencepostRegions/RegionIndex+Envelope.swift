public import FencepostGeometry
public import FencepostModel

extension RegionIndex {
    /// The regions whose envelope touches one of these, by handle.
    ///
    /// A region reaches as far as its circle or corridor does; one that is cut at 180° of longitude has an envelope on
    /// each side.
    public func regions(intersecting envelopes: [Envelope]) -> [RegionHandle] {
        var found: [UInt32] = []
        for envelope in envelopes { parts.tree.search(envelope, into: &found) }
        return Set(found.map { parts.list[Int(parts.owners[Int($0)])].region }).sorted()
    }

    /// Bytes that the index takes beside its catalog.
    public var byteCount: Int {
        func bytes<Element>(_ list: [Element]) -> Int { list.count * MemoryLayout<Element>.stride }
        let outlines = parts.outlines
        return parts.tree.byteCount + bytes(parts.list) + bytes(parts.owners) + bytes(parts.circles)
            + bytes(parts.ranges) + bytes(outlines.blocks) + bytes(outlines.boxes) + bytes(outlines.nodes)
            + bytes(outlines.levels) + bytes(outlines.outlines)
            + outlines.vertices.count * MemoryLayout<Coordinate>.stride
            + parts.cells.words.count * MemoryLayout<UInt32>.stride
            + parts.cells.flatCircles.count * MemoryLayout<FlatCircle>.stride
    }
}
