import ArgumentParser
import FencepostAnalysis
import FencepostAppCommands
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

            Runs the benchmarks generated from the seeds, and those in the given folders. --figures compares the \
            scores of every cell with those of a file: the exit code is 1 if one is lower by more than 0.02. --phones \
            scores real phones whose stays and ways were logged, without generated benchmarks unless --seeds is given.
            """)

    @Option(
        name: .long,
        help: "Seeds of the generated benchmarks: 7, 1-10 or none. By default 1-2, and none with --phones.")
    var seeds: Seeds?

    @Option(
        name: .long, parsing: .singleValue,
        help:
            "A folder with locations.ndjson, truth.ndjson and optionally regions.geojson, or a file of visits.",
        completion: .file())
    var benchmark: [String] = []

    @Option(
        name: .long,
        help: "A folder with real phones and their truth: cases.json.gz, and optionally legs.json.gz and places.json.",
        completion: .directory)
    var phones: String?

    @Option(
        name: .long,
        help: "With --phones: score the stays of this file, {device: [[start, end], …]}, instead of Fencepost's.",
        completion: .file())
    var stays: String?

    @Flag(name: .long, help: "Print one row per sampling profile.")
    var byProfile = false

    @Flag(
        name: .long, help: "Print one row per cell of plain crossings, and the pairs of cells with the lowest scores.")
    var cells = false

    @Flag(name: .long, help: "Print only the lengths and modes of generated trips.")
    var trips = false

    @Option(name: .long, help: "A file with a score per cell, to compare with.", completion: .file())
    var figures: String?

    @Flag(name: .long, help: "Write the file of --figures instead of comparing with it.")
    var updateFigures = false

    func validate() throws {
        if updateFigures, figures == nil { throw ValidationError("--update-figures needs --figures.") }
        if stays != nil, phones == nil { throw ValidationError("--stays needs --phones.") }
        if trips, phones != nil { throw ValidationError("--trips has generated trips only, --phones real ones.") }
    }

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
    }

    /// The seeds of the generated benchmarks; `nil` for none.
    private var generated: ClosedRange<UInt64>? { seeds.map(\.range) ?? (phones == nil ? 1...2 : nil) }

    func run() throws {
        if trips {
            let outcomes = try (generated ?? 1...2).flatMap { try TripBenchmark.outcomes(seed: $0) }
            return print(TripScore(outcomes).text, terminator: "")
        }
        var results = Results()
        if let range = generated {
            let name = range.count == 1 ? "seed \(range.lowerBound)" : "seeds \(range.lowerBound)–\(range.upperBound)"
            try add(Benchmark("crossings, \(name)", merging: range.map(BenchmarkGenerator.crossings)), to: &results)
            try add(Benchmark("visits, \(name)", merging: range.map(BenchmarkGenerator.visits)), to: &results)
            try add(PlainBenchmark(name, merging: range.map(BenchmarkGenerator.plain)), to: &results)
            try addKinds(range, name, to: &results)
            let fences = FenceScore(nights: FenceScore.usualNights, seed: range.lowerBound)
            results.scoreboard.addFences("Fences, seed \(range.lowerBound)", fences)
            results.figures.add(fences)
            let meetings = ProximityScore(runs: ProximityScore.usualRuns, seed: range.lowerBound)
            results.scoreboard.addProximity("Proximity, seed \(range.lowerBound)", meetings)
            results.figures.add(meetings)
            let rounds = try RoundScore(rounds: RoundScore.usualRounds, seed: range.lowerBound)
            results.scoreboard.addRounds("Rounds, seed \(range.lowerBound)", rounds)
            results.figures.add(rounds)
            let phones = try PhoneRegionScore(phones: PhoneRegionScore.usualPhones, seed: range.lowerBound)
            results.scoreboard.addPhoneRegions("Regions on phones, seed \(range.lowerBound)", phones)
            results.figures.add(phones)
        }
        for path in benchmark {
            guard let type = try? FileManager.default.attributesOfItem(atPath: path)[.type] as? FileAttributeType else {
                Console.say("fencepost: \(path) does not exist")
                throw ExitStatus.noInput.exit
            }
            try Self.reporting {
                if type != .typeDirectory {
                    try add(Benchmark(reviewed: path), to: &results)
                } else if try PlainBenchmark.isPlain(folder: path) {
                    try add(PlainBenchmark(folder: path), to: &results)
                } else {
                    try add(Benchmark(folder: path), to: &results)
                }
            }
        }
        if let phones {
            try Self.reporting { try PhoneScoring(folder: phones, stays: stays).addTables(to: &results.scoreboard) }
        }
        print(results.scoreboard.text, terminator: "")
        if let figures { try check(results.figures, against: figures) }
    }

    /// Ends the command with a sentence where a benchmark cannot be read.
    private static func reporting(_ work: () throws -> Void) throws {
        do {
            try work()
        } catch let error as BenchmarkError {
            Console.sayForeign("fencepost: \(error)")
            throw ExitStatus.badData.exit
        }
    }

    /// The tables, and the scores of the cells.
    private struct Results {
        var scoreboard = Scoreboard()
        var figures = QualityFigures()
    }

    /// The modes of crossings, the default first.
    private var modes: [CrossingMode] { CrossingMode.allCases.sorted { a, _ in a == .confirmed } }

    private func settings(_ mode: CrossingMode) -> MonitorSettings {
        var settings = MonitorSettings()
        settings.crossing = mode
        return settings
    }

    private func add(_ benchmark: Benchmark, to results: inout Results) throws {
        if !benchmark.crossings.isEmpty {
            let scores = try modes.map { mode in
                let score = CrossingScore.score(try benchmark.events(settings(mode)), of: benchmark)
                return (name: mode.rawValue, all: score.all, profiles: score.profiles)
            }
            results.scoreboard.addCrossings("Crossings, \(benchmark.name)", scores, byProfile: byProfile)
            results.figures.add(scores[0].profiles)
        }
        if !benchmark.stays.isEmpty {
            let monitor = VisitScore.score(try benchmark.events(MonitorSettings()), of: benchmark)
            let naive = VisitScore.score(StayPoints().events(in: benchmark.locations), of: benchmark)
            results.scoreboard.addVisits(
                "Visits, \(benchmark.name)",
                [
                    ("Fencepost", monitor.all, monitor.profiles),
                    ("stay points 200 m, 20 min", naive.all, naive.profiles),
                ],
                byProfile: byProfile)
            results.figures.add(monitor.profiles)
        }
    }

    private func add(_ benchmark: PlainBenchmark, to results: inout Results) throws {
        let scores = try modes.map { mode in
            (name: mode.rawValue, score: PlainScore(try benchmark.events(settings(mode)), of: benchmark))
        }
        results.scoreboard.addPlain("Plain crossings, \(benchmark.name)", scores)
        if cells { results.scoreboard.addPlainCells(scores[0].name, scores[0].score) }
        results.figures.add(scores[0].score)
    }

    private func addKinds(_ range: ClosedRange<UInt64>, _ name: String, to results: inout Results) throws {
        var scores: [KindScore] = []
        for kind in GeneratorKind.allCases {
            let parts = try range.map { try BenchmarkGenerator.kind(kind, seed: $0) }
            scores += try KindScore.scores(of: kind, Benchmark(kind.rawValue, merging: parts))
        }
        scores.append(KindScore.changes(try range.flatMap { try TripBenchmark.changes(seed: $0) }))
        scores += KindScore.rides(try range.flatMap { try TripBenchmark.rides(seed: $0) })
        results.scoreboard.addKinds("Kinds, \(name)", scores)
        results.figures.add(scores)
    }

    private func check(_ figures: QualityFigures, against file: String) throws {
        if updateFigures {
            try Data(figures.text.utf8).write(to: URL(filePath: file))
            return
        }
        guard let text = try? String(contentsOf: URL(filePath: file), encoding: .utf8) else {
            Console.say("fencepost: \(file) cannot be read; --update-figures writes it")
            throw ExitStatus.noInput.exit
        }
        guard let before = QualityFigures(text: text) else {
            Console.say("fencepost: \(file) does not have a name and a score from 0 to 1 in each line")
            throw ExitStatus.badData.exit
        }
        let regressions = figures.regressions(from: before)
        for regression in regressions { Console.say("lower by more than 0.02: \(regression)") }
        let new = figures.cells(missingIn: before)
        for cell in new { Console.say("no figure in \(file): \(cell)") }
        if !regressions.isEmpty || !new.isEmpty { throw ExitStatus.problems.exit }
        Console.say("No cell of \(before.count) is lower by more than 0.02 than in \(file).")
    }
}
