import ArgumentParser

@main
struct Benchmarks: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "fencepost-bench", abstract: "Measures what Fencepost is made of.",
        subcommands: [DecodeBenchmark.self, LoadBenchmark.self, LocateBenchmark.self])
}
