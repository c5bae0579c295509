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
        let campaign = Campaign(isVerbose: verbose)
        if let seed {
            let kept = steps?.split(separator: ",").compactMap { Int($0) }
            guard campaign.replay(seed, steps: kept) else { throw ExitCode(1) }
            return
        }
        let first = from ?? UInt64.random(in: 0..<1 << 48)
        guard campaign.run(from: first, seconds: seconds) else { throw ExitCode(1) }
    }
}
