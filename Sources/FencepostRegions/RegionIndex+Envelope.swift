public import FencepostGeometry
public import FencepostModel

extension RegionIndex {
    /// The regions whose envelope touches one of these, by handle.
    ///
    /// The envelope of a region includes the radius of its circle or the width of its corridor. A region that is split
    /// at 180° of longitude has an envelope on each side.
    public func regions(intersecting envelopes: [Envelope]) -> [RegionHandle] {
        var found = base.regions(intersecting: envelopes).filter { !changed.contains($0) }
        if let recent { found.formUnion(recent.regions(intersecting: envelopes)) }
        return found.sorted()
    }

    /// Rectangles that have everything within a distance of a region, each between 180° west and 180° east.
    ///
    /// - Parameter meters: the distance, at least 0.
    /// - Returns: the rectangles, in no particular order; they may overlap.
    public func envelopes(within meters: Double) -> [Envelope] {
        var found = base.envelopes { !changed.contains($0) }
        if let recent { found += recent.envelopes { _ in true } }
        return found.flatMap { $0.expanded(by: meters).parts.map(\.envelope) }
    }

    /// The size of the index in bytes, without its catalog.
    public var byteCount: Int { base.byteCount + (recent?.byteCount ?? 0) + changed.byteCount }
}

extension RegionLayer {
    fileprivate func regions(intersecting envelopes: [Envelope]) -> Set<RegionHandle> {
        var found: [UInt32] = []
        for envelope in envelopes { tree.search(envelope, into: &found) }
        return Set(found.map { owner($0).region })
    }

    /// The envelopes of the parts of some regions.
    fileprivate func envelopes(where isWanted: (RegionHandle) -> Bool) -> [Envelope] {
        (0..<tree.items.count).compactMap { index in
            isWanted(owner(tree.items[unchecked: index]).region) ? tree.boxes[unchecked: index] : nil
        }
    }

    fileprivate var byteCount: Int {
        func bytes<Element>(_ list: [Element]) -> Int { list.count * MemoryLayout<Element>.stride }
        return tree.byteCount + tableByteCount + parts.byteCount + bytes(corridors) + owners.byteCount
            + bytes(circles) + outlines.byteCount + cells.storage.byteCount + cells.flatCircles.byteCount
    }
}
