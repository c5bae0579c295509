public import FencepostFormats
public import FencepostGEOS
import FencepostGeometry
public import FencepostModel
public import FencepostRegions

/// The regions that the OwnTracks app of one phone was sent: those nearest to it, by the budget of the system (rule I18).
///
/// A phone has numbered waypoints, and each region keeps its number while it is on the phone. So a message has only what
/// changes, the phone never has more of them than the budget, and after a start, when nothing is known of the phone,
/// the first message replaces or removes all that an earlier one set.
public struct PhoneRegions: Sendable {
    /// The least time between two messages, in milliseconds.
    public static let interval: Int64 = 600_000
    /// Locations of a worse accuracy, in metres, choose no regions: those of a cell tower.
    public static let worstAccuracy = 1000.0

    private enum Content: Hashable {
        case region(RegionID)
        case surroundings
    }

    /// The last choice, and for what it was made.
    private struct Choice {
        var location: Location
        var circle: Double?
        var revision: UInt32
        var limit: Int
    }

    private var last: Choice?
    /// When the last message was sent.
    private var sentAt: Timestamp?
    private var message: [OwnTracksWaypoint] = []
    /// What each number has, from 1.
    private var content: [Int: Content] = [:]
    private var waypoints: [Int: OwnTracksWaypoint] = [:]

    /// A phone that was sent nothing since the start of the process.
    public init() {}

    /// What to send in answer to a location, now.
    ///
    /// A location that comes again gets the same answer again, because its first answer was lost.
    ///
    /// - Parameters:
    ///   - location: the newest one of the phone.
    ///   - index: the regions.
    ///   - limit: the most waypoints, the circle around the phone among them, from 2 to the limit of the system.
    ///   - now: the time of the service.
    /// - Returns: waypoints to set and to remove; empty for nothing to send.
    /// - Throws: `GEOSError` if GEOS fails on a region; the phone keeps what it has then.
    public mutating func answer(
        to location: Location, _ index: RegionIndex, limit: Int, now: Timestamp
    ) throws(GEOSError) -> [OwnTracksWaypoint] {
        if let last {
            if let sentAt, location.timestamp == last.location.timestamp, !message.isEmpty,
                (0..<Self.interval).contains(now.milliseconds - sentAt.milliseconds)
            {
                return message
            }
            guard isDue(location, index, limit, after: last, now) else { return [] }
        }
        guard location.horizontalAccuracy ?? 0 <= Self.worstAccuracy else { return [] }
        var query = RegionQuery(index)
        let budget = RegionBudget(limit: limit)
        let choice = try budget.choice(at: location.coordinate, &query)
        let isFirst = last == nil
        last = Choice(
            location: location, circle: choice.circle, revision: index.catalog.revision, limit: budget.limit)
        var wanted: [(Content, OwnTracksWaypoint)] = []
        if let circle = choice.circle {
            let around = Circle(center: location.coordinate, radius: circle.rounded(.down))
            wanted.append((.surroundings, OwnTracksWaypoint(number: 0, name: "Nearby", circle: around)))
        }
        for handle in choice.regions {
            guard let region = index.catalog[handle], let circle = Circle(containing: region.shape) else { continue }
            let name = region.name ?? region.id.rawValue
            wanted.append((.region(region.id), OwnTracksWaypoint(number: 0, name: name, circle: circle)))
        }
        message = change(to: wanted, isFirst: isFirst)
        if !message.isEmpty { sentAt = now }
        return message
    }

    private func isDue(
        _ location: Location, _ index: RegionIndex, _ limit: Int, after last: Choice, _ now: Timestamp
    ) -> Bool {
        guard location.timestamp > last.location.timestamp else { return false }
        // A clock that was set back does not silence the phone for longer.
        if let sentAt, (0..<Self.interval).contains(now.milliseconds - sentAt.milliseconds) { return false }
        if last.revision != index.catalog.revision || last.limit != RegionBudget(limit: limit).limit { return true }
        guard let circle = last.circle else { return false }
        return Geodesic.distance(last.location.coordinate, location.coordinate) >= circle.rounded(.down)
    }

    /// Numbers what is wanted, and returns what differs from before; the first time, all numbers.
    private mutating func change(to wanted: [(Content, OwnTracksWaypoint)], isFirst: Bool) -> [OwnTracksWaypoint] {
        let numbers = 1...OwnTracksWaypoint.most
        let isWanted = Set(wanted.map(\.0))
        var kept: [Content: Int] = [:]
        for (number, content) in content where isWanted.contains(content) { kept[content] = number }
        let taken = Set(kept.values)
        var free = numbers.filter { !taken.contains($0) }[...]
        var (contents, next): ([Int: Content], [Int: OwnTracksWaypoint]) = ([:], [:])
        for (content, unnumbered) in wanted {
            guard let number = kept[content] ?? free.popFirst() else { continue }
            var waypoint = unnumbered
            waypoint.number = number
            (contents[number], next[number]) = (content, waypoint)
        }
        let changes = numbers.compactMap { number -> OwnTracksWaypoint? in
            if let waypoint = next[number] { return waypoint == waypoints[number] ? nil : waypoint }
            return isFirst || waypoints[number] != nil ? OwnTracksWaypoint(number: number) : nil
        }
        (content, waypoints) = (contents, next)
        // Those to remove go first, so the phone never has too many.
        return changes.filter { $0.circle == nil } + changes.filter { $0.circle != nil }
    }
}
