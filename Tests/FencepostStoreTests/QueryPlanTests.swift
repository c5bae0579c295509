import FencepostGeometry
import FencepostModel
import FencepostService
import GRDB
import Synchronization
import Testing

@testable import FencepostStore

@Suite("Queries") struct QueryPlanTests {
    /// What SQLite does for each query that the body makes.
    private func plans(_ body: (SQLiteStore) async throws -> Void) async throws -> [(sql: String, steps: [String])] {
        try await withStore { store in
            try await store.save(Endpoint.made())
            var commit = Commit.of(1, [.at("jane", 1)])
            commit.events = [.made("evt_1")]
            commit.deliveries = [.made("evt_1", isOrdered: true)]
            try await store.commit(commit)
            let seen = Mutex<[String: String]>([:])
            let trace: @Sendable (Database) throws -> Void = { db in
                db.trace { event in
                    if case .statement(let statement) = event {
                        seen.withLock { $0[statement.sql] = statement.expandedSQL }
                    }
                }
            }
            // Every reader, as many as there may be.
            try await store.writeWithoutTransaction(trace)
            try await withThrowingTaskGroup(of: Void.self) { group in
                for _ in 0..<16 { group.addTask { try await store.read(trace) } }
                try await group.waitForAll()
            }
            try await body(store)
            let queries = seen.withLock { $0 }.filter { sql, _ in
                ["SELECT", "WITH", "UPDATE", "DELETE"].contains { sql.hasPrefix($0) }
            }
            return try await store.writeWithoutTransaction { db in
                try queries.map { sql, expanded in
                    (
                        sql,
                        try Row.fetchAll(db, sql: "EXPLAIN QUERY PLAN " + expanded).map {
                            try $0.decode(String.self, forColumn: "detail")
                        }
                    )
                }
            }
        }
    }

    @Test("of the dispatcher and of lists go by indexes and sort nothing, however many rows there are")
    func indexes() async throws {
        let now = MadeUp.start + .seconds(9)
        let plans = try await plans { store in
            let id = try await store.due(for: "ops", at: now, excluding: [], limit: 9)[0].id
            _ = try await store.nextDue(for: "ops", excluding: [])
            try await store.settle([Settlement(id, .exhausted)], events: [], deliveries: [])
            _ = try await store.retry(delivery: id, at: now)
            _ = try await store.retryExhausted(endpoint: "ops", since: now, at: now)
            for endpoint in ["ops", nil] {
                for status in [DeliveryRecord.Status.pending, nil] {
                    for event in ["evt_1", nil] {
                        _ = try await store.deliveries(
                            endpoint: endpoint, status: status, event: event, after: 0, limit: 9)
                    }
                }
            }
            for device in [DeviceID("jane"), nil] {
                for region in [RegionID("office"), nil] {
                    for time in [MadeUp.start, nil] {
                        var filter = HistoryFilter()
                        (filter.deviceID, filter.regionID, filter.from) = (device, region, time)
                        _ = try await store.events(filter, after: 0, limit: 9)
                        _ = try await store.visits(filter, after: 0, limit: 9)
                        let cursor = TimeCursor(timestamp: MadeUp.start, number: 1)
                        (filter.holdsOnly, filter.origins) = (true, [.live, .history, .correction])
                        _ = try await store.events(filter, after: cursor, limit: 9)
                        _ = try await store.visits(filter, after: cursor, limit: 9)
                        for start in [cursor, nil] {
                            _ = try await store.events(filter, after: start, limit: 9, order: .descending)
                            _ = try await store.visits(filter, after: start, limit: 9, order: .descending)
                        }
                        (filter.regionIDs, filter.chosen) = ([RegionID("office")], [[GlobPattern("j*")]])
                        for order in HistoryOrder.allCases {
                            _ = try await store.events(filter, after: cursor, limit: 9, order: order)
                            _ = try await store.visits(filter, after: cursor, limit: 9, order: order)
                        }
                        (filter.regionIDs, filter.chosen, filter.types) = (nil, [], [GlobPattern("region.*")])
                        _ = try await store.events(filter, after: cursor, limit: 9, order: .descending)
                        filter.types = []
                        (filter.holdsOnly, filter.origins) = (false, nil)
                        _ = try await store.reports(filter, kind: nil, after: 0, limit: 9)
                        _ = try await store.quarantine(filter, after: 0, limit: 9)
                        _ = try await store.decisions(of: "app", filter, after: 0, limit: 9)
                    }
                }
            }
            _ = try await store.locations(of: DeviceID("jane"), from: nil, to: nil, after: nil, limit: 9)
            _ = try await store.locations(
                of: DeviceID("jane"), from: nil, to: nil, after: nil, limit: 9, includesAhead: true, order: .descending)
            _ = try await store.stored(among: [FixKey(StoredLocation.at("jane", 1).location)])
            _ = try await store.token(hash: [1])
            _ = try await store.removeExpired(Retention(), now: now)
            _ = try await store.backlog()
            _ = try await store.nextEvaluation()
            _ = try await store.evaluationInput(of: DeviceID("jane"), from: now, through: now, limit: 9)
            _ = try await store.formerEvents(ofCauses: ["evt_1"])
            let key = AddressKey(source: "a", position: Coordinate(latitude: 1, longitude: 1))
            _ = try await store.address(key, storedAfter: now)
            try await store.save(.nothing, for: key, at: now, removingBefore: now)
        }
        #expect(plans.count > 40)
        for (sql, steps) in plans {
            for step in steps where step.contains("TEMP B-TREE") || step.hasPrefix("SCAN") {
                let isSmall = Self.isSmall(step, of: sql)
                #expect(isSmall, "\(step) in \(sql)")
            }
        }
    }

    /// Whether a step that sorts or scans takes few rows.
    private static func isSmall(_ step: String, of sql: String) -> Bool {
        // Once an hour; there are few imports, and no more versions of regions than a start reads.
        let small = ["SCAN store", "SCAN live_position", "SCAN import", "SCAN region", "SCAN known"]
        if small.contains(step) || step.hasPrefix("SCAN region USING") { return true }
        if step.contains("json_each") || step.contains("CONSTANT ROW") { return true }
        // The regions of one visit.
        if step.hasPrefix("SCAN at VIRTUAL TABLE") { return true }
        // A first page goes along the index from its end, until it is full.
        if step.hasPrefix("SCAN"), step.hasSuffix("_by_time"), sql.contains(" DESC LIMIT 9") { return true }
        // Of the numbers that a search has found, or of the runs, which are some dozens.
        if step == "SCAN event_run" || step == "SCAN event_name" { return true }
        return step.contains("TEMP B-TREE")
            && (sql.contains("number IN (SELECT value FROM json_each(") || sql.contains("FROM event_run"))
    }
}
