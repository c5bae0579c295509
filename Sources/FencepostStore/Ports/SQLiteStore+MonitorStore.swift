import FencepostEngine
import FencepostFormats
import FencepostModel
public import FencepostService
import Foundation
import GRDB
import Synchronization

extension SQLiteStore: MonitorStore {
    /// Reads the state in one snapshot, after removing regions of a change that was not applied.
    public func load() async throws -> MonitorState {
        try await removeStagedRegions()
        try await removeStagedImports()
        try await writeMessagesOfFailedCommits()
        return try await currentState()
    }

    /// As `load`, without checkpoints, regions and apps.
    public func loadFrame() async throws -> MonitorState {
        try await removeStagedRegions()
        try await removeStagedImports()
        try await writeMessagesOfFailedCommits()
        return try await read { db in try Self.currentState(db, isFrame: true) }
    }

    /// As `load`, for a store that only reads: what an ended service left half written stays.
    public func currentState() async throws -> MonitorState {
        try await read { db in try Self.currentState(db) }
    }

    /// The stored state; with `isFrame`, checkpoints, regions and apps are left out.
    static func currentState(_ db: Database, isFrame: Bool = false) throws -> MonitorState {
        var state = MonitorState()
        state.position = try LogPosition.fetchOne(db, sql: "SELECT max(position) FROM log") ?? 0
        state.regionRevision = try UInt32.fetchOne(db, sql: "SELECT region_revision FROM store") ?? 0
        // What comes next is counted from them.
        guard state.position < .max / 2, state.regionRevision < .max / 2 else {
            throw StoreError(
                .corrupt, "The position \(state.position) or the revision \(state.regionRevision) is damaged.")
        }
        for row in try Row.fetchAll(db, sql: "SELECT name, hash FROM source") {
            state.sources[try row[0]] = try row[1]
        }
        state.livePositions = try Row.fetchAll(
            db, sql: "SELECT device_id, fix FROM live_position ORDER BY device_id"
        ).flatMap { row in
            // The next fix replaces one that cannot be read.
            (try? FixDecoder.all([UInt8](row[1] as Data), devices: [DeviceID(row[0])]).map(\.location)) ?? []
        }
        state.evaluations = try Row.fetchAll(db, sql: "SELECT \(EvaluationTask.columns) FROM evaluation").compactMap {
            try? EvaluationTask(row: $0)
        }
        state.setAside = try setAside(db)
        guard !isFrame else { return state }
        state.devices = try Row.fetchAll(db, sql: "SELECT id, position, state FROM device ORDER BY id").map {
            try DeviceCheckpoint(deviceID: DeviceID($0[0]), position: $0[1], state: [UInt8]($0[2] as Data))
        }
        state.regions = try Row.fetchAll(
            db, sql: "SELECT id, feature, added_in_revision FROM current_region ORDER BY id"
        ).map {
            try StoredRegion(
                id: RegionID($0[0]), feature: $0[1], addedInRevision: UInt32(clamping: $0[2] as Int64))
        }
        state.apps = try Row.fetchAll(db, sql: "SELECT id, definition, steps FROM app ORDER BY id").map {
            // Without steps that can be read, the app is as it was installed.
            try StoredApp(
                id: $0[0], definition: $0[1], steps: (try? JSONColumn.decode([String].self, $0[2] as String)) ?? [])
        }
        return state
    }

    /// Rows after a position and after the last change, which is a checkpoint of every state.
    public func log(after position: LogPosition, limit: Int) async throws -> [LogEntry] {
        try await read { db in try Self.log(db, after: position, limit: limit) }
    }

    static func log(_ db: Database, after position: LogPosition, limit: Int) throws -> [LogEntry] {
        let rows = try Row.fetchCursor(
            db,
            sql: """
                SELECT position, received_at, advances_clock, devices, fixes, count, hash FROM log
                WHERE position > max(?, (SELECT replay_floor FROM store)) AND (advances_clock OR count > 0)
                ORDER BY position LIMIT ?
                """, arguments: [position, limit])
        var entries: [LogEntry] = []
        while let row = try rows.next() {
            let (position, known): (LogPosition, Int64?) = try (row[0], row[6])
            let hash = try ContentHash.log(
                position: row[0], receivedAt: row[1], advancesClock: row[2], count: row[5], devices: row[3],
                fixes: row[4])
            // Its evaluation would emit events that did not happen.
            guard known == nil || known == hash else {
                throw StoreError(
                    .corrupt,
                    "Entry \(position) of the log is damaged. Restore a backup; fencepost doctor has details."
                )
            }
            try entries.append(
                LogEntry(
                    position: row[0], receivedAt: Timestamp(milliseconds: row[1]),
                    locations: try LogRow.fixes(devices: row[3], fixes: row[4]).map(\.stored),
                    advancesClock: row[2]))
        }
        return entries
    }

    /// Writes a commit in one transaction.
    ///
    /// - Throws: a `StoreError`, `outOfOrder` if the position is not the next one.
    public func commit(_ commit: Commit) async throws {
        try await self.commit(commit, change: nil)
    }

    /// Writes checkpoints in one transaction.
    public func checkpoint(_ checkpoints: [DeviceCheckpoint]) async throws {
        let tail = tail
        try await writeWithoutTransaction { db in
            try self.transaction(db) { db in
                let writer = CommitWriter(db, self.eventTail)
                for checkpoint in checkpoints { try writer.write(checkpoint) }
            }
            tail.note(checkpoints)
        }
    }

    /// Writes a change with a commit in one transaction. The log before it is not replayed again.
    public func apply(_ change: WatchChange, with commit: Commit) async throws {
        try await self.commit(commit, change: change)
    }

    private func commit(_ commit: Commit, change: WatchChange?) async throws(StoreError) {
        let tail = tail
        let row = LogRow(commit)
        let segments = commit.imported.flatMap { fixes in
            let archived = fixes.map { ArchivedFix(stored: $0, receivedAt: commit.receivedAt) }
            return archived.first.map { Segment.make(of: $0.location.deviceID, archived).map { $0.encoded() } } ?? []
        }
        let direct = direct
        try await writeWithoutTransaction { db in
            let last = try LogPosition.fetchOne(db.cachedStatement(sql: "SELECT max(position) FROM log")) ?? 0
            if last != tail.position {
                // A commit that failed with an I/O error may be in the database nevertheless.
                tail.removeAll()
                try tail.load(db)
            }
            guard commit.position == last + 1 else {
                throw StoreError(
                    .outOfOrder, "Commit \(commit.position) does not follow commit \(last), the last one.")
            }
            let messages: DirectMessages?
            do {
                messages = try self.transaction(db) { db in
                    let writer = CommitWriter(db, self.eventTail, handsOver: direct.handsOver)
                    try writer.write(row)
                    let messages = try writer.write(commit)
                    for segment in segments { try Segment.insert(segment, db) }
                    if let change { try writer.write(change, at: commit.position, commit.receivedAt) }
                    return messages
                }
            } catch {
                direct.noteFailure()
                throw error
            }
            tail.append(
                commit.position, devices: row.devices, count: commit.locations.count, receivedAt: commit.receivedAt,
                isArchived: false)
            tail.note(commit.checkpoints)
            if change != nil { tail.raiseFloor(to: commit.position) }
            if let messages { direct.hand(messages) }
        }
    }
}
