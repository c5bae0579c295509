import FencepostGeometry
public import FencepostModel
public import FencepostService
import Foundation
import GRDB

extension SQLiteStore {
    /// Calls a body for each device near an area: those that the bounds of segments and the log name, with all their fixes.
    public func forEachDevice(
        near search: FixSearch, _ body: @escaping @Sendable (DeviceID, FixSource) throws -> Bool
    ) async throws {
        try await read { db in
            let nearby = try NearbyDevices(db, search)
            for chunk in nearby.chunks {
                let unarchived = try nearby.unarchived(of: chunk)
                for device in chunk {
                    let history = try FixHistory(db, device: device, unarchived: unarchived[device] ?? [])
                    let source = FixSource { body in
                        try history.forEach(from: nil, to: nil) { fix in
                            try fix.stored.isAhead || body(fix.location)
                        }
                    }
                    guard try body(device, source) else { return }
                }
            }
        }
    }
}

/// The devices that may have been near an area, as of a snapshot of the database.
///
/// The index `segment_by_time` has the bounds of all segments, in a few bytes for each. What is not archived is decoded.
private struct NearbyDevices {
    /// Fixes of the log that are in memory at a time.
    private static let mostUnarchived = 200_000

    private let db: Database
    private let archive: ArchiveState
    private let areas: [FixBounds]
    /// By the bytes of the ids.
    private var devices: [DeviceID] = []
    /// The number of fixes of the devices that are not archived.
    private var counts: [DeviceID: Int] = [:]

    init(_ db: Database, _ search: FixSearch) throws {
        self.db = db
        archive = try ArchiveState(db)
        areas = search.areas.map { FixBounds($0) }
        var unarchived = try unarchivedSpans(search)
        let longest = search.longestInterval.milliseconds
        func examine(_ device: String, _ spans: [Span]) throws {
            var spans = spans
            let id = DeviceID(device)
            if let (span, count) = unarchived.removeValue(forKey: device) {
                spans.insert(span, at: spans.firstIndex { $0.first > span.first } ?? spans.count)
                counts[id] = count
            }
            guard search.includes(id), let first = spans.first,
                search.before.map({ first.first < $0.milliseconds }) ?? true
            else { return }
            if try isNear(spans, longest) { devices.append(id) }
        }
        var (device, spans): (String, [Span]) = ("", [])
        let rows = try Row.fetchCursor(
            db.cachedStatement(
                sql: """
                    SELECT device_id, first_time, last_time, south, west, north, east, id FROM segment
                    WHERE device_id >= ? ORDER BY device_id, first_time
                    """), arguments: [search.first?.rawValue ?? ""])
        while let row = try rows.next() {
            let name: String = try row[0]
            if name != device {
                if !spans.isEmpty { try examine(device, spans) }
                (device, spans) = (name, [])
            }
            try spans.append(Span(first: row[1], last: row[2], bounds: FixBounds(row, at: 3), segment: row[7]))
        }
        if !spans.isEmpty { try examine(device, spans) }
        for name in unarchived.keys.map({ $0 }) { try examine(name, []) }
        devices.sort { $0.rawValue.utf8.lexicographicallyPrecedes($1.rawValue.utf8) }
    }

    /// Fixes of one segment, or those that are in none.
    private struct Span {
        /// Milliseconds since 1970.
        var first, last: Int64
        /// `nil` for a segment of before schema 20 that maintenance has not read yet.
        var bounds: FixBounds?
        var segment: Int64?
    }

    /// Whether fixes may be in the areas, or the device between two of them. These are in one span, or in two that are not farther
    /// apart in time than `longest`, in milliseconds.
    private func isNear(_ spans: [Span], _ longest: Int64) throws -> Bool {
        var known: [FixBounds] = []
        known.reserveCapacity(spans.count)
        for span in spans {
            let bounds = try span.bounds ?? storedBounds(of: span)
            if isNear(bounds) { return true }
            known.append(bounds)
        }
        for index in spans.indices {
            let end = spans[index].last.addingClamped(longest)
            for other in (index + 1)..<max(index + 1, spans.count) {
                guard spans[other].first <= end else { break }
                if isNear(known[index].union(known[other])) { return true }
            }
        }
        return false
    }

    private func isNear(_ bounds: FixBounds) -> Bool { areas.contains { bounds.touch($0) } }

    private func storedBounds(of span: Span) throws -> FixBounds {
        let row = try Row.fetchOne(
            db.cachedStatement(sql: "SELECT device_id, fixes FROM segment WHERE id = ?"), arguments: [span.segment])
        guard let row else { return .everywhere }
        return try Segment.bounds([UInt8](row[1] as Data), device: DeviceID(row[0]))
    }

    // MARK: The log

    /// The spans of the fixes that are not archived, with their numbers, by device.
    private func unarchivedSpans(_ search: FixSearch) throws -> [String: (span: Span, count: Int)] {
        var numbers = DeviceNumbers()
        var found: [(first: Int64, last: Int64, count: Int, bounds: FixBounds.Builder)] = []
        try forEachUnarchived(of: nil) { fix, device in
            let time = fix.location.timestamp.milliseconds
            let number = numbers.number(of: device)
            if number == found.count { found.append((time, time, 0, FixBounds.Builder())) }
            found[number].first = min(found[number].first, time)
            found[number].last = max(found[number].last, time)
            found[number].count += 1
            found[number].bounds.add(fix.location.coordinate)
        }
        let first = search.first?.rawValue
        var spans: [String: (span: Span, count: Int)] = [:]
        for (device, item) in zip(numbers.devices, found) {
            if let first, device.rawValue.utf8.lexicographicallyPrecedes(first.utf8) { continue }
            spans[device.rawValue] = (
                Span(first: item.first, last: item.last, bounds: item.bounds.bounds), item.count
            )
        }
        return spans
    }

    /// Calls the body for each fix that is not archived, or for those of some devices, in the order of arrival.
    private func forEachUnarchived(
        of wanted: Set<DeviceID>?, _ body: (ArchivedFix, DeviceID) throws -> Void
    ) throws {
        let rows = try Row.fetchCursor(
            db.cachedStatement(
                sql: """
                    SELECT position, devices, fixes FROM log
                    WHERE position > ? AND received_at >= ? AND devices IS NOT NULL AND count > 0 ORDER BY position
                    """), arguments: [archive.through, archive.floor.milliseconds])
        while let row = try rows.next() {
            let position: LogPosition = try row[0]
            guard let names = try row[1] as Data?, let bytes = try row[2] as Data? else { continue }
            let devices = try DeviceList.decode([UInt8](names))
            let counts = devices.map { archive.through(of: $0) < position && wanted?.contains($0) ?? true }
            guard counts.contains(true) else { continue }
            var decoder = try FixDecoder([UInt8](bytes), devices: devices)
            while let fix = try decoder.next() {
                if counts[decoder.device] { try body(fix, devices[decoder.device]) }
            }
        }
    }

    /// The devices in parts of which the unarchived fixes fit the memory.
    var chunks: [ArraySlice<DeviceID>] {
        var (chunks, start, sum): ([ArraySlice<DeviceID>], Int, Int) = ([], 0, 0)
        for (index, device) in devices.enumerated() {
            let count = counts[device] ?? 0
            if sum > 0, sum + count > Self.mostUnarchived {
                chunks.append(devices[start..<index])
                (start, sum) = (index, 0)
            }
            sum += count
        }
        if start < devices.count { chunks.append(devices[start...]) }
        return chunks
    }

    /// The fixes of some devices that are not archived, in the order of arrival.
    func unarchived(of chunk: ArraySlice<DeviceID>) throws -> [DeviceID: [ArchivedFix]] {
        let wanted = Set(chunk.filter { counts[$0] != nil })
        guard !wanted.isEmpty else { return [:] }
        var found: [DeviceID: [ArchivedFix]] = [:]
        try forEachUnarchived(of: wanted) { fix, device in found[device, default: []].append(fix) }
        return found
    }
}
