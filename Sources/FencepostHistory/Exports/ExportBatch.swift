package import FencepostAnalysis
package import FencepostModel
package import FencepostService

/// Rows of one device in the order of time, in memory while they are written.
package enum ExportBatch: Sendable {
    case locations([StoredLocation])
    case visits([StoredVisit])
    case trips([ExportedTrip])
    case events([StoredEvent])

    /// The number of rows.
    package var count: Int {
        switch self {
        case .locations(let rows): rows.count
        case .visits(let rows): rows.count
        case .trips(let rows): rows.count
        case .events(let rows): rows.count
        }
    }

    /// The time by which a row is in a day.
    package func time(of index: Int) -> Timestamp {
        switch self {
        case .locations(let rows): rows[index].location.timestamp
        case .visits(let rows): rows[index].visit.start
        case .trips(let rows): rows[index].trip.start.time
        case .events(let rows): rows[index].event.timestamp
        }
    }

    /// A part of the rows.
    package subscript(range: Range<Int>) -> ExportBatch {
        switch self {
        case .locations(let rows): .locations(Array(rows[range]))
        case .visits(let rows): .visits(Array(rows[range]))
        case .trips(let rows): .trips(Array(rows[range]))
        case .events(let rows): .events(Array(rows[range]))
        }
    }
}

/// A trip, with its locations where the format needs them.
package struct ExportedTrip: Sendable {
    package var trip: Trip
    package var track: [Location]

    package init(_ trip: Trip, track: [Location] = []) { (self.trip, self.track) = (trip, track) }
}
