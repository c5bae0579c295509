public import FencepostModel

/// The state of a monitor that runs on another node, as the copy of its database has it. It is read on one thread.
public protocol FollowedStates: AnyObject {
    /// All of it, as a start would load it. What `delta` returns next came after it.
    ///
    /// - Returns: the state, and up to where its log is not replayed.
    /// - Throws: when the copy cannot be read.
    func load() throws -> (state: MonitorState, replayFloor: LogPosition)

    /// What came since the last call, or since `load`.
    ///
    /// - Parameters:
    ///   - position: the log entry behind which the next ones are read.
    ///   - floor: the replay floor that is known.
    ///   - limit: the largest number of log entries, at least 1.
    /// - Returns: what came.
    /// - Throws: when the copy cannot be read. The state has to be loaded again then.
    func delta(after position: LogPosition, floor: LogPosition, limit: Int) throws -> StateDelta

    /// Whether an event is stored, superseded or not.
    ///
    /// - Parameter id: its id, or the id that the evaluation gave it.
    /// - Returns: whether it is.
    /// - Throws: when the copy cannot be read.
    func hasEvent(_ id: String) throws -> Bool

    /// Ends reading, before the file is written by a service or replaced.
    ///
    /// - Throws: when it cannot be closed.
    func close() throws
}

/// What came to a followed state.
public struct StateDelta: Sendable {
    /// The epoch of the newest record that the copy had applied.
    public var epoch: UInt64
    /// The position of the last of the entries while there are more, else that of the newest commit.
    public var position: LogPosition
    /// Whether there are more log entries or events.
    public var hasMore: Bool
    /// Log entries, in order.
    public var entries: [LogEntry]
    /// The stored events of devices, in order, other than those of an evaluation of history.
    public var events: [FollowedEvent]
    /// The checkpoints, as they are now, of devices of which it was written.
    public var checkpoints: [DeviceCheckpoint]
    /// The devices whose checkpoint was removed, and is not there again.
    public var removed: [DeviceID]
    /// All devices with a checkpoint, where the replay floor has risen; those without one are forgotten.
    public var known: Set<DeviceID>?
    /// Up to where the log is not replayed.
    public var replayFloor: LogPosition
    /// The revision of the regions.
    public var regionRevision: UInt32
    /// Whether apps or settings changed.
    public var isWatchChanged: Bool
    /// What is set aside now.
    public var setAside: [SetAside] = []

    /// More than five parameters, because each is another part of what came.
    public init(
        epoch: UInt64, position: LogPosition, hasMore: Bool, entries: [LogEntry], events: [FollowedEvent],
        checkpoints: [DeviceCheckpoint], removed: [DeviceID], known: Set<DeviceID>?, replayFloor: LogPosition,
        regionRevision: UInt32, isWatchChanged: Bool
    ) {
        self.epoch = epoch
        self.position = position
        self.hasMore = hasMore
        self.entries = entries
        self.events = events
        self.checkpoints = checkpoints
        self.removed = removed
        self.known = known
        self.replayFloor = replayFloor
        self.regionRevision = regionRevision
        self.isWatchChanged = isWatchChanged
    }
}

/// A stored event of a device, for a comparison with that of another evaluation.
public struct FollowedEvent: Hashable, Sendable {
    /// The id that the evaluation gave it.
    public var id: String
    /// The device.
    public var deviceID: DeviceID

    /// Creates a value.
    public init(id: String, deviceID: DeviceID) {
        self.id = id
        self.deviceID = deviceID
    }
}
