import FencepostFiles
import Foundation
import Synchronization

/// The files of an open database, by which the store notices that one of them was moved, replaced or removed (rule D7).
///
/// SQLite keeps its descriptors and would go on to write into files that the next start does not find.
final class DatabaseFile: Sendable {
    private let path: String
    private let logPath: String
    private let identity: FileIdentity?
    /// `nil` until the write-ahead log exists.
    private let log: Mutex<FileIdentity?>

    /// - Parameters:
    ///   - path: the name by which the next start opens the database.
    ///   - identity: the file that is open.
    init(_ path: String, identity: FileIdentity?) {
        self.path = path
        self.identity = identity
        logPath = FileName.canonical(path) + "-wal"
        log = Mutex(nil)
    }

    /// What happened to the files; `nil` while they are in place. They can be moved back.
    func problem() -> String? {
        guard FileIdentity(path: path) == identity else {
            return "The database file was moved, replaced or removed while the service runs. "
                + "Move it back, or stop the service."
        }
        let current = FileIdentity(path: logPath)
        let isUnmoved = log.withLock { known in
            if known == nil { known = current }
            return known == current
        }
        return isUnmoved
            ? nil
            : "The write-ahead log of the database was moved, replaced or removed while the service runs. "
                + "Move it back, or stop the service."
    }

    /// - Throws: `moved`. To be called after each write and before it is acknowledged.
    func check() throws(StoreError) {
        if let problem = problem() { throw StoreError(.moved, "\(path): \(problem)") }
    }
}
