public import ArgumentParser
import FencepostAppCommands
import FencepostFiles
import FencepostModel
import FencepostRegionFiles
public import FencepostRegionImport
import Foundation

extension PlaceFormat: ExpressibleByArgument {}

/// Converts files of places and areas into a region file.
struct ImportRegions: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "import-regions",
        abstract: "Converts places and areas of other programs into a region file.",
        discussion: """
            Example:
              fencepost import-regions --radius 150 Regions/import/places.kml

            It reads KML and KMZ (Google My Maps, Google Earth), GPX waypoints and routes, tables with a latitude and a \
            longitude, geofences of Traccar, waypoints of OwnTracks, GeoJSON of any kind, well-known text and binary, \
            TopoJSON, JSON of ArcGIS, and geohashes. What cannot be a region is left out, with its line.

            The exit code is 1 when something was left out, and 65 when nothing is left.
            """)

    @Option(name: .long, help: "Write the regions to this file.", completion: .file(extensions: ["geojson"]))
    var output: String?

    @OptionGroup var outputs: OutputArguments

    @Option(name: .long, help: "The property, or the column, with the ids.")
    var idProperty: String?

    @Option(name: .long, help: "Metres around points, and to either side of lines, that have no length of their own.")
    var radius = RegionOptions.defaultRadius

    @Option(name: .long, help: "The format, if the content does not show it.")
    var format: PlaceFormat?

    @Flag(name: .long, help: "Repair invalid polygons.")
    var repair = false

    @Argument(help: "Files; - for standard input.", completion: .file())
    var files: [String]

    func validate() throws {
        guard radius > 0, radius <= RegionOptions.radiusLimit else {
            throw ValidationError("--radius has to be a number of metres above 0 and at most 20037508.")
        }
    }

    func run() throws {
        var inUse = FilesInUse()
        for path in files where path != "-" { inUse.add(path, as: "a file that is read") }
        let target = try output.map { try outputs.file($0, inUse: inUse) }
        let options = RegionImport.Options(
            format: format, radius: radius, regions: RegionOptions(repair: repair, idProperty: idProperty))
        var regions: [Region] = []
        var known: [RegionID: String] = [:]
        var hasErrors = false
        for path in files {
            let name = path == "-" ? nil : path
            let read = RegionImport([UInt8](try InputFile.bytes(of: path)), name: name, options: options)
            for problem in read.diagnostics { Console.sayForeign(problem.description) }
            hasErrors = hasErrors || read.diagnostics.contains { $0.severity == .error }
            var added = 0
            for region in read.regions {
                if let earlier = known[region.id] {
                    Console.sayForeign(
                        "\(name ?? "<stdin>"): error: \"\(region.id)\" is left out: \(earlier) has a region with this id [duplicate_id]"
                    )
                    hasErrors = true
                    continue
                }
                known[region.id] = name ?? "<stdin>"
                regions.append(region)
                added += 1
            }
            let notes = read.notes.map { "; \($0.text)" }.joined()
            Console.sayForeign(
                "\(name ?? "<stdin>"): \(read.format?.title ?? "not read"), \(Prose.count(added, "region"))\(notes)")
        }
        guard !regions.isEmpty else {
            Console.say("fencepost: there is no region to write")
            throw ExitStatus.badData.exit
        }
        let content = RegionImport.file(of: regions)
        if let target {
            try OutputArguments.run { try target.write(content) }
            Console.sayForeign("\(Prose.count(regions.count, "region")) in \(output ?? "")")
        } else {
            var buffer = OutputBuffer()
            buffer.bytes += content
            try? buffer.flush()
        }
        if hasErrors { throw ExitStatus.problems.exit }
    }
}
