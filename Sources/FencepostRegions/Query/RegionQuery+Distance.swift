public import FencepostGEOS
public import FencepostGeometry
public import FencepostModel

extension RegionQuery {
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
        var space = PlaceInSpace(coordinate)
        let plane = LocalPlane(origin: coordinate)
        // Off the poles and near by it is, and need not be reckoned.
        let isFlat =
            abs(coordinate.latitude) < 80 && meters <= 1000 || plane.relativeError(within: meters) <= 0.005
        let point = Envelope(
            west: coordinate.longitude, south: coordinate.latitude, east: coordinate.longitude,
            north: coordinate.latitude)
        for (envelope, turn) in point.expanded(by: meters).parts {
            let seen = Coordinate(latitude: coordinate.latitude, longitude: coordinate.longitude + turn)
            for layer in layers {
                search(envelope, in: layer)
                for candidate in candidates {
                    let part = layer.owner(candidate)
                    let covers: Bool
                    let distance: Double
                    switch part.kind {
                    case .polygon(let outline), .seamBoundary(let outline):
                        covers = abs(seen.longitude) <= 180 ? try self.covers(part, of: layer, seen, at: &space) : false
                        distance =
                            isFlat
                            ? layer.outlines.distance(
                                to: outline, in: plane, longitude: seen.longitude, limit: meters, seams: part.isSeam)
                            : layer.outlines.exactDistance(
                                to: outline, from: coordinate, limit: meters, seams: part.isSeam)
                    case .circle(let circle):
                        let signed = layer.circles[circle].signedDistance(
                            to: coordinate, at: space.position, limit: meters)
                        covers = signed <= 0
                        distance = abs(signed)
                    case .corridor(let outline, let reach):
                        covers = try self.covers(part, of: layer, coordinate, at: &space)
                        let toLine =
                            isFlat && plane.relativeError(within: meters + reach) <= 0.005
                            ? layer.outlines.distanceEitherWay(to: outline, in: plane, limit: meters + reach)
                            : layer.outlines.exactDistance(
                                to: outline, from: coordinate, limit: meters + reach, seams: true)
                        // Deep inside as well as far outside it is farther than was asked for.
                        let depth = abs(toLine - reach)
                        distance = depth <= meters ? depth : .infinity
                    }
                    guard covers || distance <= meters else { continue }
                    let signed = covers ? -distance : distance
                    result.append(Proximity(region: part.region, covers: covers, signedDistance: signed, width: 0))
                }
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
        case .polygons?: width = 2 * index.layer(of: handle).inscribedRadius(of: handle)
        case nil: width = 0
        }
        widths[handle] = width
        return width
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
