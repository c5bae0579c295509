import FencepostGeometry
public import FencepostModel
import Foundation

/// Generates the locations of walking devices at a fixed interval; equal seeds give equal walks.
public struct WalkingFleet: Sendable {
    /// Seconds between two locations of a device.
    public static let interval = 5
    /// The time of the first locations.
    public static let start = Timestamp(seconds: 1_772_000_000)

    private struct Walker {
        var coordinate: Coordinate
        var course: Double
        var deviceID: DeviceID
    }

    private var walkers: [Walker]
    private var random: SplitMix64
    private var next = 0
    private var round = 0
    private let square: (south: Double, west: Double, degrees: Double)

    /// A fleet at random positions in a square.
    ///
    /// - Parameters:
    ///   - devices: the number of devices.
    ///   - degrees: the side of the square in which they walk, from 48° north, 2° east.
    ///   - seed: the start of the random numbers.
    public init(devices: Int, degrees: Double, seed: UInt64) {
        var random = SplitMix64(seed: seed &+ 0x5EED)
        square = (48, 2, degrees)
        walkers = (0..<devices).map { number in
            Walker(
                coordinate: Coordinate(latitude: 48 + random.unit() * degrees, longitude: 2 + random.unit() * degrees),
                course: random.unit() * 2 * .pi, deviceID: DeviceID("walker/\(number)"))
        }
        self.random = random
    }

    /// The next location, of each device in turn: 1.4 m/s on average, with the noise of a phone's receiver.
    public mutating func fix() -> Location {
        let pace = 0.8 + 1.2 * random.unit()
        walkers[next].course += (random.unit() - 0.5) * 0.6
        let (east, north) = (sin(walkers[next].course), cos(walkers[next].course))
        let meters = pace * Double(WalkingFleet.interval)
        let latitude = walkers[next].coordinate.latitude + north * meters / 111_200
        let longitude = walkers[next].coordinate.longitude + east * meters / (111_200 * cos(latitude * .pi / 180))
        // Devices turn around at the edge of the square.
        if latitude < square.south || latitude > square.south + square.degrees
            || longitude < square.west || longitude > square.west + square.degrees
        {
            walkers[next].course += .pi
        } else {
            walkers[next].coordinate = Coordinate(latitude: latitude, longitude: longitude)
        }
        let noise = Coordinate(
            latitude: walkers[next].coordinate.latitude + (random.unit() - 0.5) * 6e-5,
            longitude: walkers[next].coordinate.longitude + (random.unit() - 0.5) * 9e-5)
        var location = Location(
            deviceID: walkers[next].deviceID,
            timestamp: WalkingFleet.start + .seconds(round * WalkingFleet.interval),
            coordinate: Coordinate(
                latitude: (noise.latitude * 1e7).rounded() / 1e7, longitude: (noise.longitude * 1e7).rounded() / 1e7),
            horizontalAccuracy: Double(4 + Int(random.unit() * 12)))
        location.speed = (pace * 100).rounded() / 100
        next += 1
        if next == walkers.count { (next, round) = (0, round + 1) }
        return location
    }
}
