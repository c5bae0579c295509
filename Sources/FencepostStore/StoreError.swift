import GRDB

/// Why the store did not do what it was asked for; nothing of it was done.
public struct StoreError: Error, Hashable, Sendable, CustomStringConvertible {
    /// Few values, fit for a metric label.
    public enum Code: String, Hashable, Sendable, CaseIterable {
        /// No space is left: try again when there is some.
        case full
        /// The disk failed, or takes no writes.
        case inputOutput
        /// Something else holds the database: try again.
        case busy
        /// Another process has the database open.
        case locked
        /// The file is no database, another program's, or damaged.
        case corrupt
        /// The file was written by a newer program (rule D4).
        case newerSchema
        /// There is no such file, or it may not be read or made.
        case cannotOpen
        /// A commit does not follow on the one before.
        case outOfOrder
        /// The store was closed.
        case closed
        /// What was asked for breaks a rule of the schema: a mistake of the program.
        case invalid
    }

    public var code: Code
    /// One sentence for a person.
    public var message: String

    public init(_ code: Code, _ message: String) {
        self.code = code
        self.message = message
    }

    public var description: String { message }

    /// Any error of an access, as one of the store's.
    init(_ error: any Error, path: String) {
        switch error {
        case let error as StoreError: self = error
        case let error as DatabaseError: self.init(error, path: path)
        case is CancellationError: self.init(.closed, "The reading was given up.")
        case let error as CodecError: self.init(.corrupt, "\(path) holds fixes that cannot be read: \(error.message)")
        default: self.init(.invalid, "\(path): \(error)")
        }
    }

    private init(_ error: DatabaseError, path: String) {
        let reason = error.message ?? "error \(error.extendedResultCode.rawValue)"
        switch error.resultCode {
        case .SQLITE_FULL: self.init(.full, "There is no space left for \(path).")
        case .SQLITE_IOERR, .SQLITE_READONLY, .SQLITE_PERM:
            self.init(.inputOutput, "\(path) cannot be read or written now (\(reason)).")
        case .SQLITE_BUSY, .SQLITE_LOCKED: self.init(.busy, "\(path) is held by something else (\(reason)).")
        case .SQLITE_CORRUPT, .SQLITE_NOTADB: self.init(.corrupt, "\(path) is damaged or no database (\(reason)).")
        case .SQLITE_CANTOPEN: self.init(.cannotOpen, "\(path) cannot be opened (\(reason)).")
        case .SQLITE_MISUSE: self.init(.closed, "\(path) is closed.")
        case .SQLITE_INTERRUPT, .SQLITE_ABORT: self.init(.closed, "The reading was given up.")
        // The statement's values stay out of the message: they may be somebody's position.
        default: self.init(.invalid, "\(path): \(reason)")
        }
    }
}
