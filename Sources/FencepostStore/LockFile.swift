import FencepostFiles
import Foundation
import Synchronization

/// The lock of a database, which one process holds at a time (rule D3).
///
/// It consists of two locks of the kernel, which releases them when the process ends in any way. One is on a file next to
/// the database, by its name; it also covers the time before the database exists, and has the holder for people. The other
/// is on the database file itself, so that another name of the file does not open it a second time.
///
/// The second one is a `flock`, which Linux keeps apart from the POSIX locks of SQLite. Its descriptor has to stay open
/// until SQLite has closed the file, because closing any descriptor of a file releases all POSIX locks of the process on
/// it: the holder of the lock closes the database first.
final class LockFile: Sendable {
    private let named: Int32
    /// -1 when the database did not exist and was not to be created.
    private let file: Int32
    private let isReleased = Mutex(false)

    /// Takes both locks. `creates` is whether to create the database, as an empty file.
    ///
    /// - Throws: `locked` with the holder, or `cannotOpen`.
    init(nextTo database: String, creates: Bool = false) throws(StoreError) {
        // A link and its target are one database.
        let path = FileName.canonical(database) + ".lock"
        let opened = open(path, O_RDWR | O_CREAT | O_CLOEXEC, 0o600)
        guard opened >= 0 else {
            throw StoreError(.cannotOpen, "\(path) cannot be created: \(String(cString: strerror(errno))).")
        }
        guard flock(opened, LOCK_EX | LOCK_NB) == 0 else {
            let holder = Self.content(of: opened)
            close(opened)
            throw Self.locked(database, by: holder.isEmpty ? nil : holder)
        }
        do {
            file = try Self.lock(database, creates: creates)
        } catch {
            flock(opened, LOCK_UN)
            close(opened)
            throw error
        }
        named = opened
        let holder = Array("process \(getpid()) (\(CommandLine.arguments.prefix(2).joined(separator: " ")))".utf8)
        // The text is only for people; a failed write does not affect the lock.
        if ftruncate(opened, 0) == 0 { _ = pwrite(opened, holder, holder.count, 0) }
    }

    deinit { release() }

    /// Releases both locks, after the database was closed.
    func release() {
        guard
            isReleased.withLock({ isReleased in
                defer { isReleased = true }
                return !isReleased
            })
        else { return }
        // Explicit, because a child process has the descriptor open between fork and exec, and would keep the lock after
        // a mere close.
        for descriptor in [file, named] where descriptor >= 0 {
            flock(descriptor, LOCK_UN)
            close(descriptor)
        }
    }

    /// The file that is locked; `nil` when there is none.
    var identity: FileIdentity? { FileIdentity(descriptor: file) }

    /// Locks the database file itself.
    private static func lock(_ database: String, creates: Bool) throws(StoreError) -> Int32 {
        let opened = open(database, O_RDWR | O_CLOEXEC | (creates ? O_CREAT : 0), 0o644)
        guard opened >= 0 else {
            if !creates, errno == ENOENT { return -1 }
            throw StoreError(.cannotOpen, "\(database) cannot be opened: \(String(cString: strerror(errno))).")
        }
        guard flock(opened, LOCK_EX | LOCK_NB) != 0 else { return opened }
        let holder = FileIdentity(descriptor: opened).flatMap { FileLocks.holder(of: $0) }
        close(opened)
        throw locked(database, by: holder.map { "process \($0), under another name" })
    }

    private static func locked(_ database: String, by holder: String?) -> StoreError {
        StoreError(
            .locked,
            "\(database) is in use by \(holder ?? "another process"); only one process may have it open.")
    }

    private static func content(of descriptor: Int32) -> String {
        var bytes = [UInt8](repeating: 0, count: 256)
        let count = pread(descriptor, &bytes, bytes.count, 0)
        return String(decoding: bytes.prefix(max(0, count)), as: UTF8.self)
    }
}
