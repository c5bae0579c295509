public import FencepostGEOS
import FencepostGeometry
import FencepostModel

#if canImport(Glibc)
    internal import Glibc
#elseif canImport(Darwin)
    internal import Darwin
#endif

extension BenchmarkGenerator {
    /// Twelve devices per sampling interval, each with a cell of the grid, one region that it enters or passes, and one
    /// that it passes by. The same seed gives the same benchmark.
    public static func plain(seed: UInt64) throws(GEOSError) -> PlainBenchmark {
        var benchmark = PlainBenchmark(name: "plain crossings, seed \(seed)")
        var random = GeneratorRandom(seed: seed ^ 0x9E1A_1400)
        for interval in PlainCell.intervals {
            for copy in 1...12 {
                var own = random.split()
                let cell = PlainCell(interval: interval, &own)
                try add(cell, name: "p\(seed)-\(interval)-\(copy)", own, to: &benchmark)
            }
        }
        return benchmark
    }

    private static func add(
        _ cell: PlainCell, name: String, _ random: GeneratorRandom, to benchmark: inout PlainBenchmark
    ) throws(GEOSError) {
        var random = random
        let plane = LocalPlane(
            origin: Coordinate(latitude: random.uniform(-50...62), longitude: random.uniform(-170...170)))
        let start = Timestamp(milliseconds: 1_770_000_000_000 + Int64(random.uniform(0...8_000_000)) * 1000)
        let id = DeviceID(name)
        var region = region(of: cell, name: "\(name)-visited", plane, angle: random.uniform(0...6.28))
        region.devices = [GlobPattern(name)]
        var device = PlainDevice(cell, random: random.split())
        var boundary = PlainBoundary(region)
        let truth = try device.truth(of: &boundary, plane)
        let pair = PlainBenchmark.Pair(device: id, region: region.id)
        benchmark.streams.append(.init(device: id, cell: device.cell.labels))
        benchmark.regions.append(region)
        benchmark.crossings += truth.crossings(of: pair, start: start)
        if truth.startsInside { benchmark.insideAtStart.insert(pair) }
        if var other = passedBy(device, name: "\(name)-passed", plane, &random) {
            other.devices = region.devices
            benchmark.regions.append(other)
        }
        benchmark.locations += device.fixes.map { fix in
            var location = Location(
                deviceID: id, timestamp: start + .milliseconds(Int64((fix.time * 1000).rounded())),
                coordinate: plane.coordinate(fix.point), horizontalAccuracy: fix.stated)
            if let speed = fix.speed, speed >= 0 { location.speed = speed }
            return location
        }
    }

    /// The region of a cell, about the origin of its plane.
    private static func region(of cell: PlainCell, name: String, _ plane: LocalPlane, angle: Double) -> Region {
        let size = Double(cell.radius)
        let corners: [(Double, Double)]
        switch cell.outline {
        case .circle:
            return Region(id: RegionID(name), shape: .circle(Circle(center: plane.origin, radius: size)))
        case .pentagon:
            corners = (0..<5).map { corner in
                let turn = Double(corner) * 2 * .pi / 5.0
                return (size / cos(.pi / 5.0) * cos(turn), size / cos(.pi / 5.0) * sin(turn))
            }
        case .rectangle: corners = [(-2 * size, -size), (2 * size, -size), (2 * size, size), (-2 * size, size)]
        case .cross:
            // The corners between the arms are on the circle.
            let (width, arm) = (size / 2.0.squareRoot(), 1.8 * size)
            corners = [
                (width, width), (width, arm), (-width, arm), (-width, width), (-arm, width), (-arm, -width),
                (-width, -width), (-width, -arm), (width, -arm), (width, -width), (arm, -width), (arm, width),
            ]
        }
        let ring = corners.map { x, y in
            plane.unproject(east: x * cos(angle) - y * sin(angle), north: x * sin(angle) + y * cos(angle))
        }
        let polygon = Polygon(exterior: LinearRing(ring + [ring[0]]))
        return Region(id: RegionID(name), shape: .polygons(MultiPolygon([polygon])))
    }

    /// A circle near the way that neither the device nor any of its fixes enters; `nil` if there is no room for one.
    private static func passedBy(
        _ device: PlainDevice, name: String, _ plane: LocalPlane, _ random: inout GeneratorRandom
    ) -> Region? {
        let (size, accuracy) = (Double(device.cell.radius), Double(device.cell.accuracy))
        for _ in 1...20 {
            let radius = max(30, (size * random.uniform(0.3...0.9)).rounded())
            let center = PlanePoint(east: 0, north: 0).moved(
                random.uniform(1.3...4) * (size + radius + 4 * accuracy), toward: random.uniform(0...6.28))
            let vertices = device.path.vertices.map(\.point)
            let isPassed = zip(vertices, vertices.dropFirst()).allSatisfy { a, b in
                center.distance(toSegmentFrom: a, to: b) > radius + 4 * accuracy
            }
            if isPassed, device.fixes.allSatisfy({ $0.point.distance(to: center) > radius + 1 }) {
                let circle = Circle(
                    center: plane.unproject(east: center.east, north: center.north), radius: radius)
                return Region(id: RegionID(name), shape: .circle(circle))
            }
        }
        return nil
    }
}

extension PlanePoint {
    func distance(toSegmentFrom a: PlanePoint, to b: PlanePoint) -> Double {
        let (dx, dy) = (b.east - a.east, b.north - a.north)
        let squared = dx * dx + dy * dy
        let along = squared > 0 ? ((east - a.east) * dx + (north - a.north) * dy) / squared : 0
        let part = min(max(along, 0), 1)
        return distance(to: PlanePoint(east: a.east + part * dx, north: a.north + part * dy))
    }
}
