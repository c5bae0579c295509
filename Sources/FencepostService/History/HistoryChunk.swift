import FencepostEngine
import FencepostModel
import FencepostMonitor
import FencepostRegions

/// The result of evaluating a chunk of a device's stored fixes.
struct HistoryChunk: Sendable {
    /// How the chunk ends.
    enum End: Hashable, Sendable {
        /// More fixes follow after this time.
        case partial(Timestamp)
        /// After the fixes up to this time, the state is the one of the evaluation before. Nothing later changes.
        case converged(Timestamp)
        /// No fixes follow up to the end of the evaluation; the state is that of the device.
        case complete
    }

    var deviceID: DeviceID
    /// That of the task.
    var generation: Int64
    /// The time of the state before the first fix.
    var after: Timestamp
    var end: End
    /// In order.
    var events: [Event] = []
    var snapshots: [DeviceSnapshot] = []
    /// The state at the end.
    var record: DeviceRecord
    /// Fixes since the last snapshot.
    var fixesSinceSnapshot = 0
    /// Fixes that were evaluated.
    var fixes = 0

    /// Whether an event that is stored belongs to the chunk, by the time at which it was settled.
    func includes(_ time: Timestamp) -> Bool {
        guard time > after else { return false }
        return switch end {
        case .partial(let last), .converged(let last): time <= last
        case .complete: true
        }
    }
}

extension HistoryChunk {
    /// Fixes between two snapshots of a device. An evaluation starts at most so many fixes before the first late one.
    static let snapshotInterval = 1024
    /// Events after which a chunk ends, so that its commit is short.
    static let eventLimit = 256

    /// Evaluates fixes from a state on.
    ///
    /// `input`: its fixes are by time. They end with a chunk of the evaluation or with the evaluation itself.
    /// `task`: with the time from which on the state may be the one of the evaluation before.
    /// `eventLimit`: events after which the chunk ends.
    ///
    /// - Throws: when GEOS fails on a region, or when the state at the start cannot be read.
    init(
        _ input: EvaluationInput, of task: EvaluationTask, _ timeline: RegionTimeline, eventLimit: Int = eventLimit
    ) throws {
        (deviceID, generation) = (task.deviceID, task.generation)
        after = input.start?.time ?? .distantPast
        let start = try input.start.flatMap { $0.state.isEmpty ? nil : try DeviceRecord($0.state) }
        var replay = DeviceReplay(deviceID, from: start, timeline.index, rules: timeline.rules)
        var known = max(input.start?.revision ?? 0, input.start == nil ? timeline.lastRevision : 0)
        var snapshots: [DeviceSnapshot] = []
        var events: [Event] = []
        var fences = input.fenceRecords[...]
        let before = Dictionary(input.snapshots.map { ($0.time, $0) }) { first, _ in first }
        let encoder = StateEncoder()
        var (index, changes, sinceSnapshot) = (0, timeline.changes[...], 0)
        var end = End.complete
        let fixes = Self.sorted(input.fixes)
        while index < fixes.count {
            let time = fixes[index].timestamp
            while let change = changes.first, change.time <= time {
                try Self.take(&fences, through: change.time, &replay, &events)
                try replay.replace(change.replacement, at: change.time) { events.append($0) }
                known = max(known, change.revision)
                changes.removeFirst()
            }
            try Self.take(&fences, through: time, &replay, &events)
            while index < fixes.count, fixes[index].timestamp == time {
                try replay.take(fixes[index]) { events.append($0) }
                index += 1
                sinceSnapshot += 1
            }
            if time >= task.through, let snapshot = before[time], !snapshot.state.isEmpty,
                try DeviceRecord(snapshot.state).engine.isEquivalent(to: replay.record.engine)
            {
                end = .converged(time)
                break
            }
            let isLast = index == fixes.count
            let endsHere = events.count >= eventLimit && !isLast || isLast && !input.isComplete
            if sinceSnapshot >= Self.snapshotInterval || endsHere {
                snapshots.append(
                    DeviceSnapshot(
                        deviceID: deviceID, time: time, revision: known, state: try encoder.encode(replay.record)))
                sinceSnapshot = 0
            }
            if endsHere {
                end = .partial(time)
                break
            }
        }
        if end == .complete {
            for change in changes {
                try Self.take(&fences, through: change.time, &replay, &events)
                try replay.replace(change.replacement, at: change.time) { events.append($0) }
            }
            try Self.take(&fences, through: .distantFuture, &replay, &events)
        }
        self.end = end
        self.events = events
        self.snapshots = snapshots
        record = replay.record
        self.fixes = index
        fixesSinceSnapshot = sinceSnapshot
    }

    /// Takes the changes of the fence up to a time.
    private static func take(
        _ fences: inout ArraySlice<FenceRecord>, through time: Timestamp, _ replay: inout DeviceReplay,
        _ events: inout [Event]
    ) throws {
        while let record = fences.first, record.time <= time {
            try replay.take(record) { events.append($0) }
            fences.removeFirst()
        }
    }

    /// By time, and those of one time in an order that does not depend on their arrival.
    private static func sorted(_ fixes: [Location]) -> [Location] {
        let isSorted = zip(fixes, fixes.dropFirst()).allSatisfy { $0.timestamp < $1.timestamp }
        return isSorted ? fixes : fixes.sorted { ReorderBuffer.precedes($0, $1) }
    }
}

extension RegionTimeline {
    /// The revision of the regions at the end.
    var lastRevision: UInt32 { changes.last?.revision ?? index.catalog.revision }
}
