import FencepostEngine
import FencepostModel

/// A device that is not evaluated, since its evaluation has ended the process.
struct DeviceAside: Hashable, Sendable {
    /// Whether it was released, so that its stored fixes are evaluated, but not yet those that arrive.
    var isReleased: Bool
    /// The times of the fixes behind its checkpoint that a start has not evaluated.
    private(set) var skipped: ClosedRange<Timestamp>?

    init(isReleased: Bool) { self.isReleased = isReleased }

    mutating func skip(_ time: Timestamp) {
        skipped = skipped.map { min($0.lowerBound, time)...max($0.upperBound, time) } ?? time...time
    }
}

/// Marks of the work that is under way, and the devices that are set aside.
///
/// The fixes of such a device are stored as those of an import, which no replay reads, with a task that evaluates them once it is
/// released. Its state comes back with the result of that evaluation.
extension MonitorSession {
    /// The end of an evaluation of a released device, which takes all that is stored.
    private static let end = Timestamp(milliseconds: 253_402_300_799_000)

    private static func slot(of work: WorkJournal.Work) -> WorkJournal.Slot { work == .standby ? .standby : .worker }

    static func begin(_ work: WorkJournal.Work, _ device: DeviceID, in journal: WorkJournal) {
        journal.begin(work, device.rawValue, in: slot(of: work))
    }

    /// Marks that the state of a device is being computed.
    func beginWork(_ device: DeviceID) { Self.begin(work, device, in: journal) }

    /// Marks that all that was begun has ended well.
    func endWork() {
        journal.end(Self.slot(of: work))
        for number in 0..<DeviceRecord.batch / DeviceRecord.chunk { journal.end(.reader(number)) }
    }

    /// Stores a fix of a device that is set aside, for the evaluation that follows its release.
    mutating func store(_ location: Location, of device: DeviceAside, at now: Timestamp, _ batch: inout EvaluatedBatch)
    {
        let id = location.deviceID
        let stored = StoredLocation(location)
        if let index = batch.commit.imported.firstIndex(where: { $0.first?.location.deviceID == id }) {
            let next = batch.commit.imported[index].firstIndex { $0.location.timestamp > location.timestamp }
            batch.commit.imported[index].insert(stored, at: next ?? batch.commit.imported[index].endIndex)
        } else {
            batch.commit.imported.append([stored])
        }
        if device.isReleased { history.follows[id]?.insert(location) }
        // The task of a released device goes to the end already.
        if device.isReleased, let task = history.tasks[id], task.from <= location.timestamp { return }
        add(
            EvaluationTask(
                id, from: location.timestamp, through: device.isReleased ? Self.end : location.timestamp,
                receivedAt: now, cause: .lateLocations), to: &batch)
    }

    /// Adds the tasks of devices whose fixes the start has not evaluated.
    mutating func addSkipped(at now: Timestamp, to batch: inout EvaluatedBatch) {
        for (device, state) in aside.sorted(by: { $0.key.rawValue < $1.key.rawValue }) {
            guard let skipped = state.skipped else { continue }
            aside[device] = DeviceAside(isReleased: state.isReleased)
            add(
                EvaluationTask(
                    device, from: skipped.lowerBound, through: state.isReleased ? Self.end : skipped.upperBound,
                    receivedAt: now, cause: .lateLocations), to: &batch)
        }
    }

    /// Begins to evaluate what is stored of a device that is set aside.
    ///
    /// - Returns: whether it was set aside.
    mutating func release(_ device: DeviceID, at now: Timestamp, _ batch: inout EvaluatedBatch) -> Bool {
        guard aside[device] != nil else { return false }
        aside[device] = DeviceAside(isReleased: true)
        let from = history.tasks[device]?.from ?? now
        add(EvaluationTask(device, from: from, through: Self.end, receivedAt: now, cause: .request), to: &batch)
        batch.commit.released.append(device)
        return true
    }

    /// Notes that a device is evaluated as any other from now on.
    mutating func restore(_ device: DeviceID, _ batch: inout EvaluatedBatch) {
        guard aside.removeValue(forKey: device) != nil else { return }
        batch.commit.restored.append(device)
        // Nothing was compared with it meanwhile, whatever its time.
        returned.insert(device)
        let task = ProximityTask(device, from: Timestamp(milliseconds: 0), through: Self.end)
        proximityTasks[device] = task
        batch.commit.proximityTasks.append(task)
    }

    private mutating func add(_ task: EvaluationTask, to batch: inout EvaluatedBatch) {
        let sum = history.add(task)
        batch.commit.evaluations.removeAll { $0.deviceID == task.deviceID }
        batch.commit.evaluations.append(sum)
    }
}
