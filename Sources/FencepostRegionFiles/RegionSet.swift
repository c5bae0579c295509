public import FencepostModel
public import Foundation

/// The regions of one or more files, folders and patterns, with the diagnostics.
public struct RegionSet: Sendable {
    /// In the order of the files, each in its own order, without duplicate ids.
    public var regions: [Region] = []
    /// Errors and warnings, file by file. `fencepost watch` refuses to start on an error.
    public var diagnostics: [Diagnostic] = []
    /// The files that were read, by their names in diagnostics.
    public var files: [String] = []

    /// No regions of no files.
    public init() {}

    /// Reads the content of a file; the text is its name in diagnostics.
    public typealias Reader = (_ bytes: Data, _ name: String?, _ options: RegionOptions) -> RegionFile.Reading

    /// Reads GeoJSON.
    public static func readGeoJSON(_ bytes: Data, _ name: String?, _ options: RegionOptions) -> RegionFile.Reading {
        RegionFile.read(bytes, name: name, options: options)
    }

    /// Whether any file has a problem that makes a region or the whole file unusable.
    public var hasErrors: Bool { diagnostics.contains { $0.severity == .error } }

    /// A catalog of the regions, at revision 0.
    public var catalog: RegionCatalog { RegionCatalog(regions) }

    /// Reads region files.
    ///
    /// - Parameters:
    ///   - paths: files, folders (the region files in them, without subfolders) and patterns with `*` and `?`
    ///     within a name and `**` for any number of folders. Matches are read in the order of the bytes of their paths,
    ///     and a file that is named twice once. `-` is standard input.
    ///   - options: how to read each file.
    ///   - reader: reads the content of a file; by default GeoJSON alone. `AnyRegionFile` of `FencepostRegionImport` has one
    ///     for all formats.
    /// - Returns: the valid regions of all files, with a diagnostic for each problem, also for a file that cannot be
    ///   read.
    public static func load(
        paths: [String], options: RegionOptions = RegionOptions(), reader: Reader = Self.readGeoJSON
    ) -> RegionSet {
        var set = RegionSet()
        var seen: Set<String> = []
        var origins = Origins()
        for path in paths {
            let found: [String]
            do throws(PathProblem) {
                found = try PathPattern.files(for: path, of: .regions)
            } catch {
                set.diagnostics.append(Diagnostic(code: error.code, file: path, at: .file, error.message))
                continue
            }
            for file in found where seen.insert(PathPattern.identity(of: file)).inserted {
                set.add(file: file, options: options, reader: reader, origins: &origins)
            }
        }
        return set
    }

    /// The files that `load` reads, in order; `nil` if it would report that there are none for one of the paths.
    public static func files(of paths: [String]) -> [String]? {
        var files: [String] = []
        var seen: Set<String> = []
        for path in paths {
            guard let found = try? PathPattern.files(for: path, of: .regions) else { return nil }
            for file in found where seen.insert(PathPattern.identity(of: file)).inserted { files.append(file) }
        }
        return files
    }

    private mutating func add(
        file: String, options: RegionOptions, reader: Reader, origins: inout Origins
    ) {
        let name = file == "-" ? nil : file
        files.append(name ?? "<stdin>")
        let bytes: Data
        do {
            bytes =
                file == "-"
                ? try FileHandle.standardInput.readToEnd() ?? Data()
                : try Data(contentsOf: URL(filePath: file), options: .mappedIfSafe)
        } catch {
            diagnostics.append(
                Diagnostic(
                    code: "unreadable_file", file: name, at: .file,
                    "The file cannot be read: \(error.localizedDescription)"))
            return
        }
        let reading = reader(bytes, name, options)
        diagnostics += reading.diagnostics
        let known = regions.count
        guard known > 0 else {
            // The ids of one file are unique already.
            regions = reading.regions
            origins.add(name, reading.positions, from: known)
            return
        }
        var positions: [Diagnostic.Position] = []
        for (region, position) in zip(reading.regions, reading.positions) {
            if let earlier = origins.origin(of: region.id, in: regions[..<known]) {
                diagnostics.append(
                    Diagnostic(
                        code: "duplicate_id", file: name, at: position,
                        "The id \"\(region.id)\" is also that of \(earlier); give each region its own id."))
            } else {
                regions.append(region)
                positions.append(position)
            }
        }
        origins.add(name, positions, from: known)
    }

    /// Where each region comes from, for messages about regions of different files with the same id.
    private struct Origins {
        /// The files with the index of their first region, and a position for each.
        private var files: [(name: String?, first: Int, positions: [Diagnostic.Position])] = []
        private var indices: [RegionID: Int] = [:]
        /// The number of regions in `indices`, which most often stays empty.
        private var indexed = 0

        mutating func add(_ name: String?, _ positions: [Diagnostic.Position], from first: Int) {
            files.append((name, first, positions))
        }

        /// The file and the position of the region with an id, for a message; `nil` if no file that was added has it.
        mutating func origin(of id: RegionID, in regions: ArraySlice<Region>) -> String? {
            while indexed < regions.endIndex {
                indices[regions[indexed].id] = indexed
                indexed += 1
            }
            guard let index = indices[id], let file = files.last(where: { $0.first <= index }) else { return nil }
            return "\(file.name ?? "<stdin>") at \(file.positions[index - file.first].words)"
        }
    }
}
