import FencepostAnalysis
package import FencepostModel
package import FencepostService

/// Reads the rows of an export, device by device and page by page.
package struct ExportReader: Sendable {
    private let store: any HistoryStore & StayCorrectionStore
    private let kind: ExportKind
    private let from, to: Timestamp?
    private let wantsTracks: Bool

    /// Larger than other pages, because a page of locations reads all of the log that is not in segments.
    private static let pageOfLocations = 50_000
    private static let pageSize = 2000
    /// Trips are computed for a month at a time; the figures do not depend on it.
    private static let spanOfTrips = Duration.seconds(31 * 86_400)

    /// A reader of a span of time.
    ///
    /// - Parameters:
    ///   - store: what is read.
    ///   - kind: the rows.
    ///   - format: of the file; trajectories need the locations of trips.
    ///   - from: the inclusive start; `nil` for none.
    ///   - to: the exclusive end; `nil` for none.
    package init(
        _ store: any HistoryStore & StayCorrectionStore, _ kind: ExportKind, _ format: ExportFormat, from: Timestamp?,
        to: Timestamp?
    ) {
        (self.store, self.kind, self.from, self.to) = (store, kind, from, to)
        wantsTracks = kind == .trips && format == .mfJSON
    }

    /// Calls the body for each batch of a device's rows, in the order of time.
    package func forEachBatch(of device: DeviceID, _ body: (ExportBatch) async throws -> Void) async throws {
        switch kind {
        case .locations: try await locations(of: device, body)
        case .visits: try await visits(of: device, body)
        case .trips: try await trips(of: device, body)
        case .events: try await events(of: device, body)
        }
    }

    private func locations(of device: DeviceID, _ body: (ExportBatch) async throws -> Void) async throws {
        var cursor: LocationCursor?
        while true {
            let page = try await store.locations(
                of: device, from: from, to: to, after: cursor, limit: Self.pageOfLocations)
            guard !page.isEmpty else { return }
            try await body(.locations(page))
            guard page.count == Self.pageOfLocations else { return }
            cursor = LocationCursor(behind: page, after: cursor)
        }
    }

    private func filter(of device: DeviceID) -> HistoryFilter {
        var filter = HistoryFilter()
        filter.deviceID = device
        (filter.from, filter.to) = (from, to)
        return filter
    }

    private func visits(of device: DeviceID, _ body: (ExportBatch) async throws -> Void) async throws {
        var cursor: TimeCursor?
        while true {
            let page = try await store.visits(filter(of: device), after: cursor, limit: Self.pageSize)
            guard let last = page.last else { return }
            try await body(.visits(page))
            cursor = TimeCursor(timestamp: last.visit.start, number: last.number)
        }
    }

    private func events(of device: DeviceID, _ body: (ExportBatch) async throws -> Void) async throws {
        var filter = filter(of: device)
        filter.holdsOnly = true
        filter.origins = [.live, .history, .correction]
        var cursor: TimeCursor?
        while true {
            let page = try await store.events(filter, after: cursor, limit: Self.pageSize)
            guard let last = page.last else { return }
            try await body(.events(page))
            cursor = TimeCursor(timestamp: last.event.timestamp, number: last.number)
        }
    }

    private func trips(of device: DeviceID, _ body: (ExportBatch) async throws -> Void) async throws {
        guard let recorded = try await recorded(device) else { return }
        let history = StoredHistory(store: store, device: device)
        var start = max(from ?? recorded.start, recorded.start)
        let end = min(to ?? recorded.end, recorded.end)
        while start < end {
            let span = TimeSpan(start, min(start + Self.spanOfTrips, end))
            let trips = try await history.read(span, wantsTrips: true).trips
                .filter { $0.start.time >= span.start && $0.start.time < span.end }
            var rows: [ExportedTrip] = []
            for trip in trips {
                var row = ExportedTrip(trip)
                if wantsTracks {
                    try await history.forEachLocation(from: trip.start.time, to: trip.end.time) { row.track.append($0) }
                }
                rows.append(row)
            }
            if !rows.isEmpty { try await body(.trips(rows)) }
            start = span.end
        }
    }

    /// From the first location of a device to behind the last one; `nil` without any.
    private func recorded(_ device: DeviceID) async throws -> TimeSpan? {
        var ends: [Timestamp] = []
        for order in HistoryOrder.allCases {
            let found = try await store.locations(
                of: device, from: nil, to: nil, after: nil, limit: 1, includesAhead: false, order: order)
            guard let time = found.first?.location.timestamp else { return nil }
            ends.append(time)
        }
        guard let first = ends.min(), let last = ends.max() else { return nil }
        return TimeSpan(first, last + .milliseconds(1))
    }
}
