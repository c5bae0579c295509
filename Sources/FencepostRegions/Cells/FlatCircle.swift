import FencepostGeometry

/// A circle as an ellipse in longitude and latitude, between two bounds: enough for all but a sliver around its edge.
struct FlatCircle: Sendable {
    let longitude, latitude: Double
    /// Metres to a degree at the centre.
    let metersPerLongitude, metersPerLatitude: Double
    /// Squares of metres in the plane: up to the first a coordinate is certainly inside, beyond the second outside.
    let inside, outside: Double

    init(_ circle: Circle) {
        let plane = LocalPlane(origin: circle.center)
        (longitude, latitude) = (circle.center.longitude, circle.center.latitude)
        metersPerLongitude = plane.metersPerDegreeOfLongitude
        metersPerLatitude = plane.metersPerDegreeOfLatitude
        let error = plane.relativeError(within: circle.radius)
        guard error.isFinite else {
            (inside, outside) = (-1, .infinity)
            return
        }
        // A micrometre for all rounding, here and in Karney's distance.
        let (inner, outer) = (circle.radius / (1 + error) - 1e-6, circle.radius * (1 + error) + 1e-6)
        (inside, outside) = (inner > 0 ? inner * inner : -1, outer * outer)
    }

    var isFlat: Bool { outside < .infinity }

    /// `nil` where only the geodesic distance can tell.
    @inline(__always)
    func covers(_ coordinate: Coordinate) -> Bool? {
        var x = coordinate.longitude - longitude
        if x > 180 { x -= 360 } else if x < -180 { x += 360 }
        x *= metersPerLongitude
        let y = (coordinate.latitude - latitude) * metersPerLatitude
        let squared = x * x + y * y
        return squared <= inside ? true : squared > outside ? false : nil
    }

    /// The same of every coordinate in a box; `turn` is what was added to the longitude of the centre to see it there.
    func covers(all box: Envelope, turn: Double) -> Bool? {
        let (west, east) = (box.west - longitude - turn, box.east - longitude - turn)
        let (south, north) = (box.south - latitude, box.north - latitude)
        let farX = max(abs(west), abs(east)) * metersPerLongitude
        let farY = max(abs(south), abs(north)) * metersPerLatitude
        if farX * farX + farY * farY <= inside { return true }
        let nearX = max(west, -east, 0) * metersPerLongitude
        let nearY = max(south, -north, 0) * metersPerLatitude
        return nearX * nearX + nearY * nearY > outside ? false : nil
    }
}
