import FencepostEngine
import FencepostModel

/// When the states of devices are written.
extension MonitorSession {
    mutating func markDirty(_ device: DeviceID, at now: Timestamp) {
        if let place = engine.place(of: device) { notes.markDirty(place, fixes: fixes, at: now) }
    }

    /// The states that are to be written now.
    mutating func takeCheckpoints(
        all: Bool, and others: [DeviceID] = [], at now: Timestamp
    ) throws -> [DeviceCheckpoint] {
        var devices: [DeviceID] = []
        let (fixes, isHurried) = (fixes, rounds > 0)
        rounds = all ? 0 : max(rounds - 1, 0)
        let limit = all ? .max : isHurried ? Self.checkpointsBeforeChange : Self.checkpointsPerCommit
        while devices.count < limit,
            let place = notes.takeDirty(where: { before, since in
                all || isHurried || fixes - before > Self.replayLimit || now - since > Self.checkpointAge
            })
        {
            devices.append(engine.deviceID(at: place))
        }
        if !others.isEmpty { devices = Array(Set(devices).union(others)) }
        return try devices.compactMap { device in
            guard let state = engine.state(of: device) else { return nil }
            let record = DeviceRecord(engine: state, apps: roster.state(of: device), visit: visits[device])
            // The commit that this goes with has the next position.
            return DeviceCheckpoint(deviceID: device, position: position + 1, state: try encoder.encode(record))
        }
    }

    /// Begins to write states with each commit, so that few are left to be written with a change that is to come.
    mutating func hurryCheckpoints() {
        // Under load devices have new states as fast as those are written: then the change is made with those it finds.
        rounds = 2 * notes.dirtyCount / Self.checkpointsBeforeChange + 1
    }

    /// Whether a change need not wait for states to be written ahead of it.
    var isReadyForChange: Bool { rounds == 0 || notes.dirtyCount <= Self.checkpointsBeforeChange }

    /// Writes some of the states that are newer than their checkpoints.
    mutating func checkpointSome(at now: Timestamp) async throws {
        try await store(try takeCheckpoints(all: false, at: now))
    }

    /// Writes every state that is newer than its checkpoint, so that the next start replays nothing.
    mutating func checkpointAll(at now: Timestamp) async throws {
        try await store(try takeCheckpoints(all: true, at: now))
    }

    /// Writes checkpoints without a commit: they are as of the last one.
    private func store(_ checkpoints: [DeviceCheckpoint]) async throws {
        guard !checkpoints.isEmpty else { return }
        try await store.checkpoint(
            checkpoints.map {
                DeviceCheckpoint(deviceID: $0.deviceID, position: position, state: $0.state)
            })
    }
}
