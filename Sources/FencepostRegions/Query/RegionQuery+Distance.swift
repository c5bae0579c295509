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
        try near(LocalPlane(origin: coordinate), within: meters, into: &result)
    }

    /// As `near(_:within:into:)`, for the origin of a plane that is made already.
    ///
    /// - Parameters:
    ///   - plane: the plane around a valid position.
    ///   - meters: the search radius, at least 0.
    ///   - result: replaced.
    /// - Throws: `GEOSError` if GEOS fails on a region.
    public mutating func near(
        _ plane: LocalPlane, within meters: Double, into result: inout [Proximity]
    ) throws(GEOSError) {
        let coordinate = plane.origin
        result.removeAll(keepingCapacity: true)
        try setContaining(coordinate)
        var measurement = Measurement(plane, within: meters)
        let point = Envelope(
            west: coordinate.longitude, south: coordinate.latitude, east: coordinate.longitude,
            north: coordinate.latitude)
        for (envelope, longitudeOffset) in point.expanded(by: meters).parts {
            measurement.longitude = coordinate.longitude + longitudeOffset
            for layer in layers {
                search(envelope, in: layer)
                for candidate in candidates {
                    let part = layer.owner(candidate)
                    let proximity = measurement.proximity(
                        to: part, of: layer, isContaining: containing.contains(part.region))
                    if let proximity { result.append(proximity) }
                }
            }
        }
        try finish(&result)
    }

    /// The result of `near(_:within:into:)` for some regions, without a search. It may have further regions.
    ///
    /// - Parameters:
    ///   - plane: the plane around a valid position.
    ///   - meters: the search radius, at least 0.
    ///   - handles: the regions.
    ///   - containing: the result of `covering(_:into:)` for the position.
    ///   - result: replaced.
    /// - Throws: `GEOSError` if GEOS fails on a region.
    public mutating func near(
        _ plane: LocalPlane, within meters: Double, among handles: [RegionHandle], containing: [RegionHandle],
        into result: inout [Proximity]
    ) throws(GEOSError) {
        // Elsewhere the surroundings may have several parts.
        guard abs(plane.origin.longitude) < 179, abs(plane.origin.latitude) < 80, meters <= 1000 else {
            return try near(plane, within: meters, into: &result)
        }
        var measurement = Measurement(plane, within: meters)
        result.removeFew()
        for handle in handles {
            let isContaining = containing.contains(handle)
            if let region = smallRegion(handle) {
                let distance = measurement.distance(to: region.run, vertices)
                guard isContaining || distance <= meters else { continue }
                let width = width(of: handle, knownAs: region)
                result.append(
                    Proximity(
                        region: handle, covers: isContaining, signedDistance: isContaining ? -distance : distance,
                        width: width))
                continue
            }
            let layer = index.layer(of: handle)
            for number in layer.partNumbers(of: handle) {
                let proximity = measurement.proximity(
                    to: layer.part(number), of: layer, isContaining: isContaining)
                if let proximity { result.append(proximity) }
            }
        }
        try finish(&result)
    }

    private mutating func finish(_ result: inout [Proximity]) throws(GEOSError) {
        result.mergeParts()
        for slot in result.indices where result[slot].width < 0 {
            result[slot].width = try width(of: result[slot].region)
        }
    }

    /// The record of a region whose version in the base layer is current; `nil` if it is no small polygon.
    @inline(__always)
    private func smallRegion(_ handle: RegionHandle) -> RegionLayer.SmallRegion? {
        let slot = Int(handle.rawValue)
        guard slot < smallRegionCount else { return nil }
        let region = smallRegions[slot]
        guard region.run.edges > 0, !hasRecent || !index.changed.contains(handle) else { return nil }
        return region
    }

    @inline(__always)
    private func width(of handle: RegionHandle, knownAs region: RegionLayer.SmallRegion) -> Double {
        widths.number(at: Int(region.part)) { 2 * index.base.inscribedRadius(of: handle) }
    }

    /// The width of a region in metres, as defined by `Proximity.width`; for polygons within about 10 %.
    public mutating func width(of handle: RegionHandle) throws(GEOSError) -> Double {
        let layer = index.layer(of: handle)
        let parts = layer.partNumbers(of: handle)
        // A region without a part has no shape.
        guard !parts.isEmpty else { return 0 }
        return layer.widths.number(at: parts.lowerBound) {
            switch index.catalog[handle]?.shape {
            case .circle(let circle)?: 2 * circle.radius
            case .corridor(let corridor)?: corridor.width
            case .polygons?: 2 * layer.inscribedRadius(of: handle)
            case nil: 0
            }
        }
    }
}

/// Measures distances from one coordinate to the boundaries of regions.
private struct Measurement {
    /// That of the coordinate, or 360° from it for shapes on the other side of the antimeridian.
    var longitude: Double
    private let coordinate: Coordinate
    private let meters: Double
    private let plane: LocalPlane
    /// Whether the plane is accurate enough within the search radius.
    private let isPlanar: Bool
    private var position: RegionQuery.CachedPosition

    init(_ plane: LocalPlane, within meters: Double) {
        let coordinate = plane.origin
        (self.coordinate, self.meters, longitude) = (coordinate, meters, coordinate.longitude)
        position = RegionQuery.CachedPosition(coordinate)
        self.plane = plane
        // Away from the poles and at short distances the plane is accurate; the error need not be computed.
        isPlanar = abs(coordinate.latitude) < 80 && meters <= 1000 || plane.relativeError(within: meters) <= 0.005
    }

    /// Metres to the nearest edge of a small region away from the antimeridian; `.infinity` beyond the search radius.
    @inline(__always)
    func distance(to run: EdgeRun, _ vertices: UnsafePointer<Coordinate>) -> Double {
        run.distance(vertices, in: plane, longitude: longitude, limit: meters)
    }

    /// The position relative to one part of a region; `nil` where the region does not contain the coordinate and the
    /// boundary is beyond the search radius. The width is below 0: not set.
    @inline(__always)
    mutating func proximity(to part: RegionLayer.Part, of layer: RegionLayer, isContaining: Bool) -> Proximity? {
        var covers = isContaining
        let distance: Double
        switch part.kind {
        case .polygon(let outline), .antimeridianBoundary(let outline):
            distance =
                isPlanar
                ? layer.outlines.distance(
                    to: outline, in: plane, longitude: longitude, limit: meters,
                    includingAntimeridian: part.isOnAntimeridian)
                : layer.outlines.exactDistance(
                    to: outline, from: coordinate, limit: meters, includingAntimeridian: part.isOnAntimeridian)
        case .circle(let circle):
            let signed = layer.circles[circle].signedDistance(to: coordinate, at: position.geocentric, limit: meters)
            covers = signed <= 0
            distance = abs(signed)
        case .corridor(let outline, let halfWidth):
            let toLine =
                isPlanar && plane.relativeError(within: meters + halfWidth) <= 0.005
                ? layer.outlines.distanceEitherWay(to: outline, in: plane, limit: meters + halfWidth)
                : layer.outlines.exactDistance(
                    to: outline, from: coordinate, limit: meters + halfWidth, includingAntimeridian: true)
            // Deep inside, the boundary may be farther away than the search radius.
            let depth = abs(toLine - halfWidth)
            distance = depth <= meters ? depth : .infinity
        }
        guard covers || distance <= meters else { return nil }
        return Proximity(
            region: part.region, covers: covers, signedDistance: covers ? -distance : distance, width: -1)
    }
}

extension [Proximity] {
    /// Merges the parts of each region: it covers if one part does, and its distance is that of the nearest boundary.
    fileprivate mutating func mergeParts() {
        // Mostly each region has one part, and they are in order.
        guard indices.dropFirst().contains(where: { self[$0].region <= self[$0 - 1].region }) else { return }
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
