import FencepostGeometry

/// A point of a drawing, in the drawing's units; y points downwards.
struct Point: Hashable {
    var x, y: Double

    func distance(to other: Point) -> Double {
        ((x - other.x) * (x - other.x) + (y - other.y) * (y - other.y)).squareRoot()
    }
}

/// An equirectangular projection, true to scale at the middle latitude, fitted into a drawing.
struct MapProjection {
    let width, height: Double
    /// Metres in one unit of the drawing, along the middle parallel.
    let metersPerUnit: Double
    private let middle: Coordinate
    private let unitsPerLongitude, unitsPerLatitude: Double

    /// A projection that shows all coordinates; `nil` when there is nothing to show.
    ///
    /// Longitudes may exceed 180. `margin` is the free space on every side, in units of the drawing.
    init?(fitting coordinates: [Coordinate], width: Double, tallest: Double, margin: Double) {
        guard let box = Envelope(of: coordinates) else { return nil }
        middle = Coordinate(latitude: (box.south + box.north) / 2, longitude: (box.west + box.east) / 2)
        let plane = LocalPlane(origin: Coordinate(latitude: max(-85, min(85, middle.latitude)), longitude: 0))
        // A single place is shown with 200 m around it.
        let across = max((box.east - box.west) * plane.metersPerDegreeOfLongitude, 200)
        let up = max((box.north - box.south) * plane.metersPerDegreeOfLatitude, 200)
        metersPerUnit = max(across / (width - 2 * margin), up / (tallest - 2 * margin))
        self.width = width
        height = min(tallest, max(up / metersPerUnit + 2 * margin, width * 0.4))
        unitsPerLongitude = plane.metersPerDegreeOfLongitude / metersPerUnit
        unitsPerLatitude = plane.metersPerDegreeOfLatitude / metersPerUnit
    }

    func callAsFunction(_ coordinate: Coordinate) -> Point {
        Point(
            x: width / 2 + (coordinate.longitude - middle.longitude) * unitsPerLongitude,
            y: height / 2 - (coordinate.latitude - middle.latitude) * unitsPerLatitude)
    }

    /// The same position with a longitude within 180 degrees of the middle of the map.
    func near(_ coordinate: Coordinate) -> Coordinate { coordinate.near(middle.longitude) }

    /// The largest of 1, 2 and 5 times a power of ten whose bar is no longer than a quarter of the drawing, in metres.
    var scaleBar: (meters: Double, units: Double) {
        var meters = 1.0
        for factor in [2, 2.5, 2].cycled(24) where meters * factor <= metersPerUnit * width / 4 { meters *= factor }
        return (meters, meters / metersPerUnit)
    }
}

extension Coordinate {
    /// The same position with a longitude within 180 degrees of another, so that lines do not break at the antimeridian.
    func near(_ longitude: Double) -> Coordinate {
        let turns = ((self.longitude - longitude) / 360).rounded()
        return Coordinate(latitude: latitude, longitude: self.longitude - 360 * turns)
    }
}

extension [Coordinate] {
    /// The same line, each longitude near the one before it.
    func unrolled(from longitude: Double) -> [Coordinate] {
        var last = longitude
        return map {
            let next = $0.near(last)
            last = next.longitude
            return next
        }
    }
}

extension [Double] {
    fileprivate func cycled(_ count: Int) -> [Double] { (0..<count).map { self[$0 % self.count] } }
}

/// The data of an SVG path.
struct PathData {
    private(set) var text = ""

    /// Adds a line or a ring without points that are indistinguishable from the previous one.
    mutating func add(_ points: [Point], closed: Bool) {
        var last: Point?
        for (index, point) in points.enumerated() {
            if let last, last.distance(to: point) < 0.4, index < points.count - 1 { continue }
            text += "\(last == nil ? "M" : "L")\(Words.number(point.x)) \(Words.number(point.y))"
            last = point
        }
        if closed { text += "Z" }
    }
}
