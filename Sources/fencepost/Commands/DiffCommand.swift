import ArgumentParser
import FencepostAnalysis
import FencepostAppCommands
import FencepostEngine
import FencepostFormats
import FencepostGEOS
import FencepostJSON
import FencepostModel
import FencepostService
import Foundation

/// Compares the events of two configurations over the same locations.
struct Diff: ParsableCommand {
    static let configuration = CommandConfiguration(
        abstract: "Compares events of the same locations under two configurations or sets of regions.",
        discussion: """
            Example:
              fencepost diff --before Regions --after Regions/city.geojson \\
                Regions/tracks/day.ndjson

            Each side is a configuration file, a region file, a folder or a pattern.
            """)

    @Option(name: .long, help: "The present configuration or regions.", completion: .file())
    var before: String

    @Option(name: .long, help: "The new configuration or regions.", completion: .file())
    var after: String

    @OptionGroup var monitor: MonitorArguments

    @Option(name: .long, help: "text or ndjson; by default text on a terminal, else ndjson.")
    var output: Output?

    @Option(name: .long, help: "Time zone of text output, such as Europe/Lisbon.")
    var timeZone: ZoneArgument?

    @OptionGroup var unitArguments: UnitArguments

    @Flag(name: .long, help: "Plain text even on a terminal.")
    var noColor = false

    @OptionGroup var input: InputArguments

    enum Output: String, ExpressibleByArgument, CaseIterable { case text, ndjson }

    func run() throws {
        Interrupt.install()
        let setups = (try Self.load(before), try Self.load(after))
        var settings = (setups.0.configuration.monitor, setups.1.configuration.monitor)
        monitor.apply(to: &settings.0)
        monitor.apply(to: &settings.1)
        var first = MonitorEngine(setups.0.index, settings: settings.0, holdsLeaps: true)
        var second = MonitorEngine(setups.1.index, settings: settings.1, holdsLeaps: true)
        var events: ([Event], [Event]) = ([], [])
        var reader = InputReader(input)
        try reader.run { location, _, _ in
            _ = try first.accept(location) { events.0.append($0) }
            _ = try second.accept(location) { events.1.append($0) }
        }
        try first.finish { events.0.append($0) }
        try second.finish { events.1.append($0) }

        let difference = EventDifference(before: events.0, after: events.1)
        var buffer = OutputBuffer()
        switch output ?? (Console.isOutputTerminal ? .text : .ndjson) {
        case .text:
            let isColored = Console.mayColor(terminal: Console.isOutputTerminal, noColor: noColor)
            var printer = TimelinePrinter(
                timeZone: timeZone?.zone ?? setups.0.commonTimeZone, isColored: isColored, names: setups.1.regionNames,
                units: unitArguments.system(setups.1.configuration))
            for change in difference.changes { printer.append(change, to: &buffer.bytes) }
        case .ndjson:
            for change in difference.changes { buffer.bytes += Self.encode(change) }
        }
        try? buffer.flush()
        if !input.quiet {
            let counts = difference.changes.reduce(into: (gained: 0, lost: 0, moved: 0)) { counts, change in
                switch change {
                case .gained: counts.gained += 1
                case .lost: counts.lost += 1
                case .moved: counts.moved += 1
                }
            }
            Console.say(
                "\(counts.gained) gained, \(counts.lost) lost, \(counts.moved) moved, "
                    + "\(Prose.grouped(difference.unchanged)) unchanged")
        }
        if Interrupt.isRequested { throw ExitStatus.interrupted.exit }
        if let failure = reader.failure { throw failure.exit }
        if input.strict, reader.rejected > 0 { throw ExitStatus.badData.exit }
    }

    private static func load(_ path: String) throws -> MonitorSetup {
        var arguments = RegionArguments()
        var reading = RegionReadingArguments()
        (reading.idProperty, reading.radius) = (nil, nil)
        arguments.reading = reading
        (arguments.config, arguments.regions, arguments.index, arguments.repair) = (nil, [], nil, false)
        if Check.configuration(at: path) != nil { arguments.config = path } else { arguments.regions = [path] }
        return try arguments.load()
    }

    private static func encode(_ change: EventDifference.Change) -> [UInt8] {
        var writer = JSONWriter()
        writer.beginObject()
        writer.name("change")
        var (before, after): (Event?, Event?)
        switch change {
        case .gained(let event):
            writer.value("gained")
            after = event
        case .lost(let event):
            writer.value("lost")
            before = event
        case .moved(let old, let new):
            writer.value("moved")
            (before, after) = (old, new)
            writer.name("seconds")
            writer.value((new.timestamp - old.timestamp).seconds)
        }
        for (name, event) in [("before", before), ("after", after)] {
            writer.name(name)
            guard var event else {
                writer.null()
                continue
            }
            event.why = nil
            writer.value(event, apps: [])
        }
        writer.endObject()
        writer.newline()
        return writer.bytes
    }
}

extension TimelinePrinter {
    /// Appends a line with a sign: `+` gained, `-` lost, `~` moved.
    mutating func append(_ change: EventDifference.Change, to text: inout [UInt8]) {
        switch change {
        case .gained(let event): append(event, to: &text, sign: "+")
        case .lost(let event): append(event, to: &text, sign: "-")
        case .moved(let before, let after):
            let seconds = (after.timestamp - before.timestamp).seconds
            let shift = "\(Prose.duration(seconds: seconds.magnitude)) \(seconds < 0 ? "earlier" : "later")"
            append(before, to: &text, sign: "~", note: seconds == 0 ? "detected at another time" : shift)
        }
    }
}
