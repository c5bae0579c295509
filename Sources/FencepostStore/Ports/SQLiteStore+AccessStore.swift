public import FencepostModel
public import FencepostService
import Foundation
import GRDB

extension SQLiteStore: AccessStore {
    /// Time after which an idempotency key expires (rule A7).
    static let keyLifetime = Duration.seconds(86_400)

    /// All tokens that can be read, sorted by id. `fencepost doctor` names the others.
    ///
    /// - Throws: `corrupt` when there are tokens, of which none can be read: they are not none.
    public func tokens() async throws -> [AccessToken] {
        try await read { db in
            let rows = try Row.fetchAll(db, sql: "SELECT definition, last_used FROM token ORDER BY id")
            let tokens = rows.compactMap { try? Self.token($0) }
            guard tokens.isEmpty, let first = rows.first else { return tokens }
            return [try Self.token(first)]
        }
    }

    /// The token with a hash, by an index; `nil` when there is none.
    public func token(hash: [UInt8]) async throws -> AccessToken? {
        try await read { db in try Self.token(hash: hash, db) }
    }

    static func token(hash: [UInt8], _ db: Database) throws -> AccessToken? {
        try Row.fetchOne(
            db.cachedStatement(sql: "SELECT definition, last_used FROM token WHERE hash = ?"), arguments: [Data(hash)]
        ).map(Self.token)
    }

    /// The token with an id.
    public func token(id: String) async throws -> AccessToken? {
        try await read { db in
            try Row.fetchOne(db, sql: "SELECT definition, last_used FROM token WHERE id = ?", arguments: [id])
                .map(Self.token)
        }
    }

    private static func token(_ row: Row) throws -> AccessToken {
        var token = try JSONColumn.decode(AccessToken.self, row[0])
        token.lastUsed = try (row[1] as Int64?).map { Timestamp(milliseconds: $0) }
        return token
    }

    /// Adds a token, or replaces the one with its id.
    public func save(_ token: AccessToken) async throws {
        try await write { db in
            try db.execute(
                sql: """
                    INSERT INTO token (id, hash, last_used, definition) VALUES (?, ?, ?, ?)
                    ON CONFLICT (id) DO UPDATE SET hash = excluded.hash, last_used = excluded.last_used,
                      definition = excluded.definition
                    """,
                arguments: [
                    token.id, Data(token.hash), token.lastUsed?.milliseconds, try JSONColumn.encode(token),
                ])
        }
    }

    /// Removes a token with its share links; `false` when none has the id.
    public func removeToken(id: String) async throws -> Bool {
        try await write { db in
            try Self.removeShares(of: id, db)
            try db.execute(sql: "DELETE FROM token WHERE id = ?", arguments: [id])
            return db.changesCount > 0
        }
    }

    /// Stores times of use; an earlier time never replaces a later one.
    public func noteUse(_ uses: [String: Timestamp]) async throws {
        try await write { db in
            let statement = try db.cachedStatement(
                sql: "UPDATE token SET last_used = ?2 WHERE id = ?1 AND coalesce(last_used < ?2, 1)")
            for (id, moment) in uses { try statement.execute(arguments: [id, moment.milliseconds]) }
        }
    }

    /// Claims a key; one that was claimed more than `keyLifetime` ago counts as new, unless its request is still
    /// running.
    public func claim(
        _ key: IdempotencyKey, requestHash: [UInt8], now: Timestamp
    ) async throws -> IdempotencyClaim {
        try await write { db in
            let row = try Row.fetchOne(
                db.cachedStatement(
                    sql: """
                        SELECT number, request_hash, claimed_at, status, headers, body FROM idempotency
                        WHERE token_id = ? AND route = ? AND key = ?
                        """), arguments: [key.tokenID, key.route, key.key])
            if let row {
                let isRunning = try (row[3] as Int?) == nil
                // The key of a running request does not expire.
                if try isRunning || Timestamp(milliseconds: row[2]) + Self.keyLifetime > now {
                    guard try [UInt8](row[1] as Data) == requestHash else { return .mismatch }
                    guard let status = try row[3] as Int? else { return .running }
                    return try .done(
                        status: status, headers: JSONColumn.decode([String: String].self, row[4] ?? "{}"),
                        body: [UInt8](row[5] as Data? ?? Data()))
                }
                try db.execute(sql: "DELETE FROM idempotency WHERE number = ?", arguments: [row[0] as Int64])
            }
            try db.cachedStatement(
                sql: """
                    INSERT INTO idempotency (token_id, route, key, request_hash, claimed_at) VALUES (?, ?, ?, ?, ?)
                    """
            ).execute(arguments: [key.tokenID, key.route, key.key, Data(requestHash), now.milliseconds])
            return .first
        }
    }

    /// Stores the response with the key, which still expires a day after the claim.
    public func complete(
        _ key: IdempotencyKey, status: Int, headers: [String: String], body: [UInt8]
    ) async throws {
        try await write { db in
            try db.cachedStatement(
                sql: """
                    UPDATE idempotency SET status = ?, headers = ?, body = ?
                    WHERE token_id = ? AND route = ? AND key = ?
                    """
            ).execute(arguments: [
                status, JSONColumn.encode(headers), Data(body), key.tokenID, key.route, key.key,
            ])
        }
    }

    /// Releases a key, unless its response is stored.
    public func release(_ key: IdempotencyKey) async throws {
        try await write { db in
            try db.cachedStatement(
                sql: "DELETE FROM idempotency WHERE token_id = ? AND route = ? AND key = ? AND status IS NULL"
            ).execute(arguments: [key.tokenID, key.route, key.key])
        }
    }
}
