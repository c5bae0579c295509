public import FencepostGEOS
public import FencepostGeometry
public import FencepostModel

/// Queries a `RegionIndex`; each thread needs its own.
///
/// A query caches what GEOS prepares for regions whose boundaries were close, and the widths of regions, so it is worth
/// keeping. Coordinates in queries must be valid.
public struct RegionQuery: ~Copyable {
    /// The index that the answers come from.
    public let index: RegionIndex
    /// The layers of `index`.
    let layers: [RegionLayer]
    /// Both point into `index`.
    private let reader: CellReader
    private let recentReader: CellReader?
    /// These of the base layer point into `index` too.
    let smallRegions: UnsafePointer<RegionLayer.SmallRegion>
    let smallRegionCount: Int
    let vertices: UnsafePointer<Coordinate>
    /// Those of the base layer.
    let widths: SharedNumbers
    let hasRecent: Bool
    private let touchesAntimeridian: Bool
    private var batch: CellBatch
    /// Room for all regions in the largest leaf of each layer.
    private let scratch: UnsafeMutablePointer<RegionHandle>
    private let context = GEOSContext()
    /// Only for regions where rounding could decide, which are few for any number of regions.
    private var prepared: [RegionHandle: PreparedPolygons] = [:]
    /// The result of the last `setContaining`.
    private(set) var containing: [RegionHandle] = []
    /// The result of the last tree search, kept to reuse its memory.
    private(set) var candidates: [UInt32] = []

    /// A query over an index; it keeps its memory and prepared polygons from one call to the next.
    public init(_ index: RegionIndex) {
        self.index = index
        layers = [index.base] + (index.recent.map { [$0] } ?? [])
        reader = CellReader(index.base)
        recentReader = index.recent.map(CellReader.init)
        hasRecent = index.recent != nil
        smallRegions = index.base.smallRegions.start
        smallRegionCount = index.base.smallRegions.count
        vertices = index.base.outlines.vertices.start
        widths = index.base.widths
        touchesAntimeridian =
            index.base.cells.grid.touchesAntimeridian || index.recent?.cells.grid.touchesAntimeridian ?? false
        batch = CellBatch(maximumLeafCount: index.base.cells.maximumLeafCount)
        let scratchSize = index.base.cells.maximumLeafCount + (index.recent?.cells.maximumLeafCount ?? 0)
        scratch = .allocate(capacity: scratchSize)
        scratch.initialize(repeating: RegionHandle(0), count: scratchSize)
    }

    deinit { scratch.deallocate() }

    // MARK: Containment

    /// The regions that cover a coordinate, by handle; boundaries count as inside.
    ///
    /// For polygons the answer is exactly that of GEOS `covers` on longitude and latitude, with 180° east and 180° west
    /// as the same meridian; for circles and corridors it is by geodesic distance.
    ///
    /// - Parameters:
    ///   - coordinate: a valid position.
    ///   - result: replaced.
    /// - Throws: `GEOSError` if GEOS fails on a region.
    public mutating func covering(
        _ coordinate: Coordinate, into result: inout [RegionHandle]
    ) throws(GEOSError) {
        let count = hasRecent ? certainlyCoveringLatest(coordinate) : certainlyCovering(coordinate)
        if count >= 0 {
            // The count is usually unchanged, so elements are overwritten.
            while result.count > count { result.removeLast() }
            let kept = result.count
            for slot in 0..<kept { result[slot] = scratch[slot] }
            for slot in kept..<count { result.append(scratch[slot]) }
        } else {
            try coveringByOutlines(coordinate, into: &result)
        }
    }

    /// Sets `containing` to the regions that cover a coordinate.
    mutating func setContaining(_ coordinate: Coordinate) throws(GEOSError) {
        var found: [RegionHandle] = []
        swap(&found, &containing)
        try covering(coordinate, into: &found)
        swap(&found, &containing)
    }

    private mutating func coveringByOutlines(
        _ coordinate: Coordinate, into result: inout [RegionHandle]
    ) throws(GEOSError) {
        result.removeAll(keepingCapacity: true)
        try addCovering(coordinate, into: &result)
        if abs(coordinate.longitude) == 180 {
            // The same meridian as written on its other side.
            let other = Coordinate(latitude: coordinate.latitude, longitude: -coordinate.longitude)
            try addCovering(other, into: &result)
        }
        guard result.count > 1 else { return }
        result.sort()
        result.removeDuplicates()
    }

    /// The regions that cover each of several coordinates. The answers are those of single queries, and faster, above
    /// all with many regions.
    ///
    /// - Parameters:
    ///   - coordinates: valid positions, in any order.
    ///   - result: replaced; it has the regions at each index of `coordinates`.
    /// - Throws: `GEOSError` if GEOS fails on a region.
    public mutating func covering(
        _ coordinates: [Coordinate], into result: inout Coverings
    ) throws(GEOSError) {
        result.removeAll(reservingRoomFor: coordinates.count)
        var slow: [RegionHandle] = []
        guard index.recent == nil else {
            for coordinate in coordinates {
                try covering(coordinate, into: &slow)
                result.append(slow)
            }
            return
        }
        var first = 0
        while first < coordinates.count {
            let next = min(first + CellBatch.capacity, coordinates.count)
            coordinates.withUnsafeBufferPointer { coordinates in
                reader.lookUp(UnsafeBufferPointer(rebasing: coordinates[first..<next]), &batch)
            }
            var done = 0
            while true {
                done = result.append(batch, from: done, to: next - first)
                guard done < next - first else { break }
                try covering(coordinates[first + done], into: &slow)
                result.append(slow)
                done += 1
            }
            first = next
        }
    }

    /// Writes the regions that cover a coordinate to `scratch`.
    ///
    /// - Returns: the number of regions; negative when the cells do not give a certain answer.
    @inline(__always)
    private func certainlyCovering(_ coordinate: Coordinate) -> Int {
        touchesAntimeridian && abs(coordinate.longitude) == 180 ? -1 : reader.covering(coordinate, into: scratch)
    }

    /// As `certainlyCovering`, for an index with changed regions.
    @inline(never)
    private func certainlyCoveringLatest(_ coordinate: Coordinate) -> Int {
        let found = certainlyCovering(coordinate)
        guard let recentReader, found >= 0 else { return found }
        var count = 0
        for slot in 0..<found where !index.changed.contains(scratch[slot]) {
            scratch[count] = scratch[slot]
            count += 1
        }
        let more = recentReader.covering(coordinate, into: scratch + count)
        guard more >= 0 else { return more }
        if count > 0 && more > 0 {
            var both = UnsafeMutableBufferPointer(start: scratch, count: count + more)
            both.sort()
        }
        return count + more
    }

    /// Uses the tree and whole outlines. It is correct everywhere and needed where rounding could decide.
    private mutating func addCovering(
        _ coordinate: Coordinate, into result: inout [RegionHandle]
    ) throws(GEOSError) {
        let point = Envelope(
            west: coordinate.longitude, south: coordinate.latitude, east: coordinate.longitude,
            north: coordinate.latitude)
        var position = CachedPosition(coordinate)
        for layer in layers {
            search(point, in: layer)
            for candidate in candidates {
                let part = layer.owner(candidate)
                if try covers(part, of: layer, coordinate, at: &position) { result.append(part.region) }
            }
        }
    }

    /// Sets `candidates` to the envelopes of a layer that meet this one and belong to current regions.
    mutating func search(_ envelope: Envelope, in layer: RegionLayer) {
        candidates.removeAll(keepingCapacity: true)
        layer.tree.search(envelope, into: &candidates)
        removeChanged(of: layer)
    }

    /// Sets `candidates` to the envelopes of a layer that meet a segment, or nearly so, and belong to current regions.
    /// The given envelope contains the segment.
    mutating func search(_ envelope: Envelope, along segment: StraightSegment, in layer: RegionLayer) {
        candidates.removeAll(keepingCapacity: true)
        layer.tree.search(envelope, along: segment, into: &candidates)
        removeChanged(of: layer)
    }

    private mutating func removeChanged(of layer: RegionLayer) {
        guard index.recent != nil, layer === index.base else { return }
        candidates.removeAll { index.changed.contains(layer.owner($0).region) }
    }

    /// A coordinate whose geocentric position is computed on first use, which only circles need.
    struct CachedPosition {
        let coordinate: Coordinate
        private var known: GeocentricPosition?

        init(_ coordinate: Coordinate) {
            self.coordinate = coordinate
        }

        var geocentric: GeocentricPosition {
            mutating get {
                if let known { return known }
                let position = GeocentricPosition(coordinate)
                known = position
                return position
            }
        }
    }

    /// The regions that cover a coordinate, by handle.
    public mutating func covering(_ coordinate: Coordinate) throws(GEOSError) -> [RegionHandle] {
        var result: [RegionHandle] = []
        try covering(coordinate, into: &result)
        return result
    }

    mutating func covers(
        _ part: RegionLayer.Part, of layer: RegionLayer, _ coordinate: Coordinate, at position: inout CachedPosition
    ) throws(GEOSError) -> Bool {
        switch part.kind {
        case .polygon(let outline):
            switch layer.outlines.locate(coordinate, in: outline) {
            case .inside, .boundary: return true
            case .outside: return false
            case .uncertain: return try coversByGEOS(part.region, coordinate)
            }
        case .circle(let circle):
            if let answer = layer.cells.flatCircles[circle].covers(coordinate) { return answer }
            return layer.circles[circle].covers(coordinate, at: position.geocentric)
        case .corridor(let outline, let halfWidth):
            return layer.outlines.isWithin(
                halfWidth, of: outline, from: coordinate, in: LocalPlane(origin: coordinate))
        case .antimeridianBoundary:
            return false
        }
    }

    private mutating func coversByGEOS(_ handle: RegionHandle, _ coordinate: Coordinate) throws(GEOSError) -> Bool {
        if let ready = prepared[handle] { return try ready.covers(coordinate) }
        guard case .polygons(let shape)? = index.catalog[handle]?.shape else { return false }
        let made = try PreparedPolygons(shape, in: context)
        prepared[handle] = made
        return try made.covers(coordinate)
    }
}

@available(*, unavailable)
extension RegionQuery: Sendable {}

extension RegionLayer.Part {
    var isOnAntimeridian: Bool {
        if case .antimeridianBoundary = kind { true } else { false }
    }
}

extension [RegionHandle] {
    /// Removes duplicates from a sorted list.
    mutating func removeDuplicates() {
        var kept = 1
        for index in 1..<count where self[index] != self[kept - 1] {
            self[kept] = self[index]
            kept += 1
        }
        removeLast(count - kept)
    }
}
