import ArgumentParser
import FencepostSimulation
import Foundation

/// Simulates the service with faults, from seeds.
@main struct Simulate: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "fencepost-simulate",
        abstract: "Simulate the service with faults of disks, clocks, networks and processes, from seeds.")

    @Option(help: "Run this seed only.")
    var seed: UInt64?

    @Option(help: "Perform only these steps of the seed's plan: 3,7,12.")
    var steps: String?

    @Option(help: "Run new seeds for this many seconds.")
    var seconds = 60

    @Option(help: "The first seed; by default a random one.")
    var from: UInt64?

    @Flag(help: "Let each read, write, sync and truncate of a scripted session fail instead, each in a run of its own.")
    var faults = false

    @Option(help: "With --faults: only this share of the runs, such as 2/4, for several processes.")
    var part = "1/1"

    @Option(
        help: """
            What matters in each world: days, months (which pass between its steps) or history (late locations and imports).
            """)
    var kind = Plan.Kind.days

    @Flag(help: "Print every step.")
    var verbose = false

    func run() throws {
        // Sets and dictionaries have an order of their own in each process otherwise.
        if getenv("SWIFT_DETERMINISTIC_HASHING") == nil {
            setenv("SWIFT_DETERMINISTIC_HASHING", "1", 1)
            var arguments = CommandLine.arguments.map { strdup($0) } + [nil]
            execv("/proc/self/exe", &arguments)
            throw ExitCode(71)
        }
        if faults { return try runFaults() }
        let campaign = Campaign(isVerbose: verbose, kind: kind)
        if let seed {
            let kept = steps?.split(separator: ",").compactMap { Int($0) }
            guard campaign.replay(seed, steps: kept) else { throw ExitCode(1) }
            return
        }
        let first = from ?? UInt64.random(in: 0..<1 << 48)
        guard campaign.run(from: first, seconds: seconds) else { throw ExitCode(1) }
    }

    private func runFaults() throws {
        let numbers = part.split(separator: "/").compactMap { Int($0) }
        guard numbers.count == 2, numbers[0] > 0, numbers[1] >= numbers[0] else {
            throw ValidationError("--part has to be such as 2/4: the second of four parts.")
        }
        var total = FaultCampaign.Tally()
        let start = ContinuousClock.now
        for mode in FaultCampaign.modes {
            let tally = FaultCampaign().run(mode, numbers: stride(from: numbers[0], to: .max, by: numbers[1]))
            say("\(mode): \(tally.hits) failing operations, \(tally.problems.count) broken invariants")
            for problem in tally.problems { say("  \(problem)") }
            total.hits += tally.hits
            total.problems += tally.problems
        }
        let seconds = Int((ContinuousClock.now - start) / .seconds(1))
        say("\(total.hits) failing operations in \(seconds) s, \(total.problems.count) broken invariants")
        guard total.problems.isEmpty else { throw ExitCode(1) }
    }

    /// Prints a line at once, also into a file.
    private func say(_ text: String) { FileHandle.standardOutput.write(Data((text + "\n").utf8)) }
}

extension Plan.Kind: ExpressibleByArgument {}
