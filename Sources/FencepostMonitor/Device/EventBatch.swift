import FencepostGeometry
import FencepostModel

/// The events of one fix or of one moment, which get their final order and their ids at the end.
///
/// An empty batch costs nothing, which is the usual case.
struct EventBatch {
    /// Without ids, numbers and locations until the batch is closed.
    private var events: [Event] = []

    private static let nobody = DeviceID("")

    /// Whether there is nothing to close. The arguments of `close` are expensive to make.
    var isEmpty: Bool { events.isEmpty }

    mutating func add(_ reports: [RegionReport], of region: Region) {
        guard !reports.isEmpty else { return }
        let summary = RegionSummary(region)
        for report in reports { add(report, of: summary) }
    }

    mutating func add(_ report: RegionReport, of summary: RegionSummary) {
        let occurrence: Occurrence =
            switch report.kind {
            case .dwelled(let dwell): .regionDwelled(summary, dwell: dwell)
            case .exited(let reason): .regionExited(summary, reason: reason)
            case .entered: .regionEntered(summary)
            }
        if events.isEmpty { events.reserveCapacity(2) }
        events.append(
            Event(
                id: "", sequence: 0, deviceID: Self.nobody, occurrence: occurrence, timestamp: report.timestamp,
                detectedAt: report.detectedAt, earliest: report.earliest, latest: report.latest,
                confidence: report.confidence, why: report.why))
    }

    mutating func add(_ report: VisitReport, of device: DeviceID) {
        let estimate = report.estimate
        let visit = visit(estimate, of: device)
        let (occurrence, timestamp): (Occurrence, Timestamp) =
            switch report {
            case .arrived: (.visitArrived(visit), estimate.arrival ?? estimate.identity)
            case .departed: (.visitDeparted(visit), estimate.departure ?? estimate.detectedAt)
            }
        events.append(
            Event(
                id: "", sequence: 0, deviceID: Self.nobody, occurrence: occurrence, timestamp: timestamp,
                detectedAt: estimate.detectedAt, confidence: estimate.confidence, why: estimate.why))
    }

    mutating func add(_ occurrence: Occurrence, at moment: Timestamp) {
        events.append(
            Event(
                id: "", sequence: 0, deviceID: Self.nobody, occurrence: occurrence, timestamp: moment,
                detectedAt: moment))
    }

    /// Sorts the events, gives them the sequence numbers after `sequence` and moves them to the end of `output`.
    ///
    /// `location` is the fix that decided them, or the last one before the deadline that did.
    mutating func close(
        of device: DeviceID, at location: Location?, after sequence: inout UInt32,
        into output: inout [Event]
    ) {
        sort()
        for index in events.indices {
            sequence += 1
            events[index].sequence = Int(sequence)
            events[index].deviceID = device
            events[index].location = location
            if events[index].why != nil, events[index].why?.fix == nil { events[index].why?.fix = location }
            events[index].id = id(of: index, at: location)
        }
        if output.isEmpty {
            swap(&events, &output)
        } else {
            output += events
            events = []
        }
    }

    /// Sorts in place, since there are few events and each is large. Events of the same rank keep their order.
    private mutating func sort() {
        for end in events.indices.dropFirst() {
            var index = end
            while index > 0, events[index].occurrence.precedes(events[index - 1].occurrence) {
                events.swapAt(index, index - 1)
                index -= 1
            }
        }
    }

    private func id(of index: Int, at location: Location?) -> String {
        var identity = Identity()
        identity.add(events[index].deviceID.rawValue)
        identity.add(events[index].occurrence.type.rawValue)
        identity.add(events[index].occurrence.subject)
        identity.add(events[index].timestamp.milliseconds)
        identity.add(events[index].detectedAt.milliseconds)
        if let location {
            // Two fixes with the same time can each cause an entry and an exit.
            identity.add(location.coordinate.latitude)
            identity.add(location.coordinate.longitude)
        }
        return identity.text(prefix: "evt_")
    }

    /// Rounds to a centimetre, beyond which digits depend on the order of the arithmetic.
    private func rounded(_ degrees: Double) -> Double { (degrees * 1e7).rounded() / 1e7 }

    private func visit(_ estimate: VisitEstimate, of device: DeviceID) -> Visit {
        var identity = Identity()
        identity.add(device.rawValue)
        identity.add(estimate.identity.milliseconds)
        var visit = Visit(
            id: identity.text(prefix: "vis_"), arrival: estimate.arrival, departure: estimate.departure,
            coordinate: Coordinate(
                latitude: rounded(estimate.coordinate.latitude), longitude: rounded(estimate.coordinate.longitude)),
            horizontalAccuracy: estimate.horizontalAccuracy)
        visit.arrivalEarliest = estimate.arrivalEarliest
        visit.arrivalLatest = estimate.arrivalLatest
        visit.departureEarliest = estimate.departureEarliest
        visit.departureLatest = estimate.departureLatest
        return visit
    }
}

extension Occurrence {
    /// The part of the id that names the region, the dwell, the visit or the app.
    fileprivate var subject: String {
        switch self {
        case .regionEntered(let region), .regionExited(let region, _): region.id.rawValue
        case .regionDwelled(let region, let dwell): "\(dwell.milliseconds) \(region.id.rawValue)"
        case .visitArrived(let visit), .visitDeparted(let visit): visit.id
        case .deviceStale, .deviceRecovered: ""
        case .appRelaunched(let app): app.id
        }
    }

    /// Whether it comes before another event of the same fix: recovery, dwells, exits, entries, each by region id, then
    /// visits.
    fileprivate func precedes(_ other: Occurrence) -> Bool {
        guard step == other.step else { return step < other.step }
        switch self {
        case .regionDwelled(let region, let dwell):
            guard case .regionDwelled(let next, let nextDwell) = other else { return false }
            return region.id == next.id ? dwell < nextDwell : region.id < next.id
        case .regionExited(let region, _), .regionEntered(let region):
            return other.region.map { region.id < $0.id } ?? false
        // Visits in the order of detection: one fix can end a visit and show another one that is over too.
        case .visitArrived, .visitDeparted, .deviceStale, .deviceRecovered, .appRelaunched: return false
        }
    }

    private var step: Int {
        switch self {
        case .deviceRecovered: 0
        case .regionDwelled: 1
        case .regionExited: 2
        case .regionEntered: 3
        case .visitDeparted, .visitArrived: 4
        case .deviceStale: 5
        case .appRelaunched: 6
        }
    }
}
