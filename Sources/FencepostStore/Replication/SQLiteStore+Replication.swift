import GRDB

extension SQLiteStore {
    /// Forgets requests that were running when a process ended: they have no response, and clients repeat them.
    ///
    /// - Throws: a `StoreError`.
    public func forgetUnfinishedRequests() async throws(StoreError) {
        try await write { db in try Self.forgetUnfinishedRequests(db) }
    }

    static func forgetUnfinishedRequests(_ db: Database) throws {
        try db.execute(sql: "DELETE FROM idempotency WHERE status IS NULL")
    }

    /// Lets the copies of a cluster overwrite what their pages still have of erased rows.
    ///
    /// - Returns: up to where a copy has to apply the log for that; `nil` on a single node.
    /// - Throws: a `StoreError`.
    public func noteErasure() async throws(StoreError) -> ReplicaMark? {
        guard let log else { return nil }
        return try await writeWithoutTransaction { db in try log.note(db) }
    }

    /// Checks that a copy of a cluster is opened as one, and nothing else is.
    static func check(_ mark: ReplicaMark?, _ log: LeaderLog?, path: String) throws(StoreError) {
        switch (mark, log) {
        case (nil, nil): return
        case (let mark?, let log?):
            guard mark == log.mark else {
                throw StoreError(.notLeading, "\(path) has not applied the cluster's log to its end.")
            }
        case (.some, nil):
            throw StoreError(
                .cannotOpen,
                "\(path) is a copy of a cluster and changes only with it. Start it with its cluster section, "
                    + "or take it out for ever with `fencepost cluster detach`.")
        case (nil, .some): throw StoreError(.cannotOpen, "\(path) is no copy of a cluster.")
        }
    }

    /// Makes a copy of a cluster the database of a single node. It cannot follow the cluster any more.
    ///
    /// - Parameter path: the path of the database.
    /// - Returns: false when it was no copy.
    /// - Throws: a `StoreError`, such as `locked` while a node has it open.
    public static func detach(_ path: String) throws(StoreError) -> Bool {
        guard try ReplicaStore.mark(of: path) != nil else { return false }
        let lock = try LockFile(nextTo: path)
        do {
            let queue = try DatabaseQueue(path: path)
            defer { try? queue.close() }
            try queue.write { db in try db.execute(sql: "DROP TABLE replica") }
        } catch {
            throw StoreError(error, path: path)
        }
        withExtendedLifetime(lock) {}
        return true
    }
}
