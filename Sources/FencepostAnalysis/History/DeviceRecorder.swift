public import FencepostModel

/// Follows one device through its locations and events, as the monitor emits them: its timeline, its trips, and how far the
/// locations of each visit are from its centre.
public struct DeviceRecorder: Sendable {
    private var timeline: TimelineBuilder
    private var splitter: TripSplitter
    private var first: Timestamp?
    /// The trips so far, in the order of time.
    public private(set) var trips: [Trip] = []
    /// By the id of the visit: the distance in metres from its centre within which 90 % of its locations are.
    public var extents: [String: Double] { splitter.extents }

    /// A recorder of a device.
    ///
    /// - Parameters:
    ///   - device: the device.
    ///   - wantsExtents: whether `extents` are needed, which measures the distance of each location of a visit.
    public init(device: DeviceID, wantsExtents: Bool = true) {
        timeline = TimelineBuilder(device: device)
        splitter = TripSplitter(device: device, wantsExtents: wantsExtents)
    }

    /// States when the first or the last location is, where not all locations are added.
    public mutating func extend(first: Timestamp? = nil, last: Timestamp? = nil) {
        if let first { self.first = first }
        timeline.extend(first: first, last: last)
    }

    /// States that there is a location, where it is not added because it is outside of the period.
    public mutating func add(locationAt time: Timestamp) {
        timeline.add(locationAt: time)
    }

    /// Adds a stay that a file states, at any time before the end.
    public mutating func add(statedStay span: TimeSpan) {
        timeline.add(statedStay: span)
    }

    /// Adds an evaluated location. Locations come in the order of time.
    public mutating func add(_ location: Location) {
        first = first ?? location.timestamp
        timeline.add(locationAt: location.timestamp)
        trips += splitter.add(location)
    }

    /// Adds an event. The events of a location come before or after it.
    public mutating func add(_ event: Event) {
        timeline.add(event)
        switch event.occurrence {
        case .visitArrived(let visit): arrive(visit)
        case .visitDeparted(let visit): depart(visit)
        case .regionEntered, .regionExited, .regionDwelled, .deviceStale, .deviceRecovered, .appRelaunched, .alert,
            .fence, .proximity, .plan:
            break
        }
    }

    /// Adds a crossing that is already known, as stored events give it.
    public mutating func add(
        _ region: RegionID, entered: Bool, at time: Timestamp, order: Int, within bounds: TimeSpan? = nil
    ) {
        timeline.add(region, entered: entered, at: time, order: order, within: bounds)
    }

    /// Adds the start of a visit, after the locations before it.
    public mutating func arrive(_ visit: Visit) {
        timeline.add(visit)
        guard let start = visit.arrival ?? visit.arrivalLatest ?? first else { return }
        splitter.arrive(visit, at: start)
    }

    /// Adds the end of a visit, after the locations of the visit.
    public mutating func depart(_ visit: Visit) {
        // A visit may be reported only when it is over.
        arrive(visit)
        timeline.add(visit)
        if let end = visit.departure { trips += splitter.depart(visit, at: end) }
    }

    /// Ends the recording.
    public mutating func finish() -> (timeline: DeviceTimeline, trips: [Trip]) {
        trips += splitter.finish()
        return (timeline.finish(), trips)
    }
}
