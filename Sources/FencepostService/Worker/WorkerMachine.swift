/// The order of the worker's steps during one session: what to evaluate, when to await a commit, when to apply a change.
///
/// A pure state machine: `WorkerSession` performs the steps and returns one input for each. The machine knows batches
/// and changes by number only.
///
/// Two rules hold for every sequence of inputs:
/// - Each batch and each change gets exactly one answer, also when a write fails or the worker stops.
/// - A change is a barrier: no commit is in flight and no batch is under evaluation while it is applied.
///
/// At most one commit is in flight. While it is written, the machine lets the next batch be evaluated.
struct WorkerMachine: Hashable, Sendable {
    /// Counts batches of submissions from 1.
    typealias BatchID = Int
    /// Counts changes of regions, apps and devices from 1.
    typealias ChangeID = Int

    enum Input: Hashable, Sendable {
        /// The state is loaded.
        case started
        /// Answers `receive` and `wait`.
        case receivedBatch(BatchID)
        /// Answers `receive` and `wait`. A change of regions needs an index build before it can be applied.
        case receivedChange(ChangeID, needsIndexBuild: Bool)
        /// Answers `receive` and `wait`: the index build of the current change has ended.
        case indexBuildEnded(BuildResult)
        /// Answers `receive`.
        case inboxEmpty
        /// Answers `wait`: nothing is left in the inbox, and it accepts nothing more.
        case inboxClosed
        /// Answers `evaluate`; without changes to store, the batch needs no commit.
        case evaluated(needsCommit: Bool)
        /// Answers `evaluate`.
        case evaluationFailed
        /// Answers `awaitCommit`.
        case committed
        /// Answers `awaitCommit`.
        case commitFailed
        /// Answers `countDirtyStates`.
        case dirtyStates(fitOneCommit: Bool)
        /// Answers `apply`.
        case applied
        /// Answers `apply`.
        case applyFailed
        /// Answers `writeCheckpoints` and `writeAllCheckpoints`.
        case checkpointsWritten
        /// Answers `writeCheckpoints` and `writeAllCheckpoints`.
        case checkpointsFailed
    }

    enum BuildResult: Hashable, Sendable {
        /// The new index is built; the change can be applied when few states are left to be written with it.
        case built
        /// The edit threw, changed nothing, or could not be staged: `apply` only determines the answer.
        case nothingToApply
    }

    /// Done at once; returns no input.
    enum Effect: Hashable, Sendable {
        /// Starts the commit of an evaluated batch.
        case write(BatchID)
        /// Publishes the results of a durable batch and sends its receipts.
        case answer(BatchID)
        /// Sends the batch's submitters a failure.
        case refuse(BatchID)
        /// Starts the index build of a change.
        case startIndexBuild(ChangeID)
        /// Starts a checkpoint sweep: from now on commits carry more checkpoints.
        case startCheckpointSweep
        /// Sends the result of an applied change.
        case answerChange(ChangeID)
        /// Sends the failure of a change.
        case refuseChange(ChangeID, Refusal)
    }

    enum Refusal: Hashable, Sendable {
        case storeUnavailable, stopping
    }

    /// Takes time; returns exactly one input, except `end`.
    enum Step: Hashable, Sendable {
        /// Reads the inbox without waiting.
        case receive
        /// Waits for the inbox.
        case wait
        /// - inFlight: the batch whose fixes may not be in the store yet.
        case evaluate(BatchID, inFlight: BatchID?)
        case awaitCommit
        /// Asks whether the states newer than their checkpoints are few enough to be written with the change.
        case countDirtyStates
        case apply(ChangeID)
        /// Writes one part of a checkpoint sweep.
        case writeCheckpoints
        /// Writes all states that are newer than their checkpoints, before the worker stops.
        case writeAllCheckpoints
        /// The session is over. After `failed`, the memory is ahead of the store and must be loaded again.
        case end(Outcome)
    }

    enum Outcome: Hashable, Sendable {
        case stopped, failed
    }

    /// Effects in their order, then one step.
    struct Output: Hashable, Sendable {
        var effects: [Effect]
        var step: Step

        init(_ effects: [Effect] = [], then step: Step) {
            self.effects = effects
            self.step = step
        }
    }

    /// Which input the machine expects next.
    private enum State: Hashable {
        case idle
        case receiving(inFlight: BatchID?)
        case waiting
        case evaluating(BatchID, inFlight: BatchID?)
        case awaitingCommit(of: BatchID, then: Continuation)
        case countingDirtyStates(inFlight: BatchID?)
        /// The current change is applied.
        case applying
        case sweeping
        case stopping
        case ended(Outcome)
    }

    /// What follows a commit.
    private enum Continuation: Hashable {
        case continueWhenIdle
        case write(BatchID)
        /// The batch has nothing to store; its answer waits for the commit before it.
        case answer(BatchID)
        case startIndexBuild
        case apply
        /// An evaluation failed.
        case fail
    }

    /// The change that is being worked on. There is at most one; later ones are queued.
    private enum CurrentChange: Hashable {
        case none
        case building(ChangeID)
        /// Waits for the checkpoint sweep.
        case built(ChangeID)
        case applying(ChangeID)
    }

    private struct QueuedChange: Hashable {
        var id: ChangeID
        var needsIndexBuild: Bool
    }

    private var state = State.idle
    private var change = CurrentChange.none
    private var queue: [QueuedChange] = []

    /// Takes one input. The function is long because it is the table of all transitions, one case per input.
    ///
    /// - Precondition: the input answers the step that the machine returned last.
    mutating func handle(_ input: Input) -> Output {
        switch input {
        case .started:
            guard case .idle = state else { unexpected(input) }
            return proceed(inFlight: nil)

        case .receivedBatch(let batch):
            let inFlight = received(input)
            state = .evaluating(batch, inFlight: inFlight)
            return Output(then: .evaluate(batch, inFlight: inFlight))

        case .receivedChange(let id, let needsIndexBuild):
            let inFlight = received(input)
            guard case .none = change else {
                queue.append(QueuedChange(id: id, needsIndexBuild: needsIndexBuild))
                return proceed(inFlight: inFlight)
            }
            return begin(QueuedChange(id: id, needsIndexBuild: needsIndexBuild), inFlight: inFlight)

        case .indexBuildEnded(let result):
            let inFlight = received(input)
            guard case .building(let id) = change else { unexpected(input) }
            switch result {
            case .built:
                change = .built(id)
                return proceed([.startCheckpointSweep], inFlight: inFlight)
            case .nothingToApply:
                return apply(id, inFlight: inFlight)
            }

        case .inboxEmpty:
            guard case .receiving(let inFlight) = state else { unexpected(input) }
            guard let inFlight else { return continueWhenIdle() }
            return awaitCommit(of: inFlight, then: .continueWhenIdle)

        case .inboxClosed:
            guard case .waiting = state else { unexpected(input) }
            state = .stopping
            return Output(refuseChanges(.stopping), then: .writeAllCheckpoints)

        case .evaluated(let needsCommit):
            guard case .evaluating(let batch, let inFlight) = state else { unexpected(input) }
            let continuation: Continuation = needsCommit ? .write(batch) : .answer(batch)
            guard let inFlight else { return perform(continuation, after: []) }
            return awaitCommit(of: inFlight, then: continuation)

        case .evaluationFailed:
            guard case .evaluating(let batch, let inFlight) = state else { unexpected(input) }
            guard let inFlight else { return fail([.refuse(batch)]) }
            // The commit in flight may still succeed, and then its submitters get their receipts.
            return awaitCommit(of: inFlight, [.refuse(batch)], then: .fail)

        case .committed:
            guard case .awaitingCommit(let batch, let continuation) = state else { unexpected(input) }
            return perform(continuation, after: [.answer(batch)])

        case .commitFailed:
            guard case .awaitingCommit(let batch, let continuation) = state else { unexpected(input) }
            switch continuation {
            case .write(let next), .answer(let next): return fail([.refuse(batch), .refuse(next)])
            case .continueWhenIdle, .startIndexBuild, .apply, .fail: return fail([.refuse(batch)])
            }

        case .dirtyStates(let fitOneCommit):
            guard case .countingDirtyStates(let inFlight) = state, case .built(let id) = change else {
                unexpected(input)
            }
            guard fitOneCommit else { return receive(inFlight: inFlight) }
            return apply(id, inFlight: inFlight)

        case .applied:
            guard case .applying = state, case .applying(let id) = change else { unexpected(input) }
            change = .none
            guard !queue.isEmpty else { return proceed([.answerChange(id)], inFlight: nil) }
            return begin(queue.removeFirst(), [.answerChange(id)], inFlight: nil)

        case .applyFailed:
            guard case .applying = state else { unexpected(input) }
            return fail()

        case .checkpointsWritten:
            switch state {
            case .sweeping: return proceed(inFlight: nil)
            case .stopping: return end([], .stopped)
            case .idle, .receiving, .waiting, .evaluating, .awaitingCommit, .countingDirtyStates, .applying, .ended:
                unexpected(input)
            }

        case .checkpointsFailed:
            switch state {
            case .sweeping, .stopping: return fail()
            case .idle, .receiving, .waiting, .evaluating, .awaitingCommit, .countingDirtyStates, .applying, .ended:
                unexpected(input)
            }
        }
    }

    // MARK: Transitions

    /// The commit in flight at an input that answers `receive` or `wait`.
    private func received(_ input: Input) -> BatchID? {
        switch state {
        case .receiving(let inFlight): return inFlight
        case .waiting: return nil
        case .idle, .evaluating, .awaitingCommit, .countingDirtyStates, .applying, .sweeping, .stopping, .ended:
            unexpected(input)
        }
    }

    /// Applies the change that waits for its sweep, if it can be applied now; otherwise reads the inbox.
    private mutating func proceed(_ effects: [Effect] = [], inFlight: BatchID?) -> Output {
        switch change {
        case .built:
            state = .countingDirtyStates(inFlight: inFlight)
            return Output(effects, then: .countDirtyStates)
        case .none, .building, .applying:
            return receive(effects, inFlight: inFlight)
        }
    }

    private mutating func receive(_ effects: [Effect] = [], inFlight: BatchID?) -> Output {
        state = .receiving(inFlight: inFlight)
        return Output(effects, then: .receive)
    }

    /// Nothing is received and nothing is in flight.
    private mutating func continueWhenIdle(_ effects: [Effect] = []) -> Output {
        switch change {
        case .built:
            state = .sweeping
            return Output(effects, then: .writeCheckpoints)
        case .none, .building, .applying:
            state = .waiting
            return Output(effects, then: .wait)
        }
    }

    private mutating func begin(_ next: QueuedChange, _ effects: [Effect] = [], inFlight: BatchID?) -> Output {
        guard next.needsIndexBuild else { return apply(next.id, effects, inFlight: inFlight) }
        change = .building(next.id)
        guard let inFlight else { return perform(.startIndexBuild, after: effects) }
        return awaitCommit(of: inFlight, effects, then: .startIndexBuild)
    }

    private mutating func apply(_ id: ChangeID, _ effects: [Effect] = [], inFlight: BatchID?) -> Output {
        change = .applying(id)
        guard let inFlight else { return perform(.apply, after: effects) }
        return awaitCommit(of: inFlight, effects, then: .apply)
    }

    private mutating func awaitCommit(
        of batch: BatchID, _ effects: [Effect] = [], then continuation: Continuation
    ) -> Output {
        state = .awaitingCommit(of: batch, then: continuation)
        return Output(effects, then: .awaitCommit)
    }

    /// Continues after a commit, or at once when none is in flight.
    private mutating func perform(_ continuation: Continuation, after effects: [Effect]) -> Output {
        switch continuation {
        case .continueWhenIdle: return continueWhenIdle(effects)
        case .write(let batch): return proceed(effects + [.write(batch)], inFlight: batch)
        case .answer(let batch): return proceed(effects + [.answer(batch)], inFlight: nil)
        case .startIndexBuild:
            guard case .building(let id) = change else { preconditionFailure("no change needs an index build") }
            return proceed(effects + [.startIndexBuild(id)], inFlight: nil)
        case .apply:
            guard case .applying(let id) = change else { preconditionFailure("no change can be applied") }
            state = .applying
            return Output(effects, then: .apply(id))
        case .fail: return fail(effects)
        }
    }

    private mutating func fail(_ effects: [Effect] = []) -> Output {
        end(effects + refuseChanges(.storeUnavailable), .failed)
    }

    private mutating func end(_ effects: [Effect], _ outcome: Outcome) -> Output {
        state = .ended(outcome)
        return Output(effects, then: .end(outcome))
    }

    /// Refuses the current change and all queued ones.
    private mutating func refuseChanges(_ refusal: Refusal) -> [Effect] {
        defer { (change, queue) = (.none, []) }
        let queued = queue.map { Effect.refuseChange($0.id, refusal) }
        switch change {
        case .none: return queued
        case .building(let id), .built(let id), .applying(let id): return [.refuseChange(id, refusal)] + queued
        }
    }

    private func unexpected(_ input: Input) -> Never {
        preconditionFailure("\(input) does not answer the last step; the state is \(state)")
    }
}
