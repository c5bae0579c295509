public import FencepostModel
public import Foundation

/// The time of each device in each region by day, and its visits: the timelines of devices, divided into days.
public struct TimeReport: Sendable {
    /// The time of a device in a region on a day.
    public struct Row: Hashable, Sendable {
        /// The device.
        public let deviceID: DeviceID
        /// `nil` for visits outside all regions.
        public let region: RegionID?
        /// The local date in the report's time zone, such as `2026-03-01`.
        public let day: String
        /// Seconds inside on that day.
        public var seconds: Double
        /// Number of visits with a part on that day whose centre is in the region.
        public var visits: Int
    }

    private struct Key: Hashable {
        let device: DeviceID
        let region: RegionID?
        let day: String
    }

    private let calendar: PeriodCalendar
    private var rows: [Key: Row] = [:]

    /// An empty report with the days of a time zone.
    public init(timeZone: TimeZone) {
        calendar = PeriodCalendar(.day, timeZone: timeZone)
    }

    /// The catalog with entry and exit events enabled for all regions, which a report needs.
    public static func catalog(for catalog: RegionCatalog) -> RegionCatalog {
        RegionCatalog(
            catalog.regions.map { _, region in
                var region = region
                (region.notifyOnEntry, region.notifyOnExit, region.initialState) = (true, true, .report)
                return region
            })
    }

    /// Adds a device.
    public mutating func add(_ timeline: DeviceTimeline) {
        for stay in timeline.stays {
            for (period, part) in calendar.parts(of: stay.span) {
                change(timeline.device, stay.region, period) { $0.seconds += part.seconds }
            }
        }
        for stay in timeline.visits {
            let regions = stay.visit.regions
            for (period, _) in calendar.parts(of: stay.span) {
                for region in regions.isEmpty ? [nil] : regions.map(Optional.some) {
                    change(timeline.device, region, period) { $0.visits += 1 }
                }
            }
        }
    }

    private mutating func change(
        _ device: DeviceID, _ region: RegionID?, _ period: TimeSpan, _ body: (inout Row) -> Void
    ) {
        let key = Key(device: device, region: region, day: calendar.date(of: period.start))
        body(&rows[key, default: Row(deviceID: device, region: region, day: key.day, seconds: 0, visits: 0)])
    }

    /// The rows sorted by device, day and region.
    public func sortedRows() -> [Row] {
        rows.values.sorted {
            ($0.deviceID.rawValue, $0.day, $0.region?.rawValue ?? "")
                < ($1.deviceID.rawValue, $1.day, $1.region?.rawValue ?? "")
        }
    }
}
