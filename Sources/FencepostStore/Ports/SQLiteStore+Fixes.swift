public import FencepostModel
public import FencepostService
import GRDB

extension SQLiteStore {
    /// Which of these fixes are stored, in the log or in the archive.
    public func stored(among fixes: [FixKey]) async throws -> Set<FixKey> {
        var groups: [DeviceID: Set<FixKey>] = [:]
        for key in fixes { groups[key.deviceID, default: []].insert(key) }
        let (asked, known) = (groups, tail.rows(of: groups.keys))
        return try await read { db in try FixHistory.stored(db, among: asked, rows: known) }
    }

    /// Fixes of one device, from the log and from the archive, in one order. Seven parameters, because the protocol has them.
    public func locations(
        of device: DeviceID, from: Timestamp?, to: Timestamp?, after cursor: LocationCursor?, limit: Int,
        includesAhead: Bool, order: HistoryOrder
    ) async throws -> [StoredLocation] {
        guard limit > 0 else { return [] }
        let rows = tail.rows(of: device)
        if order == .descending {
            return try await read { db in
                let history = try FixHistory(db, device: device, rows: rows)
                return try history.newest(from: from, to: to, after: cursor, limit: limit) {
                    includesAhead || !$0.isAhead
                }
            }
        }
        return try await read { db in
            var found: [StoredLocation] = []
            var start = from
            if let cursor { start = max(from ?? .distantPast, cursor.timestamp) }
            var skipped = 0
            try FixHistory(db, device: device, rows: rows).forEach(from: start, to: to) { fix in
                if fix.stored.isAhead, !includesAhead { return true }
                if let cursor, fix.location.timestamp == cursor.timestamp, skipped < cursor.skip {
                    skipped += 1
                    return true
                }
                found.append(fix.stored)
                return found.count < limit
            }
            return found
        }
    }
}
