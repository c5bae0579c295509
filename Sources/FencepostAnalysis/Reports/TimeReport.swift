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

    /// How much is known of a device on a day, between its first and its last location.
    public struct Day: Hashable, Sendable {
        /// The device.
        public let deviceID: DeviceID
        /// The local date in the report's time zone, such as `2026-03-01`.
        public let day: String
        /// Seconds for which something is known.
        public var knownSeconds = 0.0
        /// Seconds for which nothing is known; both together are the part of the day between the locations.
        public var unknownSeconds = 0.0
    }

    private struct Key: Hashable {
        let device: DeviceID
        let region: RegionID?
        let day: String
    }

    private let calendar: PeriodCalendar
    private var rows: [Key: Row] = [:]
    private var days: [Key: Day] = [:]

    /// An empty report with the days of a time zone.
    public init(timeZone: TimeZone, dayStart: DayStart = .midnight) {
        calendar = PeriodCalendar(.day, timeZone: timeZone, dayStart: dayStart)
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
        if let whole = timeline.heard {
            let unknown = timeline.unknown(in: whole)
            for span in unknown { add(span, of: timeline.device, to: \.unknownSeconds) }
            for span in unknown.gaps(in: whole) { add(span, of: timeline.device, to: \.knownSeconds) }
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

    private mutating func add(_ span: TimeSpan, of device: DeviceID, to seconds: WritableKeyPath<Day, Double>) {
        for (period, part) in calendar.parts(of: span) {
            let key = Key(device: device, region: nil, day: calendar.date(of: period.start))
            days[key, default: Day(deviceID: device, day: key.day)][keyPath: seconds] += part.seconds
        }
    }

    private mutating func change(
        _ device: DeviceID, _ region: RegionID?, _ period: TimeSpan, _ body: (inout Row) -> Void
    ) {
        let key = Key(device: device, region: region, day: calendar.date(of: period.start))
        body(&rows[key, default: Row(deviceID: device, region: region, day: key.day, seconds: 0, visits: 0)])
    }

    /// What is known of each day, sorted by device and day.
    public func sortedDays() -> [Day] {
        days.values.sorted { ($0.deviceID.rawValue, $0.day) < ($1.deviceID.rawValue, $1.day) }
    }

    /// The rows sorted by device, day and region.
    public func sortedRows() -> [Row] {
        rows.values.sorted {
            ($0.deviceID.rawValue, $0.day, $0.region?.rawValue ?? "")
                < ($1.deviceID.rawValue, $1.day, $1.region?.rawValue ?? "")
        }
    }
}
