public import FencepostModel
public import FencepostMonitor

/// Something that happened to a pair of devices, as a commit writes it besides the event.
public struct ProximityRecord: Hashable, Sendable {
    /// What to do with it.
    public enum Action: Hashable, Sendable {
        /// It holds from now on; another one with its id is replaced.
        case put
        /// It has not happened.
        case withdraw
    }

    /// What to do with it.
    public var action: Action
    /// The id of the event, as the evaluation gives it.
    public var eventID: String
    /// The state key of the rule, which changes with the rule.
    public var ruleKey: String
    /// The pair.
    public var first, second: DeviceID
    /// What happened. Only what `ProximityCheckpoint` needs is stored of it.
    public var transition: ProximityTransition

    /// A record with all members. More than five parameters, because each is a column.
    public init(
        _ action: Action, eventID: String, ruleKey: String, first: DeviceID, second: DeviceID,
        _ transition: ProximityTransition
    ) {
        (self.action, self.eventID, self.ruleKey) = (action, eventID, ruleKey)
        (self.first, self.second, self.transition) = (first, second, transition)
    }
}

/// What is stored of the pairs of rules and of their devices, with which a watch starts.
public struct ProximityCheckpoint: Sendable {
    /// A pair that is near each other, or was lately.
    public struct Pair: Sendable {
        /// The state key of the rule.
        public var ruleKey: String
        /// The devices.
        public var first, second: DeviceID
        /// The last of what happened before, and what happened since, in order.
        public var transitions: [ProximityTransition]

        /// A pair.
        public init(ruleKey: String, first: DeviceID, second: DeviceID, transitions: [ProximityTransition]) {
            (self.ruleKey, self.first, self.second, self.transitions) = (ruleKey, first, second, transitions)
        }
    }

    /// The fixes of each device within the span that a `ProximityTrack` keeps, and some before.
    public var fixes: [DeviceID: [Location]] = [:]
    /// The pairs.
    public var pairs: [Pair] = []

    /// Of no device.
    public init() {}
}

/// A device whose stored fixes have to be compared again with those of others from a time on.
public struct ProximityTask: Hashable, Sendable {
    /// The device.
    public var deviceID: DeviceID
    /// The span of the times of its new fixes.
    public var from, through: Timestamp

    /// A task for a span of fix times.
    public init(_ deviceID: DeviceID, from: Timestamp, through: Timestamp) {
        (self.deviceID, self.from, self.through) = (deviceID, from, through)
    }

    /// Adds another span.
    mutating func add(_ other: ProximityTask) {
        (from, through) = (min(from, other.from), max(through, other.through))
    }
}

/// What an evaluation of the past of two devices reads.
public struct ProximityHistory: Sendable {
    /// The fixes of both devices in a span, with some before.
    public var first: [Location] = [], second: [Location] = []
    /// What happened to the pair from the beginning of the span on, and the last that happened before.
    public var transitions: [ProximityTransition] = []
    /// The last of what happened before the span; `nil` for nothing.
    public var former: ProximityTransition?

    /// Of no fix.
    public init() {}
}
