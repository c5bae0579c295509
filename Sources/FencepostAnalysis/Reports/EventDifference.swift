public import FencepostModel

/// What another configuration would have told of the same locations.
public struct EventDifference: Hashable, Sendable {
    public enum Change: Hashable, Sendable {
        /// Only the second configuration tells it.
        case gained(Event)
        /// Only the first tells it.
        case lost(Event)
        /// Both tell it, of another time or found out at another.
        case moved(before: Event, after: Event)
    }

    /// In the order of the devices' names, and of time for each.
    public let changes: [Change]
    /// How many events are the same in both.
    public let unchanged: Int

    /// How far apart two events of one kind may be to count as one that was moved.
    public static let reach = Duration.seconds(1800)

    /// - Parameters: the events of the two runs, each device's in their order.
    public init(before: [Event], after: [Event]) {
        let common = Set(before.map(\.id)).intersection(after.map(\.id))
        unchanged = before.count { common.contains($0.id) }
        var open: [Subject: [Event]] = [:]
        for event in after where !common.contains(event.id) { open[Subject(event), default: []].append(event) }
        var changes: [Change] = []
        for event in before where !common.contains(event.id) {
            // Nearest in time; both lists are in time order, so pairs do not cross by much.
            let subject = Subject(event)
            let nearest = open[subject]?.indices.min { a, b in
                Self.apart(open[subject]?[a], event) < Self.apart(open[subject]?[b], event)
            }
            if let nearest, let candidate = open[subject]?[nearest], Self.apart(candidate, event) <= Self.reach {
                open[subject]?.remove(at: nearest)
                changes.append(.moved(before: event, after: candidate))
            } else {
                changes.append(.lost(event))
            }
        }
        changes += open.values.joined().map(Change.gained)
        self.changes = changes.sorted { $0.order < $1.order }
    }

    private static func apart(_ a: Event?, _ b: Event) -> Duration {
        guard let a else { return .seconds(Int64.max / 2000) }
        return a.timestamp < b.timestamp ? b.timestamp - a.timestamp : a.timestamp - b.timestamp
    }

    /// What two events have in common that may be one.
    private struct Subject: Hashable {
        let device: DeviceID
        let type: EventType
        let region: RegionID?
        let dwell: Duration?

        init(_ event: Event) {
            device = event.deviceID
            type = event.occurrence.type
            switch event.occurrence {
            case .regionEntered(let region), .regionExited(let region, _): (self.region, dwell) = (region.id, nil)
            case .regionDwelled(let region, let dwell): (self.region, self.dwell) = (region.id, dwell)
            case .visitArrived, .visitDeparted, .deviceStale, .deviceRecovered, .appRelaunched:
                (region, dwell) = (nil, nil)
            }
        }
    }
}

extension EventDifference.Change {
    /// The event that names its place in the list.
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
