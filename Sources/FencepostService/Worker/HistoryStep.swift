import FencepostEngine
import FencepostFormats
import FencepostModel
import FencepostMonitor
import FencepostRegions

/// A step of the evaluation of history or of an import, which the worker takes between two batches.
enum HistoryStep: Sendable {
    /// Notes what the device does from now on, while its stored fixes are evaluated.
    case follow(DeviceID)
    /// Stores the result of a chunk, and replaces the device's state if the chunk is the last.
    ///
    /// - token: of the `follow` before the fixes were read.
    /// - sequence: that of the last event of a device that is set aside.
    case revise(HistoryChunk, [HeldEvent], token: Int, former: [String: HeldEvent], sequence: Int?)
    /// Stores imported fixes without an evaluation.
    case archive(ImportSlice)
    /// Adds a task of evaluation.
    case request(EvaluationTask)
    /// Lets the evaluation of an import's devices begin.
    case release(String)
    /// Ends a task that cannot be done.
    ///
    /// - sequence: as for `revise`.
    case abandon(DeviceID, sequence: Int)
    /// Changes the fence of a device.
    case fence(FenceCommand, DeviceID)
    /// Begins to evaluate what is stored of a device that is set aside.
    case releaseDevice(DeviceID)
    /// The pairs of a device whose past is to be compared again.
    case pairs(DeviceID)
    /// Stores what a comparison of the past of a pair has found.
    ///
    /// - token: the task as `pairs` has answered it.
    case comparePast(PairRevision, token: ProximityTask)
    /// Ends the task of a device.
    case finishPairs(DeviceID, token: ProximityTask)
}

/// The answer to a `HistoryStep`, once it is durable.
enum HistoryAnswer: Sendable {
    case following(HistoryFollowing)
    /// The numbers of new events by type.
    case revised([String: Int])
    /// The device or the regions have changed since; the chunk is to be evaluated again.
    case outdated
    case archived(SubmissionReceipt)
    case fence(FenceAnswer)
    /// `nil` when there is nothing to compare.
    case pairs(PairPlan?)
    case done
}

/// What the evaluation of a chunk starts with.
struct HistoryFollowing: Sendable {
    var token: Int
    /// `nil` when the device's history is not to be evaluated any more.
    var task: EvaluationTask?
    /// The newest fix that the running engine has evaluated.
    var releasedThrough: Timestamp
    var index: RegionIndex
    var settings: MonitorSettings
    /// Whether the device is set aside, so that the engine has no state of it.
    var isAside: Bool
}

/// A part of the fixes of a history file.
struct ImportSlice: Sendable {
    /// By time.
    var locations: [Location] = []
    var reports: [PhoneReport] = []
    var quarantined: [QuarantineEntry] = []
    /// The import, with the number of the slice; without a number for a file that is one slice.
    var job: (id: String, number: Int?)?
    /// Whether the devices' history is evaluated from now on.
    var isLast = true
}

/// What a session knows of evaluations that are under way.
struct HistoryState {
    /// What a device did since its stored fixes were read.
    struct Follow {
        var token: Int
        /// As it was.
        var buffer: ReorderBuffer
        /// Accepted fixes.
        var fixes: [Location] = []
        /// Events.
        var events: [HeldEvent] = []

        /// Adds a fix in the order of evaluation, for a device whose fixes nothing else puts into order.
        mutating func insert(_ fix: Location) {
            let next = fixes.lastIndex { !ReorderBuffer.precedes(fix, $0) }.map { $0 + 1 } ?? 0
            fixes.insert(fix, at: next)
        }
    }

    var follows: [DeviceID: Follow] = [:]
    /// The tasks, as of the last evaluated batch.
    var tasks: [DeviceID: EvaluationTask] = [:]
    /// Deadlines of live devices were fired up to here; `nil` before the first tick of the session.
    var clockThrough: Timestamp?
    private var count = 0

    init(_ tasks: [EvaluationTask]) {
        for task in tasks { self.tasks[task.deviceID] = task }
    }

    mutating func makeToken() -> Int {
        count += 1
        return count
    }

    mutating func add(_ task: EvaluationTask) -> EvaluationTask {
        tasks[task.deviceID]?.add(task)
        let sum = tasks[task.deviceID] ?? task
        tasks[task.deviceID] = sum
        return sum
    }
}
