import Foundation

/// A file system of a few megabytes that is unmounted with its owner.
final class SmallDisk: Sendable {
    /// Its folder.
    let url: URL

    /// Whether the process may mount a file system.
    static let mayMount = geteuid() == 0

    init?(in folder: URL, megabytes: Int) throws {
        url = folder.appending(path: "small")
        try FileManager.default.createDirectory(at: url, withIntermediateDirectories: true)
        guard Self.run("mount", "-t", "tmpfs", "-o", "size=\(megabytes)m", "tmpfs", url.path) else { return nil }
    }

    deinit { _ = Self.run("umount", "-l", url.path) }

    /// Fills it. The space is free again when the file of the result is removed.
    func fill() throws -> URL {
        let filler = url.appending(path: "filler")
        try Data().write(to: filler)
        let handle = try FileHandle(forWritingTo: filler)
        let block = Data(count: 1 << 16)
        while (try? handle.write(contentsOf: block)) != nil {}
        try? handle.close()
        return filler
    }

    private static func run(_ arguments: String...) -> Bool {
        let process = Process()
        process.executableURL = URL(filePath: "/usr/bin/env")
        process.arguments = arguments
        process.standardError = FileHandle.nullDevice
        guard (try? process.run()) != nil else { return false }
        process.waitUntilExit()
        return process.terminationStatus == 0
    }
}
