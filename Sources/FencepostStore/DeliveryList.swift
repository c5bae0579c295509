import FencepostService
import GRDB

/// The numbers of deliveries with an endpoint or a status, along the one index of both.
enum DeliveryList {
    /// Each endpoint that has deliveries, also those that were removed.
    static func endpoints(_ db: Database) throws -> [String] {
        try String.fetchAll(db.cachedStatement(sql: SkipScan.sql("endpoint_id", of: "delivery")))
    }

    /// - Parameters:
    ///   - db: the database.
    ///   - endpoint: that of the deliveries; `nil` for any.
    ///   - status: that of the deliveries; `nil` for any.
    ///   - last: only numbers after it.
    ///   - limit: the largest count.
    /// - Returns: the first numbers, in their order.
    /// - Throws: what the database says.
    static func numbers(
        _ db: Database, endpoint: String?, status: DeliveryRecord.Status?, after last: Int64, limit: Int
    ) throws -> [Int64] {
        let statuses = status.map { [$0] } ?? DeliveryRecord.Status.allCases
        let pairs = try (endpoint.map { [$0] } ?? endpoints(db)).flatMap { endpoint in statuses.map { (endpoint, $0) } }
        return try numbers(db, pairs, after: last, limit: limit)
    }

    /// The first numbers after `last` of deliveries with any of these endpoints and statuses.
    static func numbers(
        _ db: Database, _ pairs: [(endpoint: String, status: DeliveryRecord.Status)], after last: Int64, limit: Int
    ) throws -> [Int64] {
        let statement = try db.cachedStatement(
            sql: """
                SELECT number FROM delivery WHERE endpoint_id = ? AND status = ? AND number > ? ORDER BY number LIMIT ?
                """)
        let found = try pairs.flatMap { pair in
            try Int64.fetchAll(statement, arguments: [pair.endpoint, pair.status.code, last, max(0, limit)])
        }
        return Array(found.sorted().prefix(max(0, limit)))
    }
}
