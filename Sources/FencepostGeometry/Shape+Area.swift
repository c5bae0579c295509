#if canImport(Glibc)
    internal import Glibc
#elseif canImport(Darwin)
    internal import Darwin
#endif

extension Shape {
    /// Square metres, within 1 % but for corridors: where a corridor crosses itself, it counts twice.
    public var area: Double {
        switch self {
        case .circle(let circle): .pi * circle.radius * circle.radius
        case .corridor(let corridor): corridor.area
        case .polygons(let polygons): polygons.polygons.reduce(0) { $0 + $1.area }
        }
    }
}

extension Corridor {
    fileprivate var area: Double {
        lines.reduce(0) { sum, line in
            let length = zip(line, line.dropFirst()).reduce(0) { $0 + Geodesic.distance($1.0, $1.1) }
            return sum + length * width + .pi * width * width / 4
        }
    }
}

extension Polygon {
    fileprivate var area: Double { max(0, exterior.area - interiors.reduce(0) { $0 + $1.area }) }
}

extension LinearRing {
    /// On a sphere, between the ring and the parallel of its first vertex, so that a small ring is no difference of large areas.
    fileprivate var area: Double {
        guard let first = coordinates.first else { return 0 }
        let radius = 6_371_008.8
        let base = sin(first.latitude * .pi / 180)
        let doubled = zip(coordinates, coordinates.dropFirst()).reduce(0) { sum, edge in
            let height = sin(edge.0.latitude * .pi / 180) + sin(edge.1.latitude * .pi / 180) - 2 * base
            return sum + (edge.1.longitude - edge.0.longitude) * .pi / 180 * height
        }
        return abs(doubled) / 2 * radius * radius
    }
}
