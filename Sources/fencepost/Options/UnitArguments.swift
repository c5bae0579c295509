public import ArgumentParser
public import FencepostModel
import FencepostService

/// The option of the commands whose text output has distances or speeds.
struct UnitArguments: ParsableArguments {
    @Option(
        name: .long,
        help:
            "Units of text output: metric or imperial; by default those of the configuration. Other output keeps metres."
    )
    var units: UnitSystem?

    /// The units of the option, or else of the configuration.
    func system(_ configuration: Configuration) -> UnitSystem { units ?? configuration.units }
}

extension UnitSystem: ExpressibleByArgument {}
