import FencepostModel
public import FencepostService
import GRDB

extension SQLiteStore: RetainedTopicStore {
    /// The topics of a broker, sorted.
    public func retainedTopics(at broker: String) async throws -> [RetainedTopic] {
        try await read { db in
            try Row.fetchAll(
                db, sql: "SELECT topic, device_id, kind FROM retained_topic WHERE broker = ? ORDER BY topic",
                arguments: [broker]
            ).compactMap { row in
                try RetainedTopic.Kind(rawValue: row[2] as String).map {
                    try RetainedTopic(topic: row[0], deviceID: (row[1] as String?).map { DeviceID($0) }, kind: $0)
                }
            }
        }
    }

    /// How many topics are noted of each broker.
    public func retainedTopicCounts() async throws -> [String: Int] {
        try await read { db in
            let rows = try Row.fetchAll(db, sql: "SELECT broker, count(*) FROM retained_topic GROUP BY broker")
            return try Dictionary(rows.map { (try $0[0] as String, try $0[1] as Int) }) { first, _ in first }
        }
    }

    /// Notes topics of a broker.
    public func note(_ topics: [RetainedTopic], at broker: String) async throws {
        guard !topics.isEmpty else { return }
        try await write { db in
            let statement = try db.cachedStatement(
                sql: "INSERT OR REPLACE INTO retained_topic (broker, topic, device_id, kind) VALUES (?, ?, ?, ?)")
            for topic in topics {
                try statement.execute(arguments: [
                    broker, topic.topic, topic.deviceID?.rawValue, topic.kind.rawValue,
                ])
            }
        }
    }

    /// Forgets topics of a broker.
    public func forget(_ topics: [String], at broker: String) async throws {
        guard !topics.isEmpty else { return }
        try await write { db in
            let statement = try db.cachedStatement(sql: "DELETE FROM retained_topic WHERE broker = ? AND topic = ?")
            for topic in topics { try statement.execute(arguments: [broker, topic]) }
        }
    }
}
