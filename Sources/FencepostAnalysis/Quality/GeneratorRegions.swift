import FencepostGeometry
import FencepostModel

#if canImport(Glibc)
    internal import Glibc
#elseif canImport(Darwin)
    internal import Darwin
#endif

/// Generates regions that a journey crosses or narrowly misses.
struct GeneratorRegions {
    private let plane: LocalPlane
    private let prefix: String
    private var random: GeneratorRandom
    private(set) var regions: [Region] = []

    init(plane: LocalPlane, prefix: String, random: GeneratorRandom) {
        self.plane = plane
        self.prefix = prefix
        self.random = random
    }

    mutating func make(for journey: GeneratorJourney) {
        var sites: [GeneratorJourney.Site] = []
        for stay in journey.stays where !sites.contains(where: { $0.point.distance(to: stay.site.point) < 50 }) {
            sites.append(stay.site)
        }
        for (index, site) in sites.prefix(9).enumerated() {
            switch index % 3 {
            case 0 where site.radius <= 15: building(about: site.point)
            case 1:
                circle("circle", site.point.moved(random.uniform(0...30), toward: angle()), random.uniform(50...220))
            default: campus(about: site.point)
            }
        }
        // Homes 12 to 35 m from a boundary, inside and outside.
        for kind in ["edge-in", "edge-out"] {
            let radius = random.uniform(80...300)
            let gap = random.uniform(12...35) * (kind == "edge-in" ? -1 : 1)
            circle(kind, journey.home.point.moved(radius + gap, toward: angle()), radius)
        }
        ring(about: journey.work.point)
        let segments = journey.knots.indices.dropFirst().filter {
            journey.knots[$0].point.distance(to: journey.knots[$0 - 1].point) > 80
        }
        guard !segments.isEmpty else { return }
        for kind in ["drive-by", "drive-by", "corridor", "corridor", "neighbours", "district", "district"] {
            let index = random.pick(segments)
            let (a, b) = (journey.knots[index - 1].point, journey.knots[index].point)
            let middle = PlanePoint(east: (a.east + b.east) / 2, north: (a.north + b.north) / 2)
            let direction = atan2(b.north - a.north, b.east - a.east)
            switch kind {
            case "drive-by":
                let radius = random.pick([60.0, 100, 150, 400])
                circle(kind, middle.moved(random.uniform(0...0.6) * radius, toward: angle()), radius)
            case "corridor":
                let bend = direction + random.uniform(-0.3...0.3)
                let ends = [middle.moved(-600, toward: direction), middle, middle.moved(500, toward: bend)]
                add(kind, .corridor(Corridor(lines: [ends.map(coordinate)], width: random.uniform(40...90))))
            case "neighbours":
                let (side, length) = (random.uniform(120...400), random.uniform(120...400))
                let corner = middle.moved(length / 2, toward: direction + .pi / 2)
                rectangle("neighbour", corner.moved(-side, toward: direction), direction, side, -length)
                rectangle("neighbour", corner, direction, side, -length)
            default:
                let radius = random.uniform(400...1500)
                let center = middle.moved(random.uniform(0.2...1) * radius, toward: angle())
                let corners = (0..<9).map { index in
                    center.moved(radius * random.uniform(0.7...1.2), toward: Double(index) * 2 * .pi / 9.0)
                }
                add("district", .polygons(MultiPolygon([Polygon(exterior: ring(corners))])))
            }
        }
    }

    private mutating func angle() -> Double { random.uniform(0...2 * .pi) }

    private mutating func building(about point: PlanePoint) {
        let (side, depth, turn) = (random.uniform(25...70), random.uniform(25...70), angle())
        let corner = point.moved(-side / 2, toward: turn).moved(-depth / 2, toward: turn + .pi / 2)
        rectangle("building", corner, turn, side, depth)
    }

    /// A polygon with a hole next to its centre.
    private mutating func campus(about point: PlanePoint) {
        let radius = random.uniform(120...300)
        let hole = point.moved(radius / 2, toward: angle())
        let shape = Polygon(exterior: circle(point, radius, 8), interiors: [circle(hole, radius / 6, 6)])
        add("campus", .polygons(MultiPolygon([shape])))
    }

    /// A ring with the point in its hole, which is outside.
    private mutating func ring(about point: PlanePoint) {
        let hole = random.uniform(40...80)
        let shape = Polygon(
            exterior: circle(point, hole + random.uniform(80...200), 24), interiors: [circle(point, hole, 24)])
        add("ring", .polygons(MultiPolygon([shape])))
    }

    private mutating func circle(_ kind: String, _ center: PlanePoint, _ radius: Double) {
        add(kind, .circle(Circle(center: coordinate(center), radius: radius.rounded())))
    }

    private mutating func rectangle(
        _ kind: String, _ corner: PlanePoint, _ direction: Double, _ side: Double, _ depth: Double
    ) {
        let next = corner.moved(side, toward: direction)
        let across = direction + .pi / 2
        add(
            kind,
            .polygons(
                MultiPolygon([
                    Polygon(
                        exterior: ring([
                            corner, next, next.moved(depth, toward: across), corner.moved(depth, toward: across),
                        ]))
                ])))
    }

    private func circle(_ center: PlanePoint, _ radius: Double, _ corners: Int) -> LinearRing {
        ring((0..<corners).map { center.moved(radius, toward: Double($0) * 2 * .pi / Double(corners)) })
    }

    private func ring(_ corners: [PlanePoint]) -> LinearRing {
        let coordinates = corners.map(coordinate)
        return LinearRing(coordinates + [coordinates[0]])
    }

    private func coordinate(_ point: PlanePoint) -> Coordinate { plane.unproject(east: point.east, north: point.north) }

    private mutating func add(_ kind: String, _ shape: Shape) {
        regions.append(Region(id: RegionID("\(prefix)-\(kind)-\(regions.count)"), shape: shape))
    }
}
