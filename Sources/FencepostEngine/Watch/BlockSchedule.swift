import FencepostFormats
import FencepostGEOS
import Foundation
import Synchronization

/// Distributes the work of a `FileWatch` among threads: which block to read, evaluate or deliver next.
///
/// Any thread reads blocks, in any order. Each shard of the devices evaluates the blocks in order, on one thread at a time.
/// One thread delivers the results in order. At most `window` blocks are in memory, whatever the size of the files.
final class BlockSchedule: Sendable {
    enum Job: Sendable {
        case read(Int)
        case evaluate(Int, shard: Int, ShardedBlock)
        case deliver(Int, BlockOutcome)
    }

    /// A block between the start of its reading and its delivery.
    fileprivate struct Slot {
        var block: Result<ShardedBlock, any Error>?
        var outputs: [ShardOutput]
        /// Shards that have not evaluated it yet.
        var remaining: Int

        init(shards: Int) {
            outputs = Array(repeating: ShardOutput(), count: shards)
            remaining = shards
        }
    }

    fileprivate struct State {
        var slots: [Slot?]
        /// Number of blocks to read; smaller after a `cut`.
        var blocks: Int
        var nextToRead = 0
        var nextToDeliver = 0
        /// By shard: the block that it evaluates next, and whether a thread evaluates one now.
        var next: [Int]
        var isBusy: [Bool]
        var isStopped = false
        /// Waiting helper threads, and whether the delivering thread waits.
        var helpersAsleep = 0
        var isDeliveryAsleep = false
    }

    private let shards: Int
    private let state: Mutex<State>
    // Helpers shard one semaphore, since any of them can take any of their jobs. Only the delivering thread delivers.
    private let helperWake = DispatchSemaphore(value: 0)
    private let deliveryWake = DispatchSemaphore(value: 0)

    /// A schedule of a number of blocks over a number of shards of the devices; `window` blocks, at least 1, are in
    /// memory at a time.
    init(blocks: Int, shards: Int, window: Int) {
        self.shards = shards
        state = Mutex(
            State(
                slots: Array(repeating: nil, count: window), blocks: blocks,
                next: Array(repeating: 0, count: shards), isBusy: Array(repeating: false, count: shards)))
    }

    /// Waits for the next job.
    ///
    /// - Parameter delivers: whether the calling thread is the one that delivers.
    /// - Returns: `nil` when no job is left for this thread.
    func next(delivers: Bool) -> Job? {
        while true {
            let (job, isOver) = state.withLock { state in
                if let job = state.take(delivers: delivers) { return (job as Job?, false) }
                if state.isOver(delivers: delivers) { return (nil, true) }
                if delivers { state.isDeliveryAsleep = true } else { state.helpersAsleep += 1 }
                return (nil, false)
            }
            if job != nil || isOver { return job }
            (delivers ? deliveryWake : helperWake).wait()
        }
    }

    /// Reports the result of a `read` job.
    func read(_ block: Int, _ result: Result<ShardedBlock, any Error>) {
        change { state in
            let slot = state.slotIndex(of: block)
            state.slots[slot]?.block = result
            guard case .failure = result else { return }
            // Nothing is left to evaluate. `skipUnreadable` moves the shards past the block.
            state.slots[slot]?.remaining = 0
        }
    }

    /// Reports the result of an `evaluate` job.
    func evaluated(_ block: Int, shard: Int, _ result: Result<ShardOutput, any Error>) {
        change { state in
            state.isBusy[shard] = false
            state.next[shard] = block + 1
            let slot = state.slotIndex(of: block)
            switch result {
            case .success(let output):
                state.slots[slot]?.outputs[shard] = output
                state.slots[slot]?.remaining -= 1
            case .failure(let error):
                // The delivery of the error ends the run.
                state.slots[slot]?.block = .failure(error)
                state.slots[slot]?.remaining = 0
            }
        }
    }

    /// Reports the end of a `deliver` job.
    func delivered(_ block: Int) {
        change { state in
            state.slots[state.slotIndex(of: block)] = nil
            state.nextToDeliver = block + 1
        }
    }

    /// Starts no further block. Blocks that are started are still evaluated and delivered.
    func cut() {
        change { state in state.blocks = min(state.blocks, state.nextToRead) }
    }

    /// Starts no further job.
    func stop() {
        change { state in state.isStopped = true }
    }

    private func change(_ body: (inout State) -> Void) {
        let (helpers, delivery) = state.withLock { state in
            body(&state)
            defer { (state.helpersAsleep, state.isDeliveryAsleep) = (0, false) }
            return (state.helpersAsleep, state.isDeliveryAsleep)
        }
        for _ in 0..<helpers { helperWake.signal() }
        if delivery { deliveryWake.signal() }
    }
}

/// A block that all shards have evaluated.
struct BlockOutcome: Sendable {
    var result: Result<LineBlock, any Error>
    /// By shard.
    var outputs: [ShardOutput]

    /// `nil` when the block could not be read.
    var lines: LineBlock? { try? result.get() }
}

extension BlockSchedule.State {
    fileprivate func slotIndex(of block: Int) -> Int { block % slots.count }

    fileprivate mutating func take(delivers: Bool) -> BlockSchedule.Job? {
        guard !isStopped else { return nil }
        if delivers, nextToDeliver < nextToRead, let slot = slots[slotIndex(of: nextToDeliver)], slot.remaining <= 0,
            let block = slot.block
        {
            return .deliver(nextToDeliver, BlockOutcome(result: block.map(\.lines), outputs: slot.outputs))
        }
        skipUnreadable()
        var shard: Int?
        for candidate in next.indices where !isBusy[candidate] && next[candidate] < nextToRead {
            guard case .success? = slots[slotIndex(of: next[candidate])]?.block else { continue }
            if shard.map({ next[candidate] < next[$0] }) ?? true { shard = candidate }
        }
        if let shard, case .success(let block)? = slots[slotIndex(of: next[shard])]?.block {
            isBusy[shard] = true
            return .evaluate(next[shard], shard: shard, block)
        }
        guard nextToRead < blocks, nextToRead < nextToDeliver + slots.count else { return nil }
        slots[slotIndex(of: nextToRead)] = BlockSchedule.Slot(shards: next.count)
        nextToRead += 1
        return .read(nextToRead - 1)
    }

    /// Moves every shard past the blocks that could not be read.
    private mutating func skipUnreadable() {
        for shard in next.indices where !isBusy[shard] {
            while next[shard] < nextToRead {
                // Blocks before `nextToDeliver` are delivered; only an unreadable one is delivered before its evaluation.
                if next[shard] >= nextToDeliver {
                    guard case .failure? = slots[slotIndex(of: next[shard])]?.block else { break }
                }
                next[shard] += 1
            }
        }
    }

    fileprivate func isOver(delivers: Bool) -> Bool {
        if isStopped { return true }
        return delivers ? nextToDeliver >= blocks : nextToRead >= blocks && next.allSatisfy { $0 >= blocks }
    }
}
