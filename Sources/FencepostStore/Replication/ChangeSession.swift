import CSQLiteSession
import GRDB
import Synchronization

/// Records what a connection writes to the main database, with SQLite's session extension.
///
/// It is used on the queue of its connection only.
final class ChangeSession: Sendable {
    /// Has a session for as long as its connection is open.
    final class Holder: Sendable {
        let session = Mutex<ChangeSession?>(nil)
    }

    private nonisolated(unsafe) let handle: UnsafeMutableRawPointer  // because one connection uses it, in its queue

    /// A session that records nothing until `record()`. While one exists, SQLite compiles statements in such a way that
    /// every row that they delete can be recorded; so one has to exist before any statement is compiled.
    ///
    /// - Throws: SQLite's error.
    init(_ db: Database) throws {
        var created: UnsafeMutableRawPointer?
        try Self.check(fencepost_session_create(Self.pointer(db), &created))
        guard let created else { throw DatabaseError(resultCode: .SQLITE_NOMEM) }
        handle = created
    }

    deinit { fencepost_session_delete(handle) }

    /// Records from now on.
    ///
    /// - Throws: SQLite's error.
    func record() throws { try Self.check(fencepost_session_record(handle)) }

    /// All changes so far: keys of deleted rows, new values of changed ones, and inserted rows. Empty for none.
    ///
    /// - Returns: a patch set.
    /// - Throws: SQLite's error, also when there is no memory for them.
    func changes() throws -> [UInt8] {
        var (size, bytes): (Int32, UnsafeMutableRawPointer?) = (0, nil)
        try Self.check(fencepost_session_changes(handle, &size, &bytes))
        defer { fencepost_session_free(bytes) }
        return Array(UnsafeRawBufferPointer(start: bytes, count: Int(size)))
    }

    /// Applies changes to a copy, within a transaction and without enforced foreign keys: what they delete is in the changes.
    ///
    /// - Parameters:
    ///   - changes: what `changes()` of another copy has returned, not empty.
    ///   - db: the connection.
    /// - Throws: `ReplicaError.differs` when a row is missing or there already, else SQLite's error.
    static func apply(_ changes: inout [UInt8], to db: Database) throws {
        var conflict: Int32 = 0
        let pointer = pointer(db)
        let status = changes.withUnsafeMutableBytes {
            fencepost_session_apply(pointer, Int32($0.count), $0.baseAddress, &conflict)
        }
        guard conflict == 0 else { throw ReplicaError.differs }
        try check(status)
    }

    /// The rows that changes insert, change or delete.
    ///
    /// - Parameters:
    ///   - changes: what `changes()` of a copy has returned, not empty.
    ///   - each: called with the table of each row and the first column of its key, `nil` where that is no text.
    /// - Throws: SQLite's error.
    static func rows(_ changes: inout [UInt8], _ each: (_ table: String, _ key: String?) -> Void) throws {
        let status = withoutActuallyEscaping(each) { each in
            withUnsafePointer(to: each) { each in
                changes.withUnsafeMutableBytes { bytes in
                    fencepost_session_rows(
                        Int32(bytes.count), bytes.baseAddress, UnsafeMutableRawPointer(mutating: each)
                    ) { context, table, key in
                        guard let context, let table else { return }
                        context.assumingMemoryBound(to: ((String, String?) -> Void).self)
                            .pointee(String(cString: table), key.map { String(cString: $0) })
                    }
                }
            }
        }
        try check(status)
    }

    private static func pointer(_ db: Database) -> UnsafeMutableRawPointer? {
        db.sqliteConnection.map { UnsafeMutableRawPointer($0) }
    }

    private static func check(_ status: Int32) throws {
        guard status == 0 else { throw DatabaseError(resultCode: ResultCode(rawValue: status)) }
    }
}
