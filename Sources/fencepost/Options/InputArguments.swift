public import ArgumentParser
import FencepostFormats

/// Options of the input.
struct InputArguments: ParsableArguments {
    @Option(
        name: .long,
        help: "The format of the input, instead of detecting it by name and first bytes.")
    var format: LocationFormat?

    @Option(name: .long, help: "The device of records without one.")
    var device = "default"

    @Flag(name: .long, help: "Exit with 65 when a record was rejected.")
    var strict = false

    @Flag(name: .shortAndLong, help: "No progress and no summary on standard error.")
    var quiet = false

    @Argument(help: "Location files; - or none for standard input.", completion: .file())
    var files: [String] = []
}

extension LocationFormat: ExpressibleByArgument {}
