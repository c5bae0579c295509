public import FencepostModel
public import FencepostService
import GRDB

/// Stages the regions of a large change before it, and removes the replaced rows after it. Both happen in transactions of
/// a few milliseconds.
extension SQLiteStore {
    /// Bytes of GeoJSON features in one transaction.
    private static let sliceBytes = 65_536
    /// Removed rows in one transaction.
    private static let sliceRows = 128

    /// Writes the regions in transactions of about 64 kB or 128 removals. A region that is removed and added exists
    /// after the change.
    public func stage(_ regions: [StoredRegion], removed: [RegionID], revision: UInt32) async throws {
        // A region that is removed and added in one change exists after it.
        let added = Set(regions.map(\.id))
        let absent = removed.filter { !added.contains($0) }
        for slice in Self.slices(of: regions) {
            try await stage(slice: slice, revision)
            try Task.checkCancellation()
        }
        for start in stride(from: 0, to: absent.count, by: Self.sliceRows) {
            try await stage(removed: Array(absent[start..<min(start + Self.sliceRows, absent.count)]), revision)
            try Task.checkCancellation()
        }
    }

    private static func slices(of regions: [StoredRegion]) -> [[StoredRegion]] {
        var slices: [[StoredRegion]] = []
        var bytes = sliceBytes
        for region in regions {
            if bytes >= sliceBytes {
                slices.append([])
                bytes = 0
            }
            slices[slices.count - 1].append(region)
            bytes += region.feature.utf8.count + 64
        }
        return slices
    }

    private static let insertion =
        "INSERT INTO region (id, revision, feature, added_in_revision) VALUES (?, ?, ?, ?)"

    private func stage(slice regions: [StoredRegion], _ revision: UInt32) async throws(StoreError) {
        try await write { db in
            let insert = try db.cachedStatement(sql: Self.insertion)
            for region in regions {
                try insert.execute(arguments: [region.id.rawValue, revision, region.feature, region.addedInRevision])
            }
        }
    }

    private func stage(removed: [RegionID], _ revision: UInt32) async throws(StoreError) {
        try await write { db in
            let insert = try db.cachedStatement(sql: Self.insertion)
            for id in removed { try insert.execute(arguments: [id.rawValue, revision, nil, 0]) }
        }
    }

    /// Removes the staged regions of a change that was not applied.
    func removeStagedRegions() async throws(StoreError) {
        let staged = "FROM region WHERE revision > (SELECT region_revision FROM store)"
        guard try await read({ db in try Bool.fetchOne(db, sql: "SELECT EXISTS (SELECT 1 \(staged))") ?? false }) else {
            return
        }
        try await write { db in try db.execute(sql: "DELETE \(staged)") }
    }

    /// Removes versions of regions that were replaced or removed before a time, in small transactions.
    func removeOldRegions(before end: Timestamp) async throws(StoreError) {
        // Rows of schema 3 and earlier have no time: they are older than any.
        for condition in [
            """
            revision < (SELECT region_revision FROM store) AND EXISTS (
              SELECT 1 FROM region AS next LEFT JOIN region_change USING (revision)
              WHERE next.id = region.id AND next.revision > region.revision
                AND next.revision <= (SELECT region_revision FROM store) AND coalesce(valid_from, 0) < ?)
            """,
            """
            feature IS NULL AND revision <= (SELECT region_revision FROM store)
              AND NOT EXISTS (SELECT 1 FROM region AS other WHERE other.id = region.id
                AND other.revision < region.revision)
              AND coalesce((SELECT valid_from FROM region_change
                WHERE region_change.revision = region.revision), 0) < ?
            """,
        ] {
            _ = try await delete(from: "region", condition, [end.milliseconds], slice: Self.sliceRows)
        }
    }
}
