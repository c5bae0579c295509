import Foundation

/// A file lock next to a database, which one process holds at a time (rule D3).
///
/// The kernel releases it when the process ends in any way. The file itself stays.
final class LockFile: Sendable {
    private let descriptor: Int32

    /// - Throws: `locked` with the holder, or `cannotOpen`.
    init(nextTo database: String) throws(StoreError) {
        let path = database + ".lock"
        let opened = open(path, O_RDWR | O_CREAT | O_CLOEXEC, 0o600)
        guard opened >= 0 else {
            throw StoreError(.cannotOpen, "\(path) cannot be created: \(String(cString: strerror(errno))).")
        }
        guard flock(opened, LOCK_EX | LOCK_NB) == 0 else {
            let holder = Self.content(of: opened)
            close(opened)
            throw StoreError(
                .locked,
                "\(database) is in use by \(holder.isEmpty ? "another process" : holder); "
                    + "only one process may have it open.")
        }
        descriptor = opened
        let holder = Array("process \(getpid()) (\(CommandLine.arguments.prefix(2).joined(separator: " ")))".utf8)
        // The text is only for people; a failed write does not affect the lock.
        if ftruncate(opened, 0) == 0 { _ = pwrite(opened, holder, holder.count, 0) }
    }

    deinit {
        // Explicit, because a child process has the descriptor open between fork and exec, and would keep the lock after
        // a mere close.
        flock(descriptor, LOCK_UN)
        close(descriptor)
    }

    private static func content(of descriptor: Int32) -> String {
        var bytes = [UInt8](repeating: 0, count: 256)
        let count = pread(descriptor, &bytes, bytes.count, 0)
        return String(decoding: bytes.prefix(max(0, count)), as: UTF8.self)
    }
}
