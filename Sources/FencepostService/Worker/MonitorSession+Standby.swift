import FencepostEngine
import FencepostModel
import FencepostMonitor

/// What a session does on a node that follows, and how it becomes that of a worker.
extension MonitorSession {
    /// The session of a node that follows, from the checkpoints of a loaded state, without its log.
    ///
    /// - Throws: a `MonitorStateError`.
    static func standby(
        _ state: MonitorState, settings: MonitorSettings, journal: WorkJournal
    ) throws -> MonitorSession {
        var session = try MonitorSession(
            state, settings: settings, store: UnusedStore(), composer: NoMessages(), journal: journal, work: .standby)
        for ended in journal.excessive where ended.kind == .device {
            let device = DeviceID(ended.id)
            // The cluster has decided about it.
            if session.aside[device] != nil { journal.settle(.device, ended.id) }
            session.aside[device] = session.aside[device] ?? DeviceAside(isReleased: false)
        }
        try session.restore(state.devices)
        session.endWork()
        // The log is replayed from its beginning.
        session.position = 0
        return session
    }

    /// Does what a start does with what came since it was loaded.
    ///
    /// - Parameters:
    ///   - delta: what came.
    ///   - ahead: the positions of checkpoints that are ahead of the session.
    ///   - comparison: gets the events of both.
    /// - Returns: false when it has to be loaded again.
    /// - Throws: a `MonitorStateError`, or an error of the evaluation.
    mutating func follow(
        _ delta: StateDelta, _ ahead: inout [DeviceID: LogPosition], _ comparison: inout ReplayComparison
    ) throws -> Bool {
        guard delta.regionRevision == engine.catalog.revision, !delta.isWatchChanged, knows(delta.setAside) else {
            return false
        }
        if let known = delta.known {
            // With the change that raised the floor every state got a checkpoint.
            for device in engine.deviceIDs where !known.contains(device) { drop(device) }
        } else if delta.removed.contains(where: { engine.deviceIndex(of: $0) != nil }) {
            return false
        }
        let former = position
        let checkpoints = delta.checkpoints.filter { $0.position > former }
        for checkpoint in checkpoints {
            ahead[checkpoint.deviceID] = checkpoint.position
            guard let index = engine.deviceIndex(of: checkpoint.deviceID) else { continue }
            roster.forget(checkpoint.deviceID)
            tracker.restart(index)
        }
        try restore(checkpoints)
        comparison.leaveOut(ahead.keys)
        for entry in delta.entries {
            try replay(entry, after: ahead) { comparison.add($0, at: entry.position) }
        }
        comparison.add(delta.events)
        position = max(position, delta.position)
        let reached = position
        ahead = ahead.filter { $0.value > reached }
        tracker.compact()
        endWork()
        return true
    }

    /// Whether the stored devices that are set aside are those of the session, but for what this node has set aside on its own.
    private func knows(_ stored: [SetAside]) -> Bool {
        var known = aside
        for ended in journal.excessive where ended.kind == .device { known[DeviceID(ended.id)] = nil }
        let devices = stored.filter { $0.kind == .device }
        return known.count == devices.count
            && devices.allSatisfy { known[DeviceID($0.id)]?.isReleased == $0.isReleased }
    }

    /// Removes a device from memory.
    mutating func drop(_ device: DeviceID) {
        guard let index = engine.deviceIndex(of: device) else { return }
        engine.forget(device)
        roster.forget(device)
        visits[device] = nil
        tracker.remove(index)
    }

    /// A sentence on the first state that another session does not have; `nil` when all are equal.
    func difference(from other: borrowing MonitorSession) -> String? {
        let (mine, others) = (Set(engine.deviceIDs), Set(other.engine.deviceIDs))
        guard mine == others else {
            return "devices: \(mine.symmetricDifference(others).map(\.rawValue).sorted())"
        }
        for device in mine {
            let (record, loaded) = (record(of: device), other.record(of: device))
            if record != loaded { return "\(device): \(record as Any), loaded: \(loaded as Any)" }
        }
        return position == other.position ? nil : "its position is \(position), that of the store \(other.position)"
    }

    /// Makes a session of a follower the one of a worker.
    ///
    /// - Parameters:
    ///   - frame: the stored state without checkpoints, regions and apps.
    ///   - store: the store that the worker writes to.
    ///   - composer: composes its messages.
    /// - Returns: false when it is not of that state.
    mutating func lead(_ frame: MonitorState, _ store: any MonitorStore, _ composer: any MessageComposer) -> Bool {
        guard frame.position == position, frame.regionRevision == engine.catalog.revision,
            frame.sources[Self.settingsKey] == sources[Self.settingsKey], knows(frame.setAside)
        else { return false }
        work = .arrival
        (self.store, self.composer) = (store, composer)
        (sources, livePositions) = (frame.sources, frame.livePositions)
        history = HistoryState(frame.evaluations)
        stoodBy = true
        return true
    }
}

/// The store of a session that writes nothing.
private struct UnusedStore: MonitorStore {
    func load() throws -> MonitorState { throw MonitorFailure.stopping }
    func log(after position: LogPosition, limit: Int) throws -> [LogEntry] { throw MonitorFailure.stopping }
    func stored(among fixes: [FixKey]) throws -> Set<FixKey> { throw MonitorFailure.stopping }
    func commit(_ commit: Commit) throws { throw MonitorFailure.stopping }
    func checkpoint(_ checkpoints: [DeviceCheckpoint]) throws { throw MonitorFailure.stopping }
    func stage(_ regions: [StoredRegion], removed: [RegionID], revision: UInt32) throws {
        throw MonitorFailure.stopping
    }
    func apply(_ change: WatchChange, with commit: Commit) throws { throw MonitorFailure.stopping }
    func setAside(_ items: [SetAside]) throws { throw MonitorFailure.stopping }
}
