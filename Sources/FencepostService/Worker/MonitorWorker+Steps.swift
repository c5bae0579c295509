import FencepostEngine
import FencepostModel
import FencepostSimulator
import FencepostTracing

/// The batches and changes of one session, by the machine's numbers.
struct SessionWork {
    var batches: [WorkerMachine.BatchID: SubmittedBatch] = [:]
    var changes: [WorkerMachine.ChangeID: PendingChange] = [:]
    /// The index build that ended last.
    var build: IndexBuild?
    /// When the write of the last commit ended; `nil` for one without traces.
    var writtenAt: ContinuousClock.Instant?
    /// What ended the session.
    var failure: MonitorWorker.StoreFailure?
    private var batchCount = 0
    private var changeCount = 0

    mutating func add(_ batch: SubmittedBatch) -> WorkerMachine.BatchID {
        batchCount += 1
        batches[batchCount] = batch
        return batchCount
    }

    mutating func add(_ change: WorkerChange) -> WorkerMachine.ChangeID {
        changeCount += 1
        changes[changeCount] = PendingChange(change: change)
        return changeCount
    }

    /// Keeps the first failure, which is the cause of any later one.
    mutating func fail(_ error: any Error) {
        failure = failure ?? error as? MonitorWorker.StoreFailure ?? MonitorWorker.StoreFailure(underlying: error)
    }
}

/// Submissions that are evaluated and written together, with their submitters.
struct SubmittedBatch {
    var submissions: [Submission] = []
    var senders: [SubmissionReply] = []
    var firstArrival: Timestamp?
    /// Whether deadlines are evaluated too.
    var ticks = false
    /// `nil` before the evaluation.
    var evaluated: EvaluatedBatch?
    /// `nil` where no submission is traced.
    var trace: BatchTrace?
    /// A step of history, which is a batch of its own.
    var history: PendingStep?

    struct PendingStep {
        var step: HistoryStep
        var sender: CheckedContinuation<Result<HistoryAnswer, MonitorFailure>, Never>
        /// `nil` before the evaluation.
        var answer: HistoryAnswer?
    }

    /// - Parameter items: submissions and ticks.
    init(_ items: [WorkerInbox.Item]) {
        for item in items {
            switch item {
            case .submission(let submission, let arrival, let sender):
                submissions.append(submission)
                senders.append(sender)
                firstArrival = firstArrival ?? arrival
            case .tick: ticks = true
            case .history(let step, let sender): history = PendingStep(step: step, sender: sender)
            case .change, .indexBuildEnded: preconditionFailure("the inbox returns other items alone")
            }
        }
    }
}

struct PendingChange {
    var change: WorkerChange
    /// `nil` until the change is applied.
    var result: Result<WorkerChange.Answer, any Error>?
}

/// A task that runs concurrently with the worker.
enum SessionTask: Sendable {
    /// With the time of its end, if it is traced.
    case commit(Result<Void, any Error>, ContinuousClock.Instant?)
    /// Its result comes through the inbox.
    case indexBuild
}

/// Performs what a `WorkerMachine` decides.
extension MonitorWorker {
    func perform(
        _ effect: WorkerMachine.Effect, _ session: inout MonitorSession, _ work: inout SessionWork,
        _ tasks: inout TaskGroup<SessionTask>
    ) {
        switch effect {
        case .write(let id):
            guard let batch = work.batches[id]?.evaluated else { preconditionFailure("a batch was not evaluated") }
            let write = session.write(batch)
            let tracer = work.batches[id]?.trace == nil ? nil : tracer
            if let tracer { work.batches[id]?.trace?.writeStart = tracer.now() }
            tasks.addTask {
                do {
                    try await write()
                    return .commit(.success(()), tracer?.now())
                } catch {
                    return .commit(.failure(error), tracer?.now())
                }
            }
        case .answer(let id):
            guard let batch = work.batches.removeValue(forKey: id) else { return }
            answer(batch)
            record(batch, &work, failure: nil)
        case .refuse(let id):
            let batch = work.batches.removeValue(forKey: id)
            for sender in batch?.senders ?? [] { sender.resume(returning: .failure(.storeUnavailable)) }
            batch?.history?.sender.resume(returning: .failure(.storeUnavailable))
            if let batch { record(batch, &work, failure: "storage_unavailable") }
        case .startIndexBuild(let id):
            guard case .regions(let edit, let sources)? = work.changes[id]?.change.work else {
                preconditionFailure("only changes of regions need an index build")
            }
            let (index, settings) = (session.engine.index, session.engine.settings)
            tasks.addTask {
                self.inbox.add(await self.buildIndex(edit, sources, index, settings))
                return .indexBuild
            }
        case .startCheckpointSweep: session.startCheckpointSweep()
        case .answerChange(let id):
            guard let pending = work.changes.removeValue(forKey: id), let result = pending.result else { return }
            pending.change.answer(result)
        case .refuseChange(let id, let refusal):
            let failure: MonitorFailure
            switch refusal {
            case .storeUnavailable: failure = .storeUnavailable
            case .stopping: failure = .stopping
            }
            work.changes.removeValue(forKey: id)?.change.answer(.failure(failure))
        }
    }

    /// - Returns: the machine's next input; `nil` after `end`.
    func perform(
        _ step: WorkerMachine.Step, _ session: inout MonitorSession, _ work: inout SessionWork,
        _ tasks: inout TaskGroup<SessionTask>
    ) async -> WorkerMachine.Input? {
        switch step {
        case .receive:
            let items = inbox.poll(locations: Self.batchLimit)
            return items.isEmpty ? .inboxEmpty : received(items, &work)
        case .wait:
            guard let items = await inbox.next(locations: Self.batchLimit) else { return .inboxClosed }
            return received(items, &work)
        case .evaluate(let id, let inFlight):
            return await evaluate(id, inFlight: inFlight, &session, &work)
        case .awaitCommit:
            while let task = await tasks.next() {
                guard case .commit(let result, let end) = task else { continue }
                work.writtenAt = end
                switch result {
                case .success:
                    reached(.committed)
                    return .committed
                case .failure(let error):
                    work.fail(error)
                    return .commitFailed
                }
            }
            preconditionFailure("no commit is in flight")
        case .countDirtyStates: return .dirtyStates(fitOneCommit: session.dirtyStatesFitOneCommit)
        case .apply(let id): return await apply(id, &session, &work)
        case .writeCheckpoints:
            do {
                try await session.writeCheckpoints(at: clock.now())
                return .checkpointsWritten
            } catch {
                work.fail(error)
                return .checkpointsFailed
            }
        case .writeAllCheckpoints:
            // An index build may still run. Its result is of no use now.
            tasks.cancelAll()
            reached(.stopping)
            if await succession.isAwaited() { return .checkpointsWritten }
            do {
                try await session.writeAllCheckpoints(at: clock.now())
                return .checkpointsWritten
            } catch {
                work.fail(error)
                return .checkpointsFailed
            }
        case .end: return nil
        }
    }

    private func received(_ items: [WorkerInbox.Item], _ work: inout SessionWork) -> WorkerMachine.Input {
        switch items.first {
        case .change(let change):
            return .receivedChange(work.add(change), needsIndexBuild: change.needsIndexBuild)
        case .indexBuildEnded(let build):
            work.build = build
            switch build {
            case .built: return .indexBuildEnded(.built)
            case .unchanged, .rejected, .stagingFailed: return .indexBuildEnded(.nothingToApply)
            }
        case .submission, .tick, .history, nil:
            var batch = SubmittedBatch(items)
            if tracer != nil { batch.trace = BatchTrace(batch.senders) }
            return .receivedBatch(work.add(batch))
        }
    }

    private func evaluate(
        _ id: WorkerMachine.BatchID, inFlight: WorkerMachine.BatchID?, _ session: inout MonitorSession,
        _ work: inout SessionWork
    ) async -> WorkerMachine.Input {
        guard let batch = work.batches[id] else { preconditionFailure("there is no batch \(id)") }
        do {
            let start = ContinuousClock.now
            let inFlight = inFlight.flatMap { work.batches[$0]?.evaluated }
            if let pending = batch.history {
                let (evaluated, answer) = try await session.evaluate(pending.step, at: clock.now(), inFlight: inFlight)
                work.batches[id]?.evaluated = evaluated
                work.batches[id]?.history?.answer = answer
                return .evaluated(needsCommit: evaluated.needsWrite)
            }
            let evaluated = try await session.evaluate(
                batch.submissions, at: clock.now(), ticks: batch.ticks, inFlight: inFlight)
            let end = ContinuousClock.now
            if !batch.submissions.isEmpty { metrics.evaluated(in: end - start) }
            if batch.trace != nil { work.batches[id]?.trace?.evaluation = start..<end }
            reached(.evaluated)
            work.batches[id]?.evaluated = evaluated
            return .evaluated(needsCommit: evaluated.needsWrite)
        } catch {
            work.fail(error)
            return .evaluationFailed
        }
    }

    /// Records the traces of a batch that is over.
    private func record(_ batch: SubmittedBatch, _ work: inout SessionWork, failure: String?) {
        guard let trace = batch.trace, let tracer else { return }
        trace.record(batch.evaluated, writtenAt: work.writtenAt ?? tracer.now(), failure: failure, tracer)
        work.writtenAt = nil
    }

    private func answer(_ batch: SubmittedBatch) {
        guard let evaluated = batch.evaluated else { preconditionFailure("a batch was not evaluated") }
        publish(evaluated)
        if let history = batch.history, let answer = history.answer {
            history.sender.resume(returning: .success(answer))
            if case .archived(let receipt) = answer { metrics.imported(receipt) }
        }
        for (sender, receipt) in zip(batch.senders, evaluated.receipts) { sender.resume(returning: .success(receipt)) }
        metrics.committed(evaluated, of: batch.submissions)
        if !evaluated.commit.events.isEmpty, let first = batch.firstArrival {
            metrics.delayed(by: clock.now() - first)
        }
    }

    /// Publishes what is durable now, and notifies the dispatcher and the readers of events.
    func publish(_ batch: EvaluatedBatch) {
        statuses.update(batch.statusDelta, batch.commit.locations)
        if !batch.commit.events.isEmpty { notices.events.raise() }
        if !batch.commit.evaluations.isEmpty { notices.history.raise() }
        if !batch.commit.deliveries.isEmpty { notices.deliveries(Set(batch.commit.deliveries.map(\.endpointID))) }
    }
}
