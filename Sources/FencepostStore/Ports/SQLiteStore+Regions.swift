public import FencepostModel
public import FencepostService
import GRDB
import Synchronization

/// Many regions at once: they are written ahead of the change that makes them count, and what they replace is removed
/// after it, both in slices of a few milliseconds.
extension SQLiteStore {
    /// Bytes of features in one transaction.
    private static let sliceBytes = 65_536
    /// Rows that are removed in one transaction.
    private static let sliceRows = 128

    public func stage(_ regions: [StoredRegion], removed: [RegionID], revision: UInt32) async throws {
        // One that is removed and added in one change is there after it.
        let added = Set(regions.map(\.id))
        let gone = removed.filter { !added.contains($0) }
        for slice in Self.slices(of: regions) {
            try await write(ahead: slice, revision)
            try Task.checkCancellation()
        }
        for start in stride(from: 0, to: gone.count, by: Self.sliceRows) {
            try await write(ahead: Array(gone[start..<min(start + Self.sliceRows, gone.count)]), revision)
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

    private func write(ahead regions: [StoredRegion], _ revision: UInt32) async throws(StoreError) {
        try await write { db in
            let insert = try db.cachedStatement(sql: Self.insertion)
            for region in regions {
                try insert.execute(arguments: [region.id.rawValue, revision, region.feature, region.addedInRevision])
            }
        }
    }

    private func write(ahead removed: [RegionID], _ revision: UInt32) async throws(StoreError) {
        try await write { db in
            let insert = try db.cachedStatement(sql: Self.insertion)
            for id in removed { try insert.execute(arguments: [id.rawValue, revision, nil, 0]) }
        }
    }

    /// Removes what was written ahead of a change that never came.
    func removeStagedRegions() async throws(StoreError) {
        let ahead = "FROM region WHERE revision > (SELECT region_revision FROM store)"
        guard try await read({ db in try Bool.fetchOne(db, sql: "SELECT EXISTS (SELECT 1 \(ahead))") ?? false }) else {
            return
        }
        try await write { db in try db.execute(sql: "DELETE \(ahead)") }
    }

    /// Removes the rows of regions that were replaced or removed by changes that were written ahead.
    func removeOldRegions() async throws(StoreError) {
        guard hasOldRegions.exchange(false, ordering: .relaxed) else { return }
        do throws(StoreError) {
            var last = ""
            while true {
                let after = last
                let ids = try await read { db in try String.fetchAll(db, sql: Self.oldRegions, arguments: [after]) }
                guard let end = ids.last else { return }
                try await write { db in
                    for id in ids {
                        try db.cachedStatement(
                            sql: """
                                DELETE FROM region WHERE id = ?1 AND revision < (SELECT max(revision) FROM region
                                  WHERE id = ?1 AND revision <= (SELECT region_revision FROM store))
                                """
                        ).execute(arguments: [id])
                        try db.cachedStatement(
                            sql: """
                                DELETE FROM region WHERE id = ? AND feature IS NULL
                                  AND revision <= (SELECT region_revision FROM store)
                                """
                        ).execute(arguments: [id])
                    }
                }
                last = end
            }
        } catch {
            hasOldRegions.store(true, ordering: .relaxed)
            throw error
        }
    }

    /// Ids behind one that have a row that counts no more.
    private static let oldRegions = """
        SELECT DISTINCT id FROM region WHERE id > ? AND revision <= (SELECT region_revision FROM store)
          AND (feature IS NULL OR EXISTS (SELECT 1 FROM region AS other WHERE other.id = region.id
            AND other.revision > region.revision AND other.revision <= (SELECT region_revision FROM store)))
        ORDER BY id LIMIT \(sliceRows)
        """
}
