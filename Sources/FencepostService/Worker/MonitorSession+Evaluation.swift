import FencepostEngine
import FencepostFormats
import FencepostJSON
import FencepostModel
import FencepostMonitor
import FencepostSimulator

extension MonitorSession {
    /// Evaluates submissions in order, and deadlines when `ticks` is set. Nothing is written.
    ///
    /// `inFlight` is the batch before, while its commit may not be in the store yet. More than 80 lines, because each location takes all
    /// of these steps, in this order.
    mutating func evaluate(
        _ submissions: [Submission], at now: Timestamp, ticks: Bool, inFlight: EvaluatedBatch?
    ) async throws -> EvaluatedBatch {
        var batch = EvaluatedBatch(commit: Commit(position: position + 1, receivedAt: now))
        tracker.beginBatch()
        var duplicates = try await findDuplicates(in: submissions, at: now)
        batch.commit.locations.reserveCapacity(deviceIndices.count)
        var events: [Event] = []
        let isWindowed = engine.settings.reorderWindow > .zero
        var (number, fenced) = (0, [DeviceID]())
        if !aside.isEmpty { addSkipped(at: now, to: &batch) }
        for submission in submissions {
            var receipt = SubmissionReceipt()
            let firstEvent = batch.commit.events.count
            for location in submission.locations {
                var device =
                    deviceIndices[number] >= 0
                    ? Int(deviceIndices[number]) : engine.deviceIndex(of: location.deviceID)
                number += 1
                if !remembers(location, at: device, now),
                    try await duplicates.contains(location, store, in: batch, inFlight)
                {
                    receipt.duplicates += 1
                    continue
                }
                if !aside.isEmpty, let state = aside[location.deviceID] {
                    store(location, of: state, at: now, &batch)
                    duplicates.add(location)
                    receipt.accepted += 1
                    continue
                }
                beginWork(location.deviceID)
                // Fixes of the past that only a new evaluation can put into order.
                let isOutOfOrder =
                    device.map {
                        location.timestamp < tracker.firedThrough($0) || engine.isMisordered(location, at: $0)
                    } ?? false
                let owned = ownedFences(of: location.deviceID, at: device)
                let verdict = try engine.accept(location, at: &device, now: now) { events.append($0) }
                if !events.isEmpty { add(&events, at: location.timestamp, of: submission, to: &batch) }
                switch verdict {
                case .duplicate:
                    receipt.duplicates += 1
                    continue
                case .late:
                    receipt.accepted += 1
                    receipt.late += 1
                case .held, .ahead:
                    receipt.accepted += 1
                case .accepted:
                    receipt.accepted += 1
                    if !roster.isEmpty { add(roster.moved(location), to: &batch, in: submission.traceparent) }
                }
                if let device {
                    if isWindowed {
                        // The fix that becomes the position may be a buffered one, which has no index in this commit.
                        tracker.noteChange(of: device)
                    } else if verdict == .accepted, engine.lastTime(at: device) == location.timestamp {
                        // One that the device cannot have come to is not where it is.
                        tracker.notePosition(
                            of: device, fix: batch.commit.locations.count, statusHash: engine.statusHash(at: device))
                    }
                    tracker.markDirty(device, fixes: fixes, at: now)
                    note(location, at: device, verdict, isOutOfOrder: isOutOfOrder, &batch)
                }
                batch.commit.locations.append(
                    StoredLocation(location, isLate: verdict == .late, isAhead: verdict == .ahead))
                duplicates.add(location)
                if proximity != nil, verdict != .ahead, follows(location.deviceID) { _ = proximity?.take(location) }
                if let owned, verdict == .accepted { fenced += try ownerCame(location, to: owned, &batch) }
            }
            batch.add(submission, receipt, eventsFrom: firstEvent)
        }
        if ticks { try advanceClock(to: now, &batch) }
        fenced += try await evaluatePairs(inFlight, &batch)
        try addSnapshots(to: &batch)
        fixes += batch.commit.locations.count
        batch.commit.checkpoints = try takeCheckpoints(all: false, and: fenced, at: now)
        batch.statusDelta = statusDelta(of: batch.commit)
        endWork()
        return batch
    }

    /// Whether memory alone can decide if a fix is a duplicate. It cannot while fixes are stored that the engine does not
    /// know yet.
    private mutating func remembers(_ location: Location, at device: Int?, _ now: Timestamp) -> Bool {
        guard let device, history.tasks.isEmpty || history.tasks[location.deviceID] == nil else { return false }
        return engine.remembers(location, at: device, now: now)
    }

    /// Notes a stored fix for evaluations of history, and if it is of an id that two phones have.
    private mutating func note(
        _ location: Location, at device: Int, _ verdict: ReorderBuffer.Verdict, isOutOfOrder: Bool,
        _ batch: inout EvaluatedBatch
    ) {
        if engine.hasSecondPhone(at: device) { batch.fixesOfTwoPhones += 1 }
        if verdict == .accepted {
            if tracker.countFix(of: device) >= HistoryChunk.snapshotInterval { dueSnapshots.insert(device) }
            if !history.follows.isEmpty { history.follows[location.deviceID]?.fixes.append(location) }
        }
        guard verdict == .late || isOutOfOrder else { return }
        evaluateAgain(location.deviceID, from: location.timestamp, through: location.timestamp, &batch)
    }

    /// Adds the events of a fix, and empties their list.
    private mutating func add(
        _ events: inout [Event], at time: Timestamp, of submission: Submission, to batch: inout EvaluatedBatch
    ) {
        for event in events {
            add(roster.emit(event), to: &batch, in: submission.traceparent)
            evaluateAgain(ifRefuted: event, through: time, &batch)
        }
        events.removeAll(keepingCapacity: true)
    }

    /// Has the history since a stay evaluated again that was reported in a silence and has not been. That evaluation knows the
    /// fix after the silence, so it retracts the visit.
    private mutating func evaluateAgain(
        ifRefuted event: Event, through time: Timestamp, _ batch: inout EvaluatedBatch
    ) {
        guard case .visitDeparted(let visit) = event.occurrence, visit.isRefuted else { return }
        evaluateAgain(event.deviceID, from: min(visit.arrival ?? time, time), through: time, &batch)
    }

    private mutating func evaluateAgain(
        _ device: DeviceID, from: Timestamp, through: Timestamp, _ batch: inout EvaluatedBatch
    ) {
        let task = history.add(
            EvaluationTask(
                device, from: from, through: through, receivedAt: batch.commit.receivedAt, cause: .lateLocations))
        if let index = batch.commit.evaluations.firstIndex(where: { $0.deviceID == task.deviceID }) {
            batch.commit.evaluations[index] = task
        } else {
            batch.commit.evaluations.append(task)
        }
    }

    /// Adds a snapshot of each device that had enough fixes since the last one.
    ///
    /// The state must be that after the last fix: without later deadlines, and without fixes that are to be evaluated again.
    private mutating func addSnapshots(to batch: inout EvaluatedBatch) throws {
        guard !dueSnapshots.isEmpty else { return }
        defer { dueSnapshots.removeAll(keepingCapacity: true) }
        for device in dueSnapshots.sorted() {
            let id = engine.deviceID(at: device)
            guard history.tasks[id] == nil, let state = engine.state(of: id), let time = state.lastTime,
                tracker.firedThrough(device) <= time
            else { continue }
            batch.commit.snapshots.append(
                DeviceSnapshot(
                    deviceID: id, time: time, revision: engine.catalog.revision,
                    state: try encoder.encode(DeviceRecord(engine: state.detached, visit: visits[id]))))
            tracker.setFixesSinceSnapshot(of: device, 0)
        }
    }

    /// Looks up the device of each fix, and queries the store for all fixes that memory cannot prove to be new.
    private mutating func findDuplicates(in submissions: [Submission], at now: Timestamp) async throws -> DuplicateCheck
    {
        // -1 for a new device. Looked up once per fix; `evaluate` uses it again.
        deviceIndices.removeAll(keepingCapacity: true)
        var unknown: [FixKey] = []
        for submission in submissions {
            for location in submission.locations {
                let device = engine.deviceIndex(of: location.deviceID)
                deviceIndices.append(Int32(device ?? -1))
                if !remembers(location, at: device, now) { unknown.append(FixKey(location)) }
            }
        }
        return DuplicateCheck(
            queried: Set(unknown), stored: unknown.isEmpty ? [] : try await store.stored(among: unknown))
    }

    mutating func advanceClock(to now: Timestamp, _ batch: inout EvaluatedBatch) throws {
        var events: [Event] = []
        let due = try engine.advanceClock(
            to: now, willEvaluate: { [journal, work] in Self.begin(work, $0, in: journal) }
        ) { events.append($0) }
        for event in events { add(roster.emit(event), to: &batch) }
        noteFired(through: now)
        history.clockThrough = now - engine.settings.reorderWindow
        batch.commit.advancesClock = !due.isEmpty
        batch.commit.clockDevices = due
        for device in due {
            noteChange(of: device)
            markDirty(device, at: now)
        }
    }

    /// Adds emitted events to a batch, with the messages for webhook endpoints.
    ///
    /// `traceparent` is that of the request that caused the events; `nil` for those that the clock or a change of
    /// regions caused.
    mutating func add(_ events: [EmittedEvent], to batch: inout EvaluatedBatch, in traceparent: String? = nil) {
        noteVisits(events)
        for item in events {
            noteChange(of: item.event.deviceID)
            let record = EventRecord(item, receivedAt: batch.commit.receivedAt, &writer)
            if !history.follows.isEmpty, item.event.occurrence.type != .appRelaunched {
                history.follows[item.event.deviceID]?.events.append(
                    HeldEvent(record.event, detectedAt: item.event.detectedAt))
            }
            batch.commit.events.append(record.event)
            batch.commit.decisions += record.decisions
            var messages = composer.messages(for: record.event)
            if let traceparent {
                for index in messages.indices { messages[index].headers["traceparent"] = traceparent }
            }
            batch.commit.deliveries += messages
        }
    }

    mutating func noteChange(of device: DeviceID) {
        if let device = engine.deviceIndex(of: device) { tracker.noteChange(of: device) }
    }

    /// The statuses of the devices that the current batch touched.
    mutating func statusDelta(of commit: Commit) -> StatusDelta {
        var delta = StatusDelta()
        delta.livePositions = commit.livePositions
        delta.positions.reserveCapacity(tracker.touched.count)
        for device in tracker.touched {
            let entry = tracker.entries[device]
            if entry.isChanged {
                beginWork(engine.deviceID(at: device))
                delta.statuses.append(StatusDelta.StatusUpdate(device: device, status: status(at: device)))
                tracker.notePublished(device, statusHash: engine.statusHash(at: device))
            } else if entry.positionFix >= 0 {
                delta.positions.append(StatusDelta.PositionUpdate(device: Int32(device), fix: entry.positionFix))
            }
        }
        return delta
    }

    /// The operation that writes a batch. Writes must run one after the other, and after a failed one the session must be
    /// discarded.
    ///
    /// - Precondition: `batch.needsWrite`.
    mutating func write(_ batch: EvaluatedBatch) -> @Sendable () async throws -> Void {
        let (store, commit, position) = (store, batch.commit, position)
        if batch.isCommit {
            self.position += 1
            return { try await store.commit(commit) }
        }
        return {
            try await store.checkpoint(
                commit.checkpoints.map {
                    DeviceCheckpoint(deviceID: $0.deviceID, position: position, state: $0.state)
                })
        }
    }
}

/// Recognises fixes that are stored already, or were accepted earlier in the same batch or in the one in flight.
private struct DuplicateCheck {
    /// Fixes that the store was asked for.
    var queried: Set<FixKey>
    var stored: Set<FixKey>
    /// Fixes of this batch and of the one in flight; `nil` until memory alone could not decide for a fix.
    private var accepted: Set<FixKey>?

    init(queried: Set<FixKey>, stored: Set<FixKey>) {
        (self.queried, self.stored) = (queried, stored)
    }

    mutating func contains(
        _ location: Location, _ store: any MonitorStore, in batch: EvaluatedBatch, _ inFlight: EvaluatedBatch?
    ) async throws -> Bool {
        let key = FixKey(location)
        if queried.insert(key).inserted, try await !store.stored(among: [key]).isEmpty { stored.insert(key) }
        if accepted == nil {
            var fixes = batch.commit.locations + batch.commit.imported.joined()
            if let inFlight { fixes += inFlight.commit.locations + inFlight.commit.imported.joined() }
            accepted = Set(fixes.map { FixKey($0.location) })
        }
        return stored.contains(key) || accepted?.contains(key) ?? false
    }

    /// Notes an accepted fix.
    mutating func add(_ location: Location) {
        if accepted != nil { accepted?.insert(FixKey(location)) }
    }
}
