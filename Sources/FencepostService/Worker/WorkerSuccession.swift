/// What comes before and after a worker in a cluster, whose nodes take turns with one state.
public struct WorkerSuccession: Sendable {
    /// What has followed the store until now, so that the worker need not load it; `nil` for none.
    public var standby: StandbyMonitor?
    /// Whether others stand by to go on, so that the worker need not write checkpoints when it ends.
    public var isAwaited: @Sendable () async -> Bool

    /// Without arguments, the worker is alone.
    public init(standby: StandbyMonitor? = nil, isAwaited: @escaping @Sendable () async -> Bool = { false }) {
        (self.standby, self.isAwaited) = (standby, isAwaited)
    }
}
