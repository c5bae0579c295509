import FencepostAnalysis
import FencepostFormats
import FencepostGeometry
import FencepostJSON
import FencepostModel
import FencepostMonitor
import FencepostTesting
import Foundation
import Testing

@Suite("Scores") struct ScoreTests {
    static let start = Timestamp(seconds: 1_772_353_800)
    static let device = DeviceID("d")

    private func event(_ isEntry: Bool, at seconds: Int, confidence: Double? = nil) -> Event {
        let region = RegionSummary(
            Region(
                id: RegionID("r"),
                shape: .circle(Circle(center: Coordinate(latitude: 0, longitude: 0), radius: 1))))
        let moment = Self.start + .seconds(seconds)
        return Event(
            id: "e\(seconds)", sequence: 1, deviceID: Self.device,
            occurrence: isEntry ? .regionEntered(region) : .regionExited(region, reason: nil), timestamp: moment,
            detectedAt: moment, confidence: confidence)
    }

    private func crossing(_ isEntry: Bool, at seconds: Int, until: Int?, required: Bool = true) -> Benchmark.Crossing {
        let moment = Self.start + .seconds(seconds)
        return Benchmark.Crossing(
            device: Self.device, region: RegionID("r"), isEntry: isEntry, timestamp: moment, isRequired: required,
            earliest: moment, until: until.map { Self.start + .seconds($0) }, observableAt: moment + .seconds(5))
    }

    private var benchmark: Benchmark {
        Benchmark(
            name: "test",
            streams: [.init(device: Self.device, profile: "p", start: Self.start, end: Self.start + .seconds(86_400))],
            crossings: [
                crossing(true, at: 1000, until: 5000), crossing(false, at: 5000, until: 9000),
                crossing(true, at: 9000, until: 20_000), crossing(false, at: 30_000, until: nil, required: false),
            ])
    }

    @Test("count a first detection as a match, a second one as a duplicate, and its opposite as flapping")
    func crossings() {
        let events = [
            event(true, at: 1010), event(true, at: 1500), event(false, at: 1600), event(false, at: 5030),
            event(false, at: 30_100),
        ]
        let score = CrossingScore.score(events, of: benchmark).all
        #expect((score.required, score.matched, score.missed) == (3, 2, 1))
        #expect((score.falsePositives, score.duplicated, score.flapping, score.optional) == (2, 1, 1, 1))
        #expect(score.reaction(0.5) == 15)
        #expect(score.latency(1) == 30)
        #expect(score.f1(within: 10) < score.f1)
        #expect(score.falsePerDeviceDay == 2)
    }

    @Test("give the precision by confidence")
    func calibration() {
        let events = [event(true, at: 1010, confidence: 0.97), event(true, at: 1500, confidence: 0.93)]
        let calibration = CrossingScore.score(events, of: benchmark).all.calibration
        #expect(calibration.precision(from: 0.9) == 0.5)
        #expect(calibration.precision(from: 0.95) == 1)
        #expect(calibration.precision(from: 0.98) == nil)
    }

    /// Results of the scripts of the shared data for the same events.
    private func script(_ name: String, _ folder: String, _ events: [Event]) throws -> JSONElement {
        try #require(try results(name, folder, events)["overall"])
    }

    private func results(_ name: String, _ folder: String, _ events: [Event]) throws -> JSONElement {
        var encoder = EventEncoder(.ndjson)
        for event in events { encoder.encode(event) }
        let file = FileManager.default.temporaryDirectory.appending(path: "score-\(UUID().uuidString).ndjson")
        defer { try? FileManager.default.removeItem(at: file) }
        try Data(encoder.takeBytes()).write(to: file)
        let process = Process()
        process.executableURL = URL(filePath: "/usr/bin/env")
        process.arguments = [
            "python3", SharedData.file(name).path, "--truth", SharedData.file("\(folder)/truth.ndjson").path,
            "--detected", file.path, "--json",
        ]
        let output = Pipe()
        process.standardOutput = output
        try process.run()
        let data = try output.fileHandleForReading.readToEnd() ?? Data()
        process.waitUntilExit()
        return try JSONDocument(parsing: data).root
    }

    private static let hasPython = FileManager.default.fileExists(atPath: "/usr/bin/python3")

    @Test(
        "equal those of the scripts of the shared data: crossings",
        .enabled(if: SharedData.isPresent && hasPython, "there is no ../shared/data, or no Python"))
    func agreeOnCrossings() throws {
        let benchmark = try Benchmark(folder: SharedData.file("crossings-open").path)
        var settings = MonitorSettings()
        settings.crossing = .raw
        let events = try benchmark.events(settings)
        let score = CrossingScore.score(events, of: benchmark).all
        let script = try script("score_crossings.py", "crossings-open", events)
        #expect(score.required == script["required"]?.int)
        #expect(score.matched == script["matched"]?.int)
        #expect(score.falsePositives == script["false"]?.int)
        #expect(score.flapping == script["flapping"]?.int)
        #expect(score.duplicated == script["duplicated"]?.int)
        #expect(abs(score.f1(within: 60) - (script["f1_60"]?.double ?? 0)) < 0.0001)
        #expect(abs(score.f1(within: 10) - (script["f1_10"]?.double ?? 0)) < 0.0001)
        #expect(abs((score.latency(0.9) ?? 0) - (script["latency_p90"]?.double ?? -1)) < 0.01)
    }

    @Test(
        "equal those of the scripts of the shared data: visits",
        .enabled(if: SharedData.isPresent && hasPython, "there is no ../shared/data, or no Python"))
    func agreeOnVisits() throws {
        let benchmark = try Benchmark(folder: SharedData.file("visits-open").path)
        let events = try benchmark.events(MonitorSettings())
        let score = VisitScore.score(events, of: benchmark).all
        let script = try script("score_visits.py", "visits-open", events)
        #expect(score.required == script["required"]?.int)
        #expect(score.matched == script["matched"]?.int)
        #expect(score.spurious == script["spurious"]?.int)
        #expect(score.splits == script["splits"]?.int)
        #expect(score.merges == script["merges"]?.int)
        #expect(score.announced == script["announced"]?.int)
        #expect(abs((score.arrivalError(0.9) ?? 0) - (script["arrival_p90"]?.double ?? -1)) < 0.01)
        #expect(abs((score.departureError(0.5) ?? 0) - (script["departure_median"]?.double ?? -1)) < 0.01)
        #expect(abs((score.arrivalLatency(0.5) ?? 0) - (script["arrival_latency_median"]?.double ?? -1)) < 0.01)
    }

    @Test(
        "equal those of the scripts of the shared data: plain crossings",
        .enabled(if: SharedData.isPresent && hasPython, "there is no ../shared/data, or no Python"),
        arguments: CrossingMode.allCases)
    func agreeOnPlainCrossings(mode: CrossingMode) throws {
        let folder = SharedData.file("plain-open").path
        #expect(try PlainBenchmark.isPlain(folder: folder))
        #expect(try !PlainBenchmark.isPlain(folder: SharedData.file("crossings-open").path))
        let benchmark = try PlainBenchmark(folder: folder)
        var settings = MonitorSettings()
        settings.crossing = mode
        let events = try benchmark.events(settings)
        let score = PlainScore(events, of: benchmark)
        let results = try results("plain-open/score_plain.py", "plain-open", events)
        let overall = try #require(results["overall"])
        try expect(score.all, equals: overall)
        #expect(abs(score.dominance - (overall["dominance"]?.double ?? -1)) < 0.0001)
        #expect(abs((score.worstCell?.score ?? 0) - (overall["worstCell"]?.double ?? -1)) < 0.0001)
        #expect(try Self.silent("inTime", of: results) == score.silentInTime)
        #expect(try Self.silent("required", of: results) == score.silent)
        let cells = try #require(results["cells"])
        for (label, counts) in score.cells {
            let isSilence = label.dimension == "silence"
            let name = isSilence ? "silence=\(label.value == "0" ? "False" : "True")" : label.description
            try expect(counts, equals: try #require(cells[name]))
        }
        let pairs = try #require(results["pairs"])
        var compared = 0
        for (pair, counts) in score.pairs {
            guard let expected = pairs["\(pair.first),\(pair.second)"] else { continue }
            try expect(counts, equals: expected)
            compared += 1
        }
        #expect(compared > 100)
    }

    private func expect(_ counts: PlainScore.Counts, equals script: JSONElement) throws {
        #expect(counts.devices == script["devices"]?.int)
        #expect(counts.required == script["required"]?.int)
        #expect(counts.inTime == script["inTime"]?.int)
        #expect(counts.late == script["late"]?.int)
        #expect(counts.falsePositives == script["false"]?.int)
        #expect(counts.duplicated == script["duplicates"]?.int)
        #expect(counts.optional == script["ignored"]?.int)
        guard counts.required > 0 else { return }
        #expect(abs(counts.score - (script["score"]?.double ?? -1)) < 0.0001)
        #expect(abs(counts.reported(within: 0) - (script["atFirstClear"]?.double ?? -1)) < 0.0001)
        #expect(abs(counts.reported(within: 2) - (script["byThird"]?.double ?? -1)) < 0.0001)
    }

    /// The number of silent crossings, both ways.
    private static func silent(_ member: String, of results: JSONElement) throws -> Int {
        let kinds = try #require(results["kinds"])
        return (kinds["silent enter"]?[member]?.int ?? 0) + (kinds["silent exit"]?[member]?.int ?? 0)
    }
}
