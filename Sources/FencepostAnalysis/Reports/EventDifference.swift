public import FencepostModel

/// The difference between the events of two runs over the same locations.
public struct EventDifference: Hashable, Sendable {
    /// A difference in one event.
    public enum Change: Hashable, Sendable {
        /// Only the second run reports the event.
        case gained(Event)
        /// Only the first run reports the event.
        case lost(Event)
        /// Both runs report the event, with another time or detected at another time.
        case moved(before: Event, after: Event)
    }

    /// Sorted by device and time.
    public let changes: [Change]
    /// Number of equal events.
    public let unchanged: Int

    /// Maximum time between two events that count as one moved event.
    public static let matchWindow = Duration.seconds(1800)

    /// Compares two runs, each with the events of a device in their order.
    public init(before: [Event], after: [Event]) {
        let common = Set(before.map(\.id)).intersection(after.map(\.id))
        unchanged = before.count { common.contains($0.id) }
        var open: [Subject: [Event]] = [:]
        for event in after where !common.contains(event.id) { open[Subject(event), default: []].append(event) }
        var changes: [Change] = []
        for event in before where !common.contains(event.id) {
            // The nearest one in time. Both lists are in time order, so this pairing is close to the best one.
            let subject = Subject(event)
            let nearest = open[subject]?.indices.min { a, b in
                Self.distance(open[subject]?[a], event) < Self.distance(open[subject]?[b], event)
            }
            if let nearest, let candidate = open[subject]?[nearest], Self.distance(candidate, event) <= Self.matchWindow
            {
                open[subject]?.remove(at: nearest)
                changes.append(.moved(before: event, after: candidate))
            } else {
                changes.append(.lost(event))
            }
        }
        changes += open.values.joined().map(Change.gained)
        self.changes = changes.sorted { $0.order < $1.order }
    }

    private static func distance(_ a: Event?, _ b: Event) -> Duration {
        guard let a else { return .seconds(Int64.max / 2000) }
        return a.timestamp < b.timestamp ? b.timestamp - a.timestamp : a.timestamp - b.timestamp
    }

    /// The properties that two events share when they can be the same one.
    private struct Subject: Hashable {
        let device: DeviceID
        let type: EventType
        let region: RegionID?
        let dwell: Duration?

        init(_ event: Event) {
            device = event.deviceID
            type = event.occurrence.type
            region = event.occurrence.region?.id
            dwell = if case .regionDwelled(_, let dwell) = event.occurrence { dwell } else { nil }
        }
    }
}

extension EventDifference.Change {
    /// The event by which the change is sorted: the later version of a moved one.
    public var event: Event {
        switch self {
        case .gained(let event), .lost(let event): event
        case .moved(let before, _): before
        }
    }

    fileprivate var order: Order {
        Order(device: event.deviceID.rawValue, moment: event.timestamp, id: event.id)
    }
}

private struct Order: Comparable {
    let device: String
    let moment: Timestamp
    let id: String

    static func < (a: Order, b: Order) -> Bool { (a.device, a.moment, a.id) < (b.device, b.moment, b.id) }
}
