/// What an event of a plan states.
public struct PlanReport: Hashable, Sendable {
    /// What happened in a round.
    public enum Kind: Hashable, Sendable {
        /// The device was at the place within its window, for at least the stay.
        case visited
        /// The device was there after the window, and not within it.
        case late
        /// The window is over, and the device was not there.
        case missed
        /// All places are decided.
        case completed(PlanSummary)

        /// The event type on the wire.
        public var type: EventType {
            switch self {
            case .visited: .planVisited
            case .late: .planLate
            case .missed: .planMissed
            case .completed: .planCompleted
            }
        }
    }

    /// The place that an event is about.
    public struct Stop: Hashable, Sendable {
        /// The number of the place in the plan, from 1.
        public var number: Int
        /// The region of the place.
        public var region: RegionSummary
        /// The window.
        public var start, end: Timestamp
        /// How long the device has to stay.
        public var stay: Duration
        /// When the device came; `nil` if it did not.
        public var arrival: Timestamp?
        /// Whether no place with a higher number was visited before; `nil` in plans without an order, and if it did not come.
        public var isInOrder: Bool?

        /// A place with its window, which nobody visited yet.
        ///
        /// - Parameters:
        ///   - number: the number of the place in the plan, from 1.
        ///   - region: the region of the place.
        ///   - start: when the window begins.
        ///   - end: when it ends.
        ///   - stay: how long the device has to stay.
        public init(_ number: Int, _ region: RegionSummary, start: Timestamp, end: Timestamp, stay: Duration) {
            (self.number, self.region, self.start, self.end, self.stay) = (number, region, start, end, stay)
        }
    }

    /// What happened.
    public var kind: Kind
    /// The id of the plan.
    public var plan: String
    /// The name of the plan; `nil` if it has none.
    public var name: String?
    /// The date of the round, in days since 1970-01-01.
    public var day: Int
    /// The number of places of the plan.
    public var count: Int
    /// The place; `nil` for a round that is completed.
    public var stop: Stop?

    /// What happened in a round.
    ///
    /// - Parameters:
    ///   - kind: what happened.
    ///   - plan: the plan.
    ///   - day: the date of the round, in days since 1970-01-01.
    ///   - stop: the place; `nil` for a round that is completed.
    public init(_ kind: Kind, _ plan: Plan, day: Int, _ stop: Stop? = nil) {
        (self.kind, self.plan, name, self.day, count) = (kind, plan.id, plan.name, day, plan.stops.count)
        self.stop = stop
    }

    /// A report as an event has it that was stored. Six parameters, because they are all that an event says of it.
    public init(_ kind: Kind, plan: String, name: String?, day: Int, count: Int, _ stop: Stop?) {
        (self.kind, self.plan, self.name, self.day, self.count, self.stop) = (kind, plan, name, day, count, stop)
    }
}

/// The result of a round.
public struct PlanSummary: Hashable, Sendable {
    /// Places that were visited within their window, late, and not at all.
    public var visited, late, missed: Int
    /// Whether the places that were visited were so in their order; `nil` in plans without an order.
    public var isInOrder: Bool?

    /// A result of a round.
    public init(visited: Int, late: Int, missed: Int, isInOrder: Bool?) {
        (self.visited, self.late, self.missed, self.isInOrder) = (visited, late, missed, isInOrder)
    }
}
