public import FencepostGEOS
public import FencepostGeometry
public import FencepostModel

/// One thread's way to ask a `RegionIndex`.
///
/// It keeps what GEOS prepares for the regions on whose edges it was asked, and the widths that were worked out, so it
/// is worth keeping as well. Coordinates that are asked about must be valid.
public struct RegionQuery: ~Copyable {
    public let index: RegionIndex
    /// Those of `index`.
    let layers: [RegionLayer]
    /// Point into `index`.
    private let reader: CellReader
    private let recentReader: CellReader?
    private let reachesSeam, hasRecent: Bool
    private var batch: CellBatch
    /// With room for all regions in the largest leaf of each layer.
    private let scratch: UnsafeMutablePointer<RegionHandle>
    private let context = GEOSContext()
    /// Only of regions for which rounding could have decided: few, whatever the number of regions.
    private var prepared: [RegionHandle: PreparedPolygons] = [:]
    var widths: [RegionHandle: Double] = [:]
    /// What the tree found last, kept for its memory.
    private(set) var candidates: [UInt32] = []

    public init(_ index: RegionIndex) {
        self.index = index
        layers = [index.base] + (index.recent.map { [$0] } ?? [])
        reader = CellReader(index.base)
        recentReader = index.recent.map(CellReader.init)
        hasRecent = index.recent != nil
        reachesSeam = index.base.cells.grid.reachesSeam || index.recent?.cells.grid.reachesSeam ?? false
        batch = CellBatch(mostInLeaf: index.base.cells.mostInLeaf)
        let scratchSize = index.base.cells.mostInLeaf + (index.recent?.cells.mostInLeaf ?? 0)
        scratch = .allocate(capacity: scratchSize)
        scratch.initialize(repeating: RegionHandle(0), count: scratchSize)
    }

    deinit { scratch.deallocate() }

    // MARK: Containment

    /// The regions that cover a coordinate, by handle: boundaries count as inside.
    ///
    /// For polygons exactly what GEOS `covers` answers on longitude and latitude, where 180° east and 180° west are the
    /// same meridian; for circles and corridors by geodesic distance.
    ///
    /// - Parameter result: what was in it is replaced.
    public mutating func covering(
        _ coordinate: Coordinate, into result: inout [RegionHandle]
    ) throws(GEOSError) {
        let count = hasRecent ? certainlyCoveringLatest(coordinate) : certainlyCovering(coordinate)
        if count >= 0 {
            // Mostly as many as before: then only written over.
            while result.count > count { result.removeLast() }
            let kept = result.count
            for place in 0..<kept { result[place] = scratch[place] }
            for place in kept..<count { result.append(scratch[place]) }
        } else {
            try coverCarefully(coordinate, into: &result)
        }
    }

    private mutating func coverCarefully(
        _ coordinate: Coordinate, into result: inout [RegionHandle]
    ) throws(GEOSError) {
        result.removeAll(keepingCapacity: true)
        try addCovering(coordinate, into: &result)
        if abs(coordinate.longitude) == 180 {
            // The same meridian, as those who live on its other side write it.
            let other = Coordinate(latitude: coordinate.latitude, longitude: -coordinate.longitude)
            try addCovering(other, into: &result)
        }
        guard result.count > 1 else { return }
        result.sort()
        result.removeRepeats()
    }

    /// The regions that cover each of many coordinates: as one by one, but faster, above all among many regions.
    ///
    /// - Parameter result: what was in it is replaced.
    public mutating func covering(
        _ coordinates: [Coordinate], into result: inout Coverings
    ) throws(GEOSError) {
        result.removeAll(makingRoomFor: coordinates.count)
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
            let next = min(first + CellBatch.most, coordinates.count)
            coordinates.withUnsafeBufferPointer { coordinates in
                reader.find(UnsafeBufferPointer(rebasing: coordinates[first..<next]), &batch)
            }
            var place = 0
            while true {
                place = result.append(batch, from: place, to: next - first)
                guard place < next - first else { break }
                try covering(coordinates[first + place], into: &slow)
                result.append(slow)
                place += 1
            }
            first = next
        }
    }

    /// Writes the regions that cover a coordinate to `scratch`.
    ///
    /// - Returns: how many; negative when cells cannot say for certain.
    @inline(__always)
    private func certainlyCovering(_ coordinate: Coordinate) -> Int {
        reachesSeam && abs(coordinate.longitude) == 180 ? -1 : reader.covering(coordinate, into: scratch)
    }

    /// As `certainlyCovering`, where regions have changed.
    @inline(never)
    private func certainlyCoveringLatest(_ coordinate: Coordinate) -> Int {
        let found = certainlyCovering(coordinate)
        guard let recentReader, found >= 0 else { return found }
        var count = 0
        for place in 0..<found where !index.changed.contains(scratch[place]) {
            scratch[count] = scratch[place]
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

    /// By the tree and whole outlines: what is right everywhere, and needed where rounding could decide.
    private mutating func addCovering(
        _ coordinate: Coordinate, into result: inout [RegionHandle]
    ) throws(GEOSError) {
        let point = Envelope(
            west: coordinate.longitude, south: coordinate.latitude, east: coordinate.longitude,
            north: coordinate.latitude)
        var place = PlaceInSpace(coordinate)
        for layer in layers {
            search(point, in: layer)
            for candidate in candidates {
                let part = layer.owner(candidate)
                if try covers(part, of: layer, coordinate, at: &place) { result.append(part.region) }
            }
        }
    }

    /// Sets `candidates` to the envelopes of a layer that meet this one and belong to regions as they are now.
    mutating func search(_ envelope: Envelope, in layer: RegionLayer) {
        candidates.removeAll(keepingCapacity: true)
        layer.tree.search(envelope, into: &candidates)
        guard index.recent != nil, layer === index.base else { return }
        candidates.removeAll { index.changed.contains(layer.owner($0).region) }
    }

    /// Worked out only where a circle asks for it.
    struct PlaceInSpace {
        let coordinate: Coordinate
        private var known: GeocentricPosition?

        init(_ coordinate: Coordinate) {
            self.coordinate = coordinate
        }

        var position: GeocentricPosition {
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
        _ part: RegionLayer.Part, of layer: RegionLayer, _ coordinate: Coordinate, at place: inout PlaceInSpace
    ) throws(GEOSError) -> Bool {
        switch part.kind {
        case .polygon(let outline):
            switch layer.outlines.locate(coordinate, in: outline) {
            case .inside, .boundary: return true
            case .outside: return false
            case .unsure: return try asksGEOS(part.region, coordinate)
            }
        case .circle(let circle):
            if let answer = layer.cells.flatCircles[circle].covers(coordinate) { return answer }
            return layer.circles[circle].covers(coordinate, at: place.position)
        case .corridor(let outline, let reach):
            return layer.outlines.isWithin(
                reach, of: outline, from: coordinate, in: LocalPlane(origin: coordinate))
        case .seamBoundary:
            return false
        }
    }

    private mutating func asksGEOS(_ handle: RegionHandle, _ coordinate: Coordinate) throws(GEOSError) -> Bool {
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
    var isSeam: Bool {
        if case .seamBoundary = kind { true } else { false }
    }
}

extension [RegionHandle] {
    /// Of a sorted list.
    mutating func removeRepeats() {
        var kept = 1
        for place in 1..<count where self[place] != self[kept - 1] {
            self[kept] = self[place]
            kept += 1
        }
        removeLast(count - kept)
    }
}
