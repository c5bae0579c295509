public import FencepostModel

/// What is known about one device: its stays in regions, its visits, and the time for which nothing is known.
///
/// The one source of every report: the page, `fencepost report`, summaries and exports show its spans, each cut to the
/// period that it shows. So the figures of days add up to those of weeks.
public struct DeviceTimeline: Hashable, Sendable {
    /// The time in a region from an entry to the exit, without silences that are too long to know anything.
    public struct RegionStay: Hashable, Sendable {
        public let region: RegionID
        /// From the entry to the exit; without an exit, to the last location of the device.
        ///
        /// Where no location lies within 15 minutes of a crossing, it begins or ends with the location inside, or with the
        /// visit there: the crossing is only an estimate.
        public let span: TimeSpan
        /// Whether the device has not left the region since.
        public let isOpen: Bool
    }

    /// A visit with the time that is known of it.
    public struct VisitStay: Hashable, Sendable {
        public let visit: Visit
        /// From the arrival, or from the first location if the visit began before it, to the departure, or to the last
        /// location if there is none.
        public let span: TimeSpan
    }

    public let device: DeviceID
    /// From the first to the last location; `nil` without locations.
    public let heard: TimeSpan?
    /// By start, then by the id of the region.
    public let stays: [RegionStay]
    /// By start.
    public let visits: [VisitStay]
    /// The times between the first and the last location that locations, stays and visits cover.
    public let known: [TimeSpan]

    /// The time in a period for which nothing is known: before the first location, after the last one, and in gaps
    /// between locations that are longer than `TimelineBuilder.maximumGap` and in no stay or visit. Together with `known` it
    /// is the whole period.
    public func unknown(in period: TimeSpan) -> [TimeSpan] { known.gaps(in: period) }

    /// The timeline with only the visits that begin in a period.
    public func inPeriod(_ period: TimeSpan) -> DeviceTimeline {
        DeviceTimeline(
            device: device, heard: heard, stays: stays,
            visits: visits.filter { $0.span.start >= period.start && $0.span.start < period.end }, known: known)
    }

    /// The times in which the device was in at least one region, without overlaps.
    public var anyRegion: [TimeSpan] { stays.map(\.span).united }
}

/// Builds the timeline of one device. Its memory grows with stays, visits and gaps, not with locations.
public struct TimelineBuilder: Sendable {
    /// Two locations that are further apart leave a gap.
    public static let maximumGap = TrackQuality.gap
    /// A stay in a region does not go on over a longer silence, unless a visit does: the default of `visits.maximumGap`.
    public static let longestSilence = Duration.seconds(129_600)

    /// A stated stay that is longer is not taken as one.
    public static let longestStatedStay = Duration.seconds(90 * 86_400)

    private let device: DeviceID
    private var first, last: Timestamp?
    /// Without gaps.
    private var heard: [TimeSpan] = []
    /// What files state of a device without locations in between.
    private var statedStays: [TimeSpan] = []
    private var crossings: [Crossing] = []
    private var visits: [String: Visit] = [:]

    private struct Crossing {
        let time: Timestamp
        let order: Int
        let region: RegionID
        let isEntry: Bool
        /// The locations around it, if they are further apart than `maximumGap`.
        let gap: TimeSpan?
    }

    /// A timeline without anything.
    public init(device: DeviceID) {
        self.device = device
    }

    /// Adds a location by its time. Locations come in the order of time.
    public mutating func add(locationAt time: Timestamp) {
        first = first.map { min($0, time) } ?? time
        last = last.map { max($0, time) } ?? time
        if let end = heard.last?.end, time - end <= Self.maximumGap {
            heard[heard.count - 1].end = max(end, time)
        } else {
            heard.append(TimeSpan(time, time))
        }
    }

    /// States when the first or the last location is, where not all locations are added.
    public mutating func extend(first: Timestamp? = nil, last: Timestamp? = nil) {
        if let first { self.first = self.first.map { min($0, first) } ?? first }
        if let last { self.last = self.last.map { max($0, last) } ?? last }
    }

    /// Adds an entry or an exit.
    ///
    /// `order`: decides between crossings of the same time, such as the event's sequence.
    /// `bounds`: `earliest` and `latest` of the event.
    public mutating func add(
        _ region: RegionID, entered isEntry: Bool, at time: Timestamp, order: Int, within bounds: TimeSpan? = nil
    ) {
        let gap = bounds.flatMap { $0.end - $0.start > Self.maximumGap ? $0 : nil }
        crossings.append(Crossing(time: time, order: order, region: region, isEntry: isEntry, gap: gap))
    }

    /// Adds a stay that a file states: its time is known, also without locations in it. In any order.
    public mutating func add(statedStay span: TimeSpan) {
        if span.end - span.start <= Self.longestStatedStay { statedStays.append(span) }
    }

    /// Adds a visit. A departure replaces the arrival with the same id.
    public mutating func add(_ visit: Visit) {
        visits[visit.id] = visit
    }

    /// Adds an event. Only crossings and visits count.
    public mutating func add(_ event: Event) {
        switch event.occurrence {
        case .regionEntered(let region), .regionExited(let region, _):
            var bounds: TimeSpan?
            if let earliest = event.earliest, let latest = event.latest { bounds = TimeSpan(earliest, latest) }
            let isEntry = event.occurrence.type == .regionEntered
            add(region.id, entered: isEntry, at: event.timestamp, order: event.sequence, within: bounds)
        case .visitArrived(let visit), .visitDeparted(let visit): add(visit)
        case .regionDwelled, .deviceStale, .deviceRecovered, .appRelaunched, .alert, .fence, .proximity, .plan:
            break
        }
    }

    /// The timeline of all that was added.
    public func finish() -> DeviceTimeline {
        let end = last ?? crossings.map(\.time).max() ?? .distantPast
        let visits = self.visits.values.compactMap { visit -> DeviceTimeline.VisitStay? in
            // The arrival of a visit after a silence may be unknown; the time before its first location is.
            guard let start = visit.arrival ?? visit.arrivalLatest ?? first ?? visit.departure else { return nil }
            return DeviceTimeline.VisitStay(visit: visit, span: TimeSpan(start, visit.departure ?? max(start, end)))
        }.sorted { ($0.span.start, $0.visit.id) < ($1.span.start, $1.visit.id) }
        let heard = heardOrStated
        let silences = Self.silences(in: heard, visits)
        let stays = stays(until: end, visits).flatMap { Self.parts(of: $0, without: silences) }
            .sorted { ($0.span.start, $0.region) < ($1.span.start, $1.region) }
        return DeviceTimeline(
            device: device, heard: first.map { TimeSpan($0, end) }, stays: stays, visits: visits,
            known: (heard + stays.map(\.span) + visits.map(\.span)).united)
    }

    private func stays(until end: Timestamp, _ visits: [DeviceTimeline.VisitStay]) -> [DeviceTimeline.RegionStay] {
        var visitsByRegion: [RegionID: [TimeSpan]] = [:]
        for stay in visits {
            for region in stay.visit.regions { visitsByRegion[region, default: []].append(stay.span) }
        }
        /// The time of a crossing as far as it is known.
        func known(_ crossing: Crossing) -> Timestamp {
            guard let gap = crossing.gap else { return crossing.time }
            let inside = crossing.isEntry ? gap.end : gap.start
            let visit = visitsByRegion[crossing.region]?.last { $0.start <= inside && $0.end >= inside }
            guard let visit else { return inside }
            return crossing.isEntry ? max(visit.start, gap.start) : min(visit.end, gap.end)
        }
        var open: [RegionID: Timestamp] = [:]
        var stays: [DeviceTimeline.RegionStay] = []
        for crossing in crossings.sorted(by: { ($0.time, $0.order) < ($1.time, $1.order) }) {
            if crossing.isEntry {
                // An entry without an exit before it: the stay goes on.
                if open[crossing.region] == nil { open[crossing.region] = known(crossing) }
            } else if let start = open.removeValue(forKey: crossing.region) ?? first {
                stays.append(.init(region: crossing.region, span: TimeSpan(start, known(crossing)), isOpen: false))
            }
        }
        for (region, start) in open { stays.append(.init(region: region, span: TimeSpan(start, end), isOpen: true)) }
        return stays
    }

    /// The times with locations or stated stays, without gaps.
    private var heardOrStated: [TimeSpan] {
        guard !statedStays.isEmpty else { return heard }
        var joined: [TimeSpan] = []
        for span in (heard + statedStays).sorted(by: { ($0.start, $0.end) < ($1.start, $1.end) }) {
            if let last = joined.last, span.start - last.end <= Self.maximumGap {
                joined[joined.count - 1].end = max(last.end, span.end)
            } else {
                joined.append(span)
            }
        }
        return joined
    }

    /// The silences that end stays.
    private static func silences(in heard: [TimeSpan], _ visits: [DeviceTimeline.VisitStay]) -> [TimeSpan] {
        zip(heard, heard.dropFirst()).map { TimeSpan($0.end, $1.start) }.filter { silence in
            silence.end - silence.start > longestSilence
                && !visits.contains { $0.span.start <= silence.start && $0.span.end >= silence.end }
        }
    }

    private static func parts(
        of stay: DeviceTimeline.RegionStay, without silences: [TimeSpan]
    ) -> [DeviceTimeline.RegionStay] {
        guard silences.contains(where: { $0.clipped(to: stay.span) != nil }) else { return [stay] }
        let parts = silences.gaps(in: stay.span)
        return parts.indices.map { index in
            .init(region: stay.region, span: parts[index], isOpen: stay.isOpen && index == parts.count - 1)
        }
    }
}
