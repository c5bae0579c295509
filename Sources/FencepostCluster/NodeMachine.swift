/// What a node does in one partition of its cluster: it follows the log with a copy of the database, and leads.
///
/// The machine asks for one task at a time and gets its result. Signals come at any moment, while a task is under way too; what
/// follows from them at once are effects. It knows no clock and calls nothing, so that each of its ways can be tried as a
/// dialogue of inputs and answers (`Tests/FencepostClusterTests/Dialogues`).
public struct NodeMachine: Sendable {
    /// What came from outside.
    public enum Signal: Hashable, Sendable {
        /// The process is to end. The service of a leader hears it from the process itself.
        case stop
        /// Whether the cluster's members, as they are now, give the node a copy.
        case holder(Bool)
        /// Other nodes have the copy, and the list of copies has this node no longer.
        case release
        /// Another node is to lead, which follows well.
        case handOver(to: String)
        /// What the node is by the lease.
        case lease(LeaseMachine.Role)
        /// An append of the leader has failed. Nothing more is appended by this service.
        case appendFailed(LogFailure)
    }

    /// What the node does next, until it has a result.
    public enum Task: Hashable, Sendable {
        /// Waits for a signal. → `awake`
        case wait
        /// Waits for a time, or for a signal. → `awake`
        case pause(Duration)
        /// Opens the copy. → `opened`, `lacksStart`; `diskFull` only when it was open before
        case open(Opening)
        /// Asks the other nodes once for a newer copy, and puts it in place. → `fetched`, `notFetched`, `isInnocent`
        case fetch(behind: UInt64?, passing: SetAside?)
        /// Applies the next records of the log. → `applied`, or a failure
        case apply
        /// Finds out whether the node may lead, and keeps what reads the copy up to date. → `looked`, or a failure
        case look
        /// Appends the record by which the node leads, and the one that upgrades the database. → `tookOver`, or a failure
        case takeOver(epoch: UInt64)
        /// Removes old records of a full log. → `trimmed`
        case trim
        /// Closes the copy, and runs the service over the database until it is stopped. → `served`, `diskFull`, `refused`
        case lead(epoch: UInt64)
        /// Tries whether the copy's disk has room. → `hasRoom`, `diskFull`
        case checkDisk
        /// Closes the copy. → `closed`
        case close
        /// Removes the files of the copy. → `removed`
        case remove
        /// Nothing any more.
        case end
    }

    /// How a task has ended.
    public enum Result: Hashable, Sendable {
        case awake, opened, fetched, notFetched, tookOver, served, hasRoom, closed, removed
        /// The log of the cluster does not have what the node would begin with.
        case lacksStart
        /// No node that runs has passed the record that is set aside, and it was never at fault itself.
        case isInnocent
        /// Records were applied, or there were none; whether the copy has the whole log now.
        case applied(count: Int, isEnd: Bool)
        case looked(mayLead: Bool)
        /// Whether something was removed.
        case trimmed(Bool)
        case failed(LogFailure)
        /// The next record has ended the process repeatedly.
        case setAside(SetAside)
        /// The file of the copy cannot be written, which may be over when its disk has room.
        case diskFull
        /// The copy cannot follow, which only a person can end; a sentence.
        case refused(String)
    }

    /// What happens at once, in this order, whatever task is under way.
    public enum Effect: Hashable, Sendable {
        /// A `wait` or a `pause` ends.
        case wake
        /// The service is asked to end.
        case stopService
        /// The lease is given back for a node to claim; `nil` for any that can lead.
        case handOver(to: String?)
        /// The node leads no longer; another one may have the lease.
        case lose
        /// Old records are removed from the full log, and then the node leads no longer: else the next leader may have room for
        /// the record by which it leads, and for no other.
        case trimAndLose
    }

    /// What a machine answers to a result.
    public struct Answer: Hashable, Sendable {
        public var effects: [Effect]
        public var task: Task
    }

    /// How a copy is opened.
    public enum Opening: Hashable, Sendable {
        /// The first time, or after it was removed.
        case first
        /// After this process has had it open.
        case again
        /// As `again`; the record at this position is applied again, which was set aside.
        case forgiving(position: UInt64)
    }

    /// A record that is not applied, since it has ended the node's process repeatedly.
    public struct SetAside: Hashable, Sendable {
        /// Its position in the log.
        public var position: UInt64
        /// Whether faults of its own ended the process, not only signals from outside.
        public var isFaulty: Bool
        /// The sequence of the newest record that the copy has applied.
        public var behind: UInt64

        /// Creates a value.
        public init(position: UInt64, isFaulty: Bool, behind: UInt64) {
            (self.position, self.isFaulty, self.behind) = (position, isFaulty, behind)
        }
    }

    /// What a node is in the partition, for its reports.
    public struct Report: Hashable, Sendable {
        public var role: NodeRole
        /// Why it does not follow or lead, in a sentence; `nil` when it does.
        public var problem: String?
    }

    /// What keeps a node from following or leading, and may be over without a person.
    public enum Trouble: Hashable, Sendable, CaseIterable {
        case logUnavailable, logFull, diskFull, appendFailed, leadLost
    }

    /// What the node does.
    public enum State: Hashable, Sendable {
        /// It has no copy, and is to have none.
        case idle
        /// It opens its copy.
        case opening(Opening)
        /// It replaces its copy by another node's, or gets its first one.
        case fetching(behind: UInt64?, passing: SetAside?, then: Opening)
        /// It applies the log.
        case following(Following)
        /// It has the lease, and appends the record by which it leads as soon as its copy has the whole log.
        case takingOver(epoch: UInt64)
        /// Its service runs.
        case leading(epoch: UInt64)
        /// Its service ends, and another node leads then; `nil` for any.
        case handingOver(epoch: UInt64, to: String?)
        /// Its service ends, since the lead is lost.
        case steppingDown(Trouble)
        /// The disk of its copy cannot be written.
        case waitingForDisk(copyIsOpen: Bool)
        /// It cannot follow; the reason. Only a person can help.
        case failed(String)
        /// It closes its copy.
        case closing
        /// It removes its copy.
        case removing
        /// The process ends.
        case stopped
    }

    /// How far a follower is.
    public struct Following: Hashable, Sendable {
        /// How many times in a row the log had nothing new.
        var quiet = 0
        /// Whether the node may take the lead: its copy had the whole log, and could be written.
        var mayLead = false
        var trouble: Trouble?
    }

    /// Between looks at the log.
    public static let interval = Duration.milliseconds(100)
    /// Between looks at a log that had nothing new so many times, in a cluster with several partitions.
    static let (idleInterval, idleLooks) = (Duration.milliseconds(500), 5)
    /// Between attempts while a disk is full, or no other node has a copy.
    static let retryInterval = Duration.seconds(1)

    /// What the node does.
    public internal(set) var state = State.idle
    /// Whether the process ends.
    public internal(set) var isStopping = false
    /// Whether the copy is to be removed.
    public internal(set) var isReleased = false
    /// Whether the copy's file is there.
    var hasFile = false
    /// Whether the node is to have a copy.
    var isHolder = false
    var role = LeaseMachine.Role.follower
    /// Whether a log with nothing new is read less often.
    let restsWhenIdle: Bool

    /// Creates the machine of a node that begins.
    ///
    /// - Parameter restsWhenIdle: whether a log that has nothing new for some time is read less often.
    public init(restsWhenIdle: Bool = false) { self.restsWhenIdle = restsWhenIdle }

    /// The first task.
    ///
    /// - Parameters:
    ///   - hasFile: whether there is a copy's file.
    ///   - isHolder: whether the node is to have a copy.
    /// - Returns: the task.
    public mutating func begin(hasFile: Bool, isHolder: Bool) -> Task {
        (self.hasFile, self.isHolder) = (hasFile, isHolder)
        return rest().task
    }

    /// Whether the process goes on, and the node is to have a copy or has one that it has to keep.
    var isNeeded: Bool { !isStopping && !isReleased && (isHolder || hasFile) }

    /// The epoch with which the node leads by the lease; `nil` when it does not.
    var epoch: UInt64? {
        if case .leader(let epoch) = role { epoch } else { nil }
    }

    /// Whether the node may claim a lease that is free.
    public var canLead: Bool {
        switch state {
        case .following(let following): following.mayLead
        case .takingOver, .leading, .handingOver: true
        case .idle, .opening, .fetching, .steppingDown, .waitingForDisk, .failed, .closing, .removing, .stopped: false
        }
    }

    /// What the node is, for its reports.
    public var report: Report {
        switch state {
        case .idle, .removing: Report(role: .noCopy)
        case .opening(.first): Report(role: hasFile ? .starting : .noCopy)
        case .opening(.again), .opening(.forgiving), .takingOver, .closing, .stopped: Report(role: .follower)
        case .fetching(_, let deadly, _): Report(role: .fetching, problem: deadly?.sentence)
        case .following(let following): Report(role: .follower, problem: following.trouble?.sentence)
        case .leading, .handingOver: Report(role: .leader)
        case .steppingDown(let trouble): Report(role: .follower, problem: trouble.sentence)
        case .waitingForDisk: Report(role: .follower, problem: Trouble.diskFull.sentence)
        case .failed(let sentence): Report(role: .failed, problem: sentence)
        }
    }
}

extension NodeMachine.Trouble {
    /// What is wrong, for people.
    var sentence: String {
        switch self {
        case .logUnavailable: "The cluster's log does not answer."
        case .logFull: "The cluster's log is full, or a disk of its servers."
        case .diskFull: "The disk of this node's copy is full, or cannot be written."
        case .appendFailed: "The log could not be appended to."
        case .leadLost: "This node has lost the lead."
        }
    }
}

extension NodeMachine.SetAside {
    /// What the node does, for people.
    var sentence: String {
        "Applying record \(position) of the log has ended this node's process repeatedly. The node waits for the copy of a node "
            + "that has passed it."
    }
}
