import ArgumentParser
import FencepostAnalysis
import FencepostEngine
import FencepostFormats
import FencepostGEOS
import FencepostJSON
import FencepostModel
import FencepostMonitor
import FencepostRegionFiles
import FencepostService
import FencepostSimulator
import Foundation

/// Locations in, events out, with what becomes of them in simulated apps.
struct Watch: ParsableCommand {
    static let configuration = CommandConfiguration(
        abstract: "Reads locations and prints who entered, left and dwelled where.",
        discussion: """
            Example:
              fencepost watch --regions Regions Regions/tracks/day.ndjson

            A record that is no location is named on standard error and left out. On live input \
            (a pipe or a terminal) deadlines such as dwells fire by the clock.
            """)

    @OptionGroup var regionArguments: RegionArguments
    @OptionGroup var monitor: MonitorArguments

    @Option(
        name: .long, parsing: .singleValue,
        help: "Simulated apps: a file, a folder or a pattern; may be repeated.", completion: .file())
    var apps: [String] = []

    @Option(name: .long, help: "text, ndjson or geojson; by default text on a terminal, else ndjson.")
    var output: Output?

    @Option(name: .long, help: "The zone of the times in text, such as Europe/Lisbon.")
    var timeZone: ZoneArgument?

    @Flag(name: .long, help: "Each event says why it was told.")
    var explain = false

    @Option(name: .long, help: "Write counts, speed and peak memory to this file, as JSON.", completion: .file())
    var summary: String?

    @Flag(name: .long, help: "Plain text even on a terminal.")
    var noColor = false

    @Option(name: .long, help: "How many threads work on recorded files of lines; by default one for each core.")
    var jobs: Int?

    @OptionGroup var input: InputArguments

    func validate() throws {
        if let jobs, !(1...256).contains(jobs) { throw ValidationError("--jobs is a number from 1 to 256.") }
    }

    enum Output: String, ExpressibleByArgument, CaseIterable { case text, ndjson, geojson }

    func run() throws {
        Interrupt.install()
        let start = ContinuousClock.now
        let setup = try regionArguments.load(for: input.files.isEmpty ? nil : monitor)
        var settings = setup.configuration.monitor
        monitor.apply(to: &settings)
        var printer = EventPrinter(
            output ?? (Console.isOutputTerminal ? .text : .ndjson), explains: explain,
            timeline: TimelinePrinter(
                timeZone: timeZone?.zone ?? setup.commonTimeZone,
                isColored: Console.mayColor(terminal: Console.isOutputTerminal, noColor: noColor), explains: explain,
                names: setup.regionNames))
        let apps = try AppArguments.load(apps.isEmpty ? setup.configuration.apps : apps)
        var pump = LocationPump(input)
        var totals = FileWatch.Totals()
        do {
            if let files = pump.lineFiles() {
                var options = FileWatch.Options(setup.index, settings: settings, rules: pump.rules(isLive: false))
                options.apps = apps
                options.explains = explain
                options.format = printer.format
                options.jobs = jobs ?? ProcessInfo.processInfo.activeProcessorCount
                try watch(FileWatch(files, options), &pump, &printer, &totals)
            } else {
                let engine = MonitorEngine(setup.index, settings: settings, explains: explain)
                try watch(engine, AppRoster(apps), &pump, &printer, &totals)
            }
            try printer.finish()
        } catch let error as OutputError {
            if !error.isClosedPipe {
                Console.say("fencepost: the output cannot be written: \(String(cString: strerror(error.code)))")
                throw ExitStatus.inputOutput.exit
            }
        }
        let report = RunSummary(
            totals: totals, pump: pump, regions: setup.regions.regions.count, elapsed: ContinuousClock.now - start)
        if let summary { try report.write(to: summary) }
        if !input.quiet { Console.say(report.sentence) }
        if !input.quiet, totals.counts.late > totals.counts.accepted {
            Console.say(
                "Most fixes came after later ones of their device and told nothing. Where the newest stand first, sort "
                    + "the file by time or give --reorder-window as many seconds as it spans.")
        }
        if Interrupt.isRequested { throw ExitStatus.interrupted.exit }
        if let failure = pump.failure { throw failure.exit }
        if input.strict, pump.rejected > 0 { throw ExitStatus.badData.exit }
    }

    /// Watches recorded files of lines on several threads.
    private func watch(
        _ watch: FileWatch, _ pump: inout LocationPump, _ printer: inout EventPrinter,
        _ totals: inout FileWatch.Totals
    ) throws {
        // What was done counts also where nobody wants to read on.
        defer { totals = watch.totals }
        try watch.run { report in
            pump.take(report)
            try printer.print(report)
            return !Interrupt.isRequested
        }
        pump.finish()
        printer.print(try watch.finish())
    }

    /// Watches what comes in the order in which it comes.
    private func watch(
        _ engine: consuming MonitorEngine, _ roster: AppRoster, _ pump: inout LocationPump,
        _ printer: inout EventPrinter, _ totals: inout FileWatch.Totals
    ) throws {
        var engine = engine
        var roster = roster
        defer {
            totals.counts = engine.counts
            totals.relaunches = roster.relaunchCount
            totals.doubts = engine.doubts
            totals.devices = engine.deviceCount
        }
        try pump.run(
            idle: { now in
                printer.isLive = true
                try engine.advanceClock(to: now) { printer.print(roster.tell($0)) }
                try printer.flush()
            },
            take: { location, _, now in
                let verdict = try engine.accept(location, now: now) { printer.print(roster.tell($0)) }
                if verdict == .accepted { printer.print(roster.moved(location)) }
                try printer.flushIfLarge()
            })
        try engine.finish { printer.print(roster.tell($0)) }
    }
}

extension Setup {
    /// What regions are called where that is not their id.
    var regionNames: [RegionID: String] {
        Dictionary(regions.regions.compactMap { region in region.name.map { (region.id, $0) } }) { first, _ in first }
    }

    /// The zone that the schedules of all regions are in, else the machine's.
    var commonTimeZone: TimeZone {
        let zones = Set(regions.regions.compactMap { $0.schedule?.timeZone })
        return zones.count == 1 ? zones.first ?? .current : .current
    }
}

/// Writes events to standard output in the form that was asked for.
struct EventPrinter: ~Copyable {
    /// How many events of a recording are put into the order of their times before they are printed as text.
    private static let sorted = 100_000

    /// Live events are printed as they come, recorded ones in text by the time at which they happened: a device that
    /// falls silent is noticed late in a recording.
    var isLive = false
    private let output: Watch.Output
    private var timeline: TimelinePrinter
    private var held: [AppRoster.Told] = []
    private var encoder: EventEncoder
    private let explains: Bool
    private var buffer = OutputBuffer()

    init(_ output: Watch.Output, explains: Bool, timeline: TimelinePrinter) {
        self.output = output
        self.timeline = timeline
        self.explains = explains
        encoder = EventEncoder(output == .geojson ? .geojson : .ndjson)
    }

    mutating func print(_ told: [AppRoster.Told]) {
        switch output {
        case .text:
            held += told
            if isLive || held.count >= Self.sorted { printHeld() }
        case .ndjson, .geojson:
            for item in told { encoder.encode(item, explains: explains) }
        }
    }

    /// How events are to be written that are printed by blocks; `nil` where they are wanted as they are.
    var format: EventEncoder.Format? {
        switch output {
        case .text: nil
        case .ndjson: .ndjson
        case .geojson: .geojson
        }
    }

    mutating func print(_ report: BlockReport) throws(OutputError) {
        switch output {
        case .text: for item in report.told { print([item]) }
        case .ndjson, .geojson: report.write(to: &encoder)
        }
        try flushIfLarge()
    }

    mutating func flushIfLarge() throws(OutputError) {
        buffer.bytes += encoder.takeBytes()
        try buffer.flushIfLarge()
    }

    mutating func flush() throws(OutputError) {
        buffer.bytes += encoder.takeBytes()
        try buffer.flush()
    }

    mutating func finish() throws(OutputError) {
        if output == .geojson { encoder.finish() }
        printHeld()
        try flush()
    }

    private mutating func printHeld() {
        // The sort is stable: events of one time stay in their order.
        held.sort { $0.event.timestamp < $1.event.timestamp }
        if !isLive { timeline.fit(held.map(\.event)) }
        for item in held {
            timeline.append(item.event, to: &buffer.bytes)
            // What the app was started for stands in the line above.
            guard case .appRelaunched = item.event.occurrence else {
                timeline.append(item.deliveries, to: &buffer.bytes)
                continue
            }
        }
        held.removeAll(keepingCapacity: true)
    }
}

/// What a run did, for `--summary` and for the closing words.
struct RunSummary {
    let totals: FileWatch.Totals
    let pump: LocationPump
    let regions: Int
    let elapsed: Duration

    private var counts: MonitorCounts { totals.counts }
    private var relaunches: Int { totals.relaunches }
    private var devices: Int { totals.devices }
    private var seconds: Double { max(elapsed.seconds, 0.001) }

    var sentence: String {
        var parts = [
            "\(Prose.count(pump.records, "location")) of \(Prose.count(devices, "device"))",
            "\(Prose.count(regions, "region"))", "\(Prose.count(counts.events.values.reduce(relaunches, +), "event"))",
        ]
        if pump.rejected > 0 { parts.append("\(Prose.grouped(pump.rejected)) rejected") }
        if counts.late > 0 { parts.append("\(Prose.grouped(counts.late)) late") }
        if counts.duplicates > 0 { parts.append(Prose.count(counts.duplicates, "duplicate")) }
        return parts.joined(separator: ", ") + " in \((seconds * 100).rounded() / 100) s"
    }

    func write(to path: String) throws {
        var writer = JSONWriter()
        writer.beginObject()
        for (name, value) in [
            ("locations", pump.records), ("accepted", counts.accepted), ("rejected", pump.rejected),
            ("late", counts.late), ("duplicates", counts.duplicates), ("devices", devices), ("regions", regions),
        ] {
            writer.name(name)
            writer.value(value)
        }
        writer.name("events")
        writer.beginObject()
        for type in EventType.allCases {
            writer.name(type.rawValue)
            writer.value(type == .appRelaunched ? relaunches : counts.events[type] ?? 0)
        }
        writer.endObject()
        // Fixes that counted for less than their accuracy says, so that they alone settled nothing.
        writer.name("doubted")
        writer.beginObject()
        for (name, count) in [
            ("leap", totals.doubts.leap), ("coarse", totals.doubts.coarse), ("repeated", totals.doubts.repeated),
        ] {
            writer.name(name)
            writer.value(count)
        }
        writer.endObject()
        writer.name("seconds")
        writer.value(seconds)
        writer.name("locationsPerSecond")
        writer.value((Double(pump.records) / seconds).rounded())
        writer.name("peakMemoryBytes")
        writer.value(Self.peakMemory)
        writer.endObject()
        writer.newline()
        do {
            try Data(writer.bytes).write(to: URL(filePath: path))
        } catch {
            Console.say("fencepost: \(path) cannot be written: \(error.localizedDescription)")
            throw ExitStatus.cannotCreate.exit
        }
    }

    /// The largest resident set of this process so far, in bytes.
    private static var peakMemory: Int {
        var usage = rusage()
        getrusage(RUSAGE_SELF.rawValue, &usage)
        // Linux counts in KiB.
        return Int(usage.ru_maxrss) * 1024
    }
}
