import FencepostGeometry
import FencepostTesting
import Foundation
import Testing

extension Coordinate {
    /// A random coordinate on earth, with the poles and the antimeridian more likely.
    static func random(using random: inout SeededGenerator) -> Coordinate {
        let latitude = [90, -90, 0, Double.random(in: -90...90, using: &random)].randomElement(using: &random) ?? 0
        let longitude =
            [180, -180, 0, Double.random(in: -180...180, using: &random)].randomElement(using: &random) ?? 0
        let isSpecial = Int.random(in: 0..<4, using: &random) == 0
        return isSpecial
            ? Coordinate(latitude: latitude, longitude: longitude)
            : Coordinate(
                latitude: .random(in: -90...90, using: &random), longitude: .random(in: -180...180, using: &random))
    }
}

/// The largest distance between two positions, in metres.
private let halfMeridian = 20_003_931.458_625_45

@Suite("A circle") struct CircleTests {
    @Test(
        "covers exactly what the geodesic distance decides, especially at its boundary",
        arguments: 1...20 as ClosedRange<UInt64>)
    func covers(seed: UInt64) {
        var random = SeededGenerator(seed: seed)
        for _ in 0..<500 {
            let circle = Circle(
                center: .random(using: &random), radius: pow(10, .random(in: -3...7.3, using: &random)))
            let prepared = PreparedCircle(circle)
            let offset = pow(10, Double.random(in: -10...0, using: &random)) * (Bool.random(using: &random) ? 1 : -1)
            let points = [
                Coordinate.random(using: &random),
                Geodesic.destination(
                    from: circle.center, azimuth: .random(in: 0...360, using: &random),
                    distance: min(max(circle.radius + offset, 0), halfMeridian)),
            ]
            for point in points {
                let distance = Geodesic.distance(circle.center, point)
                let position = GeocentricPosition(point)
                #expect(prepared.covers(point, at: position) == (distance <= circle.radius), "\(circle) \(point)")
                let signed = prepared.signedDistance(to: point, at: position, limit: 1000)
                if abs(distance - circle.radius) <= 1000 {
                    #expect(signed == distance - circle.radius)
                } else {
                    #expect(signed == (distance < circle.radius ? -.infinity : .infinity))
                }
            }
        }
    }

    @Test("of radius 0 covers its centre alone, on both sides of the antimeridian and from all sides of a pole")
    func radiusZero() {
        for center in [(0.0, 180.0), (52, 13), (90, 0)] {
            let circle = Circle(center: Coordinate(latitude: center.0, longitude: center.1), radius: 0)
            #expect(circle.covers(circle.center))
            #expect(!circle.covers(Coordinate(latitude: center.0 - 1e-9, longitude: center.1)))
        }
        #expect(
            Circle(center: Coordinate(latitude: 5, longitude: 180), radius: 0).covers(
                Coordinate(latitude: 5, longitude: -180)))
        #expect(
            Circle(center: Coordinate(latitude: 90, longitude: 7), radius: 0).covers(
                Coordinate(latitude: 90, longitude: -100)))
    }

    @Test("of half a meridian covers the earth")
    func wholeEarth() {
        var random = SeededGenerator(seed: 9)
        for _ in 0..<500 {
            let circle = Circle(center: .random(using: &random), radius: halfMeridian)
            #expect(circle.covers(.random(using: &random)))
        }
    }
}

@Suite("A chord through the earth") struct GeocentricPositionTests {
    @Test("bounds the geodesic distance from both sides", arguments: 1...20 as ClosedRange<UInt64>)
    func bounds(seed: UInt64) {
        var random = SeededGenerator(seed: seed)
        for _ in 0..<1000 {
            let from = Coordinate.random(using: &random)
            let to = Geodesic.destination(
                from: from, azimuth: .random(in: 0...360, using: &random),
                distance: pow(10, .random(in: -4...7.3, using: &random)))
            let distance = Geodesic.distance(from, to)
            let bounds = GeocentricPosition(from).bounds(ofDistanceTo: GeocentricPosition(to))
            #expect(bounds.contains(distance), "\(from) \(to)")
            if distance < 10_000 { #expect(bounds.upperBound - bounds.lowerBound < 0.002) }
        }
    }
}

@Suite("A local plane") struct LocalPlaneTests {
    @Test("keeps its error bound to the ellipsoid", arguments: 1...20 as ClosedRange<UInt64>)
    func error(seed: UInt64) {
        var random = SeededGenerator(seed: seed)
        var held = 0
        for _ in 0..<1000 {
            let origin = Coordinate(
                latitude: .random(in: -89.9...89.9, using: &random), longitude: .random(in: -180...180, using: &random))
            let plane = LocalPlane(origin: origin)
            let to = Geodesic.destination(
                from: origin, azimuth: .random(in: 0...360, using: &random),
                distance: pow(10, .random(in: 0...5.5, using: &random)))
            let distance = Geodesic.distance(origin, to)
            let error = plane.relativeError(within: distance)
            guard error.isFinite else { continue }
            held += 1
            // 1e-9 m for rounding.
            #expect(abs(plane.distance(to: to) - distance) <= error * distance + 1e-8, "\(origin) \(to)")
        }
        #expect(held > 500)
    }
}
