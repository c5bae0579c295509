import FencepostGeometry
import FencepostJSON
import FencepostModel

extension PlanReport {
    /// Reads the member `plan` of a stored event; `nil` for a damaged one. `region` is that of the event.
    init?(json object: JSONElement, _ type: EventType, region: RegionSummary?) {
        guard let id = object["id"]?.string, let day = object["date"]?.string.flatMap(Timestamp.day(date:)) else {
            return nil
        }
        func number(_ name: String) -> Int { object[name]?.int ?? 0 }
        func time(_ name: String) -> Timestamp? { object[name]?.string.flatMap { Timestamp(rfc3339: $0) } }
        let isInOrder = object["inOrder"]?.bool
        let kind: Kind
        switch type {
        case .planVisited: kind = .visited
        case .planLate: kind = .late
        case .planMissed: kind = .missed
        case .planCompleted:
            kind = .completed(
                PlanSummary(
                    visited: number("visited"), late: number("late"), missed: number("missed"), isInOrder: isInOrder))
        case .regionEntered, .regionExited, .regionDwelled, .visitArrived, .visitDeparted, .deviceStale,
            .deviceRecovered, .appRelaunched, .alertSpeed, .alertBattery, .alertAccuracy, .alertJump, .alertUnplugged,
            .alertAbsent, .alertPresent, .alertSilent, .fenceArmed, .fenceBroken, .fenceDisarmed, .proximityEntered,
            .proximityExited, .proximityDwelled, .proximityUnaccompanied:
            return nil
        }
        var stop: Stop?
        if type != .planCompleted {
            guard let region, let start = time("from"), let end = time("to") else { return nil }
            var place = Stop(
                number("place"), region, start: start, end: end,
                stay: .milliseconds(Int64(clamped: ((object["stay"]?.double ?? 0) * 1000).rounded())))
            (place.arrival, place.isInOrder) = (time("arrival"), isInOrder)
            stop = place
        }
        self.init(
            kind, plan: id, name: object["name"]?.string, day: day, count: number("places"), stop)
    }
}
