public import FencepostModel
import FencepostService
import Foundation
import GRDB
import Synchronization

/// The results of one call of `SQLiteStore.maintain`.
public struct MaintenanceReport: Hashable, Sendable {
    /// Fixes that were archived.
    public var archived = 0
    /// Small segments that were merged.
    public var merged = 0
    /// Rows that were removed from the log.
    public var trimmed = 0
    /// Events that got into a run.
    public var indexed = 0
    /// Segments of before schema 20 whose bounds were found.
    public var bounded = 0
}

extension SQLiteStore {
    /// Makes runs of new events, archives the fixes of the log by device, merges small segments, and removes rows that
    /// are no longer needed.
    ///
    /// To be called every few seconds. It writes in transactions of a few milliseconds, between which commits proceed.
    /// After an interruption, even by a power cut, the next call continues. A cancelled task ends between two
    /// transactions, so that a service with a large log stops at once.
    ///
    /// - Parameters:
    ///   - now: the current time.
    ///   - isForced: whether to do all work, even if it is too little to be efficient.
    /// - Returns: what was done; all zeros if nothing was due.
    /// - Throws: when the database cannot be read or written, or the task is cancelled; the next call continues.
    @discardableResult
    public func maintain(at now: Timestamp, isForced: Bool = false) async throws(StoreError) -> MaintenanceReport {
        await maintenanceLock.acquire()
        let result = await Result { () async throws(StoreError) in try await runMaintenance(at: now, isForced: isForced)
        }
        await maintenanceLock.release()
        return try result.get()
    }

    private func runMaintenance(at now: Timestamp, isForced: Bool) async throws(StoreError) -> MaintenanceReport {
        var report = MaintenanceReport()
        report.indexed = try await writeEventRunsIfDue(isForced: isForced)
        let (fixes, oldest) = tail.backlog
        let isDue = fixes >= limits.batch || oldest.map { $0 + limits.maximumWait <= now } ?? false
        let begun = try await read { db in try ArchiveState(db).target != nil }
        if begun || isDue || (isForced && fixes > 0) {
            // Pauses keep the writing connection free for commits. A growing backlog is worse than waiting commits.
            func isPaced() -> Bool { !isForced && tail.backlog.fixes < limits.batch * limits.backlogFactor }
            while let count = try await archiveBatch(isPaced: isPaced()) {
                report.archived += count
                if !isForced, tail.backlog.fixes < limits.batch { break }
            }
            report.merged = try await mergeSmall(isPaced: isPaced())
        }
        report.trimmed = try await trim()
        report.bounded = try await boundOlderSegments(isForced: isForced)
        return report
    }

    // MARK: - Bounds

    /// Slices of a call of maintenance, so that the next one archives in time.
    private static let boundedSlices = 40

    /// Finds the bounds of segments of before schema 20. What an interruption leaves, the next call continues.
    private func boundOlderSegments(isForced: Bool) async throws(StoreError) -> Int {
        var count = 0
        for _ in 0..<(isForced ? Int.max : Self.boundedSlices) {
            let found = try await read { db in
                try Row.fetchAll(
                    db,
                    sql: """
                        SELECT id, device_id, fixes FROM segment INDEXED BY segment_unbounded
                        WHERE south IS NULL ORDER BY id LIMIT 25
                        """
                ).map { row -> (id: Int64, bounds: FixBounds) in
                    // One that cannot be read may be anywhere; `Doctor` reports it.
                    let (id, device, bytes) = try (row[0] as Int64, DeviceID(row[1]), [UInt8](row[2] as Data))
                    return (id, (try? Segment.bounds(bytes, device: device)) ?? .everywhere)
                }
            }
            guard !found.isEmpty else { break }
            try await writeSlice(isPaced: !isForced) { db in
                // A row that has taken the place of one that was removed has bounds.
                let update = try db.cachedStatement(
                    sql: """
                        UPDATE segment SET south = ?, west = ?, north = ?, east = ? WHERE id = ? AND south IS NULL
                        """)
                for (id, area) in found {
                    try update.execute(arguments: [area.south, area.west, area.north, area.east, id])
                }
            }
            count += found.count
        }
        return count
    }

    // MARK: - Archiving

    /// The fixes of a range of the log.
    private struct Batch: Sendable {
        var target: LogPosition
        var count: Int
        /// In order of arrival, without those that are archived.
        var fixes: [ArchivedFix] = []
        /// Index in `devices` for each fix.
        var numbers: [Int32] = []
        var devices: [DeviceID] = []
        /// The newest fix of each device that expired before it was archived.
        var expired: [DeviceID: Timestamp] = [:]

        /// Indices of the fixes by device, in order of arrival; the devices in the order of their ids.
        func byDevice() -> [(id: DeviceID, fixes: [Int32])] {
            var counts = [Int](repeating: 0, count: devices.count)
            for number in numbers { counts[Int(number)] += 1 }
            var groups = zip(devices, counts).map { id, count in
                var group = (id: id, fixes: [Int32]())
                group.fixes.reserveCapacity(count)
                return group
            }
            for (index, number) in numbers.enumerated() { groups[Int(number)].fixes.append(Int32(index)) }
            return groups.sorted { $0.id.rawValue < $1.id.rawValue }
        }
    }

    /// - Returns: number of archived fixes; `nil` when none are left.
    private func archiveBatch(isPaced: Bool) async throws(StoreError) -> Int? {
        guard let batch = try await nextBatch() else { return nil }
        try await write(batch, isPaced: isPaced)
        return batch.count
    }

    /// Runs one transaction. If paced, it then leaves the connection to commits for `share` times the time that it took, or
    /// for twice that time where nobody else asked for it since.
    func writeSlice<T: Sendable>(
        isPaced: Bool, share: Int = 2, isSynced: Bool = true, _ body: @escaping @Sendable (Database) throws -> T
    ) async throws(StoreError) -> T {
        let (start, known) = (ContinuousClock.now, writes.load(ordering: .relaxed))
        try checkCancellation()
        let result = try await write(isSynced: isSynced, body)
        guard isPaced else { return result }
        let (taken, short) = (ContinuousClock.now - start, min(2, share))
        try? await access.pause(for: taken * short)
        // This write is one of them.
        if share > short, writes.load(ordering: .relaxed) != known + 1 {
            try? await access.pause(for: taken * (share - short))
        }
        return result
    }

    private func checkCancellation() throws(StoreError) {
        if Task.isCancelled { throw StoreError(.closed, "The work was cancelled; the next call continues.") }
    }

    private func nextBatch() async throws(StoreError) -> Batch? {
        let size = limits.batch
        return try await read { db in
            let archive = try ArchiveState(db)
            let rows = try Row.fetchCursor(
                db,
                sql: """
                    SELECT position, received_at, count, devices, fixes FROM log
                    WHERE position > ? AND position <= ? ORDER BY position
                    """, arguments: [archive.through, archive.target ?? .max])
            var batch = Batch(target: archive.through, count: 0)
            batch.fixes.reserveCapacity(size + size / 16)
            batch.numbers.reserveCapacity(size + size / 16)
            var known = DeviceNumbers()
            while archive.target != nil || batch.count < size, let row = try rows.next() {
                batch.target = try row[0]
                batch.count &+= try row[2]
                guard let names = try row[3] as Data?, let bytes = try row[4] as Data? else { continue }
                // Expired fixes are not archived.
                guard try row[1] >= archive.floor.milliseconds else {
                    for fix in try LogRow.fixes(devices: names, fixes: bytes) {
                        let time = max(batch.expired[fix.location.deviceID] ?? .distantPast, fix.location.timestamp)
                        batch.expired[fix.location.deviceID] = time
                    }
                    continue
                }
                let devices = try DeviceList.decode([UInt8](names))
                // -1 for a device whose fixes are archived.
                let numbers = devices.map {
                    archive.through(of: $0) < batch.target ? Int32(known.number(of: $0)) : -1
                }
                var decoder = try FixDecoder([UInt8](bytes), devices: devices)
                while let fix = try decoder.next() {
                    let number = numbers[decoder.device]
                    guard number >= 0 else { continue }
                    batch.fixes.append(fix)
                    batch.numbers.append(number)
                }
            }
            batch.devices = known.devices
            return batch.target > archive.through ? batch : nil
        }
    }

    private func write(_ batch: Batch, isPaced: Bool) async throws(StoreError) {
        let tail = tail
        let devices = batch.byDevice()
        var start = 0
        while start < devices.count {
            var (end, fixes) = (start, 0)
            while end < devices.count,
                end == start || (end - start < limits.sliceDevices && fixes < limits.sliceFixes)
            {
                fixes += devices[end].fixes.count
                end += 1
            }
            let slice = devices[start..<end]
            let segments = slice.flatMap { device in
                Segment.make(of: device.id, device.fixes.map { batch.fixes[Int($0)] }).map { $0.encoded() }
            }
            let last = slice.last?.id.rawValue
            try await writeSlice(isPaced: isPaced) { db in
                for segment in segments { try Segment.insert(segment, db) }
                try db.cachedStatement(sql: "UPDATE store SET archive_target = ?, archive_device = ?")
                    .execute(arguments: [batch.target, last])
            }
            start = end
        }
        try await writeWithoutTransaction { db in
            try self.transaction(db) { db in
                for (device, time) in batch.expired { try HistoryWriter(db).raiseFloor(of: device, to: time) }
                try db.execute(
                    sql: "UPDATE store SET archived_through = ?, archive_target = NULL, archive_device = NULL",
                    arguments: [batch.target])
            }
            let next = try Int64.fetchOne(
                db, sql: "SELECT received_at FROM log WHERE position > ? AND count > 0 ORDER BY position LIMIT 1",
                arguments: [batch.target])
            tail.didArchive(
                through: batch.target, fixes: batch.count, next: next.map { Timestamp(milliseconds: $0) })
        }
    }

    // MARK: - Merging

    private func mergeSmall(isPaced: Bool) async throws(StoreError) -> Int {
        let least = limits.mergeCount
        var (merged, after) = (0, "")
        while true {
            let last = after
            let devices = try await read { db in
                try String.fetchAll(
                    db,
                    sql: """
                        SELECT device_id FROM segment INDEXED BY segment_small WHERE count < 512 AND device_id > ?
                        GROUP BY device_id HAVING count(*) >= \(least) ORDER BY device_id LIMIT 20
                        """, arguments: [last])
            }
            guard let end = devices.last else { return merged }
            merged += try await mergeSmall(of: devices, isPaced: isPaced)
            after = end
        }
    }

    /// - Returns: number of merged segments.
    private func mergeSmall(of devices: [String], isPaced: Bool) async throws(StoreError) -> Int {
        let (ids, segments) = try await read { db in
            var ids: [Int64] = []
            var segments: [StatementArguments] = []
            for device in devices {
                var read: [ArchivedFix] = []
                let rows = try Row.fetchCursor(
                    db.cachedStatement(
                        sql: """
                            SELECT id, fixes FROM segment INDEXED BY segment_small
                            WHERE count < 512 AND device_id = ? ORDER BY id LIMIT 64
                            """), arguments: [device])
                while let row = try rows.next() {
                    try ids.append(row[0])
                    read += try Segment.fixes([UInt8](row[1] as Data), device: DeviceID(device))
                }
                segments += Segment.make(of: DeviceID(device), read.sorted { $0.receivedAt < $1.receivedAt })
                    .map { $0.encoded() }
            }
            return (ids, segments)
        }
        return try await writeSlice(isPaced: isPaced) { db in
            let delete = try db.cachedStatement(sql: "DELETE FROM segment WHERE id = ?")
            for id in ids { try delete.execute(arguments: [id]) }
            for segment in segments { try Segment.insert(segment, db) }
            return ids.count
        }
    }

    // MARK: - Trimming

    /// Removes rows that are archived and that no start replays. The last row stays, because it has the last position.
    private func trim() async throws(StoreError) -> Int {
        let tail = tail
        // A row that is not needed now will not be needed later.
        let need = try await read { db in try Self.lowestNeed(db, tail) } ?? .max
        var removed = 0
        while true {
            try checkCancellation()
            let count = try await write { db in
                let through = try ArchiveState(db).through
                let limit = min(through, need - 1, tail.position - 1)
                // Freed pages are overwritten, so the time depends on bytes too.
                var (last, rows, bytes) = (LogPosition?.none, 0, 0)
                let old = try Row.fetchCursor(
                    db.cachedStatement(
                        sql: "SELECT position, length(fixes) FROM log WHERE position <= ? ORDER BY position LIMIT 1000"),
                    arguments: [limit])
                while bytes < 1 << 20, let row = try old.next() {
                    last = try row[0]
                    bytes += try row[1] ?? 0
                    rows += 1
                }
                guard let last else { return 0 }
                try db.cachedStatement(sql: "DELETE FROM log WHERE position <= ?").execute(arguments: [last])
                return rows
            }
            guard count > 0 else { return removed }
            removed += count
        }
    }

    /// The first archived row that a start replays; `nil` when it replays none.
    private static func lowestNeed(_ db: Database, _ tail: LogTail) throws -> LogPosition? {
        let rows = try Row.fetchCursor(
            db.cachedStatement(
                sql: """
                    SELECT position, devices FROM log
                    WHERE devices IS NOT NULL AND position <= (SELECT archived_through FROM store) ORDER BY position
                    """))
        while let row = try rows.next() {
            let devices = try DeviceList.decode([UInt8](row[1] as Data? ?? Data()))
            if try tail.isNeeded(row[0], by: devices) { return try row[0] }
        }
        return nil
    }
}
