import FencepostGeometry
import FencepostModel

/// Random coordinates for queries, by seed.
struct LocatePoints {
    private var random: SplitMix64
    private var edges: [(Coordinate, Coordinate)] = []
    private var envelopes: [Envelope] = []

    init(_ catalog: RegionCatalog, seed: UInt64) {
        random = SplitMix64(seed: seed)
        for (_, region) in catalog.regions {
            switch region.shape {
            case .polygons(let shape):
                for polygon in shape.polygons {
                    if let envelope = Envelope(of: polygon.exterior.coordinates) { envelopes.append(envelope) }
                    for ring in polygon.rings {
                        edges += zip(ring.coordinates, ring.coordinates.dropFirst()).map { ($0, $1) }
                    }
                }
            case .circle(let circle):
                let sides = [0.0, 90, 180, -90].map {
                    Geodesic.destination(from: circle.center, azimuth: $0, distance: circle.radius)
                }
                edges.append((sides[0], sides[1]))
                if let envelope = Envelope(of: sides), envelope.east - envelope.west < 180 {
                    envelopes.append(envelope)
                }
            case .corridor(let corridor):
                for line in corridor.lines { edges += zip(line, line.dropFirst()).map { ($0, $1) } }
            }
        }
    }

    /// Evenly distributed in the envelope of a random region, enlarged by a third so that some points are outside.
    mutating func even() -> Coordinate {
        guard !envelopes.isEmpty else { return anywhere() }
        let box = envelopes[Int(random.next() % UInt64(envelopes.count))]
        let (x, y) = (random.unit() * 4 / 3 - 1.0 / 6, random.unit() * 4 / 3 - 1.0 / 6)
        return Coordinate(
            latitude: min(max(box.south + (box.north - box.south) * y, -90), 90),
            longitude: min(max(box.west + (box.east - box.west) * x, -180), 180))
    }

    private mutating func anywhere() -> Coordinate {
        Coordinate(latitude: random.unit() * 180 - 90, longitude: random.unit() * 360 - 180)
    }

    mutating func hard() -> Coordinate {
        guard !edges.isEmpty else { return anywhere() }
        let (a, b) = edges[Int(random.next() % UInt64(edges.count))]
        var point = a
        switch random.next() % 8 {
        case 0: return anywhere()
        case 1: return Coordinate(latitude: a.latitude, longitude: a.longitude < 0 ? -180 : 180)
        case 2: point.longitude = b.longitude + (random.unit() - 0.5) * 1e-3
        case 3, 4: break
        case 5:
            (point.latitude, point.longitude) = (a.latitude.midpoint(b.latitude), a.longitude.midpoint(b.longitude))
        default:
            let t = random.unit()
            point.latitude += t * (b.latitude - a.latitude)
            point.longitude += t * (b.longitude - a.longitude)
        }
        switch random.next() % 4 {
        case 0: point.latitude = min(point.latitude.nextUp, 90)
        case 1: point.longitude = point.longitude.nextDown
        default: break
        }
        point.longitude = min(max(point.longitude, -180), 180)
        return point
    }
}

extension Double {
    fileprivate func midpoint(_ other: Double) -> Double { (self + other) / 2 }
}
