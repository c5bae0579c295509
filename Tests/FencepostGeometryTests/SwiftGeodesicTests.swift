import FencepostTesting
import Testing

@testable import FencepostGeometry

/// Without PROJ geodesics are computed in Swift alone. Both agree to some nanometres.
@Suite("The geodesic in Swift") struct SwiftGeodesicTests {
    /// Twenty nanometres: PROJ states fifteen for itself.
    private static let tolerance = 2e-8

    /// Pairs of every kind: anywhere, near each other, nearly antipodal, and along the equator and meridians.
    private static func pair(_ generator: inout SeededGenerator) -> (Coordinate, Coordinate) {
        func number(_ range: ClosedRange<Double>) -> Double { Double.random(in: range, using: &generator) }
        let from = Coordinate(latitude: number(-90...90), longitude: number(-180...180))
        func shifted(_ size: Double) -> Coordinate {
            Coordinate(
                latitude: min(90, max(-90, from.latitude + number(-size...size))),
                longitude: from.longitude + number(-size...size))
        }
        func antipode(_ size: Double) -> Coordinate {
            Coordinate(
                latitude: min(90, max(-90, -from.latitude + number(-size...size))),
                longitude: from.longitude + 180 + number(-size...size))
        }
        switch generator.next() % 10 {
        case 0, 1, 2: return (from, Coordinate(latitude: number(-90...90), longitude: number(-180...180)))
        case 3: return (from, shifted(1))
        case 4: return (from, shifted(1e-3))
        case 5: return (from, shifted(1e-6))
        case 6: return (from, antipode(1))
        case 7: return (from, antipode(1e-3))
        case 8:
            let equator = Coordinate(latitude: 0, longitude: from.longitude)
            return (equator, Coordinate(latitude: 0, longitude: from.longitude + number(-180...180)))
        default:
            let turn = Bool.random(using: &generator) ? 0.0 : 180
            return (from, Coordinate(latitude: number(-90...90), longitude: from.longitude + turn))
        }
    }

    @Test("agrees with PROJ about the distance of 100,000 pairs", arguments: 1...10 as ClosedRange<UInt64>)
    func distances(seed: UInt64) {
        var generator = SeededGenerator(seed: seed)
        var largest = 0.0
        for _ in 0..<10_000 {
            let (from, to) = Self.pair(&generator)
            let difference = (SwiftGeodesic.inverse(from: from, to: to).distance - Geodesic.distance(from, to))
                .magnitude
            largest = max(largest, difference)
            if !(difference <= Self.tolerance) {
                Issue.record("\(from) to \(to) differs by \(difference) m")
            }
        }
        #expect(largest > 0 || !isNative)
    }

    @Test(
        "is no longer than its bound, which is near where the positions are", arguments: 1...10 as ClosedRange<UInt64>)
    func bounds(seed: UInt64) {
        var generator = SeededGenerator(seed: seed)
        for _ in 0..<10_000 {
            let (from, to) = Self.pair(&generator)
            let (distance, bound) = (Geodesic.distance(from, to), Geodesic.distanceBound(from, to))
            if !(bound >= distance - Self.tolerance) { Issue.record("\(from) to \(to): \(bound) is below \(distance)") }
            let isNear = distance < 1000 && from.latitude.magnitude < 85
            if isNear, bound > distance * 1.012 + Self.tolerance {
                Issue.record("\(from) to \(to): \(bound) is far above \(distance)")
            }
        }
    }

    /// Whether `Geodesic` is PROJ in this build.
    private var isNative: Bool {
        #if NativeLibraries && os(Linux)
            true
        #else
            false
        #endif
    }

    @Test("leads to the end in the direction of PROJ", arguments: 1...10 as ClosedRange<UInt64>)
    func azimuths(seed: UInt64) {
        var generator = SeededGenerator(seed: seed)
        for _ in 0..<5_000 {
            let (from, to) = Self.pair(&generator)
            let path = SwiftGeodesic.inverse(from: from, to: to)
            // Several paths between antipodes are shortest, and nearly so; each has to arrive.
            let end = Geodesic.destination(from: from, azimuth: path.departure, distance: path.distance)
            let missed = Geodesic.distance(end, to)
            if !(missed <= 2 * Self.tolerance) { Issue.record("\(from) to \(to): the path ends \(missed) m away") }
            let back = Geodesic.destination(from: to, azimuth: path.arrival + 180, distance: path.distance)
            let missedBack = Geodesic.distance(back, from)
            if !(missedBack <= 2 * Self.tolerance) {
                Issue.record("\(from) to \(to): the way back ends \(missedBack) m away")
            }
        }
    }

    @Test("agrees with PROJ about destinations", arguments: 1...10 as ClosedRange<UInt64>)
    func destinations(seed: UInt64) {
        var generator = SeededGenerator(seed: seed)
        for _ in 0..<5_000 {
            let from = Self.pair(&generator).0
            let azimuth =
                generator.next() % 4 == 0
                ? Double(Int.random(in: -4...8, using: &generator)) * 90
                : Double.random(in: -180...540, using: &generator)
            let longest = ([1, 1e3, 1e6, 2e7, 2e8] as [Double]).randomElement(using: &generator) ?? 1
            let distance = Double.random(in: -longest...longest, using: &generator)
            let swift = SwiftGeodesic.direct(from: from, azimuth: azimuth, distance: distance)
            let proj = Geodesic.destination(from: from, azimuth: azimuth, distance: distance)
            let difference = Geodesic.distance(swift, proj)
            let isNear = difference <= Self.tolerance + distance.magnitude * 1e-15
            if !isNear || !(-180...180).contains(swift.longitude) {
                Issue.record("\(from), \(azimuth)°, \(distance) m: \(swift), not \(proj), \(difference) m")
            }
        }
    }

    @Test("has PROJ's conventions at its ends")
    func ends() {
        let pairs: [(Double, Double)] = [
            (0, 0), (0, 180), (0, -180), (90, 0), (90, 90), (-90, 0), (52.5, 13.4), (-52.5, 13.4), (-52.5, -166.6),
            (52.5, -166.6), (0, 179.5), (0, 90), (1e-300, 0), (-1e-300, 180), (5, 360), (5, 0),
        ]
        let corners = pairs.map { Coordinate(latitude: $0.0, longitude: $0.1) }
        for from in corners {
            for to in corners {
                let path = SwiftGeodesic.inverse(from: from, to: to)
                #expect((path.distance - Geodesic.distance(from, to)).magnitude <= Self.tolerance, "\(from) \(to)")
                guard path.distance > 1e-9, path.distance < 1.99e7 else { continue }
                // South is 180 or −180.
                func differ(_ a: Double, _ b: Double) -> Bool { (a - b).remainder(dividingBy: 360).magnitude > 1e-9 }
                let azimuth = Geodesic.azimuth(from: from, to: to)
                let arrival = Geodesic.arrival(from: from, at: to).azimuth
                #expect(!differ(path.departure, azimuth), "\(from) \(to): \(path.departure), not \(azimuth)")
                #expect(!differ(path.arrival, arrival), "\(from) \(to): \(path.arrival), not \(arrival)")
            }
        }
        let here = Coordinate(latitude: 52.5, longitude: 13.4)
        #expect(SwiftGeodesic.inverse(from: here, to: here).distance == 0)
    }
}
