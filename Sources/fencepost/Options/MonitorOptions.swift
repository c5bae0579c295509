public import ArgumentParser
import FencepostFormats
import FencepostModel
import FencepostMonitor
import FencepostRegionFiles
import FencepostRegions
import FencepostService
import Foundation

/// The options of the commands that read regions.
struct RegionArguments: ParsableArguments {
    @Option(name: .long, help: "A config file.", completion: .file(extensions: ["json"]))
    var config: String?

    @Option(
        name: .long, parsing: .singleValue,
        help: "A region file, a folder of them, or a pattern; may be repeated.", completion: .file())
    var regions: [String] = []

    @Flag(name: .long, help: "Make invalid polygons valid instead of leaving their regions out.")
    var repair = false

    /// Reads the config file and the regions, and says on standard error what is wrong with them.
    ///
    /// A region that is wrong is left out and the others are watched; an error of the config file ends the command.
    ///
    /// - Parameter monitor: where visits are told too, which need no regions; `nil` when regions have to be there.
    func load(for monitor: MonitorArguments? = nil) throws -> Setup {
        var setup = Setup()
        setup.configuration = try ConfigurationLayers.read(file: config).configuration
        // A flag wins over the file.
        if !regions.isEmpty { setup.configuration.regions = regions }
        let paths = setup.configuration.regions
        guard !paths.isEmpty else {
            var settings = setup.configuration.monitor
            monitor?.apply(to: &settings)
            if monitor != nil, settings.visits != nil { return setup }
            throw ValidationError(
                "There are no regions to watch; give --regions FILE, or a config file with \"regions\".")
        }
        let set = RegionSet.load(
            paths: paths, options: RegionOptions(repair: repair, idProperty: setup.configuration.idProperty))
        Console.report(set.diagnostics)
        if set.regions.isEmpty {
            Console.say("fencepost: there is no region to watch in \(paths.joined(separator: ", "))")
            let isMissing = set.diagnostics.allSatisfy { $0.place == .file }
            throw (isMissing ? ExitStatus.noInput : .badData).exit
        }
        setup.regions = set
        return setup
    }
}

/// What a command works with: settings and regions.
struct Setup {
    var configuration = Configuration()
    var regions = RegionSet()

    var index: RegionIndex { RegionIndex(regions.catalog) }
}

/// The options that set the monitor.
struct MonitorArguments: ParsableArguments {
    @Option(name: .long, help: "How crossings are found, for regions that do not say: raw, confirmed, coreLocation.")
    var crossing: CrossingMode?

    @Option(name: .long, help: "Whether visits are told: on, off.")
    var visits: Switch?

    @Option(name: .long, help: "How many seconds a fix is held back, so that later ones of earlier time are sorted in.")
    var reorderWindow: Double?

    func validate() throws {
        if let reorderWindow, !(0...315_360_000).contains(reorderWindow) {
            throw ValidationError("--reorder-window is a number of seconds from 0 to 315360000.")
        }
    }

    enum Switch: String, ExpressibleByArgument, CaseIterable { case on, off }

    func apply(to settings: inout MonitorSettings) {
        if let crossing { settings.crossing = crossing }
        if let reorderWindow { settings.reorderWindow = .milliseconds(Int64(reorderWindow * 1000)) }
        switch visits {
        case .on?: settings.visits = settings.visits ?? VisitSettings()
        case .off?: settings.visits = nil
        case nil: break
        }
    }
}

/// The options that say what is read.
struct InputArguments: ParsableArguments {
    @Option(
        name: .long,
        help: "The format of the input, where it is not to be found out from the name and the first bytes.")
    var format: LocationFormat?

    @Option(name: .long, help: "The device of records that name none.")
    var device = "default"

    @Flag(name: .long, help: "Exit with 65 when a record was rejected.")
    var strict = false

    @Flag(name: .shortAndLong, help: "No progress and no closing words on standard error.")
    var quiet = false

    @Argument(help: "Files of locations; - or none is standard input.", completion: .file())
    var files: [String] = []
}

extension CrossingMode: ExpressibleByArgument {}
extension LocationFormat: ExpressibleByArgument {}

/// A zone by its name in the IANA database.
struct ZoneArgument: ExpressibleByArgument {
    let zone: TimeZone

    init?(argument: String) {
        guard let zone = TimeZone(identifier: argument) else { return nil }
        self.zone = zone
    }
}

/// Files that are read whole.
enum InputFile {
    static func bytes(of path: String) throws -> Data {
        do {
            if path == "-" { return try FileHandle.standardInput.readToEnd() ?? Data() }
            return try Data(contentsOf: URL(filePath: path))
        } catch {
            Console.say("fencepost: \(path) cannot be read: \(error.localizedDescription)")
            throw ExitStatus.noInput.exit
        }
    }
}
