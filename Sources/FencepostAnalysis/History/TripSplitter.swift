internal import FencepostGeometry
public import FencepostModel

/// Divides the locations of one device into trips: the ways between its visits.
///
/// Locations come in the order of time; arrivals and departures may come later than locations after them, as the monitor
/// reports them. The memory is that of the locations since the last departure, at most `limit`.
public struct TripSplitter: Sendable {
    /// A trip with more locations is divided.
    static let limit = 100_000
    /// A longer silence ends a trip, unless the device was fast meanwhile, as in a plane.
    static let maximumSilence = Duration.seconds(3600)
    /// No trip contains a longer silence.
    static let longestSilence = Duration.seconds(86_400)
    /// Metres per second: the mean speed of a silence during which somebody travels.
    static let travelSpeed = 1.0
    /// Ways without a visit at both ends that are shorter are no trips, in metres.
    static let leastExtent = 150.0

    private let device: DeviceID
    private let wantsExtents: Bool
    private var points: [TrackPoint] = []
    private var state = State.moving(from: nil)
    /// By the id of the visit: the distance in metres from its centre within which 90 % of its locations are.
    public private(set) var extents: [String: Double] = [:]

    private enum State: Sendable {
        case moving(from: Trip.End?)
        case visiting(Arrival)
    }

    /// A visit, with the locations of the way to it. The trip is made when the visit ends, because its centre is known then.
    private struct Arrival: Sendable {
        var visit: Visit
        var time: Timestamp
        var from: Trip.End?
        var points: [TrackPoint]
    }

    /// A splitter without locations.
    ///
    /// - Parameters:
    ///   - device: the device.
    ///   - wantsExtents: whether `extents` are needed.
    public init(device: DeviceID, wantsExtents: Bool = true) {
        self.device = device
        self.wantsExtents = wantsExtents
    }

    /// Adds a location.
    ///
    /// - Returns: trips, if there are too many locations without a visit.
    public mutating func add(_ location: Location) -> [Trip] {
        if let last = points.last, location.timestamp <= last.time { return [] }
        points.append(
            TrackPoint(
                time: location.timestamp, coordinate: location.coordinate, accuracy: location.horizontalAccuracy))
        guard points.count >= Self.limit else { return [] }
        switch state {
        case .moving(let from):
            let trips = trips(points, from: from, to: nil)
            points.removeFirst(points.count - 1)
            state = .moving(from: nil)
            return trips
        case .visiting:
            // The departure is later than most of them.
            points.removeFirst(points.count / 2)
            return []
        }
    }

    /// Adds the start of a visit.
    public mutating func arrive(_ visit: Visit, at time: Timestamp) {
        guard case .moving(let from) = state else { return }
        let later = points.drop { $0.time < time }
        points.removeLast(later.count)
        state = .visiting(Arrival(visit: visit, time: time, from: from, points: points))
        points = Array(later)
    }

    /// Adds the end of a visit.
    ///
    /// - Returns: the trips that led to it.
    public mutating func depart(_ visit: Visit, at time: Timestamp) -> [Trip] {
        var found: [Trip] = []
        if case .visiting(let arrival) = state {
            if wantsExtents {
                let distances = points.prefix { $0.time <= time }
                    .map { Geodesic.distance(visit.coordinate, $0.coordinate) }.sorted()
                if !distances.isEmpty { extents[visit.id] = distances[(distances.count * 9) / 10] }
            }
            found = trips(arrival.points, from: arrival.from, to: Self.end(of: visit, at: arrival.time))
        }
        points = Array(points.drop { $0.time <= time })
        state = .moving(from: Self.end(of: visit, at: time))
        return found
    }

    /// Ends the recording.
    ///
    /// - Returns: the trips to the current visit, or after the last one.
    public mutating func finish() -> [Trip] {
        defer { points = [] }
        switch state {
        case .moving(let from): return trips(points, from: from, to: nil)
        case .visiting(let arrival):
            return trips(arrival.points, from: arrival.from, to: Self.end(of: arrival.visit, at: arrival.time))
        }
    }

    private static func end(of visit: Visit, at time: Timestamp) -> Trip.End {
        Trip.End(time: time, coordinate: visit.coordinate, visitID: visit.id, regions: visit.regions)
    }

    /// The trips of the collected locations between two visits, or between a visit and where the recording ends.
    private func trips(_ points: [TrackPoint], from start: Trip.End?, to end: Trip.End?) -> [Trip] {
        var all = points
        if let start {
            all.insert(TrackPoint(time: start.time, coordinate: start.coordinate, accuracy: Self.visitAccuracy), at: 0)
        }
        if let end {
            all.append(TrackPoint(time: end.time, coordinate: end.coordinate, accuracy: Self.visitAccuracy))
        }
        guard all.count > 1 else { return [] }
        var trips: [Trip] = []
        var first = 0
        for index in all.indices.dropFirst() where Self.isInterrupted(all[index - 1], all[index]) {
            trips += trip(all[first..<index], from: first == 0 ? start : nil, to: nil).map { [$0] } ?? []
            first = index
        }
        trips += trip(all[first...], from: first == 0 ? start : nil, to: end).map { [$0] } ?? []
        return trips
    }

    /// Of the centre of a visit: a place has an extent.
    private static let visitAccuracy = 30.0

    private static func isInterrupted(_ a: TrackPoint, _ b: TrackPoint) -> Bool {
        let silence = b.time - a.time
        guard silence > maximumSilence else { return false }
        return silence > longestSilence
            || Geodesic.distance(a.coordinate, b.coordinate) / silence.seconds < travelSpeed
    }

    private func trip(_ points: ArraySlice<TrackPoint>, from start: Trip.End?, to end: Trip.End?) -> Trip? {
        let points = TrackCleaner.trimmed(TrackCleaner.cleaned(Array(points))[...])
        guard let first = points.first, let last = points.last, points.count > 1, first.time < last.time else {
            return nil
        }
        if start == nil || end == nil {
            let error = TrackCleaner.typicalAccuracy(points)
            guard !TrackCleaner.isWithin(max(Self.leastExtent, min(2 * error, 1000)), points) else { return nil }
        }
        let measure = TripMeasure(Array(points))
        guard let main = measure.main else { return nil }
        func bare(_ point: TrackPoint) -> Trip.End {
            Trip.End(time: point.time, coordinate: point.coordinate, visitID: nil, regions: [])
        }
        let (start, end) = (start ?? bare(first), end ?? bare(last))
        let ends = (start.visitID == nil ? 0 : 1) + (end.visitID == nil ? 0 : 1)
        var legs = measure.legs
        // The locations at the ends may have been left out.
        legs[0].start = start.time
        legs[legs.count - 1].end = end.time
        return Trip(
            id: Trip.id(of: device, start: start.time), deviceID: device, start: start, end: end,
            distance: measure.distance, movingSeconds: min(measure.movingSeconds, (end.time - start.time).seconds),
            unknownSeconds: measure.unknownSeconds, topSpeed: measure.topSpeed, mode: main.mode,
            modeConfidence: main.modeConfidence, locations: max(points.count - ends, 0), line: measure.line, legs: legs)
    }
}
