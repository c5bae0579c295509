import FencepostFormats
import FencepostGEOS
import Foundation
import Synchronization

/// Says what is to be done next: which block to read, which share of the devices to go on with, what to hand on.
///
/// Blocks are read in any order, by any thread. Each share of the devices takes them in order, one thread at a time. They
/// are handed on in order. So only a few blocks are there at a time, however long the files.
final class BlockSchedule: Sendable {
    enum Job: Sendable {
        case read(Int)
        case evaluate(Int, share: Int, SharedBlock)
        case deliver(Int, BlockOutcome)
    }

    /// A block that was begun and has not been handed on.
    fileprivate struct Slot {
        var block: Result<SharedBlock, any Error>?
        var outputs: [ShardOutput]
        /// How many shares have not taken it yet.
        var remaining: Int

        init(shares: Int) {
            outputs = Array(repeating: ShardOutput(), count: shares)
            remaining = shares
        }
    }

    fileprivate struct State {
        var slots: [Slot?]
        /// How many there are, or shall be after a cut.
        var blocks: Int
        var nextToRead = 0
        var nextToDeliver = 0
        /// By share: the block that it takes next, and whether a thread is at it.
        var next: [Int]
        var isBusy: [Bool]
        var isStopped = false
        /// How many threads wait, and whether the one that hands on is another of them.
        var helpersAsleep = 0
        var delivererSleeps = false
    }

    private let shares: Int
    private let state: Mutex<State>
    // Two, for a thread may be woken in place of another that waits for the same; and only one hands on.
    private let helperWake = DispatchSemaphore(value: 0)
    private let delivererWake = DispatchSemaphore(value: 0)

    /// - Parameter window: how many blocks may be there at a time, at least 1.
    init(blocks: Int, shares: Int, window: Int) {
        self.shares = shares
        state = Mutex(
            State(
                slots: Array(repeating: nil, count: window), blocks: blocks,
                next: Array(repeating: 0, count: shares), isBusy: Array(repeating: false, count: shares)))
    }

    /// Waits for something to do.
    ///
    /// - Parameter delivers: whether the thread is the one that hands on.
    /// - Returns: `nil` when there is nothing left for this thread.
    func next(delivers: Bool) -> Job? {
        while true {
            let (job, isOver) = state.withLock { state in
                if let job = state.take(delivers: delivers) { return (job as Job?, false) }
                if state.isOver(delivers: delivers) { return (nil, true) }
                if delivers { state.delivererSleeps = true } else { state.helpersAsleep += 1 }
                return (nil, false)
            }
            if job != nil || isOver { return job }
            (delivers ? delivererWake : helperWake).wait()
        }
    }

    func read(_ block: Int, _ result: Result<SharedBlock, any Error>) {
        change { state in
            let place = state.place(of: block)
            state.slots[place]?.block = result
            guard case .failure = result else { return }
            // There is nothing to evaluate; the shares pass it when they come to it.
            state.slots[place]?.remaining = 0
        }
    }

    func evaluated(_ block: Int, share: Int, _ result: Result<ShardOutput, any Error>) {
        change { state in
            state.isBusy[share] = false
            state.next[share] = block + 1
            let place = state.place(of: block)
            switch result {
            case .success(let output):
                state.slots[place]?.outputs[share] = output
                state.slots[place]?.remaining -= 1
            case .failure(let error):
                // Whoever hands it on ends the run.
                state.slots[place]?.block = .failure(error)
                state.slots[place]?.remaining = 0
            }
        }
    }

    func delivered(_ block: Int) {
        change { state in
            state.slots[state.place(of: block)] = nil
            state.nextToDeliver = block + 1
        }
    }

    /// Begins no further block.
    func cut() {
        change { state in state.blocks = min(state.blocks, state.nextToRead) }
    }

    /// Begins nothing further.
    func stop() {
        change { state in state.isStopped = true }
    }

    private func change(_ body: (inout State) -> Void) {
        let (helpers, deliverer) = state.withLock { state in
            body(&state)
            defer { (state.helpersAsleep, state.delivererSleeps) = (0, false) }
            return (state.helpersAsleep, state.delivererSleeps)
        }
        for _ in 0..<helpers { helperWake.signal() }
        if deliverer { delivererWake.signal() }
    }
}

/// A block that all shares of the devices have taken.
struct BlockOutcome: Sendable {
    var result: Result<LineBlock, any Error>
    /// By share.
    var outputs: [ShardOutput]

    /// `nil` where the block could not be read.
    var lines: LineBlock? { try? result.get() }
}

extension BlockSchedule.State {
    fileprivate func place(of block: Int) -> Int { block % slots.count }

    fileprivate mutating func take(delivers: Bool) -> BlockSchedule.Job? {
        guard !isStopped else { return nil }
        if delivers, nextToDeliver < nextToRead, let slot = slots[place(of: nextToDeliver)], slot.remaining <= 0,
            let block = slot.block
        {
            return .deliver(nextToDeliver, BlockOutcome(result: block.map(\.lines), outputs: slot.outputs))
        }
        passUnreadable()
        var share: Int?
        for candidate in next.indices where !isBusy[candidate] && next[candidate] < nextToRead {
            guard case .success? = slots[place(of: next[candidate])]?.block else { continue }
            if share.map({ next[candidate] < next[$0] }) ?? true { share = candidate }
        }
        if let share, case .success(let block)? = slots[place(of: next[share])]?.block {
            isBusy[share] = true
            return .evaluate(next[share], share: share, block)
        }
        guard nextToRead < blocks, nextToRead < nextToDeliver + slots.count else { return nil }
        slots[place(of: nextToRead)] = BlockSchedule.Slot(shares: next.count)
        nextToRead += 1
        return .read(nextToRead - 1)
    }

    /// Takes every share past the blocks that could not be read.
    private mutating func passUnreadable() {
        for share in next.indices where !isBusy[share] {
            while next[share] < nextToRead {
                // A block that is gone was handed on without the shares.
                if next[share] >= nextToDeliver {
                    guard case .failure? = slots[place(of: next[share])]?.block else { break }
                }
                next[share] += 1
            }
        }
    }

    fileprivate func isOver(delivers: Bool) -> Bool {
        if isStopped { return true }
        return delivers ? nextToDeliver >= blocks : nextToRead >= blocks && next.allSatisfy { $0 >= blocks }
    }
}
