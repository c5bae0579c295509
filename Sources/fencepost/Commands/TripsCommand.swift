import ArgumentParser
import FencepostAnalysis
import FencepostAppCommands
import FencepostFormats
import FencepostJSON
import FencepostModel
import FencepostRegionFiles
import Foundation

/// Lists the trips between visits.
struct Trips: ParsableCommand {
    static let configuration = CommandConfiguration(
        abstract: "Lists the trips between visits with their legs: distance, duration, top speed and mode.",
        discussion: """
            Example:
              fencepost trips Regions/tracks/day.ndjson

            With --regions, the ends of trips have the regions of their visits. Speeds are in metres \
            per second, except in text output.
            """)

    @OptionGroup var regionArguments: RegionArguments
    @OptionGroup var monitor: MonitorArguments

    @Option(name: .long, help: "Time zone of text output, such as Europe/Lisbon.")
    var timeZone: ZoneArgument?

    @OptionGroup var unitArguments: UnitArguments

    @Option(name: .long, help: "text, json, ndjson, csv or geojson; by default text on a terminal, else ndjson.")
    var output: Output?

    @OptionGroup var input: InputArguments

    enum Output: String, ExpressibleByArgument, CaseIterable { case text, json, ndjson, csv, geojson }

    func run() throws {
        Interrupt.install()
        let setup = try regionArguments.load(for: monitor)
        let run = try HistoryRun(setup, monitor, input, needsVisits: true)
        let trips = run.devices.flatMap(\.trips)
        var buffer = OutputBuffer()
        switch output ?? (Console.isOutputTerminal ? .text : .ndjson) {
        case .text:
            let zone = timeZone?.zone ?? setup.commonTimeZone
            let text = self.text(trips, zone, unitArguments.system(setup.configuration))
            buffer.append(Prose.fitted(text, width: Console.outputWidth))
        case .csv: buffer.append(Trip.table(of: trips).csv)
        case .ndjson:
            var writer = JSONWriter()
            for trip in trips {
                writer.value(trip)
                writer.newline()
                buffer.bytes += writer.takeBytes()
            }
        case .json:
            var writer = JSONWriter()
            writer.beginObject()
            writer.name("trips")
            writer.beginArray()
            for trip in trips { writer.value(trip) }
            writer.endArray()
            writer.endObject()
            writer.newline()
            buffer.bytes += writer.bytes
        case .geojson:
            var writer = JSONWriter()
            writer.featureCollection(of: trips) { $0.feature($1) }
            writer.newline()
            buffer.bytes += writer.bytes
        }
        try? buffer.flush()
        try run.finish(input)
    }

    private func text(_ trips: [Trip], _ zone: TimeZone, _ units: UnitSystem) -> String {
        guard !trips.isEmpty else { return "No trips.\n" }
        let format = Date.ISO8601FormatStyle(timeZone: zone).year().month().day().dateSeparator(.dash)
            .dateTimeSeparator(.space).time(includingFractionalSeconds: false).timeSeparator(.colon)
        func local(_ time: Timestamp) -> String {
            String(Date(timeIntervalSince1970: Double(time.milliseconds) / 1000).formatted(format).prefix(16))
        }
        var text = "Trips (times of \(zone.identifier))\n"
        let width = max(trips.map(\.deviceID.rawValue.count).max() ?? 0, 8)
        for trip in trips {
            let device = trip.deviceID.rawValue.padding(toLength: width, withPad: " ", startingAt: 0)
            let end = local(trip.end.time)
            let start = local(trip.start.time)
            let until = start.prefix(10) == end.prefix(10) ? String(end.suffix(5)) : end
            let mode = trip.mode.rawValue.padding(toLength: 8, withPad: " ", startingAt: 0)
            text += "  \(start)–\(until)  \(device)  \(mode)  "
            text += units.distance(trip.distance).padding(toLength: 9, withPad: " ", startingAt: 0) + "  "
            text += Prose.duration(seconds: trip.seconds).padding(toLength: 11, withPad: " ", startingAt: 0)
            if trip.topSpeed > 0 { text += "  top \(units.speed(trip.topSpeed))" }
            let ends = [trip.start, trip.end].map {
                $0.regions.isEmpty ? "…" : $0.regions.map(\.rawValue).joined(separator: "+")
            }
            text += "  \(ends[0]) → \(ends[1])\n"
            guard trip.legs.count > 1 else { continue }
            for leg in trip.legs {
                let mode = leg.mode.rawValue.padding(toLength: 8, withPad: " ", startingAt: 0)
                text += "    \(local(leg.start).suffix(5))–\(local(leg.end).suffix(5))  \(mode)  "
                text += units.distance(leg.distance).padding(toLength: 9, withPad: " ", startingAt: 0) + "  "
                text += Prose.duration(seconds: leg.seconds) + "\n"
            }
        }
        return text
    }
}
