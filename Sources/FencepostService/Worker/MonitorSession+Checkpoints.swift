import FencepostEngine
import FencepostModel

extension MonitorSession {
    mutating func markDirty(_ device: DeviceID, at now: Timestamp) {
        if let index = engine.deviceIndex(of: device) { tracker.markDirty(index, fixes: fixes, at: now) }
    }

    /// Encodes the states that are due for a checkpoint. They belong to the next commit.
    ///
    /// `all` takes every dirty state, due or not. The states of `others` are written in any case.
    mutating func takeCheckpoints(
        all: Bool, and others: [DeviceID] = [], at now: Timestamp
    ) throws -> [DeviceCheckpoint] {
        var devices: [DeviceID] = []
        let (fixes, isSweep) = (fixes, sweepCommitsLeft > 0)
        sweepCommitsLeft = all ? 0 : max(sweepCommitsLeft - 1, 0)
        let limit = all ? .max : isSweep ? Self.checkpointsPerSweepCommit : Self.checkpointsPerCommit
        while devices.count < limit,
            let index = tracker.takeDirty(where: { before, since in
                all || isSweep || fixes - before > Self.replayLimit || now - since > Self.checkpointAge
            })
        {
            devices.append(engine.deviceID(at: index))
        }
        if !others.isEmpty { devices = Array(Set(devices).union(others)) }
        return try devices.compactMap { device in
            beginWork(device)
            return try record(of: device).map {
                DeviceCheckpoint(deviceID: device, position: position + 1, state: try encoder.encode($0))
            }
        }
    }

    /// What a checkpoint of a device has; `nil` for one that is not known.
    func record(of device: DeviceID) -> DeviceRecord? {
        guard let state = engine.state(of: device) else { return nil }
        var record = DeviceRecord(engine: state, apps: roster.state(of: device), visit: visits[device])
        if let index = engine.deviceIndex(of: device), index < tracker.entries.count {
            let entry = tracker.entries[index]
            if entry.firedThrough > .distantPast { record.firedThrough = entry.firedThrough }
            if entry.fixesSinceSnapshot > 0 { record.fixesSinceSnapshot = Int(entry.fixesSinceSnapshot) }
        }
        return record
    }

    /// Starts a checkpoint sweep: commits carry more checkpoints, until few dirty states are left to be written with a
    /// change.
    mutating func startCheckpointSweep() {
        // Under load, states become dirty as fast as they are written. The bound ends the sweep then.
        sweepCommitsLeft = 2 * tracker.dirtyCount / Self.checkpointsPerSweepCommit + 1
    }

    /// Whether the dirty states are few enough to be written with a change, or the sweep has ended.
    var dirtyStatesFitOneCommit: Bool {
        sweepCommitsLeft == 0 || tracker.dirtyCount <= Self.checkpointsPerSweepCommit
    }

    /// Writes one part of a checkpoint sweep, without a commit.
    mutating func writeCheckpoints(at now: Timestamp) async throws {
        try await write(try takeCheckpoints(all: false, at: now))
    }

    /// Writes every dirty state, so that the next start replays nothing.
    mutating func writeAllCheckpoints(at now: Timestamp) async throws {
        try await write(try takeCheckpoints(all: true, at: now))
    }

    /// Writes checkpoints as of the last commit.
    private func write(_ checkpoints: [DeviceCheckpoint]) async throws {
        endWork()
        guard !checkpoints.isEmpty else { return }
        try await store.checkpoint(
            checkpoints.map {
                DeviceCheckpoint(deviceID: $0.deviceID, position: position, state: $0.state)
            })
    }
}
