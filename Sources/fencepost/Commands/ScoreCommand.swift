import ArgumentParser
import FencepostAnalysis
import FencepostModel
import FencepostMonitor
import Foundation

/// Scores crossings and visits against known ground truth.
struct Score: ParsableCommand {
    static let configuration = CommandConfiguration(
        abstract: "Scores crossings and visits against ground truth. docs/quality.md explains the tables.",
        discussion: """
            Example:
              fencepost score --seeds 1-2

            Runs the benchmarks generated from the seeds, and those in the given folders.
            """)

    @Option(name: .long, help: "Seeds of the generated benchmarks: 7, 1-10 or none.")
    var seeds: Seeds = Seeds(range: 1...2)

    @Option(
        name: .long, parsing: .singleValue,
        help:
            "A folder with locations.ndjson, truth.ndjson and optionally regions.geojson, or a file of visits.",
        completion: .file())
    var benchmark: [String] = []

    @Flag(name: .long, help: "Print one row per sampling profile.")
    var byProfile = false

    struct Seeds: ExpressibleByArgument {
        let range: ClosedRange<UInt64>?

        init(range: ClosedRange<UInt64>?) {
            self.range = range
        }

        init?(argument: String) {
            let ends = argument.split(separator: "-").compactMap { UInt64($0) }
            if argument == "none" {
                range = nil
            } else if ends.count == 1 {
                range = ends[0]...ends[0]
            } else if ends.count == 2, ends[0] <= ends[1] {
                range = ends[0]...ends[1]
            } else {
                return nil
            }
        }

        var defaultValueDescription: String { range.map { "\($0.lowerBound)-\($0.upperBound)" } ?? "none" }
    }

    func run() throws {
        var scoreboard = Scoreboard()
        if let range = seeds.range {
            let name = range.count == 1 ? "seed \(range.lowerBound)" : "seeds \(range.lowerBound)–\(range.upperBound)"
            try add(Benchmark("crossings, \(name)", merging: range.map(BenchmarkGenerator.crossings)), to: &scoreboard)
            try add(Benchmark("visits, \(name)", merging: range.map(BenchmarkGenerator.visits)), to: &scoreboard)
        }
        for path in benchmark {
            let isFolder = (try? FileManager.default.attributesOfItem(atPath: path)[.type] as? FileAttributeType)
            guard let isFolder else {
                Console.say("fencepost: \(path) does not exist")
                throw ExitStatus.noInput.exit
            }
            do {
                try add(
                    isFolder == .typeDirectory ? Benchmark(folder: path) : Benchmark(reviewed: path), to: &scoreboard)
            } catch let error as BenchmarkError {
                Console.say("fencepost: \(error)")
                throw ExitStatus.badData.exit
            }
        }
        print(scoreboard.text, terminator: "")
    }

    private func add(_ benchmark: Benchmark, to scoreboard: inout Scoreboard) throws {
        if !benchmark.crossings.isEmpty {
            let scores = try CrossingMode.allCases.sorted { a, _ in a == .confirmed }.map { mode in
                var settings = MonitorSettings()
                settings.crossing = mode
                let score = CrossingScore.score(try benchmark.events(settings), of: benchmark)
                return (name: mode.rawValue, all: score.all, profiles: score.profiles)
            }
            scoreboard.addCrossings("Crossings, \(benchmark.name)", scores, byProfile: byProfile)
        }
        if !benchmark.stays.isEmpty {
            let monitor = VisitScore.score(try benchmark.events(MonitorSettings()), of: benchmark)
            let naive = VisitScore.score(StayPoints().events(in: benchmark.locations), of: benchmark)
            scoreboard.addVisits(
                "Visits, \(benchmark.name)",
                [
                    ("Fencepost", monitor.all, monitor.profiles),
                    ("stay points 200 m, 20 min", naive.all, naive.profiles),
                ],
                byProfile: byProfile)
        }
    }
}
