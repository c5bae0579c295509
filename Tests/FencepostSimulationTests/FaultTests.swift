import FencepostModel
import FencepostSimulation
import FencepostTesting
import Foundation
import Testing

/// A scripted session in which one operation of the disk, or one allocation, fails; each in a run of its own.
///
/// `make faults` lets each operation fail; these tests take a sample.
@Suite("Faults of the disk") struct FaultTests {
    /// About this many of the numbers from 1 to a limit, the first ones all.
    private func numbers(to limit: Int, count: Int) -> [Int] {
        (1...limit).filter { $0 <= 5 || $0 % max(limit / count, 1) == 0 }
    }

    @Test("lose nothing acknowledged, and all works when they are over", arguments: SeedShare.of(FaultCampaign.modes))
    func faults(mode: FaultCampaign.FailureMode) {
        let isFrequent = mode.operation == .write || mode.operation == .read
        let tally = FaultCampaign().run(mode, numbers: numbers(to: isFrequent ? 200 : 60, count: 8))
        #expect(tally.problems == [])
        // SQLite truncates its log twice in this script.
        #expect(tally.hits >= (mode.operation == .truncate ? 2 : 5))
    }

    // GRDB ends the process when SQLite has no memory to bind an argument: for the service that is a kill, for the other
    // tests the end. So this one runs in a process of its own.
    @Test(
        "Failing allocations of SQLite lose nothing acknowledged",
        .enabled(if: ProcessInfo.processInfo.environment["FENCEPOST_MEMORY_FAULTS"] != nil))
    func memory() {
        var hits = 0
        for number in stride(from: 1, to: 16_000, by: 1600) {
            let outcome = FaultCampaign().outcome { $0.failingAllocation = number }
            #expect(outcome.violation == nil, "allocation \(number) fails")
            hits += outcome.allocations > number ? 1 : 0
        }
        #expect(hits > 5)
    }
}
