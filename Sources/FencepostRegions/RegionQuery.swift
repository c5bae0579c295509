public import FencepostGEOS
public import FencepostGeometry
public import FencepostModel

/// One thread's way to ask a `RegionIndex`.
///
/// It keeps what GEOS prepares for the regions on whose edges it was asked, and the widths that were worked out, so it
/// is worth keeping as well. Coordinates that are asked about must be valid.
public struct RegionQuery: ~Copyable {
    public let index: RegionIndex
    /// Points into `index`.
    private let reader: CellReader
    private let context = GEOSContext()
    /// Only of regions for which rounding could have decided: few, whatever the number of regions.
    private var prepared: [RegionHandle: PreparedPolygons] = [:]
    private var widths: [RegionHandle: Double] = [:]
    /// What the tree found last, kept for its memory.
    private var candidates: [UInt32] = []

    public init(_ index: RegionIndex) {
        self.index = index
        reader = CellReader(index.parts)
    }

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
        if !result.isEmpty { result.removeAll(keepingCapacity: true) }
        if abs(coordinate.longitude) != 180 {
            if reader.addCovering(coordinate, into: &result) { return }
            result.removeAll(keepingCapacity: true)
        }
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

    /// By the tree and whole outlines: what is right everywhere, and needed where rounding could decide.
    private mutating func addCovering(
        _ coordinate: Coordinate, into result: inout [RegionHandle]
    ) throws(GEOSError) {
        let parts = index.parts
        search(
            Envelope(
                west: coordinate.longitude, south: coordinate.latitude, east: coordinate.longitude,
                north: coordinate.latitude))
        var place = PlaceInSpace(coordinate)
        for candidate in candidates {
            let part = parts.list[Int(parts.owners[Int(candidate)])]
            if try covers(part, coordinate, at: &place) { result.append(part.region) }
        }
    }

    private mutating func search(_ envelope: Envelope) {
        candidates.removeAll(keepingCapacity: true)
        index.parts.tree.search(envelope, into: &candidates)
    }

    /// Worked out only where a circle asks for it.
    private struct PlaceInSpace {
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

    private mutating func covers(
        _ part: RegionIndex.Part, _ coordinate: Coordinate, at place: inout PlaceInSpace
    ) throws(GEOSError) -> Bool {
        switch part.kind {
        case .polygon(let outline):
            switch index.parts.outlines.locate(coordinate, in: outline) {
            case .inside, .boundary: return true
            case .outside: return false
            case .unsure: return try asksGEOS(part.region, coordinate)
            }
        case .circle(let circle):
            if let answer = index.parts.cells.flatCircles[circle].covers(coordinate) { return answer }
            return index.parts.circles[circle].covers(coordinate, at: place.position)
        case .corridor(let outline, let reach):
            return index.parts.outlines.isWithin(
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

    // MARK: Distance

    /// The regions that cover a coordinate, and those whose boundary is at most so many metres away, by handle.
    ///
    /// Distances are those of `LocalPlane` where that is within 0.5 %, else geodesic; those to circles are always
    /// geodesic. The line along which a region is cut at 180° of longitude is no boundary.
    ///
    /// - Parameters:
    ///   - meters: at least 0.
    ///   - result: what was in it is replaced.
    public mutating func near(
        _ coordinate: Coordinate, within meters: Double, into result: inout [Proximity]
    ) throws(GEOSError) {
        result.removeAll(keepingCapacity: true)
        let parts = index.parts
        var space = PlaceInSpace(coordinate)
        let plane = LocalPlane(origin: coordinate)
        let isFlat = plane.relativeError(within: meters) <= 0.005
        let point = Envelope(
            west: coordinate.longitude, south: coordinate.latitude, east: coordinate.longitude,
            north: coordinate.latitude)
        for (envelope, turn) in point.expanded(by: meters).parts {
            let seen = Coordinate(latitude: coordinate.latitude, longitude: coordinate.longitude + turn)
            search(envelope)
            for candidate in candidates {
                let part = parts.list[Int(parts.owners[Int(candidate)])]
                let covers: Bool
                let distance: Double
                switch part.kind {
                case .polygon(let outline), .seamBoundary(let outline):
                    covers = abs(seen.longitude) <= 180 ? try self.covers(part, seen, at: &space) : false
                    distance =
                        isFlat
                        ? parts.outlines.distance(
                            to: outline, in: plane, longitude: seen.longitude, limit: meters, seams: part.isSeam)
                        : parts.outlines.exactDistance(
                            to: outline, from: coordinate, limit: meters, seams: part.isSeam)
                case .circle(let circle):
                    let signed = parts.circles[circle].signedDistance(
                        to: coordinate, at: space.position, limit: meters)
                    covers = signed <= 0
                    distance = abs(signed)
                case .corridor(let outline, let reach):
                    covers = try self.covers(part, coordinate, at: &space)
                    let toLine =
                        isFlat && plane.relativeError(within: meters + reach) <= 0.005
                        ? parts.outlines.distance(
                            to: outline, in: plane, longitude: seen.longitude, limit: meters + reach, seams: true)
                        : parts.outlines.exactDistance(
                            to: outline, from: coordinate, limit: meters + reach, seams: true)
                    // Deep inside as well as far outside it is farther than was asked for.
                    let depth = abs(toLine - reach)
                    distance = depth <= meters ? depth : .infinity
                }
                guard covers || distance <= meters else { continue }
                result.append(
                    Proximity(
                        region: part.region, covers: covers, signedDistance: covers ? -distance : distance, width: 0))
            }
        }
        result.mergeParts()
        for place in result.indices { result[place].width = try width(of: result[place].region) }
    }

    /// How wide a region is, as `Proximity.width` says; polygons to about a tenth.
    public mutating func width(of handle: RegionHandle) throws(GEOSError) -> Double {
        if let known = widths[handle] { return known }
        let width: Double
        switch index.catalog[handle]?.shape {
        case .circle(let circle)?: width = 2 * circle.radius
        case .corridor(let corridor)?: width = corridor.width
        case .polygons?: width = 2 * index.inscribedRadius(of: handle)
        case nil: width = 0
        }
        widths[handle] = width
        return width
    }
}

@available(*, unavailable)
extension RegionQuery: Sendable {}

extension RegionIndex.Part {
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

extension [Proximity] {
    /// Makes one of all that were found of a region: it covers if a part does, and is as far as its nearest boundary.
    fileprivate mutating func mergeParts() {
        guard count > 1 else { return }
        sort { ($0.region, abs($0.signedDistance)) < ($1.region, abs($1.signedDistance)) }
        var kept = 0
        for place in 1..<count {
            let next = self[place]
            if next.region == self[kept].region {
                if next.covers && !self[kept].covers {
                    self[kept].covers = true
                    self[kept].signedDistance = -self[kept].signedDistance
                }
            } else {
                kept += 1
                self[kept] = next
            }
        }
        removeLast(count - kept - 1)
    }
}
