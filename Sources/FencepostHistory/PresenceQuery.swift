package import FencepostEngine
package import FencepostModel
package import FencepostMonitor
package import FencepostService
import Synchronization

/// Finds which devices were in an area in a span of time, by their stored fixes.
///
/// Only the devices with a fix near the area, or that may have passed through it between two, are evaluated, each from its first fix on: what the monitor
/// makes of a fix depends on all before it. The others cannot have been in the area.
package struct PresenceQuery: Sendable {
    /// The largest area of the API and of commands, in square metres: a country such as Portugal.
    package static let largestArea = 100_000.0 * 1_000_000

    private let area: PresenceReplay.Area
    private let span: TimeSpanBounds

    /// The first time that counts, and the first one after those.
    private struct TimeSpanBounds: Sendable { var start, end: Timestamp }

    /// The end of a page.
    package struct Cursor: Hashable, Sendable {
        /// The device of the last presence.
        package var deviceID: DeviceID
        /// The number of its presences before the next page; `nil` if the next page begins with the next device.
        package var count: Int?

        package init(deviceID: DeviceID, count: Int?) { (self.deviceID, self.count) = (deviceID, count) }
    }

    /// Presences, by the bytes of the devices' ids and then by time.
    package struct Page: Sendable {
        package var presences: [Presence] = []
        /// For each presence its number among those of its device, from 1.
        package var numbers: [Int] = []
        /// Where the next page begins; `nil` at the end.
        package var next: Cursor?
        /// The number of fixes that were evaluated, and of devices that they are of.
        package var fixes = 0, devices = 0

        /// A page without presences.
        package init() {}
    }

    /// A query.
    ///
    /// - Parameters:
    ///   - region: the area.
    ///   - settings: the settings of the monitor.
    ///   - start: the first time that counts.
    ///   - end: the first time after those that count.
    package init(_ region: Region, settings: MonitorSettings, from start: Timestamp, to end: Timestamp) {
        area = PresenceReplay.Area(region, settings)
        span = TimeSpanBounds(start: start, end: end)
    }

    /// Evaluates devices until a page is full.
    ///
    /// - Parameters:
    ///   - store: what has the fixes.
    ///   - cursor: the end of the page before; `nil` for the first one.
    ///   - limit: the most presences of the page, at least 1.
    ///   - fixLimit: the number of evaluated fixes after which the page ends with a device, whatever it has; `nil` for none.
    ///   - includes: whether a device is wanted.
    /// - Returns: the page.
    /// - Throws: when the store cannot be read, or GEOS fails on the area.
    package func page(
        of store: any HistoryStore, after cursor: Cursor?, limit: Int, fixLimit: Int? = nil,
        includes: @escaping @Sendable (DeviceID) -> Bool = { _ in true }
    ) async throws -> Page {
        var search = FixSearch(areas: area.surroundings, longestInterval: area.longestInterval, includes: includes)
        search.before = span.end + .seconds(60)
        search.first = cursor?.deviceID
        if let cursor, cursor.count == nil { search.includes = { $0 != cursor.deviceID && includes($0) } }
        let result = Mutex(Page())
        try await store.forEachDevice(near: search) { [area, span] device, source in
            var replay = PresenceReplay(device, in: area, from: span.start, to: span.end)
            var fixes = 0
            try source.forEach { location in
                fixes += 1
                return try replay.take(location)
            }
            let presences = try replay.finish()
            let skipped = cursor?.deviceID == device ? min(cursor?.count ?? 0, presences.count) : 0
            return result.withLock { page in
                page.fixes += fixes
                page.devices += 1
                for (index, presence) in presences.enumerated().dropFirst(skipped) {
                    guard page.presences.count < limit else {
                        page.next = Cursor(deviceID: device, count: index)
                        return false
                    }
                    page.presences.append(presence)
                    page.numbers.append(index + 1)
                }
                guard let fixLimit, page.fixes >= fixLimit else { return true }
                page.next = Cursor(deviceID: device, count: nil)
                return false
            }
        }
        return result.withLock { $0 }
    }
}
