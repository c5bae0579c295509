public import FencepostEngine
public import FencepostModel
public import FencepostService
import GRDB

/// What the database of a partition still has otherwise than the cluster's configuration, after the rows that nothing but
/// the database knows were copied.
public struct ConfigurationDifference: Sendable {
    /// The position of the configuration's log that the configuration was read at.
    public var position: UInt64 = 0
    /// The revision of the configuration's regions.
    public var regionRevision: UInt32 = 0
    /// Whether tokens, users, sessions, groups, rules, plans, shares or networks were copied.
    public var hasCopied = false
    /// New and changed endpoints. One that this database has turned off, and the configuration has not, is not among them.
    public var endpoints: [Endpoint] = []
    /// Endpoints that this database has turned off, and the configuration has not.
    public var disabledHere: [Endpoint] = []
    /// The ids of endpoints that are no more.
    public var removedEndpoints: [String] = []
    /// New and changed regions.
    public var regions: [StoredRegion] = []
    /// Regions that are no more.
    public var removedRegions: [RegionID] = []
    /// New and changed apps, with all their steps.
    public var apps: [StoredApp] = []
    /// The ids of apps that are no more.
    public var removedApps: [String] = []

    /// Whether nothing differed.
    var isEmpty: Bool {
        !hasCopied && endpoints.isEmpty && disabledHere.isEmpty && removedEndpoints.isEmpty && regions.isEmpty
            && removedRegions.isEmpty && apps.isEmpty && removedApps.isEmpty
    }
}

extension SQLiteStore {
    /// A table whose rows are copied as they are.
    private struct CopiedTable {
        let name: String
        let key: String
        /// With the key; a partition writes the others itself.
        let columns: String
    }

    private static let copiedTables = [
        CopiedTable(name: "allowed_network", key: "id", columns: "id, network, created_at"),
        CopiedTable(name: "user", key: "id", columns: "id, key, definition"),
        CopiedTable(name: "session", key: "id", columns: "id, hash, user_id, expires, definition"),
        CopiedTable(name: "device_group", key: "tag", columns: "tag, definition"),
        CopiedTable(name: "alert_rule", key: "id", columns: "id, definition"),
        CopiedTable(name: "proximity_rule", key: "id", columns: "id, definition"),
        CopiedTable(name: "plan", key: "id", columns: "id, definition, ended"),
        CopiedTable(name: "share", key: "id", columns: "id, hash, name, expires, created_at, owner_id"),
        CopiedTable(name: "share_device", key: "share_id, device_id", columns: "share_id, device_id"),
        CopiedTable(name: "token", key: "id", columns: "id, hash, definition"),
    ]

    /// Copies tokens, users, sessions, groups, rules, shares and networks of the cluster's configuration into this
    /// database, the database of a partition, and finds what else differs: endpoints, regions and apps, which have to go through
    /// the monitor and the dispatcher.
    ///
    /// - Parameters:
    ///   - path: the path of the configuration's database on this node, which follows its log or leads it.
    ///   - revision: the revision of the configuration's regions that this database has already; `nil` when that is not known.
    /// - Returns: what differs, all as of one position of the configuration's log; `nil` when an earlier leader of the
    ///   partition has taken over a newer configuration than the one at the path.
    /// - Throws: a `StoreError`, for example while the file at the path is replaced; nothing is copied then.
    public func adoptConfiguration(
        at path: String, regionsAfter revision: UInt32?
    ) async throws(StoreError) -> ConfigurationDifference? {
        try await writeWithoutTransaction { [self] db in
            try db.execute(sql: "ATTACH ? AS configuration", arguments: [path])
            let result = Result { try transaction(db) { try Self.adoptConfiguration($0, regionsAfter: revision) } }
            try db.execute(sql: "DETACH configuration")
            return try result.get()
        }
    }

    private static func adoptConfiguration(
        _ db: Database, regionsAfter revision: UInt32?
    ) throws -> ConfigurationDifference? {
        var difference = ConfigurationDifference()
        try checkSchema(db)
        guard
            let row = try Row.fetchOne(
                db, sql: "SELECT position, region_revision, cluster FROM configuration.replica, configuration.store")
        else { throw StoreError(.invalid, "The database of the configuration is no copy of a cluster.") }
        difference.position = UInt64(bitPattern: try row[0] as Int64)
        difference.regionRevision = try row[1]
        let cluster: String = try row[2]
        guard try position(of: cluster, db) <= difference.position else { return nil }
        for table in copiedTables where try copy(table, db) { difference.hasCopied = true }
        try compareEndpoints(db, &difference)
        if difference.regionRevision != revision { try compareRegions(db, &difference) }
        try compareApps(db, &difference)
        if !difference.isEmpty { try note(difference.position, of: cluster, db) }
        return difference
    }

    /// During an upgrade, the copy of the configuration has the new schema some moments before or after this database.
    ///
    /// - Throws: `invalid` while they differ.
    private static func checkSchema(_ db: Database) throws {
        let schemas = try ["main", "configuration"].map {
            try Int.fetchOne(db, sql: "PRAGMA \($0).user_version") ?? 0
        }
        guard schemas[0] == schemas[1] else {
            throw StoreError(
                .invalid, "The configuration has schema \(schemas[1]) still, and this partition \(schemas[0]).")
        }
    }

    /// The row of the table `source` with the position of the newest configuration that was taken over. It is in the
    /// partition's log, so a new leader whose copy of the configuration is behind does not bring back what was changed, such
    /// as a token that was revoked.
    private static let mirrored = "configuration"

    /// The position of the newest configuration of a cluster that this database has; 0 for none.
    private static func position(of cluster: String, _ db: Database) throws -> UInt64 {
        let text = try String.fetchOne(db, sql: "SELECT hash FROM source WHERE name = ?", arguments: [mirrored])
        let parts = text?.split(separator: " ") ?? []
        // A cluster that began again has another id, and counts from 0.
        return parts.count == 2 && parts[0] == cluster ? UInt64(parts[1]) ?? 0 : 0
    }

    private static func note(_ position: UInt64, of cluster: String, _ db: Database) throws {
        try db.execute(
            sql: "INSERT INTO source (name, hash) VALUES (?, ?) ON CONFLICT (name) DO UPDATE SET hash = excluded.hash",
            arguments: [mirrored, "\(cluster) \(position)"])
    }

    /// - Returns: whether a row was written.
    private static func copy(_ table: CopiedTable, _ db: Database) throws -> Bool {
        let (name, columns) = (table.name, table.columns)
        let before = db.totalChangesCount
        // First, so that a value that has to be unique is free for another row.
        try db.execute(
            sql: "DELETE FROM main.\(name) WHERE (\(table.key)) NOT IN (SELECT \(table.key) FROM configuration.\(name))"
        )
        let others = columns.split(separator: ", ").filter { !table.key.split(separator: ", ").contains($0) }
        let conflict =
            others.isEmpty
            ? "DO NOTHING" : "DO UPDATE SET " + others.map { "\($0) = excluded.\($0)" }.joined(separator: ", ")
        try db.execute(
            sql: """
                INSERT INTO main.\(name) (\(columns))
                SELECT \(columns) FROM (
                  SELECT \(columns) FROM configuration.\(name) EXCEPT SELECT \(columns) FROM main.\(name))
                WHERE true ON CONFLICT (\(table.key)) \(conflict)
                """)
        return db.totalChangesCount != before
    }

    private static func compareEndpoints(_ db: Database, _ difference: inout ConfigurationDifference) throws {
        let rows = try Row.fetchAll(
            db,
            sql: """
                SELECT wanted.definition, present.definition
                FROM configuration.endpoint AS wanted LEFT JOIN main.endpoint AS present USING (id)
                WHERE wanted.definition IS NOT present.definition ORDER BY wanted.id
                """)
        for row in rows {
            let wanted = try JSONColumn.decode(Endpoint.self, row[0])
            let present = try (row[1] as String?).map { try JSONColumn.decode(Endpoint.self, $0) }
            var other = present
            other?.state = wanted.state
            if let present, other == wanted, wanted.isActive, !present.isActive {
                difference.disabledHere.append(present)
            } else {
                difference.endpoints.append(wanted)
            }
        }
        difference.removedEndpoints = try String.fetchAll(
            db, sql: "SELECT id FROM main.endpoint EXCEPT SELECT id FROM configuration.endpoint")
    }

    /// The regions of a database as they are, as the view `current_region` says it of its own.
    private static func currentRegions(_ schema: String) -> String {
        """
        SELECT id, feature FROM \(schema).region AS current
        WHERE feature IS NOT NULL AND revision = (
          SELECT max(revision) FROM \(schema).region AS other
          WHERE other.id = current.id AND other.revision <= (SELECT region_revision FROM \(schema).store))
        """
    }

    private static func compareRegions(_ db: Database, _ difference: inout ConfigurationDifference) throws {
        let (wanted, present) = (currentRegions("configuration"), currentRegions("main"))
        difference.regions = try Row.fetchAll(
            db, sql: "SELECT id, feature FROM (\(wanted)) EXCEPT SELECT id, feature FROM (\(present)) ORDER BY id"
        ).map { try StoredRegion(id: RegionID($0[0]), feature: $0[1], addedInRevision: 0) }
        difference.removedRegions = try String.fetchAll(
            db, sql: "SELECT id FROM (\(present)) EXCEPT SELECT id FROM (\(wanted)) ORDER BY id"
        ).map { RegionID($0) }
    }

    private static func compareApps(_ db: Database, _ difference: inout ConfigurationDifference) throws {
        difference.apps = try Row.fetchAll(
            db,
            sql: """
                SELECT id, definition, steps FROM configuration.app
                EXCEPT SELECT id, definition, steps FROM main.app ORDER BY id
                """
        ).map { row in
            try StoredApp(id: row[0], definition: row[1], steps: try JSONColumn.decode([String].self, row[2]))
        }
        difference.removedApps = try String.fetchAll(
            db, sql: "SELECT id FROM main.app EXCEPT SELECT id FROM configuration.app ORDER BY id")
    }
}
