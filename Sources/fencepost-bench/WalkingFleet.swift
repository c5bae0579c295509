import FencepostFormats
import FencepostGeometry
import FencepostJSON
import FencepostModel
import Foundation

/// Devices that walk about in a country of round regions, each near one of them, and what they say of themselves.
struct WalkingFleet {
    private struct Walker {
        var east, north, heading: Double
        let plane: LocalPlane
    }

    let catalog: RegionCatalog
    private var walkers: [Walker]
    private var random: SplitMix
    private var tick = 0

    /// Seconds between two fixes of a device.
    private static let interval = 3.0

    /// - Parameters:
    ///   - regions: how many polygons of 16 vertices, 50 to 500 m in radius, over 10 by 10 degrees.
    ///   - seed: what all is made from.
    init(devices: Int, regions: Int, seed: UInt64) {
        random = SplitMix(state: seed)
        var places: [(center: Coordinate, radius: Double)] = []
        for _ in 0..<regions {
            let center = Coordinate(latitude: 45 + random.unit() * 10, longitude: 5 + random.unit() * 10)
            places.append((center, 50 * exp(random.unit() * log(10))))
        }
        catalog = RegionCatalog(
            places.enumerated().map { number, place in
                let plane = LocalPlane(origin: place.center)
                var ring = (0..<16).map { corner in
                    let angle = 2 * Double.pi * (Double(corner) + 0.5) / 16
                    return plane.unproject(east: place.radius * cos(angle), north: place.radius * sin(angle))
                }
                ring.append(ring[0])
                return Region(
                    id: RegionID("round-\(number)"),
                    shape: .polygons(MultiPolygon([Polygon(exterior: LinearRing(ring))])))
            })
        walkers = []
        for _ in 0..<devices {
            let place = places[Int(random.next() % UInt64(places.count))]
            // Up to two radii from the centre: a quarter begins inside.
            let (angle, distance) = (random.unit() * 2 * .pi, random.unit().squareRoot() * 2 * place.radius)
            walkers.append(
                Walker(
                    east: distance * cos(angle), north: distance * sin(angle), heading: random.unit() * 2 * .pi,
                    plane: LocalPlane(origin: place.center)))
        }
    }

    /// Writes the next fix of every device, a line each: 4 m on average from the one before.
    mutating func writeTick(to writer: inout JSONWriter) {
        let time = Timestamp(milliseconds: 1_772_353_800_000 + Int64(Double(tick) * Self.interval * 1000))
        for number in walkers.indices {
            let speed = 0.5 + random.unit() * 1.7
            walkers[number].heading += (random.unit() - 0.5) * 0.5
            walkers[number].east += cos(walkers[number].heading) * speed * Self.interval
            walkers[number].north += sin(walkers[number].heading) * speed * Self.interval
            let walker = walkers[number]
            let coordinate = walker.plane.unproject(east: walker.east, north: walker.north)
            var location = Location(
                deviceID: DeviceID("device-\(number)"), timestamp: time,
                coordinate: Coordinate(
                    latitude: (coordinate.latitude * 1e7).rounded() / 1e7,
                    longitude: (coordinate.longitude * 1e7).rounded() / 1e7),
                horizontalAccuracy: Double(30 + random.next() % 90) / 10)
            location.speed = (speed * 100).rounded() / 100
            writer.value(location)
            writer.newline()
        }
        tick += 1
    }
}
