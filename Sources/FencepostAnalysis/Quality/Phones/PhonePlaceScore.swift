public import FencepostModel

/// Agreement of entries and exits with the logged presences at real places.
///
/// A presence lasts from the end of the leg that leads to a place to the start of the leg that leads away. The boundary is
/// crossed some time before and after, so the times of crossings have no error here; what counts is whether a presence is
/// found, whether it is one, and when its ends are reported. A presence counts if it lasts a minute, has two fixes of ±100 m
/// or better, and begins after the log does.
public struct PhonePlaceScore: Sendable {
    /// Number of events.
    public private(set) var events = 0
    /// Numbers of logged presences, and of those that were found.
    public private(set) var required = 0, found = 0
    /// The same of the presences that at least 80 % of their fixes show.
    public private(set) var shown = 0, shownFound = 0
    /// Number of entries after the first one, while the device is at the place: from a minute after its start to a minute
    /// before its end.
    public private(set) var flaps = 0
    /// Number of reported presences that no logged one is near to: within ten minutes at the same place, or in a stay.
    public private(set) var spurious = 0
    /// Seconds from the logged arrival to the report of the entry, which may come before.
    public private(set) var entryDelays: [Double] = []
    /// Seconds from the logged departure to the report of the exit, at most to the last fix. Presences that end in the last
    /// ten minutes of the fixes are left out.
    public private(set) var exitDelays: [Double] = []
    /// Numbers of entries that are reported more than a minute after the arrival, and of exits that are reported more than
    /// five minutes after the departure or never.
    public private(set) var lateEntries = 0, lateExits = 0
    private var lossesByPlace: [String: Int] = [:]

    /// The place with the most missed presences, flaps and false presences; `nil` if no place has one.
    public var worst: (name: String, losses: Int)? {
        lossesByPlace.max { ($0.value, $1.key) < ($1.value, $0.key) }.map { (name: $0.key, losses: $0.value) }
    }

    /// Quantile of the delays of the entries in seconds; `nil` without one. 1 is the largest.
    public func entryDelay(_ fraction: Double) -> Double? { Statistics.rank(fraction, of: entryDelays) }
    /// Quantile of the delays of the exits in seconds; `nil` without one. 1 is the largest.
    public func exitDelay(_ fraction: Double) -> Double? { Statistics.rank(fraction, of: exitDelays) }

    /// Scores the events of phones.
    ///
    /// - Parameters:
    ///   - events: those of a device in the order of their detection. Only entries and exits count.
    ///   - cases: the phones with their truth.
    ///   - places: the places, whose regions were watched.
    public init(_ events: [Event], of cases: [PhoneCase], at places: PhonePlaces) {
        var reported: [DeviceID: [RegionID: [Reported]]] = [:]
        for event in events {
            guard let region = event.occurrence.region?.id else { continue }
            self.events += 1
            reported[event.deviceID, default: [:]][region, default: []].add(event)
        }
        for phone in cases {
            let own = reported[phone.device] ?? [:]
            let log = PlaceLog(phone, places)
            for (region, presences) in log.presences {
                for presence in presences { add(presence, own[region] ?? [], of: phone, at: region, in: places) }
            }
            for (region, presences) in own {
                let near = log.times(at: places.name(of: region)) + log.stays
                for presence in presences where presence.isFalse(near) {
                    spurious += 1
                    lossesByPlace[places.name(of: region), default: 0] += 1
                }
            }
        }
    }

    /// Adds a logged presence. Five parameters, because the fixes, the reports and the boundary each have their own source.
    private mutating func add(
        _ presence: TimeSpan, _ reported: [Reported], of phone: PhoneCase, at region: RegionID, in places: PhonePlaces
    ) {
        let fixes = phone.fixes.filter {
            presence.start <= $0.timestamp && $0.timestamp <= presence.end && $0.horizontalAccuracy ?? 0 <= 100
        }
        guard presence.seconds >= 60, fixes.count >= 2, (presence.start - phone.known.start).seconds > 1 else { return }
        let inside = fixes.count { places.contains($0.coordinate, in: region) }
        let isShown = Double(inside) >= 0.8 * Double(fixes.count)
        let hits = reported.filter { $0.entered <= presence.end && $0.exited >= presence.start }
        required += 1
        if isShown { shown += 1 }
        guard let first = hits.first, let last = hits.last else {
            lossesByPlace[places.name(of: region), default: 0] += 1
            return
        }
        found += 1
        if isShown { shownFound += 1 }
        if let time = first.entryReported {
            entryDelays.append((time - presence.start).seconds)
            if (time - presence.start).seconds > 60 { lateEntries += 1 }
        }
        let again = hits.dropFirst().count {
            $0.entered > presence.start + .seconds(60) && $0.entered < presence.end - .seconds(60)
        }
        flaps += again
        if again > 0 { lossesByPlace[places.name(of: region), default: 0] += again }
        let end = phone.recorded.end
        guard presence.end < end - .seconds(600) else { return }
        let exit = last.exitReported ?? .distantFuture
        exitDelays.append((min(exit, end) - presence.end).seconds)
        if (exit - presence.end).seconds > 300 { lateExits += 1 }
    }
}

/// An entry with its exit, as a detector reports them.
private struct Reported {
    /// `distantPast` for a device that was inside from the start, `distantFuture` for one that has not left.
    var entered = Timestamp.distantPast, exited = Timestamp.distantFuture
    /// When the entry and the exit were detected; `nil` if they were not.
    var entryReported, exitReported: Timestamp?

    /// Whether no span is within ten minutes of it. A presence from the start is never false.
    func isFalse(_ spans: [TimeSpan]) -> Bool {
        guard entryReported != nil else { return false }
        return !spans.contains { entered < $0.end + .seconds(600) && exited > $0.start - .seconds(600) }
    }
}

extension [Reported] {
    fileprivate mutating func add(_ event: Event) {
        switch event.occurrence {
        case .regionEntered: append(Reported(entered: event.timestamp, entryReported: event.detectedAt))
        case .regionExited:
            if isEmpty || self[count - 1].exitReported != nil { append(Reported()) }
            self[count - 1].exited = event.timestamp
            self[count - 1].exitReported = event.detectedAt
        case .regionDwelled, .visitArrived, .visitDeparted, .deviceStale, .deviceRecovered, .appRelaunched, .alert,
            .fence, .proximity, .plan:
            break
        }
    }
}

/// What the log of a phone says about places.
private struct PlaceLog {
    /// By polygon, in the order of time.
    private(set) var presences: [RegionID: [TimeSpan]] = [:]
    private(set) var stays: [TimeSpan] = []
    /// The legs that begin, end or are at a place, by its name.
    private var legs: [String: [TimeSpan]] = [:]

    func times(at name: String) -> [TimeSpan] { legs[name] ?? [] }

    init(_ phone: PhoneCase, _ places: PhonePlaces) {
        stays = phone.intervals.filter { $0.kind == .stay }.map(\.span)
        var moments: [RegionID: [TimeSpan]] = [:]
        for interval in phone.intervals {
            guard let leg = interval.leg else { continue }
            let span = interval.span
            for mark in places.marks(of: leg, at: span.start) {
                let moment =
                    switch mark.part {
                    case .whole: span
                    case .start: TimeSpan(span.start, span.start)
                    case .end: TimeSpan(span.end, span.end)
                    }
                moments[mark.region, default: []].append(moment)
                legs[places.name(of: mark.region), default: []].append(span)
            }
        }
        presences = moments.mapValues { spans in
            spans.sorted { ($0.start, $0.end) < ($1.start, $1.end) }.reduce(into: [TimeSpan]()) { merged, span in
                guard let last = merged.last, isJoined(last, span) else { return merged.append(span) }
                merged[merged.count - 1].end = max(last.end, span.end)
            }
        }
    }

    /// Whether one follows the other within two seconds, or only a stay is between them.
    private func isJoined(_ before: TimeSpan, _ after: TimeSpan) -> Bool {
        let tolerance = Duration.seconds(2)
        return after.start <= before.end + tolerance
            || stays.contains { $0.start <= before.end + tolerance && $0.end >= after.start - tolerance }
    }
}
