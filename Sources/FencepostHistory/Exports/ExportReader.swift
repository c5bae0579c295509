import FencepostAnalysis
package import FencepostModel
package import FencepostService

/// Reads the rows of an export, device by device and page by page, one page ahead.
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

    /// Calls the body for each batch of rows: by device in the given order, then by time.
    ///
    /// The next batch is read while the body has one, since reading and encoding take about as long.
    package func forEachBatch(
        of devices: [DeviceID], _ body: (DeviceID, ExportBatch) async throws -> Void
    ) async throws {
        var step = try await read(devices, at: Position())
        while let current = step {
            async let following = read(devices, at: current.next)
            try await body(current.device, current.batch)
            step = try await following
        }
    }

    /// Where the next batch begins.
    private struct Position: Sendable {
        /// The index of the device.
        var index = 0
        var locations: LocationCursor?
        var rows: TimeCursor?
        /// The start of the span whose trips are next.
        var trips: Timestamp?
    }

    private struct Step: Sendable {
        var device: DeviceID
        var batch: ExportBatch
        var next: Position
    }

    /// The first batch with rows at or after a position; `nil` at the end.
    private func read(_ devices: [DeviceID], at start: Position) async throws -> Step? {
        var position = start
        while position.index < devices.count {
            let device = devices[position.index]
            let (batch, next) = try await read(device, at: position)
            position = next ?? Position(index: position.index + 1)
            if batch.count > 0 { return Step(device: device, batch: batch, next: position) }
        }
        return nil
    }

    /// A batch of a device, and where its next one begins; `nil` for none.
    private func read(_ device: DeviceID, at position: Position) async throws -> (ExportBatch, Position?) {
        var next = position
        switch kind {
        case .locations:
            let page = try await store.locations(
                of: device, from: from, to: to, after: position.locations, limit: Self.pageOfLocations)
            guard page.count == Self.pageOfLocations else { return (.locations(page), nil) }
            next.locations = LocationCursor(behind: page, after: position.locations)
            return (.locations(page), next)
        case .visits:
            let page = try await store.visits(filter(of: device), after: position.rows, limit: Self.pageSize)
            guard page.count == Self.pageSize, let last = page.last else { return (.visits(page), nil) }
            next.rows = TimeCursor(timestamp: last.visit.start, number: last.number)
            return (.visits(page), next)
        case .events:
            var filter = filter(of: device)
            filter.holdsOnly = true
            filter.origins = [.live, .history, .correction]
            let page = try await store.events(filter, after: position.rows, limit: Self.pageSize)
            guard page.count == Self.pageSize, let last = page.last else { return (.events(page), nil) }
            next.rows = TimeCursor(timestamp: last.event.timestamp, number: last.number)
            return (.events(page), next)
        case .trips: return try await trips(of: device, from: position)
        }
    }

    private func filter(of device: DeviceID) -> HistoryFilter {
        var filter = HistoryFilter()
        filter.deviceID = device
        (filter.from, filter.to) = (from, to)
        return filter
    }

    /// The trips of a month, and where the next one begins.
    private func trips(of device: DeviceID, from position: Position) async throws -> (ExportBatch, Position?) {
        guard let recorded = try await recorded(device) else { return (.trips([]), nil) }
        let history = StoredHistory(store: store, device: device)
        let start = position.trips ?? max(from ?? recorded.start, recorded.start)
        let end = min(to ?? recorded.end, recorded.end)
        guard start < end else { return (.trips([]), nil) }
        let span = TimeSpan(start, min(start + Self.spanOfTrips, end))
        var rows: [ExportedTrip] = []
        for trip in try await history.read(span, wantsTrips: true).trips
        where trip.start.time >= span.start && trip.start.time < span.end {
            var row = ExportedTrip(trip)
            if wantsTracks {
                try await history.forEachLocation(from: trip.start.time, to: trip.end.time) { row.track.append($0) }
            }
            rows.append(row)
        }
        var next = position
        next.trips = span.end
        return (.trips(rows), span.end < end ? next : nil)
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
