import FencepostGeometry
public import FencepostModel
import Foundation

/// A city full of regions for benchmarks: a point lies in one region on average, whatever their number.
///
/// The rectangle is that of greater Seoul, or a part of it with the same density of regions.
public struct City: Sendable {
    /// The corner with the lowest latitude and longitude.
    let southWest = Coordinate(latitude: 37.40, longitude: 126.70)
    /// The sides in degrees.
    let east, north: Double

    /// - Parameter share: the share of the area, above 0 and at most 1.
    public init(share: Double = 1) {
        precondition(share > 0 && share <= 1, "a city has an area")
        (east, north) = (0.55 * share.squareRoot(), 0.35 * share.squareRoot())
    }

    /// The plane of the city, of its south-west corner.
    var plane: LocalPlane { LocalPlane(origin: southWest) }

    /// Regular polygons of 16 corners with log-normal radii, so large that together they have the area of the city.
    ///
    /// - Parameters:
    ///   - count: the number of regions.
    ///   - crossing: the crossing mode of all regions; `nil` for that of the settings.
    ///   - seed: the start of the random numbers.
    /// - Returns: regions `city-0`, `city-1` … in random positions, none of which extends beyond the city.
    public func regions(_ count: Int, crossing: CrossingMode? = nil, seed: UInt64) -> [Region] {
        var random = SplitMix64(seed: seed &+ 0xC17)
        let radii = (0..<count).map { _ in exp(0.5 * random.normal()) }
        let (width, height) = (east * plane.metersPerDegreeOfLongitude, north * plane.metersPerDegreeOfLatitude)
        // The area of a regular polygon of 16 corners with radius 1 is 8 · sin(π / 8).
        let covered = radii.reduce(0) { $0 + 8 * sin(Double.pi / 8) * $1 * $1 }
        let scale = (width * height / covered).squareRoot()
        return radii.enumerated().map { number, radius in
            let radius = radius * scale
            let (x, y) = (min(radius, 0.45 * width), min(radius, 0.45 * height))
            let center = plane.unproject(
                east: x + random.unit() * (width - 2 * x), north: y + random.unit() * (height - 2 * y))
            var region = Region(
                id: RegionID("city-\(number)"),
                shape: SyntheticRegions.polygon(around: center, vertices: 16) { _ in radius })
            region.crossing = crossing
            return region
        }
    }
}

/// Generates the locations of a fleet in a city: a fifth of the devices is parked, two fifths walk, and two fifths drive
/// along straight streets. Equal seeds give equal locations.
///
/// Positions have Gaussian errors of the size that their accuracy states.
public struct CityFleet: Sendable {
    /// Seconds between two locations of a device.
    public static let interval = 10

    private struct Vehicle {
        var deviceID: DeviceID
        /// Metres from the south-west corner.
        var east, north: Double
        /// Metres per second, and radians from north.
        var speed, course: Double
        var accuracy: Double
    }

    private var vehicles: [Vehicle]
    private var random: SplitMix64
    private var next = 0
    private var round = 0
    private let width, height: Double
    private let plane: LocalPlane

    /// A fleet at random positions in a city.
    public init(_ city: City, devices: Int, seed: UInt64) {
        var random = SplitMix64(seed: seed &+ 0xF1EE7)
        plane = city.plane
        let (width, height) = (
            city.east * plane.metersPerDegreeOfLongitude, city.north * plane.metersPerDegreeOfLatitude
        )
        (self.width, self.height) = (width, height)
        vehicles = (0..<devices).map { number in
            let speed =
                switch number % 5 {
                case 0: 0.0
                case 1, 2: 0.8 + random.unit()
                default: 6 + 14 * random.unit()
                }
            return Vehicle(
                deviceID: DeviceID("vehicle-\(number)"), east: random.unit() * width, north: random.unit() * height,
                speed: speed, course: random.unit() * 2 * .pi,
                accuracy: [5, 8, 10, 15, 25][Int(random.next() % 5)])
        }
        self.random = random
    }

    /// The next location, of each device in turn.
    public mutating func fix() -> Location {
        var vehicle = vehicles[next]
        if vehicle.speed > 0 {
            if random.unit() < 0.03 { vehicle.course = random.unit() * 2 * .pi }
            let step = vehicle.speed * Double(CityFleet.interval)
            let (east, north) = (vehicle.east + step * sin(vehicle.course), vehicle.north + step * cos(vehicle.course))
            if east > 0, east < width, north > 0, north < height {
                (vehicle.east, vehicle.north) = (east, north)
            } else {
                vehicle.course += .pi
            }
        }
        vehicles[next] = vehicle
        // The radius that contains 68 % of a normal distribution in the plane is 1.515 standard deviations.
        let deviation = vehicle.accuracy / 1.515
        let position = plane.unproject(
            east: vehicle.east + deviation * random.normal(), north: vehicle.north + deviation * random.normal())
        let milliseconds =
            Int64(round * CityFleet.interval * 1000) + Int64(random.next() % UInt64(1000 * CityFleet.interval))
        var location = Location(
            deviceID: vehicle.deviceID,
            timestamp: Timestamp(milliseconds: WalkingFleet.start.milliseconds + milliseconds),
            coordinate: Coordinate(
                latitude: (position.latitude * 1e6).rounded() / 1e6,
                longitude: (position.longitude * 1e6).rounded() / 1e6),
            horizontalAccuracy: vehicle.accuracy)
        location.speed = (vehicle.speed * 10).rounded() / 10
        location.course = (vehicle.course * 180 / .pi).rounded().truncatingRemainder(dividingBy: 360)
        next += 1
        if next == vehicles.count { (next, round) = (0, round + 1) }
        return location
    }
}

extension SplitMix64 {
    /// A random number of the standard normal distribution, by the method of Box and Muller.
    fileprivate mutating func normal() -> Double {
        (-2 * log(1 - unit())).squareRoot() * cos(2 * Double.pi * unit())
    }
}
