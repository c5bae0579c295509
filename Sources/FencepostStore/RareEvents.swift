import FencepostModel
import FencepostService
import GRDB

/// Finds the events of a filter that has few of them, for a list by time.
///
/// A list by time goes along an index of times, and stops when its page is full. That takes long where nearly no event
/// matches; then all of them are found by another index, and sorted.
struct RareEvents {
    let db: Database
    let filter: HistoryFilter
    /// The types of the filter, as an array of JSON; `nil` for all types.
    let types: String?

    /// So many are found and sorted in some milliseconds. More of them among some million are soon found by time.
    static let few = 2000
    /// The devices whose ids are compared with patterns.
    private static let manyDevices = 20_000

    /// The numbers of all events that may match; `nil` where they are not few, or found by time anyway.
    ///
    /// - Throws: when the database cannot be read.
    func numbers() throws -> [Int64]? {
        // These have indexes with the time.
        guard filter.deviceID == nil, filter.regionID == nil else { return nil }
        if let types, let found = try numbers("type", types) { return found }
        if let regions = filter.regionIDs,
            let found = try numbers("region_id", JSONColumn.encode(regions.map(\.rawValue)))
        {
            return found
        }
        return try matchingDevices().flatMap { try numbers("device_id", JSONColumn.encode($0)) }
    }

    private func numbers(_ column: String, _ values: String) throws -> [Int64]? {
        let found = try Int64.fetchAll(
            db,
            sql: """
                SELECT number FROM event WHERE is_indexed = 1 AND \(column) IN (SELECT value FROM json_each(?))
                LIMIT \(Self.few + 1)
                """, arguments: [values])
        return found.count <= Self.few ? found : nil
    }

    /// The devices with events that the patterns match; `nil` without patterns, or with too many devices.
    private func matchingDevices() throws -> [String]? {
        let lists = filter.chosen + (filter.devices.map { [$0] } ?? [])
        guard !lists.isEmpty else { return nil }
        // By skipping from device to device in the index.
        let all = try String.fetchAll(
            db,
            sql: """
                WITH RECURSIVE known(id) AS (
                  SELECT min(device_id) FROM event WHERE is_indexed = 1
                  UNION ALL
                  SELECT (SELECT min(device_id) FROM event WHERE is_indexed = 1 AND device_id > known.id) FROM known
                    WHERE known.id IS NOT NULL)
                SELECT id FROM known WHERE id IS NOT NULL LIMIT \(Self.manyDevices + 1)
                """)
        guard all.count <= Self.manyDevices else { return nil }
        return all.filter { id in lists.allSatisfy { list in list.contains { $0.matches(id) } } }
    }
}
