import FencepostEngine
import FencepostFormats
import FencepostJSON
import FencepostModel
import FencepostMonitor

/// The steps of evaluations of history and of imports.
extension MonitorSession {
    /// Takes a step in memory. Nothing is written.
    mutating func evaluate(
        _ step: HistoryStep, at now: Timestamp, inFlight: EvaluatedBatch?
    ) async throws -> (batch: EvaluatedBatch, answer: HistoryAnswer) {
        var batch = EvaluatedBatch(commit: Commit(position: position + 1, receivedAt: now))
        tracker.beginBatch()
        let answer: HistoryAnswer
        switch step {
        case .follow(let device): answer = .following(follow(device))
        case .archive(let slice):
            answer = .archived(try await archive(slice, at: now, inFlight, &batch))
            if proximity != nil { try await archivePairs(inFlight, &batch) }
        case .pairs(let device): answer = .pairs(pairs(of: device))
        case .comparePast(let result, let token):
            answer = try await revise(result, token: token, inFlight, &batch)
        case .finishPairs(let device, let token): answer = finishPairs(of: device, token: token, &batch)
        case .fence(let command, let device): answer = .fence(try change(command, of: device, at: now, &batch))
        case .request(let task):
            batch.commit.evaluations = [history.add(task)]
            answer = .done
        case .release(let id):
            release(import: id, &batch)
            answer = .done
        case .abandon(let device, let sequence):
            history.tasks[device] = nil
            batch.commit.finishedEvaluations = [device]
            if aside[device] != nil { try renew(device, after: sequence, &batch) }
            answer = .done
        case .revise(let chunk, let events, let token, let former, let sequence):
            answer = try revise(chunk, events, token: token, former: former, after: sequence, &batch)
        case .releaseDevice(let device):
            answer = release(device, at: now, &batch) ? .done : .outdated
        }
        endWork()
        return (batch, answer)
    }

    private mutating func follow(_ device: DeviceID) -> HistoryFollowing {
        let buffer = engine.buffer(of: device)
        let token = history.makeToken()
        history.follows[device] = HistoryState.Follow(token: token, buffer: buffer)
        return HistoryFollowing(
            token: token, task: history.tasks[device], releasedThrough: buffer.releasedThrough, index: engine.index,
            settings: engine.settings, isAside: aside[device] != nil)
    }

    /// Makes a new state of a device that was set aside, since its history cannot be evaluated.
    private mutating func renew(_ device: DeviceID, after sequence: Int, _ batch: inout EvaluatedBatch) throws {
        engine.adopt(DeviceReplay(device, from: nil, engine.index, rules: plainRules).record.engine, buffer: .init())
        roster.continueSequence(of: device, after: sequence, monitor: engine.monitorSequence(of: device))
        restore(device, &batch)
        batch.commit.checkpoints = try takeCheckpoints(all: false, and: [device], at: batch.commit.receivedAt)
    }

    // MARK: Imports

    private mutating func archive(
        _ slice: ImportSlice, at now: Timestamp, _ inFlight: EvaluatedBatch?, _ batch: inout EvaluatedBatch
    ) async throws -> SubmissionReceipt {
        var receipt = SubmissionReceipt()
        let keys = Set(slice.locations.map { FixKey($0) })
        var known = try await store.stored(among: Array(keys))
        for stored in inFlight?.commit.locations ?? [] { known.insert(FixKey(stored.location)) }
        for stored in (inFlight?.commit.imported ?? []).joined() { known.insert(FixKey(stored.location)) }
        var fixes: [DeviceID: [StoredLocation]] = [:]
        // A file has no time of arrival: its order shows which times are wrong.
        var leaps = LeapFilter()
        for location in slice.locations { _ = leaps.take(location) }
        _ = leaps.finish()
        let ahead = Set(leaps.ahead.map { FixKey($0) })
        for location in slice.locations {
            guard known.insert(FixKey(location)).inserted else {
                receipt.duplicates += 1
                continue
            }
            let isLate = engine.buffer(of: location.deviceID).releasedThrough > location.timestamp
            fixes[location.deviceID, default: []].append(
                StoredLocation(location, isLate: isLate, isAhead: ahead.contains(FixKey(location))))
            receipt.accepted += 1
            if isLate { receipt.late += 1 }
        }
        batch.commit.imported = fixes.keys.sorted { $0.rawValue < $1.rawValue }.map { fixes[$0] ?? [] }
        batch.commit.reports = slice.reports
        batch.commit.quarantined = slice.quarantined
        for list in batch.commit.imported {
            guard let device = list.first?.location.deviceID,
                let first = list.map(\.location.timestamp).min(), let last = list.map(\.location.timestamp).max()
            else { continue }
            var task = EvaluationTask(device, from: first, through: last, receivedAt: now, cause: .import)
            task.importID = slice.job?.id
            task.isHeld = !slice.isLast
            batch.commit.evaluations.append(history.add(task))
        }
        if let job = slice.job { finish(slice, of: job, receipt, &batch) }
        return receipt
    }

    /// The progress of an import's job. With the last slice, all its devices are to be evaluated.
    private mutating func finish(
        _ slice: ImportSlice, of job: (id: String, number: Int?), _ receipt: SubmissionReceipt,
        _ batch: inout EvaluatedBatch
    ) {
        var progress = ImportProgress(job.id)
        progress.stored = receipt.accepted
        progress.duplicates = receipt.duplicates
        progress.slice = job.number
        progress.state = slice.isLast ? .evaluating : .storing
        batch.commit.importProgress = progress
        guard slice.isLast else { return }
        release(import: job.id, &batch)
    }

    /// Lets the evaluation of an import's devices begin.
    private mutating func release(import id: String, _ batch: inout EvaluatedBatch) {
        for (device, task) in history.tasks where task.importID == id && task.isHeld {
            history.tasks[device]?.isHeld = false
            batch.commit.evaluations.removeAll { $0.deviceID == device }
            if let task = history.tasks[device] { batch.commit.evaluations.append(task) }
        }
    }

    // MARK: Corrections

    /// Six parameters, because the last ones are what the chunk is compared with and the batch that is made.
    ///
    /// `sequence`: that of the last event of a device that is set aside.
    private mutating func revise(
        _ chunk: HistoryChunk, _ events: [HeldEvent], token: Int, former: [String: HeldEvent], after sequence: Int?,
        _ batch: inout EvaluatedBatch
    ) throws -> HistoryAnswer {
        let device = chunk.deviceID
        let isAside = aside[device] != nil
        journal.begin(.history, device.rawValue, in: .worker)
        let isComplete = chunk.end == .complete
        // Deadlines that are due belong to the events of before.
        if isComplete, history.clockThrough == nil, engine.isLive(device) {
            try advanceClock(to: batch.commit.receivedAt, &batch)
        }
        guard let follow = history.follows[device], follow.token == token, let task = history.tasks[device],
            task.generation == chunk.generation
        else { return .outdated }
        history.follows[device] = nil
        let last = chunk.record.engine.lastTime ?? .distantPast
        if isComplete || isAside {
            // A fix that came meanwhile and lies before the end is stored now, and the next evaluation has it.
            guard !follow.fixes.contains(where: { $0.timestamp <= last }) else { return .outdated }
        }
        let lastSequence =
            isAside ? sequence ?? 0 : roster.lastSequence(of: device) ?? engine.monitorSequence(of: device)
        var evaluated = chunk.events
        var held = events.filter { chunk.includes($0.detectedAt) }
        if isComplete {
            let known = Set(held.map(\.id))
            held += follow.events.filter { !known.contains($0.id) }
            try adopt(chunk, follow, &evaluated)
            restore(device, &batch)
        } else if !isAside, engine.deviceIndex(of: device) == nil {
            // The sequence number of its events is part of its checkpoint.
            engine.adopt(
                DeviceReplay(device, from: nil, engine.index, rules: plainRules).record.engine, buffer: .init())
        }
        let comparison = EventComparison(held, evaluated)
        var revision = HistoryRevision(
            deviceID: device, after: chunk.after, through: chunk.lastTime)
        revision.snapshots = chunk.snapshots
        let numbers = write(
            comparison, after: lastSequence, former: former, of: task, &revision, &batch)
        if isComplete || !isAside {
            roster.continueSequence(of: device, after: numbers.last, monitor: engine.monitorSequence(of: device))
        }
        batch.commit.revision = revision
        proceed(task, chunk, numbers.counts, &batch)
        if let index = engine.deviceIndex(of: device) {
            tracker.noteChange(of: index)
            tracker.markDirty(index, fixes: fixes, at: batch.commit.receivedAt)
            if isComplete { tracker.setFixesSinceSnapshot(of: index, chunk.fixesSinceSnapshot) }
        }
        batch.commit.checkpoints = try takeCheckpoints(all: false, and: [device], at: batch.commit.receivedAt)
        batch.statusDelta = statusDelta(of: batch.commit)
        return .revised(numbers.counts)
    }

    /// Replaces the device's state by that of the chunk, and then takes what the device has done meanwhile.
    private mutating func adopt(
        _ chunk: HistoryChunk, _ follow: HistoryState.Follow, _ events: inout [Event]
    ) throws {
        let device = chunk.deviceID
        let last = chunk.record.engine.lastTime ?? .distantPast
        engine.adopt(chunk.record.engine, buffer: follow.buffer.released(through: last))
        var visit = chunk.record.visit
        func take(_ event: Event) {
            visit.follow(event)
            events.append(event)
        }
        for fix in follow.fixes { _ = try engine.accept(fix, emit: take) }
        if let moment = history.clockThrough, try engine.fireDeadlines(of: device, through: moment, emit: take),
            let index = engine.deviceIndex(of: device)
        {
            // A location of before that comes later is out of order.
            tracker.noteFired(index, through: moment)
        }
        visits[device] = visit
    }

    /// Adds the events of a comparison to a commit. Six parameters, because they belong to the device, the task and the
    /// commit.
    ///
    /// - Returns: the last sequence number, and the number of events by type.
    private mutating func write(
        _ comparison: EventComparison, after sequence: Int, former: [String: HeldEvent], of task: EvaluationTask,
        _ revision: inout HistoryRevision, _ batch: inout EvaluatedBatch
    ) -> (last: Int, counts: [String: Int]) {
        var (last, counts) = (sequence, [String: Int]())
        let additions = comparison.added.map { ($0.event.detectedAt, HistoryEvent.addition($0, former[$0.event.id])) }
        let withdrawals = comparison.withdrawn.map { ($0.detectedAt, HistoryEvent.withdrawal($0, task.cause)) }
        // Withdrawals come first, so that no device is in a region twice.
        for (_, item) in (withdrawals + additions).stablySorted(by: { $0.0 < $1.0 }) {
            last &+= 1
            let (event, replaced) = item.stored(sequence: last, receivedAt: task.receivedAt, &writer)
            if let replaced {
                revision.superseded[replaced.id] = event.id
                if let visit = replaced.message?.visit { revision.visitIDs.insert(visit.id) }
            }
            if let visit = event.visit { revision.visitIDs.insert(visit.id) }
            counts[event.type, default: 0] += 1
            batch.commit.events.append(event)
            batch.commit.deliveries += composer.messages(forHistory: event)
        }
        return (last, counts)
    }

    /// Notes how far the task is.
    private mutating func proceed(
        _ task: EvaluationTask, _ chunk: HistoryChunk, _ counts: [String: Int], _ batch: inout EvaluatedBatch
    ) {
        if case .partial(let last) = chunk.end {
            var rest = task
            rest.from = last + .milliseconds(1)
            rest.chunks &+= 1
            history.tasks[task.deviceID] = rest
            batch.commit.evaluations = [rest]
        } else {
            history.tasks[task.deviceID] = nil
            batch.commit.finishedEvaluations = [task.deviceID]
        }
        if let id = task.importID {
            var progress = ImportProgress(id)
            progress.events = counts
            batch.commit.importProgress = progress
        }
    }
}

extension HistoryChunk {
    /// Snapshots up to here are replaced by those of the chunk.
    fileprivate var lastTime: Timestamp {
        switch end {
        case .partial(let last): last
        // The snapshot with the same state stays.
        case .converged(let last): last + .milliseconds(-1)
        case .complete: .distantFuture
        }
    }
}

extension Array {
    /// Sorts by a key, and elements with equal keys in their order.
    fileprivate func stablySorted(by precedes: (Element, Element) -> Bool) -> [Element] {
        enumerated().sorted { a, b in
            precedes(a.element, b.element) || (!precedes(b.element, a.element) && a.offset < b.offset)
        }.map(\.element)
    }
}
