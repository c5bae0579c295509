public import Foundation

/// A round: places that each of some devices visits on some days, each place within a window of time.
///
/// Each device walks a round of its own. A plan that is changed is kept as versions that follow each other, so that an evaluation
/// of the past finds for each day the plan that applied then.
public struct Plan: Hashable, Sendable, Codable {
    /// A place of a round, and when the device is expected there.
    public struct Stop: Hashable, Sendable, Codable {
        /// The region to visit.
        public var region: RegionID
        /// The window in minutes after the midnight with which the round's date begins, in `minutes`; `end` is after `start` by
        /// at most a day.
        public var start, end: Int
        /// How long the device has to stay within the window; zero or more.
        public var stay: Duration

        /// A place of a round, with its window in minutes after midnight.
        public init(region: RegionID, start: Int, end: Int, stay: Duration = .zero) {
            (self.region, self.start, self.end, self.stay) = (region, start, end, stay)
        }
    }

    /// Unique among the plans; events state it.
    public var id: String
    /// The name for people; `nil` if it has none.
    public var name: String?
    /// The zone of all times and dates.
    public var timeZone: TimeZone
    /// The places, at least one and at most `mostStops`.
    public var stops: [Stop]
    /// Whether the places are to be visited in their order.
    public var isOrdered = false
    /// For how long after its window a place can be visited late, in `graces`.
    public var grace = Plan.defaultGrace
    /// The dates of the rounds.
    public var calendar: PlanCalendar
    /// The devices that walk it; `nil` with `groups` `nil` means all.
    public var devices: [GlobPattern]?
    /// The tags of groups whose devices walk it, besides `devices`. The monitor knows no groups: see `resolved(in:)`.
    public var groups: [String]?
    /// Rounds that begin from this moment on are of this version.
    public var since: Timestamp
    /// From this moment on nothing of this version is decided; `nil` while it applies.
    public var until: Timestamp?

    /// The most places of one plan.
    public static let mostStops = 100
    /// The minutes in which a window may begin and end: the date of the round and the day after it.
    public static let minutes = 0...2880
    /// The longest window, in minutes.
    public static let longestWindow = 1440
    /// The grace where a plan states none.
    public static let defaultGrace = Duration.seconds(1800)
    /// The graces that a plan may have.
    public static let graces = Duration.zero...Duration.seconds(43_200)
    /// How long after the end of its window a place is missed: time for a crossing that the next location decides.
    public static let settling = Duration.seconds(30)
    /// How long after the end of its window a place is not final at least, since a location that comes later may show a visit
    /// within it.
    public static let leastFinalAfter = Duration.seconds(300)

    /// A plan.
    ///
    /// - Parameters:
    ///   - id: unique among the plans.
    ///   - stops: the places.
    ///   - calendar: the dates of the rounds.
    ///   - timeZone: the zone of all times and dates.
    ///   - since: from when it applies.
    public init(id: String, _ stops: [Stop], _ calendar: PlanCalendar, timeZone: TimeZone, since: Timestamp) {
        (self.id, self.stops, self.calendar, self.timeZone, self.since) = (id, stops, calendar, timeZone, since)
    }

    /// The plan with the devices of its groups in place of the groups.
    ///
    /// - Parameter groups: the devices of each group, by its tag. A group that does not exist has no devices.
    /// - Returns: a plan without groups.
    public func resolved(in groups: [String: [GlobPattern]]) -> Plan {
        guard let tags = self.groups else { return self }
        var plan = self
        plan.devices = (devices ?? []) + tags.flatMap { groups[$0] ?? [] }
        plan.groups = nil
        return plan
    }

    /// Whether a device walks it. Groups that are not resolved have no devices.
    public func applies(to device: DeviceID) -> Bool {
        devices.map { $0.contains { $0.matches(device.rawValue) } } ?? (groups == nil)
    }

    // MARK: Times

    /// When the window of a place begins and ends on a date, in days since 1970-01-01.
    ///
    /// A time that daylight saving time skips counts by the offset before the change, of one that it repeats the first counts
    /// (RFC 5545, section 3.3.5).
    public func window(of stop: Stop, on day: Int) -> (start: Timestamp, end: Timestamp) {
        let start = moment(day, stop.start)
        // A window within a skipped hour keeps its place in time.
        return (start, max(moment(day, stop.end), start))
    }

    /// When the first window of the round of a date begins.
    public func start(on day: Int) -> Timestamp { moment(day, stops.map(\.start).min() ?? 0) }

    /// How long after the end of its window a place is final.
    public var finalAfter: Duration { max(grace + Self.settling, Self.leastFinalAfter) }

    /// When the last window of the round of a date is final.
    public func end(on day: Int) -> Timestamp { moment(day, stops.map(\.end).max() ?? 0) + finalAfter }

    /// The first round that begins after a moment, and in this version; `nil` if there is none.
    public func nextRound(after moment: Timestamp) -> (day: Int, start: Timestamp)? {
        let moment = max(moment, since.after(-1))
        var day = timeZone.day(of: moment) - 3
        while let found = calendar.next(from: day) {
            let start = start(on: found)
            if start > moment {
                guard start < until ?? .distantFuture else { return nil }
                return (found, start)
            }
            day = found + 1
        }
        return nil
    }

    /// The date of a moment in the zone of the plan, in days since 1970-01-01.
    public func day(of moment: Timestamp) -> Int { timeZone.day(of: moment) }

    private func moment(_ day: Int, _ minute: Int) -> Timestamp {
        timeZone.moment(ofLocal: Int64(day) * 86_400_000 + Int64(minute) * 60_000)
    }
}
