import FencepostModel
import FencepostSimulation
import Foundation
import Testing

/// A scripted session in which one operation of the disk, or one allocation, fails; each in a run of its own.
@Suite("Faults of the disk") struct FaultTests {
    private static let steps: [Step] = [
        .send(device: 0, count: 12, .fresh), .editRegions(seed: 3), .send(device: 1, count: 12, .fresh),
        .send(device: 0, count: 8, .late), .maintain, .editRegions(seed: 5), .send(device: 1, count: 9, .fresh),
        .erase(device: 2), .wait(seconds: 400), .send(device: 0, count: 12, .fresh), .maintain,
        .send(device: 2, count: 6, .repeated), .wait(seconds: 700),
    ]

    private func outcome(_ change: (inout Plan) -> Void) -> Outcome {
        var plan = Plan(seed: 4, isRelaxed: false, crossing: .raw, steps: Self.steps)
        change(&plan)
        return Outcome.of(plan)
    }

    /// About this many of the numbers from 1 to a limit, the first ones all.
    private func numbers(to limit: Int, count: Int) -> [Int] {
        (1...limit).filter { $0 <= 5 || $0 % max(limit / count, 1) == 0 }
    }

    @Test(
        "lose nothing acknowledged, and all works when they are over",
        arguments: [SimulatedDisk.Operation.read, .write, .sync, .truncate], [false, true])
    func faults(operation: SimulatedDisk.Operation, isLasting: Bool) {
        var hits = 0
        let codes: [SimulatedDisk.Fault.Code] = operation == .write ? [.inputOutput, .full] : [.inputOutput]
        for code in codes {
            for number in numbers(to: operation == .write || operation == .read ? 200 : 60, count: 8) {
                let outcome = outcome {
                    $0.fault = SimulatedDisk.Fault(operation, number: number, code: code, isLasting: isLasting)
                }
                #expect(outcome.violation == nil, "\(operation) \(number) fails with \(code)")
                hits += outcome.faults > 0 ? 1 : 0
            }
        }
        // SQLite truncates its log twice in this script.
        #expect(hits >= (operation == .truncate ? 2 : 6))
    }

    // GRDB ends the process when SQLite has no memory to bind an argument: for the service that is a kill, for the other
    // tests the end. So this one runs in a process of its own.
    @Test(
        "Failing allocations of SQLite lose nothing acknowledged",
        .enabled(if: ProcessInfo.processInfo.environment["FENCEPOST_MEMORY_FAULTS"] != nil))
    func memory() {
        var hits = 0
        for number in stride(from: 1, to: 16_000, by: 1600) {
            let outcome = outcome { $0.failingAllocation = number }
            #expect(outcome.violation == nil, "allocation \(number) fails")
            hits += outcome.allocations > number ? 1 : 0
        }
        #expect(hits > 5)
    }
}
