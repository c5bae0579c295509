public import FencepostService
import GRDB

/// A failed operation of the store. Nothing of it was done.
public struct StoreError: StoreFailure, Hashable, Sendable, CustomStringConvertible {
    /// The kind of failure; a metric label.
    public enum Code: String, Hashable, Sendable, CaseIterable {
        /// No disk space is left.
        case full
        /// The disk failed or is read-only.
        case inputOutput
        /// Another connection holds a lock; the caller may try again.
        case busy
        /// Another process has the database open.
        case locked
        /// The file is damaged, is not a database, or belongs to another program.
        case corrupt
        /// The file was written by a newer program (rule D4).
        case newerSchema
        /// The file does not exist, or cannot be read or created.
        case cannotOpen
        /// A file of the open database was moved or replaced (rule D7). Nothing is acknowledged until it is back.
        case moved
        /// The position of a commit is not the next one.
        case outOfOrder
        /// The store was closed.
        case closed
        /// The cluster's log took no record from this node, or not in time; another node may lead.
        case notLeading
        /// The operation violates the schema: a programming error.
        case invalid
    }

    /// The kind of failure.
    public var code: Code
    /// One sentence for people.
    public var message: String

    /// An error with a message.
    public init(_ code: Code, _ message: String) {
        self.code = code
        self.message = message
    }

    /// Whether the operation may succeed later with the same database: after space is freed, a lock is released or a
    /// disk works again.
    public var isTemporary: Bool {
        switch code {
        case .full, .inputOutput, .busy, .locked, .cannotOpen, .moved, .notLeading: true
        case .corrupt, .newerSchema, .outOfOrder, .closed, .invalid: false
        }
    }

    /// Whether the store was closed, because its service ends.
    public var isClosed: Bool { code == .closed }

    /// The message.
    public var description: String { message }

    /// Converts an error of the database.
    init(_ error: any Error, path: String) {
        switch error {
        case let error as StoreError: self = error
        case let error as DatabaseError: self.init(error, path: path)
        // Its description contains values, which may be a person's position.
        case is RowDecodingError:
            self.init(.corrupt, "\(path) is damaged: a stored value has another type than its column.")
        case is CancellationError: self.init(.closed, "The read was cancelled.")
        case let error as CodecError:
            self.init(.corrupt, "\(path) contains fixes that cannot be read: \(error.message)")
        default: self.init(.invalid, "\(path): \(error)")
        }
    }

    private init(_ error: DatabaseError, path: String) {
        let reason = error.message ?? "error \(error.extendedResultCode.rawValue)"
        switch error.resultCode {
        case .SQLITE_FULL: self.init(.full, "No disk space is left for \(path).")
        case .SQLITE_IOERR, .SQLITE_READONLY, .SQLITE_PERM:
            self.init(.inputOutput, "\(path) cannot be read or written now (\(reason)).")
        case .SQLITE_BUSY, .SQLITE_LOCKED: self.init(.busy, "\(path) is locked by another connection (\(reason)).")
        case .SQLITE_CORRUPT, .SQLITE_NOTADB: self.init(.corrupt, "\(path) is damaged or not a database (\(reason)).")
        case .SQLITE_CANTOPEN: self.init(.cannotOpen, "\(path) cannot be opened (\(reason)).")
        case .SQLITE_MISUSE: self.init(.closed, "\(path) is closed.")
        case .SQLITE_INTERRUPT, .SQLITE_ABORT: self.init(.closed, "The read was cancelled.")
        // The message contains no values of the statement, because they may be a person's position.
        default: self.init(.invalid, "\(path): \(reason)")
        }
    }
}
