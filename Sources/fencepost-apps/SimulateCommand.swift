import ArgumentParser
import FencepostAppCommands

/// Runs scenario files.
struct Simulate: ParsableCommand {
    static let configuration = SimulateArguments.command

    @OptionGroup var arguments: SimulateArguments

    func run() throws { try arguments.run(nil) }
}
