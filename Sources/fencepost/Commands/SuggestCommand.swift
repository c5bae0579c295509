import ArgumentParser
import FencepostAnalysis
import FencepostAppCommands
import FencepostFormats
import FencepostGeometry
import FencepostJSON
import FencepostModel
import FencepostRegionFiles
import Foundation

/// Suggests regions from frequent visits.
struct Suggest: ParsableCommand {
    static let configuration = CommandConfiguration(
        abstract: "Suggests regions from frequent visits.",
        discussion: """
            Example:
              fencepost suggest --output geojson Regions/tracks/day.ndjson

            A place has at least \(SuggestedPlaces.leastVisits) visits. GeoJSON output is a region file: check the places, \
            name them, and use the file with --regions.
            """)

    @OptionGroup var regionArguments: RegionArguments
    @OptionGroup var monitor: MonitorArguments

    @Option(name: .long, help: "Time zone of the typical hours, such as Europe/Lisbon.")
    var timeZone: ZoneArgument?

    @OptionGroup var unitArguments: UnitArguments

    @Flag(name: .long, help: "Leave out places that are in a region already.")
    var new = false

    @Option(name: .long, help: "text, json or geojson; by default text on a terminal, else json.")
    var output: Output?

    @OptionGroup var input: InputArguments

    enum Output: String, ExpressibleByArgument, CaseIterable { case text, json, geojson }

    func run() throws {
        Interrupt.install()
        let setup = try regionArguments.load(for: monitor)
        let run = try HistoryRun(setup, monitor, input, needsVisits: true)
        var suggested = SuggestedPlaces(timeZone: timeZone?.zone ?? setup.commonTimeZone)
        for device in run.devices { suggested.add(device.timeline, extents: device.extents) }
        let places = suggested.places().filter { !new || $0.regions.isEmpty }
        var buffer = OutputBuffer()
        switch output ?? (Console.isOutputTerminal ? .text : .json) {
        case .text:
            let text = self.text(places, setup.regionNames, unitArguments.system(setup.configuration))
            buffer.append(Prose.fitted(text, width: Console.outputWidth))
        case .json:
            var writer = JSONWriter()
            writer.beginObject()
            writer.name("places")
            writer.beginArray()
            for place in places {
                writer.beginObject(place)
                writer.endObject()
            }
            writer.endArray()
            writer.endObject()
            writer.newline()
            buffer.bytes += writer.bytes
        case .geojson:
            var writer = JSONWriter()
            writer.featureCollection(of: places.enumerated()) {
                $0.value($1.element.region(name: "Place \($1.offset + 1)"))
            }
            writer.newline()
            buffer.bytes += writer.bytes
        }
        try? buffer.flush()
        try run.finish(input)
    }

    private func text(_ places: [SuggestedPlace], _ names: [RegionID: String], _ units: UnitSystem) -> String {
        guard !places.isEmpty else {
            return "No place has \(SuggestedPlaces.leastVisits) visits or more.\n"
        }
        var text = "Frequent places\n"
        for place in places {
            let position = String(format: "%.5f, %.5f", place.center.latitude, place.center.longitude)
            text += "  \(position)  radius \(units.length(place.radius))  \(Prose.count(place.visits, "visit"))  "
            text += "\(Prose.duration(seconds: place.seconds))  \(place.typicalHours)"
            let regions = place.regions.map { names[$0] ?? $0.rawValue }.joined(separator: ", ")
            text += regions.isEmpty ? "\n" : "  in \(regions)\n"
        }
        return text
    }
}
