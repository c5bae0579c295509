package import FencepostAnalysis
import FencepostFormats
import FencepostGeometry
import FencepostJSON
package import FencepostModel
package import FencepostService

/// Reads the stored history of one device as a timeline and trips, page by page: never all locations at once.
///
/// Of the time before a period it reads what is open at the beginning, and the visits of some days.
package struct StoredHistory: Sendable {
    let store: any HistoryStore & StayCorrectionStore
    let device: DeviceID
    /// Whether all crossings and visits are read, since the beginning: what tests compare with.
    let readsAll: Bool

    private static let pageSize = 2000
    /// Larger, because a page reads all of the log that is not in segments.
    private static let pageOfLocations = 50_000

    package init(store: any HistoryStore & StayCorrectionStore, device: DeviceID, readsAll: Bool = false) {
        (self.store, self.device, self.readsAll) = (store, device, readsAll)
    }

    /// What is known of a device in a period.
    package struct Recording: Sendable {
        package var timeline: DeviceTimeline
        /// The trips of which a part is in the period.
        package var trips: [Trip]
        /// As `DeviceRecorder.extents`.
        package var extents: [String: Double]
        /// The corrections of users, by the ids of the visits that they make.
        package var corrections: [String: StayCorrection] = [:]
    }

    /// Reads a period. The figures in it do not depend on its length.
    ///
    /// `wantsTrips`: whether trips are needed, which takes the locations since the departure before the period.
    ///
    /// `wantsExtents`: whether the extents of visits are needed.
    package func read(
        _ period: TimeSpan, wantsTrips: Bool, wantsExtents: Bool = false
    ) async throws -> Recording {
        var recorder = DeviceRecorder(device: device, wantsExtents: wantsExtents)
        let corrections = try await store.stayCorrections(of: device)
        let byVisit = Dictionary(corrections.map { ($0.id, $0) }) { first, _ in first }
        let first = try await store.locations(
            of: device, from: nil, to: nil, after: nil, limit: 1, includesAhead: false
        )
        .first
        guard let first = first?.location.timestamp else {
            let (timeline, trips) = recorder.finish()
            return Recording(timeline: timeline, trips: trips, extents: [:])
        }
        recorder.extend(first: first)
        try await addCrossings(of: period, to: &recorder)
        var visits = try await visits(around: period, corrections)
        var origin = period.start - TimelineBuilder.maximumGap
        if wantsTrips {
            let departures = visits.compactMap(\.departure).filter { $0 <= period.start }
            origin = min(origin, departures.max() ?? first)
        }
        visits.removeAll { $0.departure.map { $0 < origin } ?? false }
        let next = visits.compactMap(\.began).filter { $0 >= period.end }.min()
        let tail =
            wantsTrips ? next ?? period.end + TripLimits.tail : period.end + TimelineBuilder.maximumGap
        for stay in try await statedStays(from: origin, to: period.end) { recorder.add(statedStay: stay) }
        // A silence over the beginning of the period counts from its own beginning.
        if let next = try await location(from: origin), next > period.start, first < origin {
            recorder.add(locationAt: max(try await lastLocation(before: origin), first))
        }
        try await feed(
            visits.filter { ($0.arrival ?? first) <= tail }, first: first, TimeSpan(origin, tail), to: &recorder)
        // A later location says that the device was still heard, and how long it was silent.
        if let later = try await location(from: tail) { recorder.add(locationAt: later) }
        let (timeline, trips) = recorder.finish()
        return Recording(
            timeline: timeline, trips: trips.filter { $0.start.time < period.end && $0.end.time > period.start },
            extents: recorder.extents, corrections: byVisit)
    }

    /// The stays that files state and of which a part is in a span, of those with both ends.
    private func statedStays(from start: Timestamp, to end: Timestamp) async throws -> [TimeSpan] {
        var filter = HistoryFilter()
        filter.deviceID = device
        (filter.from, filter.to) = (start - TimelineBuilder.longestStatedStay, end)
        var stays: [TimeSpan] = []
        var cursor: Int64 = 0
        while true {
            let page = try await store.reports(filter, kind: "visit", after: cursor, limit: Self.pageSize)
            for (_, report) in page {
                guard case .visit(let arrival?, let departure?, _) = report.kind, departure > start else {
                    continue
                }
                stays.append(TimeSpan(arrival, departure))
            }
            guard page.count == Self.pageSize, let last = page.last else { return stays }
            cursor = last.number
        }
    }

    /// The time of the first location from a time on.
    private func location(from time: Timestamp, to end: Timestamp? = nil) async throws -> Timestamp? {
        try await store.locations(of: device, from: time, to: end, after: nil, limit: 1, includesAhead: false)
            .first?.location.timestamp
    }

    /// A location before a time, within eight minutes of the last one of the `TimelineBuilder.longestSilence` before it; the
    /// beginning of that silence if there is none.
    private func lastLocation(before time: Timestamp) async throws -> Timestamp {
        var low = time - TimelineBuilder.longestSilence - .seconds(1)
        var high = time
        while high - low > Self.lastLocationPrecision {
            let middle = Timestamp(milliseconds: low.milliseconds / 2 + high.milliseconds / 2)
            if let found = try await location(from: middle, to: high) { low = found } else { high = middle }
        }
        return low
    }

    private static let lastLocationPrecision = Duration.seconds(480)

    private enum TripLimits {
        /// How long after the period a trip that began in it may end.
        static let tail = Duration.seconds(86_400)
    }

    /// Passes on the locations of a span, with the starts and ends of visits between them.
    private func feed(
        _ visits: [Visit], first: Timestamp, _ span: TimeSpan, to recorder: inout DeviceRecorder
    ) async throws {
        var pending = visits[...]
        var current: Visit?
        func advance(to time: Timestamp, _ recorder: inout DeviceRecorder) {
            while let next = pending.first, (next.began ?? first) <= time {
                if let current { recorder.depart(current) }
                recorder.arrive(next)
                current = next
                pending.removeFirst()
            }
            if let visit = current, let end = visit.departure, end < time {
                recorder.depart(visit)
                current = nil
            }
        }
        try await forEachLocation(from: span.start, to: span.end + .milliseconds(1)) { location in
            advance(to: location.timestamp, &recorder)
            recorder.add(location)
        }
        advance(to: span.end, &recorder)
        if let current, let end = current.departure, end <= span.end { recorder.depart(current) }
    }

    /// Calls the body for each location of a span, in the order of time.
    package func forEachLocation(from: Timestamp, to: Timestamp, _ body: (Location) throws -> Void) async throws {
        var cursor: LocationCursor?
        while true {
            let page = try await store.locations(
                of: device, from: from, to: to, after: cursor, limit: Self.pageOfLocations, includesAhead: false)
            guard !page.isEmpty else { return }
            for stored in page { try body(stored.location) }
            guard page.count == Self.pageOfLocations else { return }
            cursor = LocationCursor(behind: page, after: cursor)
        }
    }

    /// Adds the crossings of a period, the entries of the stays that are open at its beginning, and the exits after it from
    /// the regions in which the device is then: an exit in a gap between locations ends its stay with the last location
    /// inside, which may lie before.
    private func addCrossings(of period: TimeSpan, to recorder: inout DeviceRecorder) async throws {
        var filter = HistoryFilter()
        filter.deviceID = device
        filter.types = [GlobPattern(EventType.regionEntered.rawValue), GlobPattern(EventType.regionExited.rawValue)]
        filter.to = period.end
        filter.holdsOnly = true
        var open: Set<RegionID> = []
        // No exit before this location is estimated to be in the period, since the location limits the estimate.
        if !readsAll, let heard = try await lastHeard(before: period.start) {
            filter.from = heard
            for stored in try await store.openEntries(of: device, before: heard) {
                add(stored, to: &recorder)
                if let region = stored.event.regionID { open.insert(region) }
            }
        }
        var cursor: TimeCursor?
        while true {
            let page = try await store.events(filter, after: cursor, limit: Self.pageSize)
            for stored in page {
                add(stored, to: &recorder)
                guard let region = stored.event.regionID else { continue }
                if Self.isEntry(stored) { open.insert(region) } else { open.remove(region) }
            }
            guard page.count == Self.pageSize, let last = page.last else { break }
            cursor = TimeCursor(timestamp: last.event.timestamp, number: last.number)
        }
        filter.types.removeFirst()
        (filter.from, filter.to) = (period.end, nil)
        for region in open.sorted() {
            filter.regionID = region
            for stored in try await store.events(filter, after: TimeCursor?.none, limit: 1) {
                add(stored, to: &recorder)
            }
        }
    }

    /// The time of the last location before a time.
    private func lastHeard(before time: Timestamp) async throws -> Timestamp? {
        try await store.locations(
            of: device, from: nil, to: time, after: nil, limit: 1, includesAhead: false, order: .descending
        ).first?.location.timestamp
    }

    private static func isEntry(_ stored: StoredEvent) -> Bool {
        stored.event.type == EventType.regionEntered.rawValue
    }

    private func add(_ stored: StoredEvent, to recorder: inout DeviceRecorder) {
        guard let region = stored.event.regionID else { return }
        recorder.add(
            region, entered: Self.isEntry(stored), at: stored.event.timestamp, order: Int(stored.number),
            within: TimeSpan(boundsOf: stored.event))
    }

    /// The visits of a period and of the day after it, with the corrections of users, in the order of their starts. Of those
    /// before the period at least the last one that ended.
    private func visits(around period: TimeSpan, _ corrections: [StayCorrection]) async throws -> [Visit] {
        let end = period.end + TripLimits.tail
        if !readsAll {
            for days in Self.daysBefore {
                let start = period.start - .seconds(days * 86_400)
                let visits = StayCorrection.apply(corrections, to: try await visits(endingFrom: start, before: end))
                // A correction never makes a visit longer, so those that ended earlier end before this one.
                if visits.contains(where: { $0.departure.map { $0 >= start && $0 <= period.start } ?? false }) {
                    return visits
                }
            }
        }
        return StayCorrection.apply(corrections, to: try await visits(endingFrom: nil, before: end))
    }

    /// How far before the period the last departure is looked for, in turn.
    private static let daysBefore: [Int64] = [2, 30]

    /// The visits that began before a time, in the order of their starts.
    ///
    /// `start`: without those that ended before it; `nil` for all.
    private func visits(endingFrom start: Timestamp?, before end: Timestamp) async throws -> [Visit] {
        var filter = HistoryFilter()
        filter.deviceID = device
        filter.to = end
        filter.endsFrom = start
        var found: [(start: Timestamp, visit: Visit)] = []
        var cursor: TimeCursor?
        while true {
            let page = try await store.visits(filter, after: cursor, limit: Self.pageSize)
            found += page.compactMap { stored in Visit(stored: stored.visit).map { (stored.visit.start, $0) } }
            guard page.count == Self.pageSize, let last = page.last else { break }
            cursor = TimeCursor(timestamp: last.visit.start, number: last.number)
        }
        return found.sorted { ($0.start, $0.visit.id) < ($1.start, $1.visit.id) }.map(\.visit)
    }
}

extension Visit {
    /// The arrival, or the first location of a visit whose arrival is unknown.
    fileprivate var began: Timestamp? { arrival ?? arrivalLatest }
}

extension TimeSpan {
    /// `earliest` and `latest` of a stored crossing; `nil` if it has none.
    fileprivate init?(boundsOf event: NewEvent) {
        guard let crossing = event.message?.event, let earliest = crossing.earliest, let latest = crossing.latest else {
            return nil
        }
        self.init(earliest, latest)
    }
}

extension Visit {
    /// The visit of a stored row.
    ///
    /// - Returns: `nil` if the row is not one that Fencepost wrote.
    package init?(stored: NewVisit) {
        guard let root = (try? JSONDocument(parsing: Array(stored.body.utf8)))?.root else { return nil }
        self.init(json: root)
    }
}
