import FencepostGeometry
import FencepostModel

/// The order of the events of one fix or of one moment.
enum EventOrder {
    /// Sorts the events in a range in place, since there are few. Events of the same rank keep their order.
    static func sort(_ events: inout [Event], _ range: Range<Int>) {
        for end in range.dropFirst() {
            var index = end
            while index > range.lowerBound, events[index].occurrence.precedes(events[index - 1].occurrence) {
                events.swapAt(index, index - 1)
                index -= 1
            }
        }
    }
}

extension Occurrence {
    /// The hash of the content of an event that decides its id.
    ///
    /// - Parameters:
    ///   - device: the hash of the device's id alone.
    ///   - timestamp: that of the event.
    ///   - detectedAt: that of the event.
    ///   - coordinate: that of the fix that decided the event. Two fixes with the same time can each cause an entry and an
    ///     exit.
    /// - Returns: the hash of all of it.
    @inline(__always)
    func identity(
        of device: Identity, at timestamp: Timestamp, detectedAt: Timestamp, coordinate: Coordinate?
    ) -> Identity {
        var identity = device
        identity.add(type.rawValue)
        identity.add(subject)
        identity.add(timestamp.milliseconds)
        identity.add(detectedAt.milliseconds)
        if let coordinate {
            identity.add(coordinate.latitude)
            identity.add(coordinate.longitude)
        }
        return identity
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
        case .alert(let alert): "\(alert.state.rawValue) \(alert.rule) \(alert.region?.id.rawValue ?? "")"
        case .fence(let report): "\(report.fence.armedAt.milliseconds)"
        case .proximity(let report): "\(report.rule) \(report.other.rawValue)"
        case .plan(let report): "\(report.plan) \(report.day) \(report.stop?.number ?? 0)"
        }
    }

    /// Whether it comes before another event of the same fix: recovery, dwells, exits, entries, each by region id, then
    /// visits and alerts.
    func precedes(_ other: Occurrence) -> Bool {
        guard step == other.step else { return step < other.step }
        switch self {
        case .regionDwelled(let region, let dwell):
            guard case .regionDwelled(let next, let nextDwell) = other else { return false }
            return region.id == next.id ? dwell < nextDwell : region.id < next.id
        case .regionExited(let region, _), .regionEntered(let region):
            return other.region.map { region.id < $0.id } ?? false
        // Visits in the order of detection: one fix can end a visit and show another one that is over too.
        // Alerts in the order of the rules.
        // Each event of a fence is closed on its own. Places in the order of the plan.
        case .visitArrived, .visitDeparted, .deviceStale, .deviceRecovered, .appRelaunched, .alert, .fence, .proximity,
            .plan:
            return false
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
        case .alert: 7
        case .fence: 8
        case .proximity: 9
        case .plan: 10
        }
    }
}
