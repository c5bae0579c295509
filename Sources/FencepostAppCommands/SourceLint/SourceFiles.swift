import FencepostSimulator
import Foundation

/// The Swift sources of an app.
struct SourceFiles {
    private(set) var files: [(path: String, text: String)] = []
    private(set) var unreadable: [String] = []
    /// Warnings about sources that are too large to be an app's own, such as generated tables.
    private(set) var skippedFiles: [SourceFinding] = []
    /// Whether a folder was given, so that what its sources lack is missing.
    private(set) var areWhole = false

    /// Whether a folder has sources in Objective-C, which may use Swift's at a launch.
    private(set) var hasOtherCode = false

    private static let sizeLimit = 4 << 20
    /// Folders with sources of others, or with none of the app itself.
    private static let skipped: Set<String> = [
        "Pods", "Carthage", "DerivedData", "checkouts", "node_modules", "Tests", "build",
    ]

    /// Adds a source, or those of a folder, without tests and dependencies.
    ///
    /// - Returns: whether the path was a source, so that it is nothing else.
    mutating func add(_ path: String) -> Bool {
        var isFolder: ObjCBool = false
        guard FileManager.default.fileExists(atPath: path, isDirectory: &isFolder) else { return false }
        guard isFolder.boolValue else {
            guard path.hasSuffix(".swift") else { return false }
            read(path)
            return true
        }
        let names = FileManager.default.enumerator(atPath: path)?.compactMap { $0 as? String }.sorted() ?? []
        for name in names where [".swift", ".m", ".mm"].contains(where: name.hasSuffix) {
            let folders = name.split(separator: "/").dropLast().map(String.init)
            if name.split(separator: "/").last == "Package.swift" { continue }
            if folders.contains(where: { $0.hasPrefix(".") || $0.hasSuffix("Tests") || Self.skipped.contains($0) }) {
                continue
            }
            guard name.hasSuffix(".swift") else {
                hasOtherCode = true
                continue
            }
            areWhole = true
            read(path.hasSuffix("/") ? path + name : "\(path)/\(name)")
        }
        return false
    }

    private mutating func read(_ path: String) {
        guard let data = try? Data(contentsOf: URL(filePath: path)) else {
            return unreadable.append("\(path) cannot be read")
        }
        guard data.count <= Self.sizeLimit else {
            let name = path.split(separator: "/").last.map(String.init) ?? path
            return skippedFiles.append(
                SourceFinding(
                    severity: .warning, path: path, line: 1, column: 1, key: name,
                    effect:
                        "The source has more than \(Self.sizeLimit) bytes and was not read. Divide it if it is about "
                        + "location.", rules: []))
        }
        files.append((path, String(decoding: data, as: UTF8.self)))
    }
}
