import FencepostGeometry
import FencepostModel

/// The events of one fix or of one moment, in their final order and with their ids.
///
/// An empty batch costs nothing, which is the usual case.
struct EventBatch {
    private struct Draft {
        var occurrence: Occurrence
        var timestamp, detectedAt: Timestamp
        var earliest, latest: Timestamp?
        var confidence: Double?
        var why: Why?
    }

    private var drafts: [Draft] = []

    /// Whether there is nothing to close. The arguments of `close` are expensive to make.
    var isEmpty: Bool { drafts.isEmpty }

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
        drafts.append(
            Draft(
                occurrence: occurrence, timestamp: report.timestamp, detectedAt: report.detectedAt,
                earliest: report.earliest, latest: report.latest, confidence: report.confidence, why: report.why))
    }

    mutating func add(_ report: VisitReport, of device: DeviceID) {
        let estimate = report.estimate
        let visit = visit(estimate, of: device)
        let (occurrence, timestamp): (Occurrence, Timestamp) =
            switch report {
            case .arrived: (.visitArrived(visit), estimate.arrival ?? estimate.identity)
            case .departed: (.visitDeparted(visit), estimate.departure ?? estimate.detectedAt)
            }
        drafts.append(
            Draft(
                occurrence: occurrence, timestamp: timestamp, detectedAt: estimate.detectedAt,
                confidence: estimate.confidence, why: estimate.why))
    }

    mutating func add(_ occurrence: Occurrence, at moment: Timestamp) {
        drafts.append(Draft(occurrence: occurrence, timestamp: moment, detectedAt: moment))
    }

    /// Sorts the events, gives them the sequence numbers after `sequence` and appends them to `events`.
    ///
    /// `location` is the fix that decided them, or the last one before the deadline that did.
    consuming func close(
        of device: DeviceID, at location: Location?, after sequence: inout UInt32,
        into events: inout [Event]
    ) {
        // The sort is stable, so events of the same rank keep their order.
        if drafts.count > 1 { drafts.sort { $0.occurrence.rank < $1.occurrence.rank } }
        for index in drafts.indices {
            sequence += 1
            events.append(event(drafts[index], of: device, at: location, Int(sequence)))
        }
    }

    private func event(_ draft: Draft, of device: DeviceID, at location: Location?, _ sequence: Int) -> Event {
        var identity = Identity()
        identity.add(device.rawValue)
        identity.add(draft.occurrence.type.rawValue)
        identity.add(draft.occurrence.subject)
        identity.add(draft.timestamp.milliseconds)
        identity.add(draft.detectedAt.milliseconds)
        if let location {
            // Two fixes with the same time can each cause an entry and an exit.
            identity.add(location.coordinate.latitude)
            identity.add(location.coordinate.longitude)
        }
        var why = draft.why
        if why != nil, why?.fix == nil { why?.fix = location }
        return Event(
            id: identity.text(prefix: "evt_"), sequence: sequence, deviceID: device, occurrence: draft.occurrence,
            timestamp: draft.timestamp, detectedAt: draft.detectedAt, earliest: draft.earliest, latest: draft.latest,
            location: location, confidence: draft.confidence, why: why)
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

    /// The order of the events of one fix: recovery, dwells, exits, entries, each by region id, then visits.
    fileprivate var rank: Rank {
        switch self {
        case .deviceRecovered: Rank(step: 0)
        case .regionDwelled(let region, let dwell): Rank(step: 1, region: region.id, dwell: dwell)
        case .regionExited(let region, _): Rank(step: 2, region: region.id)
        case .regionEntered(let region): Rank(step: 3, region: region.id)
        // In the order of detection: one fix can end a visit and show another one that is over too.
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
