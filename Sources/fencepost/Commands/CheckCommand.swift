import ArgumentParser
import FencepostAppCommands
import FencepostEngine
import FencepostJSON
import FencepostModel
import FencepostRegionFiles
import FencepostRegionImport
import FencepostService
import FencepostSimulator
import Foundation

/// Checks configuration, region, app and scenario files.
struct Check: ParsableCommand {
    static let configuration = CommandConfiguration(
        abstract: "Checks configuration, region, app and scenario files and lists all problems.",
        discussion: """
            Example:
              fencepost check Regions

            Regions of other programs (KML, GPX, tables and more) are read as fencepost import-regions reads them.

            The exit code is 1 when there are errors, or a region file among PATHS that is not GeoJSON, and 0 when there \
            are only other warnings.
            """)

    @Flag(name: .long, help: "Print one JSON object per problem.")
    var json = false

    @OptionGroup var reading: RegionReadingArguments

    @Flag(name: .long, help: "Repair invalid polygons before the check.")
    var repair = false

    @Argument(help: "Files, folders and patterns; - for standard input.", completion: .file())
    var paths: [String]

    func run() throws {
        var problems: [Diagnostic] = []
        var (files, regions) = (0, 0)
        var (apps, scenarios) = (0, 0)
        var regionPaths: [String] = []
        // Each file of a folder or a pattern is checked. A path without files is reported with the regions.
        for path in paths.flatMap({ (try? PathPattern.files(for: $0, of: .regions)) ?? [$0] }) {
            // Configuration, app and scenario files are recognised by their keys. All other JSON is read as regions.
            if let (written, found) = Self.configuration(at: path) {
                var configuration = written
                reading.apply(to: &configuration)
                files += 1
                problems += found
                let set = RegionSet.loadAny(
                    paths: configuration.regions, options: configuration.regionOptions(repair: repair))
                (files, regions) = (files + set.files.count, regions + set.regions.count)
                problems += set.diagnostics
                let (found, wrong) = AppArguments.read(configuration.apps)
                apps += found.count
                problems += wrong
            } else if let (kind, count, found) = Self.simulated(at: path) {
                files += 1
                if kind == .app { apps += count } else { scenarios += count }
                problems += found
            } else {
                regionPaths.append(path)
            }
        }
        let set = RegionSet.loadAny(
            paths: regionPaths,
            options: RegionOptions(repair: repair, idProperty: reading.idProperty, radius: reading.radius))
        (files, regions) = (files + set.files.count, regions + set.regions.count)
        problems += set.diagnostics

        var buffer = OutputBuffer()
        for problem in problems {
            if json { buffer.bytes += Self.encode(problem) } else { buffer.append(problem.description + "\n") }
        }
        try? buffer.flush()
        let errors = problems.count { $0.severity == .error }
        let others =
            (apps > 0 ? ", \(Prose.count(apps, "app"))" : "")
            + (scenarios > 0 ? ", \(Prose.count(scenarios, "scenario"))" : "")
        Console.say(
            "\(Prose.count(files, "file")), \(Prose.count(regions, "region"))\(others): "
                + "\(Prose.count(errors, "problem")), \(Prose.count(problems.count - errors, "warning"))")
        // The files that a configuration names are those that the service reads, so they count by their errors alone.
        let isForeign = set.diagnostics.contains { $0.code == AnyRegionFile.foreignFormat }
        if errors > 0 || isForeign { throw ExitStatus.problems.exit }
    }

    /// The configuration in a file; `nil` when the keys of its top-level object are not those of a configuration.
    static func configuration(at path: String) -> (Configuration, [Diagnostic])? {
        guard path.hasSuffix(".json"), let bytes = try? Data(contentsOf: URL(filePath: path)),
            let document = try? JSONDocument(parsing: bytes), let root = document.root.object
        else { return nil }
        let names = root.map(\.name)
        guard !names.contains("type"),
            names.contains(where: {
                ConfigurationReader.keys.contains($0) || nearest(to: $0, in: ConfigurationReader.keys) != nil
            })
        else { return nil }
        return ConfigurationReader.read(bytes, file: path)
    }

    private enum Kind { case app, scenario }

    /// The apps or scenarios in a file; `nil` when the keys of its top-level object, or of the first element of an
    /// array, are those of neither.
    private static func simulated(at path: String) -> (Kind, count: Int, [Diagnostic])? {
        guard path.hasSuffix(".json"), let bytes = try? Data(contentsOf: URL(filePath: path)),
            let root = try? JSONDocument(parsing: bytes).root,
            let object = (root.array?.first { _ in true } ?? root).object
        else { return nil }
        let names = Set(object.map(\.name))
        if names.contains("steps") || names.contains("expect") || names.contains("track") {
            let (file, problems) = ScenarioReader(file: path, propertyKeys: DeclarationFiles.entries(of:at:)).scenarios(
                bytes)
            return (.scenario, file?.scenarios.count ?? 0, problems)
        }
        guard names.contains("given") else { return nil }
        let (apps, problems) = AppFile.read(bytes, file: path)
        return (.app, apps.count, problems)
    }

    private static func encode(_ problem: Diagnostic) -> [UInt8] {
        var writer = JSONWriter()
        writer.beginObject()
        writer.name("file")
        if let file = problem.file { writer.value(file) } else { writer.null() }
        switch problem.position {
        case .file: break
        case .line(let line):
            writer.name("line")
            writer.value(line)
        case .position(let line, let column):
            writer.name("line")
            writer.value(line)
            writer.name("column")
            writer.value(column)
        case .index(let index):
            writer.name("index")
            writer.value(index)
        case .pointer(let pointer):
            writer.name("pointer")
            writer.value(pointer)
        }
        for (name, value) in [
            ("severity", problem.severity.rawValue), ("code", problem.code), ("message", problem.message),
        ] {
            writer.name(name)
            writer.value(value)
        }
        writer.endObject()
        writer.newline()
        return writer.bytes
    }
}
