import Foundation

/// A lock that one process holds at a time, beside a database (rule D3).
///
/// The kernel gives it back when the process ends, however it ends; the file itself stays.
final class LockFile: Sendable {
    private let descriptor: Int32

    /// - Throws: `locked` with who has it, or `cannotOpen`.
    init(beside database: String) throws(StoreError) {
        let path = database + ".lock"
        let opened = open(path, O_RDWR | O_CREAT | O_CLOEXEC, 0o600)
        guard opened >= 0 else {
            throw StoreError(.cannotOpen, "\(path) cannot be made: \(String(cString: strerror(errno))).")
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
        let words = Array("process \(getpid()) (\(CommandLine.arguments.prefix(2).joined(separator: " ")))".utf8)
        // Only words for people: what was not written changes nothing about the lock.
        if ftruncate(opened, 0) == 0 { _ = pwrite(opened, words, words.count, 0) }
    }

    deinit {
        // Said aloud: a child that this process is just starting has the file open too until it runs its program, and a
        // close here would leave the lock to it.
        flock(descriptor, LOCK_UN)
        close(descriptor)
    }

    private static func content(of descriptor: Int32) -> String {
        var bytes = [UInt8](repeating: 0, count: 256)
        let count = pread(descriptor, &bytes, bytes.count, 0)
        return String(decoding: bytes.prefix(max(0, count)), as: UTF8.self)
    }
}
