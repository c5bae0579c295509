import FencepostGeometry
import FencepostTesting
import Foundation
import Testing

@Suite("A segment straight in longitude and latitude") struct StraightSegmentTests {
    /// The nearest of many points along the segment, refined between its neighbours: a slow, independent method.
    private func sampled(_ segment: StraightSegment, _ position: Coordinate, samples: Int) -> Double {
        func distance(_ fraction: Double) -> Double { Geodesic.distance(position, segment.point(at: fraction)) }
        let distances = (0...samples).map { distance(Double($0) / Double(samples)) }
        var best = Double.infinity
        for sample in 0...samples {
            let (before, after) = (distances[max(sample - 1, 0)], distances[min(sample + 1, samples)])
            guard distances[sample] <= before && distances[sample] <= after else { continue }
            var low = Double(max(sample - 1, 0)) / Double(samples)
            var high = Double(min(sample + 1, samples)) / Double(samples)
            for _ in 0..<70 {
                let (a, b) = (low + (high - low) / 3, high - (high - low) / 3)
                if distance(a) < distance(b) { high = b } else { low = a }
            }
            best = min(best, distance((low + high) / 2), distances[sample])
        }
        return best
    }

    @Test("is as far away as its nearest point", arguments: 1...30 as ClosedRange<UInt64>)
    func nearest(seed: UInt64) {
        var random = SeededGenerator(seed: seed)
        let start = Coordinate.random(using: &random)
        // From metres to a third of the earth.
        let span = pow(10, Double.random(in: -4...2, using: &random))
        let end = Coordinate(
            latitude: min(max(start.latitude + .random(in: -span...span, using: &random), -90), 90),
            longitude: start.longitude + .random(in: -span...span, using: &random))
        let segment = StraightSegment(start, end)
        for _ in 0..<5 {
            let middle = segment.point(at: .random(in: 0...1, using: &random))
            let position = Geodesic.destination(
                from: Coordinate(latitude: middle.latitude, longitude: middle.longitude),
                azimuth: .random(in: 0...360, using: &random), distance: pow(10, .random(in: -1...6, using: &random)))
            let expected = sampled(segment, position, samples: 400)
            #expect(abs(segment.distance(from: position) - expected) < 1e-6, "\(segment) \(position)")
        }
    }

    @Test("has distance 0 from its own points, across the antimeridian too")
    func ownPoints() {
        let segment = StraightSegment(
            Coordinate(latitude: 60, longitude: 170), Coordinate(latitude: 61, longitude: 190))
        for fraction in [0, 0.1, 0.5, 0.77, 1] {
            var point = segment.point(at: fraction)
            if point.longitude > 180 { point.longitude -= 360 }
            #expect(segment.distance(from: point) < 1e-6)
        }
    }

    @Test("stops at the limit")
    func limit() {
        let segment = StraightSegment(Coordinate(latitude: 0, longitude: 0), Coordinate(latitude: 0, longitude: 1))
        let far = Coordinate(latitude: 1, longitude: 0.5)
        #expect(segment.distance(from: far, limit: 1000) > 1000)
        let whole = segment.distance(from: far)
        #expect(segment.distance(from: far, limit: whole + 1) == whole)
    }

    @Test("makes a corridor that covers what is within half its width")
    func corridor() {
        let line = [Coordinate(latitude: 10, longitude: 20), Coordinate(latitude: 10.2, longitude: 20.3)]
        let corridor = Corridor(lines: [line], width: 100)
        let segment = StraightSegment(line[0], line[1])
        let azimuth = Geodesic.azimuth(from: line[0], to: line[1])
        for fraction in [0.0, 0.3, 1] {
            let on = segment.point(at: fraction)
            #expect(corridor.covers(on))
            #expect(corridor.covers(Geodesic.destination(from: on, azimuth: azimuth + 90, distance: 49.99)))
            #expect(!corridor.covers(Geodesic.destination(from: on, azimuth: azimuth + 90, distance: 50.01)))
        }
        // Round at its ends.
        for turn in stride(from: 90.0, through: 270, by: 15) {
            let azimuth = azimuth + turn
            #expect(corridor.covers(Geodesic.destination(from: line[0], azimuth: azimuth, distance: 49.99)))
            #expect(!corridor.covers(Geodesic.destination(from: line[0], azimuth: azimuth, distance: 50.01)))
        }
    }
}
