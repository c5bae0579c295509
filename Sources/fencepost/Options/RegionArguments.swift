import ArgumentParser
import FencepostAppCommands
import FencepostModel
import FencepostMonitor
import FencepostRegionFiles
import FencepostRegionImport
import FencepostRegions
import FencepostSavedIndex
import FencepostService
import Foundation

/// Options of the commands that read regions.
struct RegionArguments: ParsableArguments {
    @Option(name: .long, help: "A configuration file.", completion: .file(extensions: ["json"]))
    var config: String?

    @Option(
        name: .long, parsing: .singleValue,
        help: "A region file, a folder or a pattern; can be repeated.", completion: .file())
    var regions: [String] = []

    @Option(
        name: .long,
        help: "The index of the regions in a file of fencepost index; without regions, also the regions.",
        completion: .file())
    var index: String?

    @OptionGroup var reading: RegionReadingArguments

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
        reading.apply(to: &setup.configuration)
        let paths = setup.configuration.regions
        guard !paths.isEmpty || index != nil else {
            var settings = setup.configuration.monitor
            monitor?.apply(to: &settings)
            if monitor != nil, settings.visits != nil { return setup }
            throw ValidationError(
                "No regions were given. Use --regions FILE, or a configuration file with \"regions\".")
        }
        let options = setup.configuration.regionOptions(repair: repair)
        if let saved = try savedIndex(for: paths, options) {
            (setup.catalog, setup.savedIndex) = (saved.catalog, saved)
            return setup
        }
        setup.catalog = try Self.read(paths, options).catalog
        return setup
    }

    /// The index of the option `--index`, and the problems of its regions on standard error; `nil` if the regions have to
    /// be read from their files, after a sentence that says why.
    private func savedIndex(for paths: [String], _ options: RegionOptions) throws -> RegionIndex? {
        guard let index else { return nil }
        do throws(SavedIndexError) {
            let saved = try SavedIndex(path: index)
            if !paths.isEmpty { try saved.check(paths: paths, options: options) }
            Console.report(saved.diagnostics)
            return saved.index
        } catch {
            guard paths.isEmpty else {
                Console.say("fencepost: \(error.message) The regions are read from their files.")
                return nil
            }
            Console.say("fencepost: \(error.message)")
            throw error.exitStatus.exit
        }
    }

    /// Reads region files and prints their problems on standard error. A command without any region ends here.
    static func read(_ paths: [String], _ options: RegionOptions) throws -> RegionSet {
        let set = RegionSet.loadAny(paths: paths, options: options)
        Console.report(set.diagnostics)
        if set.regions.isEmpty {
            if set.diagnostics.isEmpty {
                Console.say(
                    "fencepost: \(paths.joined(separator: ", ")) has no features, so there is no region: add one, or choose "
                        + "another file")
                throw ExitStatus.badData.exit
            }
            Console.say("fencepost: no valid region in \(paths.joined(separator: ", "))")
            let isMissing = set.diagnostics.allSatisfy { $0.position == .file }
            throw (isMissing ? ExitStatus.noInput : .badData).exit
        }
        return set
    }
}

extension SavedIndexError {
    /// The exit code of a command that needs the file.
    var exitStatus: ExitStatus {
        switch code {
        case .unreadable where systemError == ENOENT: .noInput
        case .unreadable where systemError == EACCES || systemError == EPERM: .noPermission
        case .unreadable: .inputOutput
        case .outdated: .tryAgain
        case .noIndex, .otherByteOrder, .otherVersion, .damaged: .badData
        }
    }
}
