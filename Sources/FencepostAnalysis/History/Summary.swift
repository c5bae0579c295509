public import FencepostModel
public import Foundation

/// What the rows of a summary are about.
public enum SummaryGrouping: String, Hashable, Sendable, CaseIterable {
    case device
    case region
    /// All regions with a tag as one.
    case tag
}

/// Time inside, visits, trips and distance by device, region or tag, and by day, week or month.
public struct Summary: Hashable, Sendable {
    /// The figures of one group in one period.
    public struct Row: Hashable, Sendable {
        /// The id of the device or region, or the tag.
        public let group: String
        /// The whole period, not cut to the requested time.
        public let period: TimeSpan
        /// The local date on which the period begins.
        public let date: String
        /// Seconds in any region for a device; the total of all devices in the region or the regions of the tag.
        public var insideSeconds = 0.0
        /// Number of visits of which a part is in the period: all of a device, or those at the region or tag.
        public var visits = 0
        /// Number of trips that begin in the period: all of a device, or those that lead to the region or tag.
        public var trips = 0
        /// Metres of these trips.
        public var distance = 0.0
        /// Seconds in motion of these trips.
        public var movingSeconds = 0.0
        /// Seconds for which something is known of the devices; only for devices.
        public var knownSeconds: Double?

        /// A row without figures.
        ///
        /// - Parameters:
        ///   - group: the id of the device or region, or the tag.
        ///   - period: the whole period, not cut to the requested time.
        ///   - date: the local date on which the period begins.
        public init(group: String, period: TimeSpan, date: String) {
            (self.group, self.period, self.date) = (group, period, date)
        }
    }

    public let grouping: SummaryGrouping
    public let period: SummaryPeriod
    /// The identifier of the time zone of the periods.
    public let timeZone: String
    /// By group, then by period.
    public let rows: [Row]

    /// A summary with rows that are sorted already.
    ///
    /// - Parameters:
    ///   - grouping: what the rows are about.
    ///   - period: the length of the rows' periods.
    ///   - timeZone: the identifier of the time zone of the periods.
    ///   - rows: by group, then by period.
    public init(grouping: SummaryGrouping, period: SummaryPeriod, timeZone: String, rows: [Row]) {
        (self.grouping, self.period, self.timeZone, self.rows) = (grouping, period, timeZone, rows)
    }
}

/// Adds up a summary, device by device. Its memory grows with the rows only.
public struct SummaryBuilder: Sendable {
    private let grouping: SummaryGrouping
    private let period: SummaryPeriod
    private let timeZone: TimeZone
    private let calendar: PeriodCalendar
    private let range: TimeSpan?
    private let tags: [RegionID: [String]]
    private var rows: [Key: Summary.Row] = [:]

    private struct Key: Hashable {
        let group: String
        let start: Timestamp
    }

    /// `range`: time outside of it does not count; `nil` for all.
    /// `tags`: of the regions, for a summary by tag.
    public init(
        by grouping: SummaryGrouping, period: SummaryPeriod, timeZone: TimeZone, range: TimeSpan? = nil,
        tags: [RegionID: [String]] = [:]
    ) {
        self.grouping = grouping
        self.period = period
        self.timeZone = timeZone
        self.range = range
        self.tags = tags
        calendar = PeriodCalendar(period, timeZone: timeZone)
    }

    /// Adds one device with its trips. Trips that begin outside of the range are ignored.
    public mutating func add(_ timeline: DeviceTimeline, trips: [Trip]) {
        switch grouping {
        case .device:
            let group = timeline.device.rawValue
            for span in timeline.anyRegion { count(span, of: group) { $0.insideSeconds += $1 } }
            for span in timeline.known { count(span, of: group) { $0.knownSeconds = ($0.knownSeconds ?? 0) + $1 } }
        case .region:
            for stay in timeline.stays { count(stay.span, of: stay.region.rawValue) { $0.insideSeconds += $1 } }
        case .tag:
            var spans: [String: [TimeSpan]] = [:]
            for stay in timeline.stays {
                for tag in tags[stay.region] ?? [] { spans[tag, default: []].append(stay.span) }
            }
            for (tag, spans) in spans {
                for span in spans.united { count(span, of: tag) { $0.insideSeconds += $1 } }
            }
        }
        for stay in timeline.visits {
            for group in groups(of: stay.visit.regions, timeline.device) {
                count(stay.span, of: group) { row, _ in row.visits += 1 }
            }
        }
        for trip in trips { add(trip, of: timeline.device) }
    }

    /// Adds a summary of other devices, with the same grouping, periods and time zone.
    public mutating func add(_ summary: Summary) {
        for row in summary.rows {
            let key = Key(group: row.group, start: row.period.start)
            guard var sum = rows[key] else {
                rows[key] = row
                continue
            }
            sum.insideSeconds += row.insideSeconds
            sum.visits += row.visits
            sum.trips += row.trips
            sum.distance += row.distance
            sum.movingSeconds += row.movingSeconds
            if let known = row.knownSeconds { sum.knownSeconds = (sum.knownSeconds ?? 0) + known }
            rows[key] = sum
        }
    }

    private mutating func add(_ trip: Trip, of device: DeviceID) {
        let start = TimeSpan(trip.start.time, trip.start.time + .milliseconds(1))
        for group in groups(of: trip.end.regions, device) {
            count(start, of: group) { row, _ in
                row.trips += 1
                row.distance += trip.distance
                row.movingSeconds += trip.movingSeconds
            }
        }
    }

    private func groups(of regions: [RegionID], _ device: DeviceID) -> [String] {
        switch grouping {
        case .device: [device.rawValue]
        case .region: regions.map(\.rawValue)
        case .tag: Array(Set(regions.flatMap { tags[$0] ?? [] }))
        }
    }

    private mutating func count(_ span: TimeSpan, of group: String, _ body: (inout Summary.Row, Double) -> Void) {
        guard let span = range.map({ span.clipped(to: $0) }) ?? span else { return }
        for (period, part) in calendar.parts(of: span) {
            let key = Key(group: group, start: period.start)
            let date = calendar.date(of: period.start)
            body(&rows[key, default: Summary.Row(group: group, period: period, date: date)], part.seconds)
        }
    }

    /// The summary of all that was added.
    public func finish() -> Summary {
        Summary(
            grouping: grouping, period: period, timeZone: timeZone.identifier,
            rows: rows.values.sorted {
                $0.group == $1.group
                    ? $0.period.start < $1.period.start
                    : $0.group.utf8.lexicographicallyPrecedes($1.group.utf8)
            })
    }
}
