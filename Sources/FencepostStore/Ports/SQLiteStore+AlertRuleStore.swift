public import FencepostService
import GRDB

extension SQLiteStore: AlertRuleStore {
    /// All rules, sorted by id.
    public func alertRules() async throws -> [StoredAlertRule] {
        try await read { db in try Self.alertRules(db) }
    }

    private static func alertRules(_ db: Database) throws -> [StoredAlertRule] {
        try Row.fetchAll(db, sql: "SELECT id, definition FROM alert_rule ORDER BY id")
            .map { try StoredAlertRule(id: $0[0], text: $0[1]) }
    }

    /// The rules, the plans and the groups, as of one moment. What cannot be read is left out; `doctor` reports it.
    public func alertSources() async throws -> AlertSources {
        try await read { db in
            var sources = AlertSources()
            sources.rules = try Self.alertRules(db)
            sources.proximity = try Self.proximityRules(db)
            sources.groups = try String.fetchAll(db, sql: "SELECT definition FROM device_group ORDER BY tag")
                .compactMap { try? JSONColumn.decode(DeviceGroup.self, $0) }
            sources.plans = try Self.plans(db)
            return sources
        }
    }

    /// Compares and changes a rule in one transaction.
    public func changeAlertRule(
        _ id: String, from former: String?, to text: String?, limit: Int
    ) async throws -> AlertRuleChange {
        try await write { db in
            let stored = try String.fetchOne(
                db, sql: "SELECT definition FROM alert_rule WHERE id = ?", arguments: [id])
            guard stored == former else { return .outdated }
            guard let text else {
                try db.execute(sql: "DELETE FROM alert_rule WHERE id = ?", arguments: [id])
                return .done
            }
            let count = try Int.fetchOne(db, sql: "SELECT count(*) FROM alert_rule") ?? 0
            guard stored != nil || count < limit else { return .tooMany }
            try db.execute(
                sql: """
                    INSERT INTO alert_rule (id, definition) VALUES (?, ?)
                    ON CONFLICT (id) DO UPDATE SET definition = excluded.definition
                    """, arguments: [id, text])
            return .done
        }
    }
}
