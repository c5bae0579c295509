public import FencepostGeometry
public import FencepostModel
public import Foundation

/// A place that somebody visits often and that could be a region.
public struct SuggestedPlace: Hashable, Sendable {
    /// `plc_…`; it follows from the centre, the radius and the devices.
    public let id: String
    public let center: Coordinate
    /// Metres. The circle contains most locations of the visits.
    public let radius: Double
    public let visits: Int
    public let devices: [DeviceID]
    /// The total of the visits in seconds.
    public let seconds: Double
    public let first, last: Timestamp
    /// Seconds in each hour of the week in the local time zone, from Monday 0:00: 168 numbers.
    public let hours: [Double]
    /// The regions that contain the centre of at least half of the visits.
    public let regions: [RegionID]

    /// The hours of the week in which most of the time is spent there, as a short text such as `Mon–Fri 9–17`.
    public var typicalHours: String { TypicalHours.text(of: hours) }

    /// The place as a region, with the id of the place.
    public func region(name: String?) -> Region {
        var region = Region(id: RegionID(id), shape: .circle(Circle(center: center, radius: radius)))
        region.name = name
        return region
    }
}

/// Groups visits into places.
///
/// Visits are taken from the longest to the shortest. One within `joinRadius` of a place belongs to it; the place's centre is
/// the mean of its visits, weighted by their accuracies. Afterwards each visit is assigned to the nearest centre again.
public struct SuggestedPlaces: Sendable {
    /// Metres between the centre of a place and that of a visit that belongs to it.
    public static let joinRadius = 90.0
    /// A place with fewer visits is not suggested.
    public static let leastVisits = 3
    /// The smallest and the largest radius, in metres.
    public static let radii = 50.0...300.0

    private struct Stay: Sendable {
        let device: DeviceID
        let stay: DeviceTimeline.VisitStay
        let extent: Double?
    }

    private struct Cluster {
        var center: Coordinate
        var members: [Int] = []
    }

    private let timeZone: TimeZone
    private var stays: [Stay] = []

    /// - Parameter timeZone: of the typical hours.
    public init(timeZone: TimeZone) {
        self.timeZone = timeZone
    }

    /// Adds the visits of a device.
    ///
    /// `extents`: as `DeviceRecorder.extents`.
    public mutating func add(_ timeline: DeviceTimeline, extents: [String: Double]) {
        stays += timeline.visits.map {
            Stay(device: timeline.device, stay: $0, extent: extents[$0.visit.id])
        }
    }

    /// The places, those with the most visits first.
    public func places() -> [SuggestedPlace] {
        let order = stays.indices.sorted {
            let (a, b) = (stays[$0].stay, stays[$1].stay)
            return (-a.span.seconds, a.span.start, a.visit.id) < (-b.span.seconds, b.span.start, b.visit.id)
        }
        var clusters: [Cluster] = []
        for index in order {
            if let near = nearest(clusters, to: index) {
                clusters[near].members.append(index)
                clusters[near].center = center(of: clusters[near].members)
            } else {
                clusters.append(Cluster(center: stays[index].stay.visit.coordinate, members: [index]))
            }
        }
        for _ in 0..<3 {
            for index in clusters.indices { clusters[index].members = [] }
            for index in order {
                if let near = nearest(clusters, to: index) { clusters[near].members.append(index) }
            }
            clusters.removeAll { $0.members.isEmpty }
            for index in clusters.indices { clusters[index].center = center(of: clusters[index].members) }
        }
        return clusters.filter { $0.members.count >= Self.leastVisits }.map(place)
            .sorted { ($1.visits, $1.seconds, $0.id) < ($0.visits, $0.seconds, $1.id) }
    }

    private func nearest(_ clusters: [Cluster], to index: Int) -> Int? {
        let coordinate = stays[index].stay.visit.coordinate
        var best: (index: Int, meters: Double)?
        for (index, cluster) in clusters.enumerated() {
            // A degree of latitude has at least 110 km: most places are excluded without a geodesic.
            guard (cluster.center.latitude - coordinate.latitude).magnitude < 0.002 else { continue }
            let meters = Geodesic.distance(cluster.center, coordinate)
            if meters <= Self.joinRadius, meters < best?.meters ?? .infinity { best = (index, meters) }
        }
        return best?.index
    }

    private func center(of members: [Int]) -> Coordinate {
        let plane = LocalPlane(origin: stays[members[0]].stay.visit.coordinate)
        var (east, north, total) = (0.0, 0.0, 0.0)
        for member in members {
            let visit = stays[member].stay.visit
            let error = max(visit.horizontalAccuracy, 5)
            let weight = 1 / (error * error)
            let point = plane.project(visit.coordinate)
            east += point.east * weight
            north += point.north * weight
            total += weight
        }
        return plane.unproject(east: east / total, north: north / total)
    }

    private func place(_ cluster: Cluster) -> SuggestedPlace {
        let members = cluster.members.map { stays[$0] }
        let distances = members.map { member in
            Geodesic.distance(cluster.center, member.stay.visit.coordinate)
                + (member.extent ?? member.stay.visit.horizontalAccuracy)
        }.sorted()
        // Rounded up to 5 m: a figure that somebody reads.
        let fitting = (distances[(distances.count * 9) / 10] * 1.2 / 5).rounded(.up) * 5
        let radius = min(max(fitting, Self.radii.lowerBound), Self.radii.upperBound)
        let center = Coordinate(
            latitude: (cluster.center.latitude * 1e5).rounded() / 1e5,
            longitude: (cluster.center.longitude * 1e5).rounded() / 1e5)
        let devices = Set(members.map(\.device)).sorted { $0.rawValue < $1.rawValue }
        var identity = Identity()
        identity.add(center.latitude)
        identity.add(center.longitude)
        identity.add(radius)
        for device in devices { identity.add(device.rawValue) }
        var counts: [RegionID: Int] = [:]
        for region in members.flatMap(\.stay.visit.regions) { counts[region, default: 0] += 1 }
        return SuggestedPlace(
            id: identity.text(prefix: "plc_"), center: center, radius: radius, visits: members.count, devices: devices,
            seconds: members.reduce(0) { $0 + $1.stay.span.seconds },
            first: members.map(\.stay.span.start).min() ?? .distantPast,
            last: members.map(\.stay.span.end).max() ?? .distantPast,
            hours: TypicalHours.distribution(of: members.map(\.stay.span), in: timeZone),
            regions: counts.filter { $0.value * 2 >= members.count }.keys.sorted())
    }
}
