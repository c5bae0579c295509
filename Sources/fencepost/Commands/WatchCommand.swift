import ArgumentParser
import FencepostAnalysis
import FencepostAppCommands
import FencepostEngine
import FencepostFiles
import FencepostFormats
import FencepostGEOS
import FencepostJSON
import FencepostModel
import FencepostMonitor
import FencepostRegionFiles
import FencepostService
import FencepostSimulator
import Foundation

/// Reads locations and prints events, and their deliveries to simulated apps.
struct Watch: ParsableCommand {
    static let configuration = CommandConfiguration(
        abstract: "Reads locations and prints entries, exits, dwells and visits.",
        discussion: """
            Example:
              fencepost watch --regions Regions Regions/tracks/day.ndjson

            Invalid records are reported on standard error and skipped. On live input (a pipe or \
            a terminal) deadlines such as dwells fire by the clock.
            """)

    @OptionGroup var regionArguments: RegionArguments
    @OptionGroup var monitor: MonitorArguments

    @Option(
        name: .long, parsing: .singleValue,
        help: "Simulated apps: a file, a folder or a pattern; can be repeated.", completion: .file())
    var apps: [String] = []

    @Option(
        name: .long,
        help: "Plans, whose rounds are watched: a file with one plan, an array, or an answer of GET /v1/plans.",
        completion: .file())
    var plans: String?

    @Option(name: .long, help: "text, ndjson or geojson; by default text on a terminal, else ndjson.")
    var output: Output?

    @Option(name: .long, help: "Time zone of text output, such as Europe/Lisbon.")
    var timeZone: ZoneArgument?

    @OptionGroup var unitArguments: UnitArguments

    @Flag(name: .long, help: "Include the reason for each event.")
    var explain = false

    @Option(name: .long, help: "Write counts, speed and peak memory to this file, as JSON.", completion: .file())
    var summary: String?

    @OptionGroup var outputs: OutputArguments

    @Flag(name: .long, help: "Plain text even on a terminal.")
    var noColor = false

    @Option(name: .long, help: "Number of threads for recorded NDJSON files; by default one per core.")
    var jobs: Int?

    @OptionGroup var input: InputArguments

    func validate() throws {
        if let jobs, !(1...256).contains(jobs) { throw ValidationError("--jobs has to be from 1 to 256.") }
    }

    enum Output: String, ExpressibleByArgument, CaseIterable { case text, ndjson, geojson }

    func run() throws {
        Interrupt.install()
        let start = ContinuousClock.now
        let setup = try regionArguments.load(for: input.files.isEmpty ? nil : monitor)
        let summaryFile = try summary.map { try outputs.file($0, inUse: filesInUse(setup.configuration)) }
        var settings = setup.configuration.monitor
        monitor.apply(to: &settings)
        if let plans { settings.plans = try PlanArguments.load(plans, zone: setup.commonTimeZone) }
        let format = output ?? (Console.isOutputTerminal ? .text : .ndjson)
        // Only text needs the members of all regions, of which there may be a million in a file.
        let isText = format == .text
        var printer = EventPrinter(
            format, explains: explain,
            timeline: TimelinePrinter(
                timeZone: timeZone?.zone ?? (isText ? setup.commonTimeZone : .gmt),
                isColored: Console.mayColor(terminal: Console.isOutputTerminal, noColor: noColor), explains: explain,
                names: isText ? setup.regionNames : [:], units: unitArguments.system(setup.configuration)))
        let apps = try AppArguments.load(apps.isEmpty ? setup.configuration.apps : apps)
        var reader = InputReader(input)
        var totals = FileWatch.Totals()
        do {
            // Pairs need the fixes of all devices in one place.
            if settings.proximity.isEmpty, let files = reader.lineFiles() {
                var options = FileWatch.Options(setup.index, settings: settings, rules: reader.rules(isLive: false))
                options.apps = apps
                options.explains = explain
                options.format = printer.format
                options.jobs = jobs ?? ProcessInfo.processInfo.activeProcessorCount
                try watch(FileWatch(files, options), &reader, &printer, &totals)
            } else {
                let engine = MonitorEngine(setup.index, settings: settings, explains: explain, holdsLeaps: true)
                try watch(engine, AppRoster(apps), &reader, &printer, &totals)
            }
            try printer.finish()
        } catch let error as OutputError {
            if !error.isClosedPipe {
                Console.say("fencepost: writing the output failed: \(String(cString: strerror(error.code)))")
                throw ExitStatus.inputOutput.exit
            }
        }
        let report = RunSummary(
            totals: totals, reader: reader, regions: setup.catalog.count, elapsed: ContinuousClock.now - start)
        if let summaryFile { try report.write(to: summaryFile) }
        if !input.quiet { Console.say(report.sentence) }
        if !input.quiet, totals.counts.late > totals.counts.accepted {
            Console.say(
                "Most fixes were ignored because a later fix of their device came before them. If the newest fix of the "
                    + "file comes first, sort it by time, or set --reorder-window to its time span in seconds.")
        }
        if Interrupt.isRequested { throw ExitStatus.interrupted.exit }
        if let failure = reader.failure { throw failure.exit }
        if input.strict, reader.rejected > 0 { throw ExitStatus.badData.exit }
    }

    /// The files that the command must not overwrite: those of the configuration, and those that it reads.
    private func filesInUse(_ configuration: Configuration) -> FilesInUse {
        var files = FilesInUse(configuration, file: regionArguments.config)
        for path in apps { files.add(pattern: path, as: "an app file in use") }
        for path in input.files { files.add(path, as: "an input file") }
        if let index = regionArguments.index { files.add(index, as: "the index in use") }
        return files
    }

    /// Evaluates recorded NDJSON files on several threads.
    private func watch(
        _ watch: FileWatch, _ reader: inout InputReader, _ printer: inout EventPrinter,
        _ totals: inout FileWatch.Totals
    ) throws {
        // The totals are also needed when the output was closed early.
        defer { totals = watch.totals }
        try watch.run { report in
            reader.take(report)
            try printer.print(report)
            return !Interrupt.isRequested
        }
        reader.finish()
        printer.print(try watch.finish())
    }

    /// Evaluates locations in the order of the input.
    private func watch(
        _ engine: consuming MonitorEngine, _ roster: AppRoster, _ reader: inout InputReader,
        _ printer: inout EventPrinter, _ totals: inout FileWatch.Totals
    ) throws {
        var engine = engine
        var roster = roster
        var pairs = PairPrinting(engine.settings.proximity)
        defer {
            totals.counts = engine.counts
            for (type, count) in pairs.counts { totals.counts.events[type, default: 0] += count }
            totals.relaunches = roster.relaunchCount
            totals.flagCounts = engine.flagCounts
            totals.devices = engine.deviceCount
        }
        try reader.run(
            idle: { now in
                printer.isLive = true
                try engine.advanceClock(to: now) { printer.print(roster.emit($0)) }
                pairs.print(to: &printer)
                try printer.flush()
            },
            take: { location, _, now in
                let verdict = try engine.accept(location, now: now) { printer.print(roster.emit($0)) }
                if verdict == .accepted {
                    for fix in engine.released.isEmpty ? [location] : engine.released {
                        printer.print(roster.moved(fix))
                        pairs.take(fix)
                    }
                }
                if verdict == .late { pairs.take(location) }
                try printer.flushIfLarge()
            })
        try engine.finish { printer.print(roster.emit($0)) }
        for fix in engine.released { pairs.take(fix) }
        pairs.print(to: &printer)
    }
}

/// The pairs of devices that proximity rules watch. Those of recorded files are compared at the end, when all locations are known,
/// those of live input as they come.
private struct PairPrinting {
    private var watch: ProximityWatch?
    private var sequences: [DeviceID: Int] = [:]
    private(set) var counts: [EventType: Int] = [:]

    init(_ rules: [ProximityRule]) { watch = rules.isEmpty ? nil : ProximityWatch(rules) }

    mutating func take(_ location: Location) { _ = watch?.take(location) }

    /// Prints what has happened, in order of time. What was printed and is refuted by a later location stays.
    mutating func print(to printer: inout EventPrinter) {
        guard let changes = watch?.evaluate(), let watch else { return }
        let events = changes.flatMap { change in
            change.added.map {
                $0.event(
                    of: watch.rules[change.pair.rule], watch.id(change.pair.first), watch.id(change.pair.second))
            }
        }
        for var event in events.sorted(by: { $0.timestamp < $1.timestamp }) {
            sequences[event.deviceID, default: 0] += 1
            event.sequence = sequences[event.deviceID] ?? 1
            counts[event.occurrence.type, default: 0] += 1
            printer.print([EmittedEvent(event: event, deliveries: [])])
        }
    }
}
