import ArgumentParser
import FencepostAppCommands

/// Runs scenario files.
struct Simulate: ParsableCommand {
    static let configuration = CommandConfiguration(
        abstract: "Simulates Core Location: runs scenario files step by step.",
        discussion: """
            Example:
              fencepost simulate Tests/FencepostSimulatorTests/Scenarios/relaunch.json

            A scenario contains the initial state (given), the steps, and the expected results (expect). The exit code
            is 1 when an expectation fails, and 2 when only a recorded scenario and the rules disagree.
            """)

    @OptionGroup var arguments: SimulateArguments

    func run() throws { try arguments.run(nil) }
}
