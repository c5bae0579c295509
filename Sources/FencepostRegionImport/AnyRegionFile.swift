import FencepostFormats
import FencepostJSON
import FencepostModel
public import FencepostRegionFiles
public import Foundation

/// Reads regions of any format by its content: GeoJSON as `RegionFile` does, the formats of other programs as `RegionImport` does.
public enum AnyRegionFile {
    /// The code of the warning that a file is not GeoJSON.
    public static let foreignFormat = "foreign_format"

    /// Reads a file.
    ///
    /// The result for GeoJSON is that of `RegionFile.read`. For another format the positions are those of the file, and warnings
    /// say which format it is, what was assumed and what was not used. A place that cannot be a region is an error, and the
    /// others are returned; the caller decides whether to use them.
    ///
    /// - Parameters:
    ///   - bytes: the file.
    ///   - name: its name in diagnostics.
    ///   - options: how to read it, with the limits of a region.
    /// - Returns: the valid regions, and a diagnostic for each problem.
    public static func read(
        _ bytes: some Collection<UInt8>, name: String? = nil, options: RegionOptions = RegionOptions()
    ) -> RegionFile.Reading {
        let format: ForeignRegionFormat?
        do throws(JSONSyntaxError) {
            let root = try JSONDocument(parsing: bytes).root
            format = ForeignRegionFormat(besidesGeoJSON: root)
            if format == nil { return RegionFile.read(root, name: name, options: options) }
        } catch {
            format = ForeignRegionFormat(bytes: bytes)
        }
        guard let format else { return RegionFile.read(bytes, name: name, options: options) }
        if case .utf16 = format {
            var reading = read(PlainText.utf8(Array(bytes)), name: name, options: options)
            reading.diagnostics.insert(warning(format, name), at: 0)
            return reading
        }
        let read = RegionImport(
            Array(bytes), name: name,
            options: RegionImport.Options(radius: options.radius ?? RegionOptions.defaultRadius, regions: options))
        // A format that is not read has the same error as ever.
        guard read.format != nil else { return RegionFile.read(bytes, name: name, options: options) }
        var diagnostics = read.diagnostics
        diagnostics.fold()
        let notes = read.notes.map { note in
            Diagnostic(
                .warning, code: note.code, file: name, at: .file,
                "\(note.text.replacing("(--radius)", with: "(the option radius)")).")
        }
        guard !read.regions.isEmpty else {
            if !diagnostics.isEmpty { diagnostics[0].message = "\(format.statement) \(diagnostics[0].message)" }
            return RegionFile.Reading(diagnostics: notes + diagnostics)
        }
        return RegionFile.Reading(
            regions: read.regions, positions: read.positions, diagnostics: [warning(format, name)] + notes + diagnostics
        )
    }

    /// Reads a file for `RegionSet.load`.
    public static func reader(_ bytes: Data, _ name: String?, _ options: RegionOptions) -> RegionFile.Reading {
        read(bytes, name: name, options: options)
    }

    private static func warning(_ format: ForeignRegionFormat, _ name: String?) -> Diagnostic {
        Diagnostic(
            .warning, code: foreignFormat, file: name, at: .file,
            "\(format.statement) The file is read as fencepost import-regions reads it, which makes GeoJSON of it.")
    }
}
