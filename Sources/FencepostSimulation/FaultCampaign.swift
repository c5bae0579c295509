import FencepostModel
import Foundation

/// A scripted session that is repeated with one failing operation of the disk: for each operation, each failure mode, and
/// for once and from then on.
package struct FaultCampaign: Sendable {
    /// How the operations of a kind fail.
    package struct FailureMode: Hashable, Sendable, CustomStringConvertible {
        package var operation: SimulatedDisk.Operation
        package var code: SimulatedDisk.Fault.Code
        package var isLasting: Bool

        package init(_ operation: SimulatedDisk.Operation, _ code: SimulatedDisk.Fault.Code, isLasting: Bool) {
            (self.operation, self.code, self.isLasting) = (operation, code, isLasting)
        }

        package var description: String { "\(operation), \(code), \(isLasting ? "from then on" : "once")" }
    }

    /// The result of the runs in one failure mode.
    package struct Tally: Hashable, Sendable {
        /// Sessions that were run.
        package var runs = 0
        /// Sessions in which an operation failed.
        package var hits = 0
        /// Numbers of the operations whose failure broke an invariant, with the violation.
        package var problems: [String] = []

        package init() {}
    }

    /// All failure modes.
    package static let modes: [FailureMode] = [SimulatedDisk.Operation.read, .write, .sync, .truncate].flatMap {
        operation in
        let codes: [SimulatedDisk.Fault.Code] = operation == .write ? [.inputOutput, .full] : [.inputOutput]
        return codes.flatMap { code in [false, true].map { FailureMode(operation, code, isLasting: $0) } }
    }

    /// Locations, changes of regions, maintenance and an erasure.
    package static let steps: [Step] = [
        .send(device: 0, count: 12, .fresh), .editRegions(seed: 3), .send(device: 1, count: 12, .fresh),
        .send(device: 0, count: 8, .late), .maintain, .editRegions(seed: 5), .send(device: 1, count: 9, .fresh),
        .erase(device: 2), .wait(seconds: 400), .send(device: 0, count: 12, .fresh), .maintain,
        .send(device: 2, count: 6, .repeated), .wait(seconds: 700),
    ]

    package init() {}

    /// Runs the session with a change to its plan.
    package func outcome(_ change: (inout Plan) -> Void) -> Outcome {
        var plan = Plan(seed: 4, isRelaxed: false, crossing: .raw, steps: Self.steps)
        change(&plan)
        return Outcome.of(plan)
    }

    /// Runs the session once for each number; ends at the first one that the session has no operation for.
    package func run(_ mode: FailureMode, numbers: some Sequence<Int>) -> Tally {
        var tally = Tally()
        for number in numbers {
            let outcome = outcome {
                $0.fault = SimulatedDisk.Fault(
                    mode.operation, number: number, code: mode.code, isLasting: mode.isLasting)
            }
            tally.runs += 1
            if let violation = outcome.violation { tally.problems.append("\(mode), \(number): \(violation)") }
            guard outcome.faults > 0 else { break }
            tally.hits += 1
        }
        return tally
    }
}
