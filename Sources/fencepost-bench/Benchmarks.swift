import ArgumentParser

@main
struct Benchmarks: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "fencepost-bench", abstract: "Measures what Fencepost is made of.",
        subcommands: [LoadBenchmark.self, LocateBenchmark.self])
}
