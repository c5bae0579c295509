public import FencepostModel
public import Foundation

/// The time of each device in each region by day, and its visits.
public struct TimeReport: Sendable {
    /// The time of a device in a region on a day.
    public struct Row: Hashable, Sendable {
        /// The device.
        public let deviceID: DeviceID
        /// `nil` for visits outside all regions.
        public let region: RegionID?
        /// Days since 1970-01-01 in the report's time zone.
        public let day: Int
        /// Seconds inside on that day.
        public var seconds: Double
        /// Number of visits on that day whose centre is in the region.
        public var visits: Int
    }

    private struct Key: Hashable {
        let device: DeviceID
        let region: RegionID?
        let day: Int
    }

    private struct Stay: Hashable {
        let device: DeviceID
        let region: RegionID
    }

    private let calendar: Calendar
    private var rows: [Key: Row] = [:]
    private var open: [Stay: Timestamp] = [:]
    private var openVisits: [String: (device: DeviceID, visit: Visit)] = [:]
    /// Completed visits and those without a departure, in the order of their end.
    public private(set) var visits: [(device: DeviceID, visit: Visit)] = []
    private var lastFix: [DeviceID: Timestamp] = [:]

    /// An empty report with the days of a time zone.
    public init(timeZone: TimeZone) {
        var calendar = Calendar(identifier: .gregorian)
        calendar.timeZone = timeZone
        self.calendar = calendar
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

    /// Adds a fix. Regions without an exit count until the device's last fix.
    public mutating func add(_ location: Location) {
        let known = lastFix[location.deviceID] ?? location.timestamp
        lastFix[location.deviceID] = max(known, location.timestamp)
    }

    /// Adds an event. The events of a device come in their order.
    public mutating func add(_ event: Event) {
        switch event.occurrence {
        case .regionEntered(let region):
            open[Stay(device: event.deviceID, region: region.id)] = event.timestamp
        case .regionExited(let region, _):
            let stay = Stay(device: event.deviceID, region: region.id)
            if let entry = open.removeValue(forKey: stay) { count(stay, from: entry, to: event.timestamp) }
        case .visitArrived(let visit):
            openVisits[visit.id] = (event.deviceID, visit)
        case .visitDeparted(let visit):
            openVisits[visit.id] = nil
            visits.append((event.deviceID, visit))
            count(visit, of: event.deviceID)
        case .regionDwelled, .deviceStale, .deviceRecovered, .appRelaunched: break
        }
    }

    /// Ends the report at the last fix.
    ///
    /// - Returns: the rows sorted by device, day and region.
    public mutating func finish() -> [Row] {
        for (stay, entry) in open {
            count(stay, from: entry, to: max(entry, lastFix[stay.device] ?? entry))
        }
        open = [:]
        for (device, visit) in openVisits.values.sorted(by: { $0.visit.id < $1.visit.id }) {
            visits.append((device, visit))
            count(visit, of: device)
        }
        openVisits = [:]
        return rows.values.sorted {
            ($0.deviceID.rawValue, $0.day, $0.region?.rawValue ?? "")
                < ($1.deviceID.rawValue, $1.day, $1.region?.rawValue ?? "")
        }
    }

    private mutating func count(_ stay: Stay, from entry: Timestamp, to exit: Timestamp) {
        for (day, seconds) in days(from: entry, to: exit) {
            change(Key(device: stay.device, region: stay.region, day: day)) { $0.seconds += seconds }
        }
    }

    private mutating func count(_ visit: Visit, of device: DeviceID) {
        let end = visit.departure ?? lastFix[device] ?? visit.arrival
        guard let end, let start = visit.arrival ?? visit.arrivalLatest ?? visit.departure else { return }
        for (day, _) in days(from: start, to: max(start, end)) {
            for region in visit.regions.isEmpty ? [nil] : visit.regions.map(Optional.some) {
                change(Key(device: device, region: region, day: day)) { $0.visits += 1 }
            }
        }
    }

    private mutating func change(_ key: Key, _ body: (inout Row) -> Void) {
        body(&rows[key, default: Row(deviceID: key.device, region: key.region, day: key.day, seconds: 0, visits: 0)])
    }

    /// The days of a time span, with its seconds on each. A day can have 23 or 25 hours.
    private func days(from start: Timestamp, to end: Timestamp) -> [(day: Int, seconds: Double)] {
        var result: [(Int, Double)] = []
        var moment = date(start)
        let last = date(end)
        repeat {
            let midnight = calendar.startOfDay(for: moment)
            guard let next = calendar.date(byAdding: .day, value: 1, to: midnight) else { break }
            let parts = calendar.dateComponents([.year, .month, .day], from: moment)
            let day = Timestamp.days(year: parts.year ?? 1970, month: parts.month ?? 1, day: parts.day ?? 1)
            result.append((day, min(next, last).timeIntervalSince(moment)))
            moment = next
        } while moment < last
        return result
    }

    private func date(_ moment: Timestamp) -> Date {
        Date(timeIntervalSince1970: Double(moment.milliseconds) / 1000)
    }
}
