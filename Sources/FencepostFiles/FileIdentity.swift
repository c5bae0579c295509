import Foundation

/// Device and inode of a file: equal for all names of one file, symbolic and hard links included.
public struct FileIdentity: Hashable, Sendable, CustomStringConvertible {
    /// As in `stat`.
    public let device: UInt64
    /// As in `stat`.
    public let inode: UInt64

    /// The identity of a file that is known by its numbers.
    public init(device: UInt64, inode: UInt64) {
        self.device = device
        self.inode = inode
    }

    /// The identity of the file at a path, links followed; `nil` when there is none.
    public init?(path: String) {
        var status = stat()
        guard stat(path, &status) == 0 else { return nil }
        self.init(status)
    }

    /// The identity of an open file; `nil` for an invalid descriptor.
    public init?(descriptor: Int32) {
        var status = stat()
        guard fstat(descriptor, &status) == 0 else { return nil }
        self.init(status)
    }

    private init(_ status: stat) {
        self.init(device: UInt64(status.st_dev), inode: UInt64(status.st_ino))
    }

    /// Device and inode.
    public var description: String { "\(device):\(inode)" }
}

/// Names of files.
public enum FileName {
    /// The absolute name without symbolic links; also for a file that does not exist yet.
    ///
    /// As in `open`, a link whose target does not exist names that target.
    public static func canonical(_ path: String) -> String {
        var path = path
        // Linux follows at most 40 links.
        for _ in 0..<40 {
            if let resolved = real(path) { return resolved }
            guard let target = link(path) else { break }
            path = target.hasPrefix("/") ? target : joined(folder(of: path), target)
        }
        let name = path.split(separator: "/").last.map(String.init) ?? path
        return joined(real(folder(of: path)) ?? folder(of: path), name)
    }

    /// The folder of a path; "." for a mere name.
    public static func folder(of path: String) -> String {
        guard let slash = path.lastIndex(of: "/") else { return "." }
        return slash == path.startIndex ? "/" : String(path[..<slash])
    }

    private static func joined(_ folder: String, _ name: String) -> String {
        folder.hasSuffix("/") ? folder + name : "\(folder)/\(name)"
    }

    private static func real(_ path: String) -> String? {
        guard let resolved = realpath(path, nil) else { return nil }
        defer { free(resolved) }
        return String(cString: resolved)
    }

    private static func link(_ path: String) -> String? {
        var buffer = [CChar](repeating: 0, count: Int(PATH_MAX))
        let count = readlink(path, &buffer, buffer.count)
        return count > 0 ? String(decoding: buffer.prefix(count).map { UInt8(bitPattern: $0) }, as: UTF8.self) : nil
    }
}
