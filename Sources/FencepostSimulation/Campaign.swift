package import FencepostModel
import Foundation

/// The result of one simulated world.
package struct Outcome: Sendable {
    package var violation: Violation?
    /// The step at which it was found.
    package var step: Int
    /// Simulated time.
    package var simulated: Duration
    /// Acknowledged fixes, commits, messages that arrived, crashes.
    package var fixes, commits, messages, crashes: Int
    /// A hash of the order of all jobs and of all operations of the last disk.
    package var trace: UInt64
    /// Jobs that the executor ran.
    package var jobs: Int
    /// Operations of the disks that failed, and allocations of SQLite while one was to fail.
    package var faults, allocations: Int

    /// Simulates a plan on the calling thread.
    ///
    /// `onStep`: called with the true time before each step.
    package static func of(
        _ plan: Plan, onStep: @escaping @Sendable (Timestamp, Int, Step) -> Void = { _, _, _ in }
    ) -> Outcome {
        guard let scratch = try? ScratchFolder() else { preconditionFailure("there is no folder for temporary files") }
        SimulatedDisk.seed(plan.seed)
        let time = SimulatedTime(World.start)
        let world = World(plan, folder: scratch.url, time: time) { onStep(time.now, $0, $1) }
        let end = world.executor.run(limit: 1_500_000) { await world.run() }
        var violation = world.violations.first
        switch end {
        case .finished: break
        case .stuck: violation = violation ?? .stuck("nothing can run any more, and nobody waits for a time")
        case .tooManyJobs: violation = violation ?? .stuck("the service goes in circles")
        }
        return Outcome(
            violation: violation, step: world.step, simulated: world.time.elapsed, fixes: world.acknowledgedCount,
            commits: world.journal.count, messages: world.network.arrivals.count, crashes: world.crashCount,
            trace: world.executor.trace ^ world.diskTrace, jobs: world.executor.jobCount, faults: world.faultCount,
            allocations: world.allocationCount)
    }
}

/// Runs seeds, prints what it finds, and shrinks failures.
package struct Campaign {
    private let isVerbose: Bool
    private let kind: Plan.Kind

    /// `kind`: of its worlds.
    package init(isVerbose: Bool = false, kind: Plan.Kind = .days) {
        (self.isVerbose, self.kind) = (isVerbose, kind)
    }

    private func say(_ text: String) {
        // Not buffered: the end of a run that crashes matters.
        FileHandle.standardOutput.write(Data((text + "\n").utf8))
    }

    /// Runs one seed twice, and compares the traces.
    ///
    /// `kept`: numbers of the steps to perform; `nil` for all.
    ///
    /// - Returns: whether nothing was found.
    package func replay(_ seed: UInt64, steps kept: [Int]?) -> Bool {
        var plan = Plan(seed: seed, kind: kind)
        if let kept { plan = plan.keeping(plan.steps.filter { kept.contains($0.number) }) }
        say("seed \(seed): \(plan.isRelaxed ? "relaxed" : "full"), \(plan.crossing.rawValue), \(plan.retentionHours) h")
        let outcome = Outcome.of(plan) { time, number, step in
            say("  \(time.rfc3339) step \(number): \(step)")
        }
        say(
            "\(outcome.commits) commits, \(outcome.fixes) fixes, \(outcome.messages) messages, \(outcome.crashes) "
                + "crashes, \(outcome.jobs) jobs in \(Int(outcome.simulated.seconds)) s of simulated time; trace "
                + String(outcome.trace, radix: 16))
        guard let violation = outcome.violation else { return true }
        say("step \(outcome.step): \(violation)")
        return false
    }

    /// Runs new seeds for a time, one after the other.
    ///
    /// - Returns: whether nothing was found.
    package func run(from first: UInt64, seconds: Int) -> Bool {
        let start = ContinuousClock.now
        var (seeds, hours, fixes, messages, crashes, commits) = (0, 0.0, 0, 0, 0, 0)
        say("seeds from \(first)")
        while ContinuousClock.now - start < .seconds(seconds) {
            let seed = first + UInt64(seeds)
            let outcome = Outcome.of(Plan(seed: seed, kind: kind))
            seeds += 1
            hours += outcome.simulated.seconds / 3600
            (fixes, messages) = (fixes + outcome.fixes, messages + outcome.messages)
            (crashes, commits) = (crashes + outcome.crashes, commits + outcome.commits)
            if isVerbose { say("seed \(seed): \(outcome.violation?.description ?? "ok")") }
            if let violation = outcome.violation {
                say("seed \(seed), step \(outcome.step), after \(seeds) seeds and \(ContinuousClock.now - start):")
                say("  \(violation)")
                let smallest = shrink(Plan(seed: seed, kind: kind), kind: violation.kind)
                say("\(smallest.plan.steps.count) steps are enough: \(smallest.violation)")
                for (number, step) in smallest.plan.steps { say("  step \(number): \(step)") }
                say(
                    "replay: fencepost-simulate --kind \(kind.rawValue) --seed \(seed) --steps "
                        + smallest.plan.steps.map { "\($0.number)" }.joined(separator: ","))
                return false
            }
        }
        let span = (ContinuousClock.now - start).seconds
        say(
            "\(seeds) seeds, \(Int(hours)) simulated hours in \(Int(span)) s (\(Int(hours / span)) per second): "
                + "\(commits) commits, \(fixes) fixes, \(messages) messages, \(crashes) crashes; nothing found")
        return true
    }

    /// Removes steps as long as the same kind of violation is found.
    package func shrink(_ plan: Plan, kind: String) -> (plan: Plan, violation: Violation) {
        var smallest = plan
        var violation = Outcome.of(plan).violation ?? .unexpected("a replay found nothing")
        var size = max(plan.steps.count / 2, 1)
        while size >= 1 {
            var index = 0
            while index < smallest.steps.count {
                var steps = smallest.steps
                steps.removeSubrange(index..<min(index + size, steps.count))
                let candidate = smallest.keeping(steps)
                if let found = Outcome.of(candidate).violation, found.kind == kind {
                    (smallest, violation) = (candidate, found)
                } else {
                    index += size
                }
            }
            if size == 1 { break }
            size /= 2
        }
        return (smallest, violation)
    }
}
