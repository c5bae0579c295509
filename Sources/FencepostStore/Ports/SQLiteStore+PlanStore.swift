import FencepostModel
public import FencepostService
import GRDB

extension SQLiteStore: PlanStore {
    /// All plans, sorted by id.
    public func plans() async throws -> [StoredPlan] {
        try await read { db in try Self.storedPlans(db) }
    }

    private static func storedPlans(_ db: Database) throws -> [StoredPlan] {
        try Row.fetchAll(db, sql: "SELECT id, definition, ended FROM plan ORDER BY id").map { row in
            let (id, text, ended): (String, String, Int64?) = try (row[0], row[1], row[2])
            return StoredPlan(id: id, text: text, ended: ended.map { Timestamp(milliseconds: $0) })
        }
    }

    /// All versions of all plans. Those that cannot be read are left out; `doctor` reports them.
    static func plans(_ db: Database) throws -> [Plan] { try storedPlans(db).flatMap(\.versions) }

    /// Compares and changes a plan in one transaction.
    public func changePlan(_ plan: StoredPlan, from former: String?, limit: Int) async throws -> RuleChange {
        try await write { db in
            let stored = try String.fetchOne(
                db, sql: "SELECT definition FROM plan WHERE id = ?", arguments: [plan.id])
            guard stored == former else { return .outdated }
            if plan.ended == nil {
                let count =
                    try Int.fetchOne(
                        db, sql: "SELECT count(*) FROM plan WHERE ended IS NULL AND id <> ?", arguments: [plan.id]) ?? 0
                guard count < limit else { return .tooMany }
            }
            try db.execute(
                sql: """
                    INSERT INTO plan (id, definition, ended) VALUES (?, ?, ?)
                    ON CONFLICT (id) DO UPDATE SET definition = excluded.definition, ended = excluded.ended
                    """, arguments: [plan.id, plan.text, plan.ended?.milliseconds])
            try db.execute(
                sql: """
                    DELETE FROM plan WHERE id IN (
                      SELECT id FROM plan WHERE ended IS NOT NULL ORDER BY ended DESC, id LIMIT -1 OFFSET ?)
                    """, arguments: [StoredPlan.mostEnded])
            return .done
        }
    }
}
