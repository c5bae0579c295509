public import FencepostModel
public import FencepostService
import Foundation
import GRDB

extension SQLiteStore: UserStore {
    // MARK: Users

    /// All users, sorted by name.
    public func users() async throws -> [User] {
        try await read { db in
            try String.fetchAll(db, sql: "SELECT definition FROM user ORDER BY key")
                .map { try JSONColumn.decode(User.self, $0) }
        }
    }

    /// The user with a name, by an index.
    public func user(named name: String) async throws -> User? {
        try await read { db in
            try String.fetchOne(
                db, sql: "SELECT definition FROM user WHERE key = ?", arguments: [User.key(of: name)]
            ).map { try JSONColumn.decode(User.self, $0) }
        }
    }

    /// The user with an id.
    public func user(id: String) async throws -> User? { try await read { db in try Self.user(id: id, db) } }

    /// The user whom a provider knows under an id. It reads all users, as a sign-in may.
    public func user(ofProvider issuer: String, subject: String) async throws -> User? {
        try await read { db in
            try String.fetchOne(
                db,
                sql: """
                    SELECT definition FROM user WHERE json_extract(definition, '$.identity.subject') = ?
                      AND json_extract(definition, '$.identity.issuer') = ?
                    """, arguments: [subject, issuer]
            ).map { try JSONColumn.decode(User.self, $0) }
        }
    }

    private static func user(id: String, _ db: Database) throws -> User? {
        try String.fetchOne(db, sql: "SELECT definition FROM user WHERE id = ?", arguments: [id])
            .map { try JSONColumn.decode(User.self, $0) }
    }

    /// Whether a user other than the one with an id has a name.
    private static func isTaken(_ key: String, besides id: String, _ db: Database) throws -> Bool {
        try Bool.fetchOne(
            db, sql: "SELECT EXISTS (SELECT 1 FROM user WHERE key = ? AND id IS NOT ?)", arguments: [key, id]) ?? false
    }

    /// Adds a user; `false` when another one has the name.
    public func add(_ user: User) async throws -> Bool {
        try await write { db in
            let key = User.key(of: user.name)
            guard try !Self.isTaken(key, besides: user.id, db) else { return false }
            try db.execute(
                sql: "INSERT INTO user (id, key, definition) VALUES (?, ?, ?)",
                arguments: [user.id, key, try JSONColumn.encode(user)])
            return true
        }
    }

    /// Replaces a user that is as it was read, and ends sessions, in one transaction.
    public func replace(
        _ former: User, with user: User, ending sessions: EndedSessions
    ) async throws -> UserReplacement {
        try await write { db in
            guard try Self.user(id: former.id, db) == former else { return .differs }
            let key = User.key(of: user.name)
            guard try !Self.isTaken(key, besides: former.id, db) else { return .nameTaken }
            try db.execute(
                sql: "UPDATE user SET key = ?, definition = ? WHERE id = ?",
                arguments: [key, try JSONColumn.encode(user), former.id])
            switch sessions {
            case .none: break
            case .all(let kept):
                try db.execute(
                    sql: "DELETE FROM session WHERE user_id = ? AND id IS NOT ?", arguments: [former.id, kept])
            }
            return .replaced
        }
    }

    /// Removes a user with all sessions and share links; `false` when none has the id.
    public func removeUser(id: String) async throws -> Bool {
        try await write { db in
            try db.execute(sql: "DELETE FROM session WHERE user_id = ?", arguments: [id])
            try Self.removeShares(of: id, db)
            try db.execute(sql: "DELETE FROM user WHERE id = ?", arguments: [id])
            return db.changesCount > 0
        }
    }

    // MARK: Sessions

    /// The session with a hash, by an index, with its user.
    public func session(hash: [UInt8]) async throws -> (session: UserSession, user: User)? {
        try await read { db in
            try Row.fetchOne(
                db,
                sql: """
                    SELECT session.definition, user.definition FROM session JOIN user ON user.id = session.user_id
                    WHERE session.hash = ?
                    """, arguments: [Data(hash)]
            ).map { row in
                (try JSONColumn.decode(UserSession.self, row[0]), try JSONColumn.decode(User.self, row[1]))
            }
        }
    }

    /// The sessions of a user, sorted by id.
    public func sessions(of userID: String) async throws -> [UserSession] {
        try await read { db in
            try String.fetchAll(
                db, sql: "SELECT definition FROM session WHERE user_id = ? ORDER BY id", arguments: [userID]
            ).map { try JSONColumn.decode(UserSession.self, $0) }
        }
    }

    /// The sessions that began with one of a provider. It reads all sessions, as a provider's notice may.
    public func sessions(ofProvider session: String) async throws -> [UserSession] {
        try await read { db in
            try String.fetchAll(
                db,
                sql: "SELECT definition FROM session WHERE json_extract(definition, '$.provider.id') = ? ORDER BY id",
                arguments: [session]
            ).map { try JSONColumn.decode(UserSession.self, $0) }
        }
    }

    /// Adds a session, if its user has the password hash still.
    public func add(_ session: UserSession, checkedBy passwordHash: String) async throws -> Bool {
        try await write { db in
            guard try Self.user(id: session.userID, db)?.passwordHash == passwordHash else { return false }
            try db.execute(
                sql: "INSERT INTO session (id, hash, user_id, expires, definition) VALUES (?, ?, ?, ?, ?)",
                arguments: [
                    session.id, Data(session.hash), session.userID, session.expires.milliseconds,
                    try JSONColumn.encode(session),
                ])
            return true
        }
    }

    /// Replaces the definition of a session, unless it was removed.
    public func update(_ session: UserSession) async throws {
        try await write { db in
            try db.execute(
                sql: "UPDATE session SET expires = ?, definition = ? WHERE id = ?",
                arguments: [session.expires.milliseconds, try JSONColumn.encode(session), session.id])
        }
    }

    /// Removes a session; `false` when none has the id.
    public func removeSession(id: String) async throws -> Bool {
        try await write { db in
            try db.execute(sql: "DELETE FROM session WHERE id = ?", arguments: [id])
            return db.changesCount > 0
        }
    }

    // MARK: Groups

    /// All groups, sorted by tag.
    public func groups() async throws -> [DeviceGroup] {
        try await read { db in
            try String.fetchAll(db, sql: "SELECT definition FROM device_group ORDER BY tag")
                .map { try JSONColumn.decode(DeviceGroup.self, $0) }
        }
    }

    /// Adds a group, or replaces the one with its tag.
    public func save(_ group: DeviceGroup) async throws {
        try await write { db in
            try db.execute(
                sql: """
                    INSERT INTO device_group (tag, definition) VALUES (?, ?)
                    ON CONFLICT (tag) DO UPDATE SET definition = excluded.definition
                    """, arguments: [group.tag, try JSONColumn.encode(group)])
        }
    }

    /// Removes a group; `false` when none has the tag.
    public func removeGroup(tag: String) async throws -> Bool {
        try await write { db in
            try db.execute(sql: "DELETE FROM device_group WHERE tag = ?", arguments: [tag])
            return db.changesCount > 0
        }
    }

    // MARK: Share links

    private static let shareColumns = """
        SELECT id, name, hash, expires, created_at, owner_id,
          (SELECT json_group_array(device_id) FROM share_device WHERE share_id = id) FROM share
        """

    private static func share(_ row: Row) throws -> Share {
        try Share(
            id: row[0], name: row[1], hash: [UInt8](row[2] as Data),
            devices: try JSONColumn.decode([String].self, row[6]).map { DeviceID($0) },
            expires: Timestamp(milliseconds: row[3]), createdAt: Timestamp(milliseconds: row[4]),
            ownerID: row[5])
    }

    /// All share links, sorted by id.
    public func shares() async throws -> [Share] {
        try await read { db in
            try Row.fetchAll(db, sql: "\(Self.shareColumns) ORDER BY id").map(Self.share)
        }
    }

    /// The share link with a hash, by an index.
    public func share(hash: [UInt8]) async throws -> Share? {
        try await read { db in
            try Row.fetchOne(db, sql: "\(Self.shareColumns) WHERE hash = ?", arguments: [Data(hash)]).map(Self.share)
        }
    }

    /// Adds a share link, if its maker exists still.
    public func add(_ share: Share) async throws -> Bool {
        try await write { db in
            let hasOwner = try Bool.fetchOne(
                db,
                sql: """
                    SELECT ?1 IS NULL OR EXISTS (SELECT 1 FROM user WHERE id = ?1)
                      OR EXISTS (SELECT 1 FROM token WHERE id = ?1)
                    """, arguments: [share.ownerID])
            guard hasOwner == true else { return false }
            try db.execute(
                sql: """
                    INSERT INTO share (id, name, hash, expires, created_at, owner_id) VALUES (?, ?, ?, ?, ?, ?)
                    """,
                arguments: [
                    share.id, share.name, Data(share.hash), share.expires.milliseconds, share.createdAt.milliseconds,
                    share.ownerID,
                ])
            for device in share.devices {
                try db.execute(
                    sql: "INSERT OR IGNORE INTO share_device VALUES (?, ?)", arguments: [share.id, device.rawValue])
            }
            return true
        }
    }

    /// Removes the share links that a user or a token has made.
    static func removeShares(of ownerID: String, _ db: Database) throws {
        try db.execute(
            sql: "DELETE FROM share_device WHERE share_id IN (SELECT id FROM share WHERE owner_id = ?)",
            arguments: [ownerID])
        try db.execute(sql: "DELETE FROM share WHERE owner_id = ?", arguments: [ownerID])
    }

    /// Removes a share link; `false` when none has the id.
    public func removeShare(id: String) async throws -> Bool {
        try await write { db in
            try db.execute(sql: "DELETE FROM share_device WHERE share_id = ?", arguments: [id])
            try db.execute(sql: "DELETE FROM share WHERE id = ?", arguments: [id])
            return db.changesCount > 0
        }
    }

    /// Removes sessions and share links that expired before a time.
    public func removeExpiredAccess(before time: Timestamp) async throws {
        try await write { db in
            let time = time.milliseconds
            try db.execute(sql: "DELETE FROM session WHERE expires < ?", arguments: [time])
            try db.execute(
                sql: "DELETE FROM share_device WHERE share_id IN (SELECT id FROM share WHERE expires < ?)",
                arguments: [time])
            try db.execute(sql: "DELETE FROM share WHERE expires < ?", arguments: [time])
        }
    }
}
