import FencepostGEOS
import FencepostGeometry
import FencepostModel
import FencepostRegions

/// A true path: straight between its vertices.
struct PlainPath {
    /// In seconds since the start of the recording, ascending.
    private(set) var vertices: [(time: Double, point: PlanePoint)]

    init(_ start: PlanePoint, at time: Double = 0) { vertices = [(time, start)] }

    var end: (time: Double, point: PlanePoint) { vertices[vertices.count - 1] }

    mutating func rest(_ seconds: Double) { vertices.append((end.time + seconds, end.point)) }

    mutating func move(to point: PlanePoint, speed: Double) {
        vertices.append((end.time + max(end.point.distance(to: point) / speed, 0.001), point))
    }

    /// Ends the path at a time, and stays there.
    mutating func stop(at time: Double, resting seconds: Double) {
        let point = at(time).point
        vertices.removeAll { $0.time >= time }
        vertices.append((time, point))
        rest(seconds)
    }

    /// The position and the speed in metres per second.
    func at(_ time: Double) -> (point: PlanePoint, speed: Double) {
        guard let next = vertices.firstIndex(where: { $0.time > time }), next > 0 else { return (end.point, 0) }
        let (a, b) = (vertices[next - 1], vertices[next])
        let part = (time - a.time) / (b.time - a.time)
        let point = PlanePoint(
            east: a.point.east + (b.point.east - a.point.east) * part,
            north: a.point.north + (b.point.north - a.point.north) * part)
        return (point, a.point.distance(to: b.point) / (b.time - a.time))
    }
}

/// The boundary of one region: how deep a position is inside.
struct PlainBoundary: ~Copyable {
    /// Beyond this many metres outside, all positions have the same depth.
    static let farthest = 1000.0
    private var query: RegionQuery
    private var near: [Proximity] = []

    init(_ region: Region) { query = RegionQuery(RegionIndex(RegionCatalog([region]))) }

    /// Metres to the boundary, negative outside.
    mutating func depth(of coordinate: Coordinate) throws(GEOSError) -> Double {
        try query.near(coordinate, within: Self.farthest, into: &near)
        return near.first.map { min(-$0.signedDistance, Self.farthest) } ?? -Self.farthest
    }

    /// Whether the path starts inside, and the times at which it crosses the boundary, to the millisecond.
    mutating func crossings(
        of path: PlainPath, _ plane: LocalPlane
    ) throws(GEOSError) -> (startsInside: Bool, times: [Double]) {
        func coordinate(_ time: Double) -> Coordinate {
            let point = path.at(time).point
            return plane.unproject(east: point.east, north: point.north)
        }
        let startsInside = try depth(of: coordinate(0)) >= 0
        var isInside = startsInside
        var times: [Double] = []
        for (a, b) in zip(path.vertices, path.vertices.dropFirst()) where a.point.distance(to: b.point) > 0 {
            let speed = a.point.distance(to: b.point) / (b.time - a.time)
            var time = a.time
            while time < b.time {
                // The boundary is not nearer than the depth.
                let clearance = max(abs(try depth(of: coordinate(time))) * 0.95, 0.5)
                var next = min(b.time, time + clearance / speed)
                if try (depth(of: coordinate(next)) >= 0) != isInside {
                    var low = time
                    while next - low > 0.0005 {
                        let middle = (low + next) / 2
                        if try (depth(of: coordinate(middle)) >= 0) != isInside { next = middle } else { low = middle }
                    }
                    times.append(next)
                    isInside.toggle()
                }
                time = next
            }
        }
        return (startsInside, times)
    }
}
