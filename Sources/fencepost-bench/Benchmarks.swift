import ArgumentParser

@main
struct Benchmarks: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "fencepost-bench", abstract: "Measures the parts of Fencepost.",
        subcommands: [
            ChangeBenchmark.self, CommitBenchmark.self, DecodeBenchmark.self, DelayBenchmark.self,
            ExportBenchmark.self, IngestBenchmark.self, LoadBenchmark.self, LocateBenchmark.self,
            MonitorBenchmark.self, PresenceBenchmark.self, ProximityBenchmark.self, TableBenchmark.self,
            WatchBenchmark.self,
        ])
}
