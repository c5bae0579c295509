import FencepostTesting
import Testing

@testable import FencepostCluster

struct RecordNumbersTests {
    /// A node that takes over again had to wait until the servers forgot its records of before.
    @Test func noRecordOfARunHasTheNumberOfAnother() {
        for seed in 1...UInt64(200) {
            var random = SeededGenerator(seed: seed)
            var numbers = RecordNumbers()
            var used: Set<UInt64> = []
            for _ in 0..<Int.random(in: 1...20, using: &random) {
                for _ in 0..<Int.random(in: 1...5, using: &random) {
                    let isNew = used.insert(numbers.takeover()).inserted
                    #expect(isNew)
                }
                let first = numbers.leadership()
                for number in first..<first + UInt64.random(in: 1...50, using: &random) {
                    let isNew = used.insert(number).inserted
                    #expect(isNew)
                }
            }
        }
    }

    @Test func aLeadershipHasRoom() {
        var numbers = RecordNumbers()
        let first = numbers.leadership()
        #expect(numbers.leadership() - first == RecordNumbers.ofOneLeadership)
        #expect(numbers.takeover() > 1_000_000 * RecordNumbers.ofOneLeadership)
    }
}
