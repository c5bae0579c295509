import FencepostGeometry
import FencepostModel

/// The events of one fix or of one moment, put into their order and given their ids.
struct EventBatch {
    private let deviceID: DeviceID
    private let location: Location?
    private var events: [Event] = []

    init(deviceID: DeviceID, location: Location?) {
        self.deviceID = deviceID
        self.location = location
    }

    mutating func add(_ reports: [RegionReport], of region: Region) {
        for report in reports {
            let summary = RegionSummary(region)
            let occurrence: Occurrence =
                switch report.kind {
                case .dwelled(let dwell): .regionDwelled(summary, dwell: dwell)
                case .exited(let reason): .regionExited(summary, reason: reason)
                case .entered: .regionEntered(summary)
                }
            append(
                occurrence, timestamp: report.timestamp, detectedAt: report.detectedAt, confidence: report.confidence,
                why: report.why)
        }
    }

    mutating func add(_ report: VisitReport) {
        switch report {
        case .arrived(let estimate):
            append(
                .visitArrived(visit(estimate)), timestamp: estimate.arrival ?? estimate.identity,
                detectedAt: estimate.detectedAt, confidence: estimate.confidence, why: estimate.why)
        case .departed(let estimate):
            append(
                .visitDeparted(visit(estimate)), timestamp: estimate.departure ?? estimate.detectedAt,
                detectedAt: estimate.detectedAt, confidence: estimate.confidence, why: estimate.why)
        }
    }

    mutating func add(_ occurrence: Occurrence, at moment: Timestamp) {
        append(occurrence, timestamp: moment, detectedAt: moment, confidence: nil, why: nil)
    }

    /// Sorts the events and numbers them on from `sequence`.
    consuming func close(after sequence: inout Int, into all: inout [Event]) {
        guard !events.isEmpty else { return }
        // Few events share a moment, and the sort is stable.
        events.sort { $0.occurrence.rank < $1.occurrence.rank }
        for var event in events {
            sequence += 1
            event.sequence = sequence
            all.append(event)
        }
    }

    private mutating func append(
        _ occurrence: Occurrence, timestamp: Timestamp, detectedAt: Timestamp, confidence: Double?, why: Why?
    ) {
        var identity = Identity()
        identity.add(deviceID.rawValue)
        identity.add(occurrence.type.rawValue)
        identity.add(occurrence.subject)
        identity.add(timestamp.milliseconds)
        identity.add(detectedAt.milliseconds)
        if let location {
            // Two fixes of one moment can each enter and exit.
            identity.add(location.coordinate.latitude)
            identity.add(location.coordinate.longitude)
        }
        var why = why
        if why != nil, why?.fix == nil { why?.fix = location }
        events.append(
            Event(
                id: identity.text(prefix: "evt_"), sequence: 0, deviceID: deviceID, occurrence: occurrence,
                timestamp: timestamp, detectedAt: detectedAt, location: location, confidence: confidence, why: why))
    }

    /// To a centimetre: the digits beyond are those of the arithmetic.
    private func rounded(_ degrees: Double) -> Double { (degrees * 1e7).rounded() / 1e7 }

    private func visit(_ estimate: VisitEstimate) -> Visit {
        var identity = Identity()
        identity.add(deviceID.rawValue)
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
    /// What it is about: the region, the dwell or the visit.
    fileprivate var subject: String {
        switch self {
        case .regionEntered(let region), .regionExited(let region, _): region.id.rawValue
        case .regionDwelled(let region, let dwell): "\(dwell.milliseconds) \(region.id.rawValue)"
        case .visitArrived(let visit), .visitDeparted(let visit): visit.id
        case .deviceStale, .deviceRecovered: ""
        case .appRelaunched(let app): app.id
        }
    }

    /// The order of what one fix settles: back again, dwells, exits, entries, each by region id, then visits.
    fileprivate var rank: Rank {
        switch self {
        case .deviceRecovered: Rank(step: 0)
        case .regionDwelled(let region, let dwell): Rank(step: 1, region: region.id, dwell: dwell)
        case .regionExited(let region, _): Rank(step: 2, region: region.id)
        case .regionEntered(let region): Rank(step: 3, region: region.id)
        // As they were found: one fix can end a stay, and show another one that is over too.
        case .visitDeparted, .visitArrived: Rank(step: 4)
        case .deviceStale: Rank(step: 5)
        case .appRelaunched: Rank(step: 6)
        }
    }
}

private struct Rank: Comparable {
    var step: Int
    var region = RegionID("")
    var dwell = Duration.zero

    static func < (a: Rank, b: Rank) -> Bool {
        (a.step, a.region, a.dwell) < (b.step, b.region, b.dwell)
    }
}
