public import FencepostService
import GRDB

/// Reads the tokens of a copy that follows its cluster's log.
public final class ReplicaTokens: TokenSource {
    private let pool: DatabasePool
    private let path: String

    /// Opens a copy for reading.
    ///
    /// - Parameter path: the path of the database, which a `ReplicaStore` has open.
    /// - Throws: a `StoreError`.
    public init(of path: String) throws(StoreError) {
        self.path = path
        do {
            var configuration = GRDB.Configuration()
            configuration.label = "fencepost-tokens"
            configuration.readonly = true
            configuration.busyMode = .timeout(2)
            configuration.maximumReaderCount = 2
            pool = try DatabasePool(path: path, configuration: configuration)
        } catch {
            throw StoreError(error, path: path)
        }
    }

    /// The token with a hash, as far as the copy has applied the log; `nil` when there is none.
    ///
    /// - Throws: a `StoreError`, also after `close()`.
    public func token(hash: [UInt8]) async throws -> AccessToken? {
        do {
            return try await pool.read { db in try SQLiteStore.token(hash: hash, db) }
        } catch {
            throw StoreError(error, path: path)
        }
    }

    /// Closes it, when the file is to be replaced or written by the service.
    ///
    /// - Throws: a `StoreError`.
    public func close() throws(StoreError) {
        do {
            try pool.close()
        } catch {
            throw StoreError(error, path: path)
        }
    }
}
