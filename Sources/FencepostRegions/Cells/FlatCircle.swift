import FencepostGeometry

/// A circle as an ellipse in longitude and latitude with an inner and an outer bound. It decides all coordinates except
/// a narrow ring around the circle's boundary.
struct FlatCircle: Sendable {
    let longitude, latitude: Double
    /// Metres per degree at the centre.
    let metersPerLongitude, metersPerLatitude: Double
    /// Squared metres in the plane: up to `inside` a coordinate is certainly inside, beyond `outside` certainly
    /// outside.
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
        // A micrometre covers all rounding, here and in Karney's geodesic distance.
        let (inner, outer) = (circle.radius / (1 + error) - 1e-6, circle.radius * (1 + error) + 1e-6)
        (inside, outside) = (inner > 0 ? inner * inner : -1, outer * outer)
    }

    var isFlat: Bool { outside < .infinity }

    /// `nil` where only the geodesic distance decides.
    @inline(__always)
    func covers(_ coordinate: Coordinate) -> Bool? {
        var x = coordinate.longitude - longitude
        if x > 180 { x -= 360 } else if x < -180 { x += 360 }
        x *= metersPerLongitude
        let y = (coordinate.latitude - latitude) * metersPerLatitude
        let squared = x * x + y * y
        return squared <= inside ? true : squared > outside ? false : nil
    }

    /// The same for every coordinate in a box; `longitudeOffset` is what was added to the centre's longitude.
    func covers(all box: Envelope, longitudeOffset: Double) -> Bool? {
        let (west, east) = (box.west - longitude - longitudeOffset, box.east - longitude - longitudeOffset)
        let (south, north) = (box.south - latitude, box.north - latitude)
        let farX = max(abs(west), abs(east)) * metersPerLongitude
        let farY = max(abs(south), abs(north)) * metersPerLatitude
        if farX * farX + farY * farY <= inside { return true }
        let nearX = max(west, -east, 0) * metersPerLongitude
        let nearY = max(south, -north, 0) * metersPerLatitude
        return nearX * nearX + nearY * nearY > outside ? false : nil
    }
}
