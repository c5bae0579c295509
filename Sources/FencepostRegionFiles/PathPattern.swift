import FencepostModel
import Foundation

/// The reason why a path gives no file.
public struct PathProblem: Error {
    /// The code of the diagnostic: a stable name in snake case.
    public var code: String
    /// One sentence for people: what is wrong and how to correct it.
    public var message: String
}

/// Resolves a path of the command line or of a configuration file.
public enum PathPattern {
    /// What a folder is read for.
    public enum Content: Sendable {
        /// Files of JSON.
        case json
        /// GeoJSON, and other formats whose extension stands for places and areas. What may as well be a recording or a table of
        /// something else (GPX, CSV) has to be named.
        case regions

        private static let ofJSON: Set<String> = ["geojson", "json"]
        private static let ofOthers: Set<String> = [
            "geojsonl", "geojsons", "topojson", "kml", "kmz", "wkt", "wkb", "geohash",
        ]

        /// Those of the names in one folder that are read.
        ///
        /// A file of another format is left out next to a GeoJSON file of its name, which was made of it.
        fileprivate func files(among names: [String]) -> [String] {
            let visible = names.filter { !$0.hasPrefix(".") }
            let converted = Set(visible.filter { Self.ofJSON.contains($0.fileExtension) }.map(\.stem))
            return visible.filter { name in
                if name.hasSuffix(".geojson") || name.hasSuffix(".json") { return true }
                return self == .regions && Self.ofOthers.contains(name.fileExtension) && !converted.contains(name.stem)
            }
        }
    }

    /// The files to read for a path, sorted by their bytes; never empty.
    public static func files(for path: String, of content: Content = .json) throws(PathProblem) -> [String] {
        if path == "-" { return [path] }
        var isFolder: ObjCBool = false
        if FileManager.default.fileExists(atPath: path, isDirectory: &isFolder) {
            guard isFolder.boolValue else { return [path] }
            let names = content.files(among: entries(of: path))
            guard !names.isEmpty else {
                throw PathProblem(
                    code: "no_region_files",
                    message:
                        "The folder has no .geojson or .json file\(content == .regions ? ", nor one of KML, WKT or TopoJSON" : ""); "
                        + "to read subfolders, use a pattern such as "
                        + "\(path.hasSuffix("/") ? path : path + "/")**/*.geojson.")
            }
            return names.map { joined(path, $0) }
        }
        guard path.contains(where: { $0 == "*" || $0 == "?" }) else {
            throw PathProblem(code: "no_such_file", message: "There is no such file or folder.")
        }
        var found: [String] = []
        let isAbsolute = path.hasPrefix("/")
        expand(isAbsolute ? "/" : "", path.split(separator: "/").map(String.init)[...], content, into: &found)
        // Two `**` can match one file twice.
        let files = Set(found).sorted { $0.utf8.lexicographicallyPrecedes($1.utf8) }
        guard !files.isEmpty else {
            throw PathProblem(code: "no_such_file", message: "No file matches the pattern.")
        }
        return files
    }

    /// Equal for two names of one file.
    static func identity(of file: String) -> String {
        file == "-" ? file : URL(filePath: file).resolvingSymlinksInPath().path
    }

    private static func expand(
        _ folder: String, _ parts: ArraySlice<String>, _ content: Content, into found: inout [String]
    ) {
        guard let part = parts.first else { return }
        let rest = parts.dropFirst()
        if part == "**" {
            // Either no folder at all, or one more level.
            if rest.isEmpty {
                found += content.files(among: entries(of: folder)).map { joined(folder, $0) }
                    .filter { !isFolder($0) }
            } else {
                expand(folder, rest, content, into: &found)
            }
            for name in entries(of: folder) where !name.hasPrefix(".") {
                let path = joined(folder, name)
                if isFolder(path) && !isLink(path) { expand(path, parts, content, into: &found) }
            }
            return
        }
        let names: [String]
        if part.contains(where: { $0 == "*" || $0 == "?" }) {
            let pattern = GlobPattern(part)
            // As in a shell, a star does not match hidden files.
            names = entries(of: folder).filter { pattern.matches($0) && ($0.hasPrefix(".") == part.hasPrefix(".")) }
        } else {
            names = [part]
        }
        for name in names {
            let path = joined(folder, name)
            if rest.isEmpty {
                if FileManager.default.fileExists(atPath: path) && !isFolder(path) { found.append(path) }
            } else if isFolder(path) {
                expand(path, rest, content, into: &found)
            }
        }
    }

    private static func entries(of folder: String) -> [String] {
        let names = try? FileManager.default.contentsOfDirectory(atPath: folder.isEmpty ? "." : folder)
        return (names ?? []).sorted { $0.utf8.lexicographicallyPrecedes($1.utf8) }
    }

    private static func isFolder(_ path: String) -> Bool {
        var isFolder: ObjCBool = false
        return FileManager.default.fileExists(atPath: path, isDirectory: &isFolder) && isFolder.boolValue
    }

    private static func isLink(_ path: String) -> Bool {
        (try? FileManager.default.destinationOfSymbolicLink(atPath: path)) != nil
    }

    private static func joined(_ folder: String, _ name: String) -> String {
        folder.isEmpty || folder.hasSuffix("/") ? folder + name : folder + "/" + name
    }
}

extension String {
    /// What follows the last dot, in lower case; empty without a dot.
    fileprivate var fileExtension: String { lastIndex(of: ".").map { self[$0...].dropFirst().lowercased() } ?? "" }

    /// What precedes the last dot.
    fileprivate var stem: Substring { lastIndex(of: ".").map { self[..<$0] } ?? self[...] }
}
