public import FencepostModel
public import Foundation

/// What the rows of a summary are about.
public enum SummaryGrouping: String, Hashable, Sendable, CaseIterable {
    case device
    case region
    /// All regions with a tag as one.
    case tag
    /// All devices of a group as one.
    case group
}

/// Time inside, visits, trips and distance by device, region, tag or group, and by day, week or month.
public struct Summary: Hashable, Sendable {
    /// The figures of one group in one period.
    public struct Row: Hashable, Sendable {
        /// The id of the device or region, or the tag of regions or of the group.
        public let group: String
        /// The whole period, not cut to the requested time.
        public let period: TimeSpan
        /// The local date on which the period begins.
        public let date: String
        /// Seconds in any region for a device, and their total for a group; the total of all devices in the region or the
        /// regions of the tag.
        public var insideSeconds = 0.0
        /// Number of visits of which a part is in the period: all of a device or group, or those at the region or tag.
        public var visits = 0
        /// Number of trips of which a part is in the period: all of a device or group, or those that lead to the region or
        /// tag.
        public var trips = 0
        /// Metres of the parts of these trips that are in the period.
        public var distance = 0.0
        /// Seconds in motion of these parts.
        public var movingSeconds = 0.0
        /// Seconds of the period for which something is known of the device, and for which nothing is; their totals for a
        /// group, and nothing for regions and tags.
        public var knownSeconds, unknownSeconds: Double?

        /// A row without figures.
        ///
        /// - Parameters:
        ///   - group: the id of the device or region, or the tag of regions or of the group.
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
    /// When days begin.
    public let dayStart: DayStart
    /// By group, then by period.
    public let rows: [Row]

    /// A summary with rows that are sorted already.
    ///
    /// - Parameters:
    ///   - grouping: what the rows are about.
    ///   - period: the length of the rows' periods.
    ///   - timeZone: the identifier of the time zone of the periods.
    ///   - dayStart: when days begin.
    ///   - rows: by group, then by period.
    public init(
        grouping: SummaryGrouping, period: SummaryPeriod, timeZone: String, dayStart: DayStart, rows: [Row]
    ) {
        (self.grouping, self.period, self.timeZone) = (grouping, period, timeZone)
        (self.dayStart, self.rows) = (dayStart, rows)
    }
}

/// Adds up a summary, device by device. Its memory grows with the rows only.
public struct SummaryBuilder: Sendable {
    private let grouping: SummaryGrouping
    private let period: SummaryPeriod
    private let timeZone: TimeZone
    private let dayStart: DayStart
    private let calendar: PeriodCalendar
    private let range: TimeSpan?
    private let tags: [RegionID: [String]]
    private var rows: [Key: Summary.Row] = [:]

    private struct Key: Hashable {
        let group: String
        let start: Timestamp
    }

    /// `dayStart`: when days, weeks and months begin.
    /// `range`: time outside of it does not count; `nil` for all. What is known and unknown of a device is counted from its first
    /// to its last location.
    /// `tags`: of the regions, for a summary by tag.
    public init(
        by grouping: SummaryGrouping, period: SummaryPeriod, timeZone: TimeZone, dayStart: DayStart = .midnight,
        range: TimeSpan? = nil, tags: [RegionID: [String]] = [:]
    ) {
        self.grouping = grouping
        self.period = period
        self.timeZone = timeZone
        self.dayStart = dayStart
        self.range = range
        self.tags = tags
        calendar = PeriodCalendar(period, timeZone: timeZone, dayStart: dayStart)
    }

    /// Adds one device with its trips. Only their parts in the range count.
    ///
    /// `groups`: the tags of the groups that the device belongs to, for a summary by group.
    public mutating func add(_ timeline: DeviceTimeline, trips: [Trip], groups: [String] = []) {
        switch grouping {
        case .device: addPresence(timeline, to: timeline.device.rawValue)
        case .group: for group in groups { addPresence(timeline, to: group) }
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
            for row in rows(of: stay.visit.regions, timeline.device, groups) {
                count(stay.span, of: row) { (row: inout Summary.Row, _: TimeSpan) in row.visits += 1 }
            }
        }
        for trip in trips {
            for row in rows(of: trip.end.regions, timeline.device, groups) { add(trip, to: row) }
        }
    }

    /// Adds the time in regions, and what is known and unknown of a device.
    private mutating func addPresence(_ timeline: DeviceTimeline, to group: String) {
        for span in timeline.anyRegion { count(span, of: group) { $0.insideSeconds += $1 } }
        guard let heard = timeline.heard, let whole = range.map({ heard.clipped(to: $0) }) ?? heard else { return }
        let unknown = timeline.unknown(in: whole)
        for span in unknown {
            count(span, of: group) { $0.unknownSeconds = ($0.unknownSeconds ?? 0) + $1 }
        }
        for span in unknown.gaps(in: whole) {
            count(span, of: group) { $0.knownSeconds = ($0.knownSeconds ?? 0) + $1 }
        }
        // A day of which all is known has no unknown seconds, and the other way round.
        count(whole, of: group) { (row: inout Summary.Row, _: TimeSpan) in
            row.knownSeconds = row.knownSeconds ?? 0
            row.unknownSeconds = row.unknownSeconds ?? 0
        }
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
            if let unknown = row.unknownSeconds { sum.unknownSeconds = (sum.unknownSeconds ?? 0) + unknown }
            rows[key] = sum
        }
    }

    private mutating func add(_ trip: Trip, to group: String) {
        count(TimeSpan(trip.start.time, trip.end.time), of: group) { (row: inout Summary.Row, part: TimeSpan) in
            let amount = trip.amount(in: part)
            row.trips += 1
            row.distance += amount.distance
            row.movingSeconds += amount.movingSeconds
        }
    }

    /// The rows in which a visit to regions, or a trip that leads there, counts.
    private func rows(of regions: [RegionID], _ device: DeviceID, _ groups: [String]) -> [String] {
        switch grouping {
        case .device: [device.rawValue]
        case .group: groups
        case .region: regions.map(\.rawValue)
        case .tag: Array(Set(regions.flatMap { tags[$0] ?? [] }))
        }
    }

    private mutating func count(_ span: TimeSpan, of group: String, _ body: (inout Summary.Row, Double) -> Void) {
        count(span, of: group) { (row: inout Summary.Row, part: TimeSpan) in body(&row, part.seconds) }
    }

    private mutating func count(_ span: TimeSpan, of group: String, _ body: (inout Summary.Row, TimeSpan) -> Void) {
        guard let span = range.map({ span.clipped(to: $0) }) ?? span else { return }
        for (period, part) in calendar.parts(of: span) {
            let key = Key(group: group, start: period.start)
            let date = calendar.date(of: period.start)
            body(&rows[key, default: Summary.Row(group: group, period: period, date: date)], part)
        }
    }

    /// The summary of all that was added.
    public func finish() -> Summary {
        Summary(
            grouping: grouping, period: period, timeZone: timeZone.identifier, dayStart: dayStart,
            rows: rows.values.sorted {
                $0.group == $1.group
                    ? $0.period.start < $1.period.start
                    : $0.group.utf8.lexicographicallyPrecedes($1.group.utf8)
            })
    }
}
