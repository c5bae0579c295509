import FencepostTesting
import Foundation
import Synchronization
import Testing

@testable import FencepostEngine
@testable import FencepostFormats

@Suite("Block schedule") struct BlockScheduleTests {
    struct Damage: Error {}

    private static func block() -> ShardedBlock {
        ShardedBlock(LineBlock(), reader: 0, ShardAssignment(defaultDevice: nil))
    }

    private static func text(_ job: BlockSchedule.Job?) -> String {
        switch job {
        case .read(let block): "read \(block)"
        case .evaluate(let block, let shard, _): "evaluate \(block) in \(shard)"
        case .deliver(let block, let outcome): "deliver \(block)\(outcome.lines == nil ? " unreadable" : "")"
        case nil: "end"
        }
    }

    /// The next job of the delivering thread or of a helper. It must be available, otherwise the call waits for ever.
    private func next(_ schedule: BlockSchedule, delivers: Bool = false) -> String {
        Self.text(schedule.next(delivers: delivers))
    }

    @Test("reads a block, evaluates it in every shard, and delivers it before the next one enters a window of 1")
    func oneBlockAtATime() {
        let schedule = BlockSchedule(blocks: 2, shards: 2, window: 1)
        for block in 0..<2 {
            #expect(next(schedule) == "read \(block)")
            schedule.read(block, .success(Self.block()))
            #expect(next(schedule) == "evaluate \(block) in 0")
            #expect(next(schedule) == "evaluate \(block) in 1")
            schedule.evaluated(block, shard: 1, .success(ShardOutput()))
            schedule.evaluated(block, shard: 0, .success(ShardOutput()))
            #expect(next(schedule, delivers: true) == "deliver \(block)")
            schedule.delivered(block)
        }
        #expect(next(schedule) == "end")
        #expect(next(schedule, delivers: true) == "end")
    }

    @Test("reads ahead up to the window, and evaluates in each shard the earliest block first")
    func readsAhead() {
        let schedule = BlockSchedule(blocks: 9, shards: 1, window: 3)
        #expect((0..<3).map { _ in next(schedule) } == ["read 0", "read 1", "read 2"])
        schedule.read(1, .success(Self.block()))
        schedule.read(0, .success(Self.block()))
        #expect(next(schedule) == "evaluate 0 in 0")
        schedule.evaluated(0, shard: 0, .success(ShardOutput()))
        #expect(next(schedule) == "evaluate 1 in 0")
        #expect(next(schedule, delivers: true) == "deliver 0")
        schedule.delivered(0)
        #expect(next(schedule) == "read 3")
    }

    @Test("delivers an unreadable block without an evaluation, in its order")
    func unreadable() {
        let schedule = BlockSchedule(blocks: 3, shards: 1, window: 3)
        for _ in 0..<3 { _ = schedule.next(delivers: false) }
        schedule.read(1, .failure(Damage()))
        schedule.read(0, .success(Self.block()))
        schedule.read(2, .success(Self.block()))
        #expect(next(schedule) == "evaluate 0 in 0")
        schedule.evaluated(0, shard: 0, .success(ShardOutput()))
        #expect(next(schedule, delivers: true) == "deliver 0")
        schedule.delivered(0)
        #expect(next(schedule, delivers: true) == "deliver 1 unreadable")
        schedule.delivered(1)
        #expect(next(schedule) == "evaluate 2 in 0")
        schedule.evaluated(2, shard: 0, .success(ShardOutput()))
        #expect(next(schedule, delivers: true) == "deliver 2")
        schedule.delivered(2)
        #expect(next(schedule) == "end")
    }

    @Test("delivers a block whose evaluation failed as a failure")
    func evaluationFails() {
        let schedule = BlockSchedule(blocks: 1, shards: 2, window: 1)
        _ = schedule.next(delivers: false)
        schedule.read(0, .success(Self.block()))
        #expect(next(schedule) == "evaluate 0 in 0")
        schedule.evaluated(0, shard: 0, .failure(Damage()))
        #expect(next(schedule, delivers: true) == "deliver 0 unreadable")
    }

    @Test("starts no block after a cut, and completes those that are started")
    func cuts() {
        let schedule = BlockSchedule(blocks: 9, shards: 1, window: 4)
        #expect((0..<2).map { _ in next(schedule) } == ["read 0", "read 1"])
        schedule.cut()
        for block in 0..<2 {
            schedule.read(block, .success(Self.block()))
            #expect(next(schedule) == "evaluate \(block) in 0")
            schedule.evaluated(block, shard: 0, .success(ShardOutput()))
            #expect(next(schedule, delivers: true) == "deliver \(block)")
            schedule.delivered(block)
        }
        #expect(next(schedule) == "end")
        #expect(next(schedule, delivers: true) == "end")
    }

    @Test("has no job after a stop")
    func stops() {
        let schedule = BlockSchedule(blocks: 9, shards: 1, window: 4)
        _ = schedule.next(delivers: false)
        schedule.stop()
        #expect(next(schedule) == "end")
        #expect(next(schedule, delivers: true) == "end")
    }

    /// What the threads of a run have done.
    private struct Record {
        var running: [Int: Int] = [:]
        var evaluated: [[Int]]
        var delivered: [Int] = []
        var started = 0
        var problems: [String] = []
    }

    @Test("keeps every order for any number of threads", arguments: 1...20 as ClosedRange<UInt64>)
    func threads(seed: UInt64) {
        var random = SeededGenerator(seed: seed)
        let (blocks, shards) = (Int.random(in: 0...40, using: &random), Int.random(in: 1...5, using: &random))
        let (window, helpers) = (Int.random(in: 1...6, using: &random), Int.random(in: 0...3, using: &random))
        let bad = Set((0..<blocks).filter { _ in Int.random(in: 0..<6, using: &random) == 0 })
        let schedule = BlockSchedule(blocks: blocks, shards: shards, window: window)
        let record = Mutex(Record(evaluated: Array(repeating: [], count: shards)))

        @Sendable func work(delivers: Bool) {
            while let job = schedule.next(delivers: delivers) {
                switch job {
                case .read(let block):
                    record.withLock { record in
                        record.started += 1
                        if record.started - record.delivered.count > window { record.problems.append("window") }
                    }
                    schedule.read(block, bad.contains(block) ? .failure(Damage()) : .success(Self.block()))
                case .evaluate(let block, let shard, _):
                    record.withLock { record in
                        if record.running.updateValue(block, forKey: shard) != nil { record.problems.append("shard") }
                        record.evaluated[shard].append(block)
                    }
                    sched_yield()
                    record.withLock { $0.running[shard] = nil }
                    schedule.evaluated(block, shard: shard, .success(ShardOutput()))
                case .deliver(let block, let outcome):
                    record.withLock { record in
                        if (outcome.lines == nil) != bad.contains(block) { record.problems.append("outcome") }
                        record.delivered.append(block)
                    }
                    schedule.delivered(block)
                }
            }
        }
        let done = DispatchSemaphore(value: 0)
        for _ in 0..<helpers {
            Thread {
                work(delivers: false)
                done.signal()
            }.start()
        }
        work(delivers: true)
        for _ in 0..<helpers { done.wait() }

        let result = record.withLock { $0 }
        #expect(result.problems == [])
        #expect(result.delivered == Array(0..<blocks))
        let good = (0..<blocks).filter { !bad.contains($0) }
        #expect(result.evaluated == Array(repeating: good, count: shards))
    }
}
