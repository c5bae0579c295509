import ArgumentParser
import FencepostAnalysis
import FencepostModel
import FencepostMonitor
import Foundation

/// The quality of crossings and visits where the truth is known.
struct Score: ParsableCommand {
    static let configuration = CommandConfiguration(
        abstract: "Scores crossings and visits against known truth; docs/quality.md explains the tables.",
        discussion: """
            Example:
              fencepost score --seeds 1-2

            Runs the benchmarks that are generated from the seeds, and those in the folders that are named.
            """)

    @Option(name: .long, help: "The seeds of generated benchmarks: 7, 1-10 or none.")
    var seeds: Seeds = Seeds(range: 1...2)

    @Option(
        name: .long, parsing: .singleValue,
        help: "A folder with locations.ndjson, truth.ndjson and perhaps regions.geojson, or a file of reviewed stays.",
        completion: .file())
    var benchmark: [String] = []

    @Flag(name: .long, help: "A row for each sampling profile.")
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
        var board = Scoreboard()
        if let range = seeds.range {
            let name = range.count == 1 ? "seed \(range.lowerBound)" : "seeds \(range.lowerBound)–\(range.upperBound)"
            try add(Benchmark("crossings, \(name)", merging: range.map(BenchmarkGenerator.crossings)), to: &board)
            try add(Benchmark("visits, \(name)", merging: range.map(BenchmarkGenerator.visits)), to: &board)
        }
        for path in benchmark {
            let isFolder = (try? FileManager.default.attributesOfItem(atPath: path)[.type] as? FileAttributeType)
            guard let isFolder else {
                Console.say("fencepost: there is no \(path)")
                throw ExitStatus.noInput.exit
            }
            do {
                try add(
                    isFolder == .typeDirectory ? Benchmark(folder: path) : Benchmark(reviewed: path), to: &board)
            } catch let error as BenchmarkError {
                Console.say("fencepost: \(error)")
                throw ExitStatus.badData.exit
            }
        }
        print(board.text, terminator: "")
    }

    private func add(_ benchmark: Benchmark, to board: inout Scoreboard) throws {
        if !benchmark.crossings.isEmpty {
            let scores = try CrossingMode.allCases.sorted { a, _ in a == .confirmed }.map { mode in
                var settings = MonitorSettings()
                settings.crossing = mode
                let score = CrossingScore.score(try benchmark.events(settings), of: benchmark)
                return (name: mode.rawValue, all: score.all, profiles: score.profiles)
            }
            board.addCrossings("Crossings, \(benchmark.name)", scores, byProfile: byProfile)
        }
        if !benchmark.stays.isEmpty {
            let monitor = VisitScore.score(try benchmark.events(MonitorSettings()), of: benchmark)
            let naive = VisitScore.score(StayPoints().events(in: benchmark.locations), of: benchmark)
            board.addVisits(
                "Visits, \(benchmark.name)",
                [
                    ("Fencepost", monitor.all, monitor.profiles),
                    ("stay points 200 m, 20 min", naive.all, naive.profiles),
                ],
                byProfile: byProfile)
        }
    }
}
