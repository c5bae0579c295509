import FencepostGeometry
import FencepostModel

/// The events of one fix or of one moment, which get their final order and their ids at the end.
///
/// An empty batch costs nothing, which is the usual case.
struct EventBatch {
    /// Without ids, numbers and locations until the batch is closed.
    private var events: [Event] = []

    /// Whether the events get a `why`.
    private let explains: Bool

    private static let nobody = DeviceID("")

    init(_ rules: WatchRules) { explains = rules.explains }

    /// A batch that takes the memory of another one.
    init(_ rules: WatchRules, reusing memory: inout [Event]) {
        explains = rules.explains
        swap(&events, &memory)
    }

    /// Returns the memory of a batch that is closed or empty.
    mutating func returnMemory(to memory: inout [Event]) { swap(&events, &memory) }

    /// Whether there is nothing to close. The arguments of `close` are expensive to make.
    var isEmpty: Bool { events.isEmpty }

    mutating func add(_ reports: [RegionReport], of region: Region) {
        guard !reports.isEmpty else { return }
        let summary = RegionSummary(region)
        for report in reports { add(report, of: summary) }
    }

    /// Adds a report that a fix decides: the one that the batch is closed with.
    ///
    /// The fix is set before the explanation is stored, which takes less time than a change of it.
    mutating func add(_ report: RegionReport, of summary: RegionSummary, fix: Location) {
        guard explains else { return add(report, of: summary) }
        var report = report
        report.why.fix = fix
        add(report, of: summary)
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
                confidence: report.confidence, why: explains ? report.why : nil))
        if !report.isCrossing { events[events.count - 1].isCrossing = false }
    }

    mutating func add(_ report: VisitReport, of device: DeviceID) {
        let estimate = report.estimate
        var visit = visit(estimate, of: device)
        if case .refuted = report { visit.isRefuted = true }
        let (occurrence, timestamp): (Occurrence, Timestamp) =
            switch report {
            case .arrived: (.visitArrived(visit), estimate.arrival ?? estimate.identity)
            case .departed, .refuted: (.visitDeparted(visit), estimate.departure ?? estimate.detectedAt)
            }
        events.append(
            Event(
                id: "", sequence: 0, deviceID: Self.nobody, occurrence: occurrence, timestamp: timestamp,
                detectedAt: estimate.detectedAt, confidence: estimate.confidence,
                why: explains ? estimate.why : nil))
    }

    mutating func add(_ alert: Alert, at moment: Timestamp, detectedAt: Timestamp) {
        let why = Why(
            rule: alert.state == .started ? .conditionMet : .conditionEnded,
            pendingFixes: moment < detectedAt ? [moment] : [])
        events.append(
            Event(
                id: "", sequence: 0, deviceID: Self.nobody, occurrence: .alert(alert), timestamp: moment,
                detectedAt: detectedAt, why: explains ? why : nil))
    }

    mutating func add(_ output: FenceState.Output, detectedAt: Timestamp) {
        let why = output.breach.map {
            Why(
                rule: .fixesAgree, distance: ($0.distance - output.report.fence.radius).rounded(),
                accuracy: $0.accuracy.rounded(), probability: $0.confidence, pendingFixes: $0.earlier)
        }
        events.append(
            Event(
                id: "", sequence: 0, deviceID: Self.nobody, occurrence: .fence(output.report), timestamp: output.time,
                detectedAt: detectedAt, confidence: output.breach?.confidence, why: explains ? why : nil))
    }

    /// Adds an event of a round. Five parameters, because a round knows all of them.
    mutating func add(
        _ report: PlanReport, at moment: Timestamp, detectedAt: Timestamp, confidence: Double?, why: Why
    ) {
        events.append(
            Event(
                id: "", sequence: 0, deviceID: Self.nobody, occurrence: .plan(report), timestamp: moment,
                detectedAt: detectedAt, confidence: confidence, why: explains ? why : nil))
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
        EventOrder.sort(&events, events.indices)
        var known = Identity()
        known.add(device.rawValue)
        for index in events.indices {
            sequence += 1
            events[index].sequence = Int(sequence)
            events[index].deviceID = device
            events[index].location = location
            events[index].setMissingFix(location)
            events[index].identity = events[index].occurrence.identity(
                of: known, at: events[index].timestamp, detectedAt: events[index].detectedAt,
                coordinate: location?.coordinate)
        }
        if output.isEmpty {
            swap(&events, &output)
        } else {
            output += events
            events.removeAll(keepingCapacity: true)
        }
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
