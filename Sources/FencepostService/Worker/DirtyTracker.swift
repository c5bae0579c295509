import FencepostModel

/// Tracks which devices changed: those of the current batch, whose status must be published, and those whose state is
/// newer than their checkpoint. Devices are named by the engine's index.
struct DirtyTracker {
    struct Entry {
        /// Number of the last batch that touched the device.
        var batch = 0
        /// Index in that batch's commit of the fix with the device's position; -1 for none.
        var positionFix: Int32 = -1
        /// Whether the state is newer than its checkpoint.
        var isDirty = false
        /// Whether that batch changed more than the position.
        var isChanged = false
        /// Hash of the published status without its position.
        var statusHash: UInt64 = 0
        /// The time up to which the clock has fired deadlines; `distantPast` when it fired none.
        var firedThrough = Timestamp.distantPast
        /// Evaluated fixes since the last snapshot of the device's history.
        var fixesSinceSnapshot: Int32 = 0
    }

    private(set) var entries: [Entry] = []
    /// Devices whose state is newer than their checkpoint, the oldest first; those before `first` are done.
    private var queue: [(device: Int, fixes: Int, since: Timestamp)] = []
    private var first = 0
    /// The devices of the current batch, in the order of their first fix.
    private(set) var touched: [Int] = []
    private var batch = 0

    /// Starts a batch.
    mutating func beginBatch() {
        batch += 1
        touched.removeAll(keepingCapacity: true)
    }

    // MARK: Statuses

    private mutating func touch(_ device: Int) {
        while entries.count <= device { entries.append(Entry()) }
        guard entries[device].batch != batch else { return }
        entries[device].batch = batch
        entries[device].positionFix = -1
        entries[device].isChanged = false
        touched.append(device)
    }

    /// Notes a new position.
    ///
    /// `fix` is its index in the commit. `statusHash` is the engine's current one; when it differs from the published
    /// one, the whole status is published.
    mutating func notePosition(of device: Int, fix: Int, statusHash: UInt64) {
        touch(device)
        entries[device].positionFix = Int32(fix)
        if entries[device].statusHash != statusHash {
            entries[device].statusHash = statusHash
            entries[device].isChanged = true
        }
    }

    /// Notes that more than the position may have changed.
    mutating func noteChange(of device: Int) {
        touch(device)
        entries[device].isChanged = true
    }

    /// Notes that the whole status is published with this batch.
    mutating func notePublished(_ device: Int, statusHash: UInt64) { entries[device].statusHash = statusHash }

    // MARK: History

    private mutating func grow(to device: Int) {
        while entries.count <= device { entries.append(Entry()) }
    }

    /// Notes that the clock has fired deadlines.
    mutating func noteFired(_ device: Int, through moment: Timestamp) {
        grow(to: device)
        entries[device].firedThrough = max(entries[device].firedThrough, moment)
    }

    /// The time up to which the clock has fired deadlines of a device.
    func firedThrough(_ device: Int) -> Timestamp {
        device < entries.count ? entries[device].firedThrough : .distantPast
    }

    /// Counts an evaluated fix.
    ///
    /// - Returns: the number of fixes since the last snapshot.
    @discardableResult
    mutating func countFix(of device: Int) -> Int {
        grow(to: device)
        entries[device].fixesSinceSnapshot += 1
        return Int(entries[device].fixesSinceSnapshot)
    }

    mutating func setFixesSinceSnapshot(of device: Int, _ count: Int) {
        grow(to: device)
        entries[device].fixesSinceSnapshot = Int32(clamping: count)
    }

    // MARK: Checkpoints

    /// Notes that the state of a device is newer than its checkpoint; `fixes` counts those of all devices since the
    /// session began.
    mutating func markDirty(_ device: Int, fixes: Int, at now: Timestamp) {
        while entries.count <= device { entries.append(Entry()) }
        guard !entries[device].isDirty else { return }
        entries[device].isDirty = true
        queue.append((device, fixes, now))
    }

    /// Number of devices whose state is newer than their checkpoint.
    var dirtyCount: Int { queue.count - first }

    /// Removes the device that has been dirty longest, if `isDue` holds for the fixes and the time at which it became
    /// dirty.
    mutating func takeDirty(where isDue: (_ fixes: Int, _ since: Timestamp) -> Bool) -> Int? {
        // Those that are not dirty any more.
        while first < queue.count, !entries[queue[first].device].isDirty { first += 1 }
        guard first < queue.count, isDue(queue[first].fixes, queue[first].since) else { return nil }
        let device = queue[first].device
        first += 1
        entries[device].isDirty = false
        if first > 4096, first * 2 > queue.count {
            queue.removeFirst(first)
            first = 0
        }
        return device
    }

    /// Forgets everything about a device, whose state is replaced by that of a checkpoint.
    mutating func restart(_ device: Int) {
        if device < entries.count { entries[device] = Entry() }
    }

    /// Forgets what nobody takes, when most of it is of devices that are not dirty any more.
    mutating func compact() {
        guard queue.count - first > 2 * entries.count + 1024 else { return }
        var seen: Set<Int> = []
        // The last one of a device counts.
        queue = queue[first...].reversed().filter { entries[$0.device].isDirty && seen.insert($0.device).inserted }
            .reversed()
        first = 0
    }

    /// Removes a device. The last device gets its index, as in the engine.
    mutating func remove(_ device: Int) {
        let last = entries.count - 1
        guard device <= last else { return }
        entries.swapAt(device, last)
        entries.removeLast()
        queue = queue[first...].compactMap { entry in
            if entry.device == device { return nil }
            return (entry.device == last ? device : entry.device, entry.fixes, entry.since)
        }
        first = 0
        touched.removeAll()
    }
}
