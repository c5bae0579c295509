import ArgumentParser
import FencepostAppCommands
import FencepostFiles
import FencepostModel
import FencepostRegionFiles
import FencepostRegions
import FencepostSavedIndex
import FencepostService

/// Writes regions with their index to a file, which other commands use without reading the region files.
struct Index: ParsableCommand {
    static let configuration = CommandConfiguration(
        abstract: "Writes regions with their index to a file, with which commands start at once.",
        discussion: """
            Example:
              fencepost index --regions Regions --output /tmp/regions.index --force

            Other commands take it with --index /tmp/regions.index, next to --regions: they use it only while the region \
            files are as they were. Without --regions they take the regions from it too.
            """)

    @Option(name: .long, help: "A configuration file.", completion: .file(extensions: ["json"]))
    var config: String?

    @Option(
        name: .long, parsing: .singleValue,
        help: "A region file, a folder or a pattern; can be repeated.", completion: .file())
    var regions: [String] = []

    @OptionGroup var reading: RegionReadingArguments

    @Flag(name: .long, help: "Repair invalid polygons instead of skipping their regions.")
    var repair = false

    @Option(name: .long, help: "The file to write.", completion: .file())
    var output: String

    @OptionGroup var outputs: OutputArguments

    func run() throws {
        var configuration = try ConfigurationLayers.read(file: config).configuration
        if !regions.isEmpty { configuration.regions = regions }
        reading.apply(to: &configuration)
        let paths = configuration.regions
        guard !paths.isEmpty else {
            throw ValidationError(
                "No regions were given. Use --regions FILE, or a configuration file with \"regions\".")
        }
        guard !paths.contains("-") else {
            throw ValidationError("An index is checked against its region files, so they cannot be standard input.")
        }
        let file = try outputs.file(output, inUse: FilesInUse(configuration, file: config))
        let options = configuration.regionOptions(repair: repair)
        // Before the regions are read, so that a change in between is noticed.
        let sources = (RegionSet.files(of: paths) ?? []).compactMap { RegionSourceFile($0) }
        let set = try RegionArguments.read(paths, options)
        guard sources.count == set.files.count else {
            Console.say("fencepost: not all region files can be read, so there is no index of them.")
            throw ExitStatus.noInput.exit
        }
        let index = RegionIndex(set.catalog)
        do {
            try OutputArguments.run {
                try SavedIndex.write(set, index, sources: sources, options: options, to: file)
            }
        } catch let error as SavedIndexError {
            Console.say("fencepost: \(error.message)")
            throw error.exitStatus.exit
        }
        Console.say("\(Prose.count(set.regions.count, "region")) in \(output)")
    }
}
