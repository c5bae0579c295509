import ArgumentParser
import FencepostModel
import FencepostMonitor
import FencepostRegionFiles
import FencepostRegions
import FencepostService

/// Options of the commands that read regions.
struct RegionArguments: ParsableArguments {
    @Option(name: .long, help: "A configuration file.", completion: .file(extensions: ["json"]))
    var config: String?

    @Option(
        name: .long, parsing: .singleValue,
        help: "A region file, a folder or a pattern; can be repeated.", completion: .file())
    var regions: [String] = []

    @Flag(name: .long, help: "Repair invalid polygons instead of skipping their regions.")
    var repair = false

    /// Reads the configuration file and the regions, and prints their problems on standard error.
    ///
    /// Invalid regions are skipped. An error of the configuration file ends the command. A command that reports visits
    /// needs no regions; `monitor` has its options, and is `nil` when regions are required.
    func load(for monitor: MonitorArguments? = nil) throws -> MonitorSetup {
        var setup = MonitorSetup()
        setup.configuration = try ConfigurationLayers.read(file: config).configuration
        // The flag overrides the file.
        if !regions.isEmpty { setup.configuration.regions = regions }
        let paths = setup.configuration.regions
        guard !paths.isEmpty else {
            var settings = setup.configuration.monitor
            monitor?.apply(to: &settings)
            if monitor != nil, settings.visits != nil { return setup }
            throw ValidationError(
                "No regions were given. Use --regions FILE, or a configuration file with \"regions\".")
        }
        let set = RegionSet.load(
            paths: paths, options: RegionOptions(repair: repair, idProperty: setup.configuration.idProperty))
        Console.report(set.diagnostics)
        if set.regions.isEmpty {
            Console.say("fencepost: no valid region in \(paths.joined(separator: ", "))")
            let isMissing = set.diagnostics.allSatisfy { $0.position == .file }
            throw (isMissing ? ExitStatus.noInput : .badData).exit
        }
        setup.regions = set
        return setup
    }
}
