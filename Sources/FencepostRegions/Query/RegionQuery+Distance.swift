public import FencepostGEOS
public import FencepostGeometry
public import FencepostModel

extension RegionQuery {
    /// The regions that cover a coordinate or whose boundary is within a search radius, by handle.
    ///
    /// Distances are those of `LocalPlane` where it is accurate to 0.5 %, otherwise geodesic; distances to circles are
    /// always geodesic. The line along which a region is split at 180° of longitude is no boundary.
    ///
    /// - Parameters:
    ///   - coordinate: a valid position.
    ///   - meters: the search radius, at least 0.
    ///   - result: replaced.
    /// - Throws: `GEOSError` if GEOS fails on a region.
    public mutating func near(
        _ coordinate: Coordinate, within meters: Double, into result: inout [Proximity]
    ) throws(GEOSError) {
        result.removeAll(keepingCapacity: true)
        var position = CachedPosition(coordinate)
        let plane = LocalPlane(origin: coordinate)
        // Away from the poles and at short distances the plane is accurate; the error need not be computed.
        let isPlanar =
            abs(coordinate.latitude) < 80 && meters <= 1000 || plane.relativeError(within: meters) <= 0.005
        let point = Envelope(
            west: coordinate.longitude, south: coordinate.latitude, east: coordinate.longitude,
            north: coordinate.latitude)
        for (envelope, longitudeOffset) in point.expanded(by: meters).parts {
            let shifted = Coordinate(latitude: coordinate.latitude, longitude: coordinate.longitude + longitudeOffset)
            for layer in layers {
                search(envelope, in: layer)
                for candidate in candidates {
                    let part = layer.owner(candidate)
                    let covers: Bool
                    let distance: Double
                    switch part.kind {
                    case .polygon(let outline), .antimeridianBoundary(let outline):
                        covers =
                            abs(shifted.longitude) <= 180
                            ? try self.covers(part, of: layer, shifted, at: &position) : false
                        distance =
                            isPlanar
                            ? layer.outlines.distance(
                                to: outline, in: plane, longitude: shifted.longitude, limit: meters,
                                includingAntimeridian: part.isOnAntimeridian)
                            : layer.outlines.exactDistance(
                                to: outline, from: coordinate, limit: meters,
                                includingAntimeridian: part.isOnAntimeridian)
                    case .circle(let circle):
                        let signed = layer.circles[circle].signedDistance(
                            to: coordinate, at: position.geocentric, limit: meters)
                        covers = signed <= 0
                        distance = abs(signed)
                    case .corridor(let outline, let halfWidth):
                        covers = try self.covers(part, of: layer, coordinate, at: &position)
                        let toLine =
                            isPlanar && plane.relativeError(within: meters + halfWidth) <= 0.005
                            ? layer.outlines.distanceEitherWay(to: outline, in: plane, limit: meters + halfWidth)
                            : layer.outlines.exactDistance(
                                to: outline, from: coordinate, limit: meters + halfWidth, includingAntimeridian: true)
                        // Deep inside, the boundary may be farther away than the search radius.
                        let depth = abs(toLine - halfWidth)
                        distance = depth <= meters ? depth : .infinity
                    }
                    guard covers || distance <= meters else { continue }
                    let signed = covers ? -distance : distance
                    result.append(Proximity(region: part.region, covers: covers, signedDistance: signed, width: 0))
                }
            }
        }
        result.mergeParts()
        for index in result.indices { result[index].width = try width(of: result[index].region) }
    }

    /// The width of a region in metres, as defined by `Proximity.width`; for polygons within about 10 %.
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
    /// Merges the parts of each region: it covers if one part does, and its distance is that of the nearest boundary.
    fileprivate mutating func mergeParts() {
        guard count > 1 else { return }
        sort { ($0.region, abs($0.signedDistance)) < ($1.region, abs($1.signedDistance)) }
        var kept = 0
        for index in 1..<count {
            let next = self[index]
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
