public import FencepostFormats
public import FencepostModel

/// The number of a commit, from 1.
public typealias LogPosition = Int64

/// Everything that a batch or a change writes, in one transaction (rule D2).
public struct Commit: Sendable {
    /// The position of the commit before plus one.
    public var position: LogPosition
    /// When the batch was evaluated. Deadlines were evaluated at this time if `advancesClock`.
    public var receivedAt: Timestamp
    /// The accepted fixes in the order of their evaluation, without duplicates.
    public var locations: [StoredLocation] = []
    /// Whether deadlines were evaluated at `receivedAt`, after the locations.
    public var advancesClock = false
    /// The devices of which a deadline was evaluated, if `advancesClock`. A replay needs the commit until each of them has a
    /// later checkpoint.
    public var clockDevices: [DeviceID] = []
    /// Positions that are shown but not evaluated (rule I23).
    public var livePositions: [Location] = []
    /// Emitted events.
    public var events: [NewEvent] = []
    /// Messages for webhook endpoints.
    public var deliveries: [NewDelivery] = []
    /// Decisions of the relaunch rules.
    public var decisions: [NewDecision] = []
    /// Rejected records.
    public var quarantined: [QuarantineEntry] = []
    /// Reports of phones.
    public var reports: [PhoneReport] = []
    /// States as of `position`, this commit included.
    public var checkpoints: [DeviceCheckpoint] = []
    /// Imported fixes of one device each, by time. They are stored and not evaluated, so no replay needs them.
    public var imported: [[StoredLocation]] = []
    /// States for later evaluations of history.
    public var snapshots: [DeviceSnapshot] = []
    /// New and changed tasks of evaluation.
    public var evaluations: [EvaluationTask] = []
    /// Devices whose task is done.
    public var finishedEvaluations: [DeviceID] = []
    /// Changes of fences, in their order. Each comes with a checkpoint of its device, so that no replay needs them; evaluations
    /// of the past do.
    public var fenceRecords: [FenceRecord] = []
    /// What happened to pairs of devices, and what has not.
    public var proximity: [ProximityRecord] = []
    /// Ids of events of pairs that do not hold, with the events that retract them.
    public var superseded: [String: String] = [:]
    /// New and changed tasks of comparing the past of a device.
    public var proximityTasks: [ProximityTask] = []
    /// Devices whose such task is done.
    public var finishedProximity: [DeviceID] = []
    /// The result of a chunk of an evaluation.
    public var revision: HistoryRevision?
    /// The progress of an import.
    public var importProgress: ImportProgress?
    /// Devices that were set aside, and are to be evaluated again.
    public var released: [DeviceID] = []
    /// Devices that are set aside no longer.
    public var restored: [DeviceID] = []

    /// An empty commit.
    public init(position: LogPosition, receivedAt: Timestamp) {
        self.position = position
        self.receivedAt = receivedAt
    }

    /// Whether the commit changes the state of devices, so that a replay needs it.
    public var isLogged: Bool { !locations.isEmpty || advancesClock }
}

/// The part of a commit that a replay needs.
public struct LogEntry: Sendable {
    /// As in `Commit`.
    public var position: LogPosition
    /// As in `Commit`.
    public var receivedAt: Timestamp
    /// As in `Commit`.
    public var locations: [StoredLocation]
    /// As in `Commit`.
    public var advancesClock: Bool

    /// An entry of the log.
    public init(
        position: LogPosition, receivedAt: Timestamp, locations: [StoredLocation], advancesClock: Bool
    ) {
        self.position = position
        self.receivedAt = receivedAt
        self.locations = locations
        self.advancesClock = advancesClock
    }
}

/// The state of one device as of a commit.
public struct DeviceCheckpoint: Hashable, Sendable {
    /// The device.
    public var deviceID: DeviceID
    /// The last commit that the state includes.
    public var position: LogPosition
    /// A `DeviceRecord`, encoded by `StateEncoder`.
    public var state: [UInt8]

    /// A state as of a commit.
    public init(deviceID: DeviceID, position: LogPosition, state: [UInt8]) {
        self.deviceID = deviceID
        self.position = position
        self.state = state
    }
}
