public import FencepostModel

/// A device whose stored fixes have to be evaluated again from a time on, because late ones were stored.
public struct EvaluationTask: Hashable, Sendable {
    /// Which regions count.
    public enum Regions: String, Hashable, Sendable, CaseIterable {
        /// Those of the time of each fix, as far as they are known.
        case then
        /// Those of today.
        case today
    }

    /// Why the history is evaluated again. The raw value is the `reason` of retractions.
    public enum Cause: String, Hashable, Sendable {
        /// Fixes arrived late.
        case lateLocations
        /// A history file was imported.
        case `import`
        /// `POST /v1/devices/{id}/evaluations` asked for it.
        case request
    }

    /// The device.
    public var deviceID: DeviceID
    /// Fixes before this time are evaluated. It rises as the evaluation proceeds.
    public var from: Timestamp
    /// The newest fix that is not evaluated yet; the evaluation goes at least to it.
    public var through: Timestamp
    /// Where the evaluation began.
    public var start: Timestamp
    /// Arrival of the last fix that caused it.
    public var receivedAt: Timestamp
    /// Which regions count.
    public var regions = Regions.then
    /// Why.
    public var cause: Cause
    /// The import that counts the events; `nil` without one.
    public var importID: String?
    /// Whether it waits for further fixes of the import.
    public var isHeld = false
    /// Rises with every change of the span. A result for an earlier generation does not count.
    public var generation: Int64 = 1
    /// Chunks that are done; the fewer, the sooner it is continued.
    public var chunks = 0

    /// A task for a span of fix times.
    public init(
        _ deviceID: DeviceID, from: Timestamp, through: Timestamp, receivedAt: Timestamp, cause: Cause
    ) {
        self.deviceID = deviceID
        self.from = from
        self.through = through
        start = from
        self.receivedAt = receivedAt
        self.cause = cause
    }

    /// Adds another span.
    ///
    /// The other one decides whether the task is held only if it belongs to an import.
    public mutating func add(_ other: EvaluationTask) {
        if other.from < from { (from, start) = (other.from, min(start, other.from)) }
        through = max(through, other.through)
        receivedAt = max(receivedAt, other.receivedAt)
        if other.regions == .today { regions = .today }
        if let id = other.importID { (importID, isHeld, cause) = (id, other.isHeld, other.cause) }
        generation &+= 1
    }
}

/// The state of a device after all its fixes up to a time, from which its history can be evaluated again.
public struct DeviceSnapshot: Hashable, Sendable {
    /// The device.
    public var deviceID: DeviceID
    /// The time of the last fix in the state.
    public var time: Timestamp
    /// The newest revision of the regions that the evaluation up to here knew.
    public var revision: UInt32
    /// A `DeviceRecord`, encoded by `StateEncoder`; empty for the state of a new device.
    public var state: [UInt8]

    /// A state after the fixes up to a time.
    public init(deviceID: DeviceID, time: Timestamp, revision: UInt32, state: [UInt8]) {
        (self.deviceID, self.time, self.revision, self.state) = (deviceID, time, revision, state)
    }
}

/// A stored event that holds, as far as an evaluation compares it.
public struct HeldEvent: Hashable, Sendable {
    /// The id.
    public var id: String
    /// The device.
    public var deviceID: DeviceID
    /// The id that the evaluation gave it; differs from `id` for an event that was corrected back and forth.
    public var cause: String
    /// Counts the corrections, from 1.
    public var revision: Int
    /// The event type on the wire.
    public var type: String
    /// The region; `nil` for other events.
    public var regionID: RegionID?
    /// When it happened.
    public var timestamp: Timestamp
    /// The time of the fix or of the deadline that settled it.
    public var detectedAt: Timestamp
    /// What it says; `nil` for a row that cannot be read.
    public var message: EventMessage?

    /// An event, by the members of its row.
    public init(_ event: NewEvent, detectedAt: Timestamp) {
        id = event.id
        cause = event.cause ?? event.id
        revision = event.revision
        type = event.type
        regionID = event.regionID
        timestamp = event.timestamp
        self.detectedAt = detectedAt
        message = event.message
        deviceID = event.deviceID ?? DeviceID("")
    }
}

/// What one chunk of an evaluation starts with.
public struct EvaluationInput: Sendable {
    /// The state before the fixes; `nil` for that of a new device.
    public var start: DeviceSnapshot?
    /// The fixes after it by time, with all of the last time.
    public var fixes: [Location] = []
    /// Whether there are no fixes after these up to the end of the evaluation.
    public var isComplete = true
    /// The events after the start that hold.
    public var events: [HeldEvent] = []
    /// The changes of the fence after the start, in their order.
    public var fenceRecords: [FenceRecord] = []
    /// The snapshots after the start.
    public var snapshots: [DeviceSnapshot] = []
    /// Whether fixes after the start were removed, so that the span cannot be evaluated.
    public var isIncomplete = false

    /// An input without fixes.
    public init() {}
}

/// A region during a part of the past.
public struct RegionVersion: Hashable, Sendable {
    /// The region's id.
    public var id: RegionID
    /// The revision that began it.
    public var revision: UInt32
    /// When it began; `nil` when that is not known.
    public var validFrom: Timestamp?
    /// The region as a GeoJSON feature; `nil` from its removal on.
    public var feature: String?
    /// The first revision with this region.
    public var addedInRevision: UInt32

    /// A version.
    public init(
        id: RegionID, revision: UInt32, validFrom: Timestamp?, feature: String?, addedInRevision: UInt32
    ) {
        (self.id, self.revision, self.validFrom) = (id, revision, validFrom)
        (self.feature, self.addedInRevision) = (feature, addedInRevision)
    }
}

/// What the evaluation of late fixes reads. It writes through `MonitorStore.commit`, as part of the monitor's commits.
public protocol EvaluationStore: Sendable {
    /// The task to continue next: that with the fewest chunks; `nil` when none is ready.
    func nextEvaluation() async throws -> EvaluationTask?
    /// The task of a device; `nil` without one.
    func evaluation(of device: DeviceID) async throws -> EvaluationTask?
    /// The input of a device's next chunk, from one snapshot of the store.
    ///
    /// `from`: the time before which a start is looked for.
    /// `through`: the last fix time.
    /// `limit`: about how many fixes.
    func evaluationInput(
        of device: DeviceID, from: Timestamp, through: Timestamp, limit: Int
    ) async throws -> EvaluationInput
    /// The last rows whose events do not hold any more, by the causes of their events.
    func formerEvents(ofCauses causes: [String]) async throws -> [String: HeldEvent]
    /// All versions of the regions that changed after a revision or have several versions, by id and revision.
    func regionVersions(after revision: UInt32) async throws -> [RegionVersion]
    /// The sequence number of a device's last stored event; 0 without one.
    func lastSequence(of device: DeviceID) async throws -> Int
    /// A device whose past is to be compared with that of others again, and that is not set aside; `nil` for none.
    func nextProximityTask() async throws -> ProximityTask?
    /// The time of the first fix of a device; `nil` without one.
    func firstLocation(of device: DeviceID) async throws -> Timestamp?
    /// What a comparison of the past of two devices needs.
    ///
    /// - Parameters:
    ///   - first: the device that events are about.
    ///   - second: the other one.
    ///   - ruleKey: the state key of the rule.
    ///   - start: the first time. The last fixes before it are returned too.
    ///   - end: the exclusive end.
    /// - Returns: the fixes and the events of the span.
    /// - Throws: when the store cannot read.
    func proximityHistory(
        _ first: DeviceID, _ second: DeviceID, ruleKey: String, from start: Timestamp, to end: Timestamp
    ) async throws -> ProximityHistory
    /// When the regions changed last; `nil` when that is not known.
    func lastRegionChange() async throws -> Timestamp?
}

/// The result of a chunk of an evaluation, as a commit writes it.
public struct HistoryRevision: Hashable, Sendable {
    /// The device.
    public var deviceID: DeviceID
    /// The snapshots in this span of fix times, without its start, are replaced.
    public var after, through: Timestamp
    /// The new snapshots.
    public var snapshots: [DeviceSnapshot] = []
    /// Ids of events that no longer hold, with the events that replace or retract them.
    public var superseded: [String: String] = [:]
    /// The visits whose events have changed.
    public var visitIDs: Set<String> = []

    /// A revision of nothing.
    public init(deviceID: DeviceID, after: Timestamp, through: Timestamp) {
        (self.deviceID, self.after, self.through) = (deviceID, after, through)
    }
}
