import FencepostMonitor
public import FencepostService
import GRDB

extension SQLiteStore: RuleStore {
    /// All rules of a kind, sorted by id.
    public func rules<Rule: NamedRule>(_ kind: Rule.Type) async throws -> [StoredRule<Rule>] {
        try await read { db in try Self.rules(db) }
    }

    private static func rules<Rule: NamedRule>(_ db: Database) throws -> [StoredRule<Rule>] {
        try Row.fetchAll(db, sql: "SELECT id, definition FROM \(Rule.kind.table) ORDER BY id")
            .map { try StoredRule(id: $0[0], text: $0[1]) }
    }

    /// The rules, the plans and the groups, as of one moment. What cannot be read is left out; `doctor` reports it.
    public func alertSources() async throws -> AlertSources {
        try await read { db in
            var sources = AlertSources()
            sources.rules = try Self.rules(db)
            sources.proximity = try Self.rules(db)
            sources.groups = try String.fetchAll(db, sql: "SELECT definition FROM device_group ORDER BY tag")
                .compactMap { try? JSONColumn.decode(DeviceGroup.self, $0) }
            sources.plans = try Self.plans(db)
            return sources
        }
    }

    /// Compares and changes a rule in one transaction.
    public func changeRule(
        _ id: String, of kind: RuleKind, from former: String?, to text: String?, limit: Int
    ) async throws -> RuleChange {
        let table = kind.table
        return try await write { db in
            let stored = try String.fetchOne(
                db, sql: "SELECT definition FROM \(table) WHERE id = ?", arguments: [id])
            guard stored == former else { return .outdated }
            guard let text else {
                try db.execute(sql: "DELETE FROM \(table) WHERE id = ?", arguments: [id])
                return .done
            }
            let count = try Int.fetchOne(db, sql: "SELECT count(*) FROM \(table)") ?? 0
            guard stored != nil || count < limit else { return .tooMany }
            try db.execute(
                sql: """
                    INSERT INTO \(table) (id, definition) VALUES (?, ?)
                    ON CONFLICT (id) DO UPDATE SET definition = excluded.definition
                    """, arguments: [id, text])
            return .done
        }
    }
}

extension RuleKind {
    /// The table of its rules.
    fileprivate var table: String {
        switch self {
        case .alert: "alert_rule"
        case .proximity: "proximity_rule"
        }
    }
}
