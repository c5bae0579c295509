import Synchronization
import Testing

@testable import FencepostHTTP

@Suite("Turns") struct TurnsTests {
    @Test("go round the owners, and keep the order within one") func order() {
        var turns = Turns<Int>()
        for job in [1, 2, 3] { turns.add(job, of: "a") }
        turns.add(4, of: "b")
        turns.add(5, of: "c")
        turns.add(6, of: "b")
        var seen: [Int] = []
        while let turn = turns.next() { seen.append(turn.job) }
        #expect(seen == [1, 4, 5, 2, 6, 3])
        #expect(turns.isEmpty)
    }

    @Test("come again for a job that is not complete, after those of all others") func slices() {
        var turns = Turns<String>()
        for job in ["large", "next"] { turns.add(job, of: "a") }
        for owner in ["b", "c"] { turns.add(owner, of: owner) }
        var (seen, rest): ([String], Int) = ([], 3)
        while let turn = turns.next() {
            seen.append(turn.job)
            guard turn.job == "large", rest > 1 else { continue }
            rest -= 1
            turns.putBack(turn.job, of: turn.owner)
        }
        #expect(seen == ["large", "b", "c", "large", "large", "next"])
    }
}

@Suite("Large bodies") struct OffloadQueueTests {
    @Test("of one token let another one in after one slice", .timeLimit(.minutes(1))) func fairness() async throws {
        let queue = OffloadQueue("test")
        let hasRun = Mutex(false)
        // It ends only when the work of the other token has had its turn.
        async let large: Int = queue.run(for: "a", 0) { slices -> Int? in
            slices += 1
            return hasRun.withLock { $0 } ? slices : nil
        }
        try await queue.run(for: "b") { hasRun.withLock { $0 = true } }
        let slices = try await large
        #expect(slices > 0)
    }
}
