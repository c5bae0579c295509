import FencepostTesting
import Testing

@testable import FencepostService

/// Batches and changes are numbered from 1, each for itself.
@Suite("Worker machine") struct WorkerMachineTests {
    typealias Machine = WorkerMachine
    typealias Output = WorkerMachine.Output

    /// A machine that has started and reads the inbox.
    private func started() -> Machine {
        var machine = Machine()
        #expect(machine.handle(.started) == Output(then: .receive))
        return machine
    }

    /// A machine that reads the inbox while batch 1 is in flight.
    private func writing() -> Machine {
        var machine = started()
        #expect(machine.handle(.receivedBatch(1)) == Output(then: .evaluate(1, inFlight: nil)))
        #expect(machine.handle(.evaluated(needsCommit: true)) == Output([.write(1)], then: .receive))
        return machine
    }

    /// A machine that reads the inbox while the index of change 1 is built.
    private func building() -> Machine {
        var machine = started()
        #expect(
            machine.handle(.receivedChange(1, needsIndexBuild: true))
                == Output([.startIndexBuild(1)], then: .receive))
        return machine
    }

    /// A machine that asks how many states are dirty, with the index of change 1 built.
    private func built() -> Machine {
        var machine = building()
        #expect(
            machine.handle(.indexBuildEnded(.built)) == Output([.startCheckpointSweep], then: .countDirtyStates))
        return machine
    }

    // MARK: Batches

    @Test("waits when the inbox is empty and nothing is in flight")
    func waits() {
        var machine = started()
        #expect(machine.handle(.inboxEmpty) == Output(then: .wait))
        #expect(machine.handle(.receivedBatch(1)) == Output(then: .evaluate(1, inFlight: nil)))
    }

    @Test("awaits the commit in flight before it waits for the inbox")
    func awaitsCommit() {
        var machine = writing()
        #expect(machine.handle(.inboxEmpty) == Output(then: .awaitCommit))
        #expect(machine.handle(.committed) == Output([.answer(1)], then: .wait))
    }

    @Test("evaluates a batch while the one before is in flight, and writes it after that commit")
    func overlaps() {
        var machine = writing()
        #expect(machine.handle(.receivedBatch(2)) == Output(then: .evaluate(2, inFlight: 1)))
        #expect(machine.handle(.evaluated(needsCommit: true)) == Output(then: .awaitCommit))
        #expect(machine.handle(.committed) == Output([.answer(1), .write(2)], then: .receive))
        #expect(machine.handle(.inboxEmpty) == Output(then: .awaitCommit))
        #expect(machine.handle(.committed) == Output([.answer(2)], then: .wait))
    }

    @Test("answers a batch without changes after the commit before it, without a commit of its own")
    func needsNoCommit() {
        var machine = started()
        _ = machine.handle(.receivedBatch(1))
        #expect(machine.handle(.evaluated(needsCommit: false)) == Output([.answer(1)], then: .receive))
        machine = writing()
        _ = machine.handle(.receivedBatch(2))
        #expect(machine.handle(.evaluated(needsCommit: false)) == Output(then: .awaitCommit))
        #expect(machine.handle(.committed) == Output([.answer(1), .answer(2)], then: .receive))
    }

    // MARK: Changes

    @Test("applies a change at once when nothing is in flight")
    func appliesAtOnce() {
        var machine = started()
        #expect(machine.handle(.receivedChange(1, needsIndexBuild: false)) == Output(then: .apply(1)))
        #expect(machine.handle(.applied) == Output([.answerChange(1)], then: .receive))
    }

    @Test("awaits the commit in flight before it applies a change")
    func barrier() {
        var machine = writing()
        #expect(machine.handle(.receivedChange(1, needsIndexBuild: false)) == Output(then: .awaitCommit))
        #expect(machine.handle(.committed) == Output([.answer(1)], then: .apply(1)))
        #expect(machine.handle(.applied) == Output([.answerChange(1)], then: .receive))
    }

    @Test("awaits the commit in flight before it starts an index build")
    func buildsAfterCommit() {
        var machine = writing()
        #expect(machine.handle(.receivedChange(1, needsIndexBuild: true)) == Output(then: .awaitCommit))
        #expect(machine.handle(.committed) == Output([.answer(1), .startIndexBuild(1)], then: .receive))
    }

    @Test("evaluates batches while an index is built")
    func evaluatesDuringBuild() {
        var machine = building()
        #expect(machine.handle(.receivedBatch(1)) == Output(then: .evaluate(1, inFlight: nil)))
        #expect(machine.handle(.evaluated(needsCommit: true)) == Output([.write(1)], then: .receive))
        #expect(machine.handle(.inboxEmpty) == Output(then: .awaitCommit))
        #expect(machine.handle(.committed) == Output([.answer(1)], then: .wait))
    }

    @Test("applies a built change when the dirty states fit one commit")
    func appliesBuilt() {
        var machine = built()
        #expect(machine.handle(.dirtyStates(fitOneCommit: true)) == Output(then: .apply(1)))
        #expect(machine.handle(.applied) == Output([.answerChange(1)], then: .receive))
    }

    @Test("sweeps checkpoints before it applies a built change, with batches in between")
    func sweeps() {
        var machine = built()
        #expect(machine.handle(.dirtyStates(fitOneCommit: false)) == Output(then: .receive))
        #expect(machine.handle(.receivedBatch(1)) == Output(then: .evaluate(1, inFlight: nil)))
        #expect(machine.handle(.evaluated(needsCommit: true)) == Output([.write(1)], then: .countDirtyStates))
        #expect(machine.handle(.dirtyStates(fitOneCommit: false)) == Output(then: .receive))
        #expect(machine.handle(.inboxEmpty) == Output(then: .awaitCommit))
        #expect(machine.handle(.committed) == Output([.answer(1)], then: .writeCheckpoints))
        #expect(machine.handle(.checkpointsWritten) == Output(then: .countDirtyStates))
        #expect(machine.handle(.dirtyStates(fitOneCommit: true)) == Output(then: .apply(1)))
    }

    @Test("awaits the commit in flight before it applies a built change")
    func builtBarrier() {
        var machine = built()
        _ = machine.handle(.dirtyStates(fitOneCommit: false))
        _ = machine.handle(.receivedBatch(1))
        _ = machine.handle(.evaluated(needsCommit: true))
        #expect(machine.handle(.dirtyStates(fitOneCommit: true)) == Output(then: .awaitCommit))
        #expect(machine.handle(.committed) == Output([.answer(1)], then: .apply(1)))
    }

    @Test("applies changes one after the other, in their order")
    func queues() {
        var machine = building()
        #expect(machine.handle(.receivedChange(2, needsIndexBuild: false)) == Output(then: .receive))
        #expect(machine.handle(.receivedChange(3, needsIndexBuild: true)) == Output(then: .receive))
        #expect(machine.handle(.receivedChange(4, needsIndexBuild: false)) == Output(then: .receive))
        #expect(machine.handle(.indexBuildEnded(.nothingToApply)) == Output(then: .apply(1)))
        #expect(machine.handle(.applied) == Output([.answerChange(1)], then: .apply(2)))
        #expect(machine.handle(.applied) == Output([.answerChange(2), .startIndexBuild(3)], then: .receive))
        #expect(
            machine.handle(.indexBuildEnded(.built)) == Output([.startCheckpointSweep], then: .countDirtyStates))
        #expect(machine.handle(.dirtyStates(fitOneCommit: true)) == Output(then: .apply(3)))
        #expect(machine.handle(.applied) == Output([.answerChange(3)], then: .apply(4)))
        #expect(machine.handle(.applied) == Output([.answerChange(4)], then: .receive))
    }

    // MARK: End

    @Test("writes all checkpoints when the inbox is closed, and refuses changes that are not applied")
    func stops() {
        var machine = building()
        _ = machine.handle(.receivedChange(2, needsIndexBuild: false))
        #expect(machine.handle(.inboxEmpty) == Output(then: .wait))
        #expect(
            machine.handle(.inboxClosed)
                == Output([.refuseChange(1, .stopping), .refuseChange(2, .stopping)], then: .writeAllCheckpoints))
        #expect(machine.handle(.checkpointsWritten) == Output(then: .end(.stopped)))
    }

    @Test("fails when the last checkpoints cannot be written")
    func failsAtTheEnd() {
        var machine = started()
        _ = machine.handle(.inboxEmpty)
        #expect(machine.handle(.inboxClosed) == Output(then: .writeAllCheckpoints))
        #expect(machine.handle(.checkpointsFailed) == Output(then: .end(.failed)))
    }

    @Test("refuses the batch of a failed commit and the one evaluated after it")
    func commitFails() {
        var machine = writing()
        _ = machine.handle(.receivedBatch(2))
        _ = machine.handle(.evaluated(needsCommit: true))
        #expect(machine.handle(.commitFailed) == Output([.refuse(1), .refuse(2)], then: .end(.failed)))
        machine = writing()
        _ = machine.handle(.inboxEmpty)
        #expect(machine.handle(.commitFailed) == Output([.refuse(1)], then: .end(.failed)))
    }

    @Test("answers the batch in flight when the evaluation of the next one fails")
    func evaluationFails() {
        var machine = writing()
        _ = machine.handle(.receivedBatch(2))
        #expect(machine.handle(.evaluationFailed) == Output([.refuse(2)], then: .awaitCommit))
        #expect(machine.handle(.committed) == Output([.answer(1)], then: .end(.failed)))
        machine = writing()
        _ = machine.handle(.receivedBatch(2))
        _ = machine.handle(.evaluationFailed)
        #expect(machine.handle(.commitFailed) == Output([.refuse(1)], then: .end(.failed)))
        machine = started()
        _ = machine.handle(.receivedBatch(1))
        #expect(machine.handle(.evaluationFailed) == Output([.refuse(1)], then: .end(.failed)))
    }

    @Test("refuses the changes when a commit before them fails")
    func commitBeforeChangeFails() {
        var machine = writing()
        _ = machine.handle(.receivedChange(1, needsIndexBuild: true))
        #expect(
            machine.handle(.commitFailed)
                == Output([.refuse(1), .refuseChange(1, .storeUnavailable)], then: .end(.failed)))
    }

    @Test("refuses a change that fails and the queued ones")
    func changeFails() {
        var machine = building()
        _ = machine.handle(.receivedChange(2, needsIndexBuild: false))
        _ = machine.handle(.indexBuildEnded(.nothingToApply))
        #expect(
            machine.handle(.applyFailed)
                == Output(
                    [.refuseChange(1, .storeUnavailable), .refuseChange(2, .storeUnavailable)], then: .end(.failed)))
    }

    @Test("refuses a built change when its sweep fails")
    func sweepFails() {
        var machine = built()
        _ = machine.handle(.dirtyStates(fitOneCommit: false))
        #expect(machine.handle(.inboxEmpty) == Output(then: .writeCheckpoints))
        #expect(
            machine.handle(.checkpointsFailed)
                == Output([.refuseChange(1, .storeUnavailable)], then: .end(.failed)))
    }

    // MARK: Properties

    @Test(
        "answers every batch and every change once, and applies changes as barriers",
        arguments: 1...500 as ClosedRange<UInt64>)
    func randomRuns(seed: UInt64) {
        var run = RandomRun(seed: seed)
        run.perform()
        #expect(run.problems == [])
        #expect(run.unanswered == [])
    }
}

/// Performs a machine's output with random inputs, and checks every step.
private struct RandomRun {
    enum Work: Hashable {
        case batch(Int), change(Int)
    }

    private var random: SeededGenerator
    private var machine = WorkerMachine()
    private var batches = 0
    private var changes = 0
    private var inFlight: Int?
    private var building: Int?
    /// Received, in order; each change stands between the batches before and after it.
    private var received: [Work] = []
    private var answered: Set<Work> = []
    private var evaluated: Set<Int> = []
    private var applied: [Int] = []
    private(set) var problems: [String] = []

    init(seed: UInt64) { random = SeededGenerator(seed: seed) }

    /// What the machine has received and not answered.
    var unanswered: Set<Work> { Set(received).subtracting(answered) }

    mutating func perform() {
        var output = machine.handle(.started)
        for count in 0... {
            for effect in output.effects { perform(effect) }
            guard let input = input(for: output.step, isLate: count > 60) else { return }
            output = machine.handle(input)
        }
    }

    private mutating func chance(of percent: Int) -> Bool { Int.random(in: 0..<100, using: &random) < percent }

    private mutating func answer(_ work: Work) {
        if !answered.insert(work).inserted { problems.append("\(work) has two answers") }
    }

    private mutating func perform(_ effect: WorkerMachine.Effect) {
        switch effect {
        case .write(let batch):
            if let inFlight { problems.append("\(batch) is written while \(inFlight) is in flight") }
            if !evaluated.contains(batch) { problems.append("\(batch) is written before its evaluation") }
            inFlight = batch
        case .answer(let batch):
            if inFlight == batch { problems.append("\(batch) is answered before it is durable") }
            answer(.batch(batch))
        case .refuse(let batch): answer(.batch(batch))
        case .startIndexBuild(let change):
            if building != nil || inFlight != nil { problems.append("the index build of \(change) is no barrier") }
            building = change
        case .startCheckpointSweep: break
        case .answerChange(let change):
            if applied.last != change { problems.append("\(change) is answered before it is applied") }
            answer(.change(change))
        case .refuseChange(let change, _): answer(.change(change))
        }
    }

    /// The input after a step. `isLate` is whether the inbox is closed, so that the run ends.
    private mutating func input(for step: WorkerMachine.Step, isLate: Bool) -> WorkerMachine.Input? {
        switch step {
        case .receive: return chance(of: 40) ? .inboxEmpty : receive(isLate: isLate) ?? .inboxEmpty
        case .wait: return receive(isLate: isLate) ?? .inboxClosed
        case .evaluate(let batch, let other):
            if other != inFlight { problems.append("\(batch) is evaluated against \(String(describing: other))") }
            if chance(of: 2) { return .evaluationFailed }
            evaluated.insert(batch)
            return .evaluated(needsCommit: chance(of: 80))
        case .awaitCommit:
            if inFlight == nil { problems.append("no commit is in flight") }
            inFlight = nil
            return chance(of: 3) ? .commitFailed : .committed
        case .countDirtyStates: return .dirtyStates(fitOneCommit: chance(of: 40))
        case .apply(let change):
            if inFlight != nil { problems.append("\(change) is applied while a commit is in flight") }
            if let last = applied.last, last >= change { problems.append("\(change) is applied after \(last)") }
            let position = received.firstIndex(of: .change(change)) ?? 0
            for case .batch(let batch) in received[..<position] where !answered.contains(.batch(batch)) {
                problems.append("\(change) is applied before batch \(batch) is durable")
            }
            if chance(of: 5) { return .applyFailed }
            applied.append(change)
            return .applied
        case .writeCheckpoints: return chance(of: 5) ? .checkpointsFailed : .checkpointsWritten
        case .writeAllCheckpoints: return chance(of: 20) ? .checkpointsFailed : .checkpointsWritten
        case .end: return nil
        }
    }

    private mutating func receive(isLate: Bool) -> WorkerMachine.Input? {
        if building != nil, chance(of: 30) {
            building = nil
            return .indexBuildEnded(chance(of: 70) ? .built : .nothingToApply)
        }
        if isLate { return nil }
        if chance(of: 30) {
            changes += 1
            received.append(.change(changes))
            return .receivedChange(changes, needsIndexBuild: chance(of: 50))
        }
        batches += 1
        received.append(.batch(batches))
        return .receivedBatch(batches)
    }
}
