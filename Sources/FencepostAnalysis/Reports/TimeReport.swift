public import FencepostModel
public import Foundation

/// How long each device was in each region on each day, and the visits that it made.
public struct TimeReport: Sendable {
    /// One device, one region, one day.
    public struct Row: Hashable, Sendable {
        public let deviceID: DeviceID
        /// `nil` for visits outside of all regions.
        public let region: RegionID?
        /// Days since 1970-01-01 in the report's time zone.
        public let day: Int
        /// Seconds inside on that day.
        public var seconds: Double
        /// Visits whose centre is in the region and that were going on on that day.
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
    /// Departed or not, in the order of their end.
    public private(set) var visits: [(device: DeviceID, visit: Visit)] = []
    private var lastFix: [DeviceID: Timestamp] = [:]

    public init(timeZone: TimeZone) {
        var calendar = Calendar(identifier: .gregorian)
        calendar.timeZone = timeZone
        self.calendar = calendar
    }

    /// A catalog whose regions all tell of being entered and exited: what a report is made of.
    public static func catalog(for catalog: RegionCatalog) -> RegionCatalog {
        RegionCatalog(
            catalog.regions.map { _, region in
                var region = region
                (region.notifyOnEntry, region.notifyOnExit, region.initialState) = (true, true, .report)
                return region
            })
    }

    /// Takes a fix, so that stays that go on are counted to the last one.
    public mutating func add(_ location: Location) {
        let known = lastFix[location.deviceID] ?? location.timestamp
        lastFix[location.deviceID] = max(known, location.timestamp)
    }

    /// Takes an event, each device's in their order.
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

    /// Ends what goes on at the last fix, and gives the rows by device, day and region.
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

    /// The days that a span touches, and the seconds of it on each: a day may have 23 or 25 hours.
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
