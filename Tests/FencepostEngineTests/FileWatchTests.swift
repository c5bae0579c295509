import FencepostAnalysis
import FencepostEngine
import FencepostFormats
import FencepostGeometry
import FencepostJSON
import FencepostModel
import FencepostMonitor
import FencepostRegions
import FencepostSimulator
import FencepostTesting
import Foundation
import Testing

@Suite("Files watched on several threads") struct FileWatchTests {
    private static let rules = FixRules(defaultDevice: DeviceID("default"))
    private static let start = Coordinate(latitude: 38.7, longitude: -9.1)

    /// All results of a run.
    private struct Outcome: Equatable {
        var bytes: [UInt8] = []
        var events: [Event] = []
        var rejected: [Diagnostic] = []
        var unreadable: [String] = []
        var records = 0
        var totals: [Int] = []
        var types: [EventType: Int] = [:]
    }

    private enum Form: CaseIterable { case ndjson, geojson, events }

    private func regions() -> RegionCatalog {
        let plane = LocalPlane(origin: Self.start)
        return RegionCatalog(
            (0..<9).map { number in
                var region = Region(
                    id: RegionID("region-\(number)"),
                    shape: .circle(
                        Circle(
                            center: plane.unproject(
                                east: Double(number % 3) * 300 - 300, north: Double(number / 3) * 300 - 300),
                            radius: 90 + Double(number) * 15)))
                if number == 4 { region.dwells = [.seconds(60)] }
                return region
            })
    }

    /// Files of lines: devices that walk about, some fixes late or twice, some lines bad, one file without an end of its
    /// last line, one with another order of members.
    private func files(_ seed: UInt64, in folder: URL) throws -> [URL] {
        var generator = SeededGenerator(seed: seed)
        let plane = LocalPlane(origin: Self.start)
        var walkers = (0..<40).map { _ in
            (Double.random(in: -500...500, using: &generator), Double.random(in: -500...500, using: &generator))
        }
        var time = Timestamp(seconds: 1_772_353_800)
        var earlier: [String] = []
        return try (0..<3).map { number in
            var text = ""
            for _ in 0..<500 {
                time = time + .milliseconds(Int64.random(in: 0...900, using: &generator))
                let device = Int.random(in: 0..<40, using: &generator)
                walkers[device].0 += .random(in: -40...40, using: &generator)
                walkers[device].1 += .random(in: -40...40, using: &generator)
                let coordinate = plane.unproject(east: walkers[device].0, north: walkers[device].1)
                let isLate = Int.random(in: 0..<20, using: &generator) == 0
                let moment = isLate ? time - .seconds(Int64.random(in: 1...100, using: &generator)) : time
                var line =
                    number == 1
                    ? #"{"lat":\#(coordinate.latitude),"lon":\#(coordinate.longitude),"tid":"d\#(device)","t":\#(moment.milliseconds)}"#
                    : #"{"deviceId":"d\#(device)","timestamp":"\#(moment.rfc3339)","latitude":\#(coordinate.latitude),"#
                        + #""longitude":\#(coordinate.longitude),"horizontalAccuracy":\#(5 + device % 10)}"#
                switch Int.random(in: 0..<40, using: &generator) {
                case 0: line = "nonsense"
                case 1: line = line.replacing("8.", with: "98.")
                case 2: line = earlier.randomElement(using: &generator) ?? line
                case 3: line = ""
                case 4: line = line.replacing("\"tid\"", with: "\"none\"").replacing("deviceId", with: "none")
                default: earlier.append(line)
                }
                text += line + "\n"
            }
            if number == 2 { text.removeLast() }
            let url = folder.appending(path: "\(number).ndjson")
            try Data(text.utf8).write(to: url)
            return url
        }
    }

    private func app() throws -> [App] {
        let text = """
            {"id":"courier","given":{"grant":"always","lifecycle":"terminated","terminatedBy":"system"},"devices":["*1"],
             "services":[{"service":"regionCircular"},{"service":"significantChange"}]}
            """
        let (apps, problems) = AppFile.read(text.utf8, file: "app")
        #expect(problems.isEmpty)
        return apps
    }

    private func settings(_ seed: UInt64) -> MonitorSettings {
        var settings = MonitorSettings()
        settings.crossing = CrossingMode.allCases[Int(seed % 3)]
        settings.reorderWindow = seed % 4 == 3 ? .seconds(5) : .zero
        settings.visits = seed % 2 == 0 ? VisitSettings() : nil
        return settings
    }

    /// Evaluates one record after the other, as for live input.
    private func oneByOne(_ paths: [String], _ form: Form, _ seed: UInt64) throws -> Outcome {
        var engine = MonitorEngine(RegionIndex(regions()), settings: settings(seed))
        var roster = AppRoster(try app())
        var encoder = EventEncoder(form == .geojson ? .geojson : .ndjson)
        var outcome = Outcome()
        func add(_ events: [EmittedEvent]) {
            for item in events {
                if form == .events { outcome.events.append(item.event) } else { encoder.encode(item, explains: false) }
            }
        }
        for path in paths {
            guard FileManager.default.fileExists(atPath: path) else {
                outcome.unreadable.append(path)
                continue
            }
            var reader = LocationReader(
                try ByteSource(path: path), options: .init(format: .ndjson, fileName: path, rules: Self.rules))
            while let records = try reader.next() {
                for record in records {
                    outcome.records += 1
                    switch record {
                    case .location(let location, _):
                        let verdict = try engine.accept(location) { add(roster.emit($0)) }
                        if verdict == .accepted { add(roster.moved(location)) }
                    case .rejected(let diagnostic): outcome.rejected.append(diagnostic)
                    case .reported, .gap: Issue.record("a line is a location")
                    }
                }
            }
        }
        try engine.finish { add(roster.emit($0)) }
        if form != .events { encoder.finish() }
        outcome.bytes = encoder.takeBytes()
        let counts = engine.counts
        outcome.totals = [counts.accepted, counts.late, counts.duplicates, roster.relaunchCount, engine.deviceCount]
        outcome.types = counts.events
        return outcome
    }

    private func onThreads(_ paths: [String], _ form: Form, _ seed: UInt64, jobs: Int, blockSize: Int) throws -> Outcome
    {
        var options = FileWatch.Options(RegionIndex(regions()), settings: settings(seed), rules: Self.rules)
        options.apps = try app()
        options.format = form == .events ? nil : form == .geojson ? .geojson : .ndjson
        options.jobs = jobs
        options.blockSize = blockSize
        let files = try paths.map { path -> FileWatch.File in
            do {
                return .success(try #require(try LineFile.find(path: path, format: nil)))
            } catch let error as ByteSourceError {
                return .failure(FileWatch.UnreadableFile(name: path, reason: error))
            }
        }
        let watch = FileWatch(files, options)
        var encoder = EventEncoder(form == .geojson ? .geojson : .ndjson)
        var outcome = Outcome()
        try watch.run { report in
            outcome.records += report.records
            outcome.rejected += report.rejected
            if let unreadable = report.unreadable { outcome.unreadable.append(unreadable.name ?? "-") }
            if form == .events {
                outcome.events += report.events.map(\.event)
            } else {
                report.write(to: &encoder) { _ in }
            }
            return true
        }
        for item in try watch.finish() {
            if form == .events { outcome.events.append(item.event) } else { encoder.encode(item, explains: false) }
        }
        if form != .events { encoder.finish() }
        outcome.bytes = encoder.takeBytes()
        if form == .events { outcome.events.indices.forEach { outcome.events[$0].why = nil } }
        let totals = watch.totals
        outcome.totals = [
            totals.counts.accepted, totals.counts.late, totals.counts.duplicates, totals.relaunches, totals.devices,
        ]
        outcome.types = totals.counts.events
        return outcome
    }

    @Test("give the same bytes as one record after the other", arguments: SeedShare.of(1...12 as ClosedRange<UInt64>))
    func sameBytes(seed: UInt64) throws {
        let folder = FileManager.default.temporaryDirectory.appending(path: "watch-\(UUID())")
        try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
        defer { try? FileManager.default.removeItem(at: folder) }
        var paths = try files(seed, in: folder).map(\.path)
        if seed % 3 == 0 { paths.insert(folder.appending(path: "missing.ndjson").path, at: 1) }
        let form = Form.allCases[Int(seed % 3)]
        var expected = try oneByOne(paths, form, seed)
        if form == .events { expected.events.indices.forEach { expected.events[$0].why = nil } }
        #expect(expected.totals[0] > 500 && expected.rejected.count > 10 && !expected.types.isEmpty)
        for jobs in [1, 2, 3, 8] {
            for blockSize in [700, 10_000, 1 << 19] {
                let outcome = try onThreads(paths, form, seed, jobs: jobs, blockSize: blockSize)
                #expect(outcome == expected, "\(jobs) threads, blocks of \(blockSize) bytes")
            }
        }
    }

    @Test("stop on request, with all blocks that are started", arguments: [1, 2, 8])
    func stops(jobs: Int) throws {
        let folder = FileManager.default.temporaryDirectory.appending(path: "watch-\(UUID())")
        try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
        defer { try? FileManager.default.removeItem(at: folder) }
        let paths = try files(1, in: folder).map(\.path)
        var options = FileWatch.Options(RegionIndex(regions()), settings: settings(0), rules: Self.rules)
        options.jobs = jobs
        options.blockSize = 1000
        let files = try paths.map { FileWatch.File.success(try #require(try LineFile.find(path: $0, format: nil))) }
        let watch = FileWatch(files, options)
        var (reports, accepted) = (0, 0)
        try watch.run { report in
            reports += 1
            accepted += report.records - report.rejected.count
            return reports < 3
        }
        #expect(reports >= 3 && reports < 40)
        let counts = watch.totals.counts
        #expect(counts.accepted + counts.late + counts.duplicates == accepted)
        // An error thrown by the caller ends it too, and no thread is left.
        struct Enough: Error {}
        #expect(throws: Enough.self) { try FileWatch(files, options).run { _ in throw Enough() } }
    }
}
