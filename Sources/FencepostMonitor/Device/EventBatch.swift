import FencepostGeometry
import FencepostModel

/// The events of one fix or of one moment, put into their order and given their ids.
///
/// Nothing is made, and nobody asked which device and which fix it is, before there is something to tell.
struct EventBatch {
    private struct Draft {
        var occurrence: Occurrence
        var timestamp, detectedAt: Timestamp
        var confidence: Double?
        var why: Why?
    }

    private var drafts: [Draft] = []

    /// Asked before `close`, so that what that takes need not be made.
    var isEmpty: Bool { drafts.isEmpty }

    mutating func add(_ reports: [RegionReport], of region: Region) {
        for report in reports {
            let summary = RegionSummary(region)
            let occurrence: Occurrence =
                switch report.kind {
                case .dwelled(let dwell): .regionDwelled(summary, dwell: dwell)
                case .exited(let reason): .regionExited(summary, reason: reason)
                case .entered: .regionEntered(summary)
                }
            drafts.append(
                Draft(
                    occurrence: occurrence, timestamp: report.timestamp, detectedAt: report.detectedAt,
                    confidence: report.confidence, why: report.why))
        }
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

    /// Sorts the events and numbers them on from `sequence`.
    ///
    /// - Parameter location: the fix that settled them, or the last one before the moment that did.
    consuming func close(
        of device: DeviceID, at location: Location?, after sequence: inout UInt32,
        into events: inout [Event]
    ) {
        // Few events share a moment, and the sort is stable.
        drafts.sort { $0.occurrence.rank < $1.occurrence.rank }
        for draft in drafts {
            sequence += 1
            events.append(event(draft, of: device, at: location, Int(sequence)))
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
            // Two fixes of one moment can each enter and exit.
            identity.add(location.coordinate.latitude)
            identity.add(location.coordinate.longitude)
        }
        var why = draft.why
        if why != nil, why?.fix == nil { why?.fix = location }
        return Event(
            id: identity.text(prefix: "evt_"), sequence: sequence, deviceID: device, occurrence: draft.occurrence,
            timestamp: draft.timestamp, detectedAt: draft.detectedAt, location: location,
            confidence: draft.confidence, why: why)
    }

    /// To a centimetre: the digits beyond are those of the arithmetic.
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
