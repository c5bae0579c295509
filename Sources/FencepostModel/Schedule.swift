internal import FencepostGeometry
public import Foundation

/// The opening hours of a region in each week, in the local time of one time zone.
public struct Schedule: Hashable, Sendable {
    /// A span of local time on some weekdays. If `end` is not after `start`, it ends on the next day.
    public struct Opening: Hashable, Sendable {
        /// The weekdays on which the span begins, from 0 (Monday) to 6 (Sunday).
        public var weekdays: Set<Int>
        /// Minutes after midnight, 0 to 1440.
        public var start, end: Int

        /// A span on some weekdays (0 is Monday), between two times in minutes after midnight.
        public init(weekdays: Set<Int>, start: Int, end: Int) {
            self.weekdays = weekdays
            self.start = start
            self.end = end
        }

        /// The end in minutes after the midnight before the start.
        fileprivate var lastMinute: Int { end > start ? end : end + 1440 }
    }

    /// The zone of all times and dates of the schedule.
    public var timeZone: TimeZone
    /// The spans in which the region is open; they may overlap.
    public var weekly: [Opening]
    /// Dates on which no opening begins, as days since 1970-01-01.
    public var except: Set<Int>

    /// Opening hours in each week, with the dates to leave out as days since 1970-01-01.
    public init(timeZone: TimeZone, weekly: [Opening], except: Set<Int> = []) {
        self.timeZone = timeZone
        self.weekly = weekly
        self.except = except
    }

    /// Whether the local time is within an opening.
    ///
    /// An hour that daylight saving time repeats is open both times. An hour that it skips never occurs.
    public func isOpen(at moment: Timestamp) -> Bool {
        let local = moment.milliseconds + timeZone.offset(at: moment)
        let day = Int(local.flooredQuotient(86_400_000))
        let ofDay = Int(local - Int64(day) * 86_400_000)
        return weekly.contains { opening in
            begins(opening, on: day) && ofDay >= opening.start * 60_000 && ofDay < opening.lastMinute * 60_000
                || begins(opening, on: day - 1) && ofDay + 86_400_000 < opening.lastMinute * 60_000
        }
    }

    /// The first moment after this one at which the schedule opens or closes; `nil` if it never does again.
    ///
    /// The search covers 400 days. If it finds nothing but `except` has later dates, the result is the end of the search,
    /// from which the caller has to continue.
    public func nextTransition(after moment: Timestamp) -> Timestamp? {
        let wasOpen = isOpen(at: moment)
        let today = timeZone.day(of: moment)
        let lastException = except.max() ?? today
        let lastDay = min(max(today, lastException) + 8, today + 400)
        var found: Timestamp?
        for day in (today - 1)...lastDay {
            // No time zone differs from UTC by more than 15 hours, so later days cannot have an earlier transition.
            if let found, found.milliseconds < Int64(day) * 86_400_000 - 15 * 3_600_000 { return found }
            var candidates = daylightSavingTransitions(around: day)
            for opening in weekly where begins(opening, on: day) {
                candidates += timeZone.moments(local: Int64(day) * 86_400_000 + Int64(opening.start) * 60_000)
                candidates += timeZone.moments(local: Int64(day) * 86_400_000 + Int64(opening.lastMinute) * 60_000)
            }
            let changes = candidates.filter { $0 > moment && $0 < found ?? .distantFuture && isOpen(at: $0) != wasOpen }
            found = changes.min() ?? found
        }
        if let found { return found }
        return lastException > lastDay ? Timestamp(milliseconds: Int64(lastDay) * 86_400_000) : nil
    }

    private func begins(_ opening: Opening, on day: Int) -> Bool {
        opening.weekdays.contains(TimeZone.weekday(of: day)) && !except.contains(day)
    }

    private func daylightSavingTransitions(around day: Int) -> [Timestamp] {
        let start = Date(timeIntervalSince1970: Double(day - 1) * 86_400)
        guard let next = timeZone.nextDaylightSavingTimeTransition(after: start),
            next.timeIntervalSince(start) < 3 * 86_400
        else { return [] }
        return [Timestamp(milliseconds: Int64(clamped: (next.timeIntervalSince1970 * 1000).rounded()))]
    }
}

// The keys are part of stored states and must not change.
extension Schedule: Codable {
    private enum CodingKeys: CodingKey { case timeZone, weekly, except }

    /// Reads a stored schedule.
    ///
    /// - Throws: `DecodingError` if a member is absent or invalid, or if the zone is not known here.
    public init(from decoder: any Decoder) throws {
        let container = try decoder.container(keyedBy: CodingKeys.self)
        let name = try container.decode(String.self, forKey: .timeZone)
        guard let zone = TimeZone(identifier: name) else {
            throw DecodingError.dataCorruptedError(
                forKey: .timeZone, in: container, debugDescription: "the time zone \(name) is not known")
        }
        self.init(
            timeZone: zone, weekly: try container.decode([Opening].self, forKey: .weekly),
            except: Set(try container.decode([Int].self, forKey: .except)))
    }

    /// Writes the members, sets in order, so that equal schedules have equal bytes.
    public func encode(to encoder: any Encoder) throws {
        var container = encoder.container(keyedBy: CodingKeys.self)
        try container.encode(timeZone.identifier, forKey: .timeZone)
        try container.encode(weekly, forKey: .weekly)
        try container.encode(except.sorted(), forKey: .except)
    }
}

extension Schedule.Opening: Codable {
    private enum CodingKeys: CodingKey { case weekdays, start, end }

    /// Reads a stored span.
    ///
    /// - Throws: `DecodingError` if a member is absent or invalid.
    public init(from decoder: any Decoder) throws {
        let container = try decoder.container(keyedBy: CodingKeys.self)
        self.init(
            weekdays: Set(try container.decode([Int].self, forKey: .weekdays)),
            start: try container.decode(Int.self, forKey: .start), end: try container.decode(Int.self, forKey: .end))
    }

    /// Writes the members, the weekdays in order.
    public func encode(to encoder: any Encoder) throws {
        var container = encoder.container(keyedBy: CodingKeys.self)
        try container.encode(weekdays.sorted(), forKey: .weekdays)
        try container.encode(start, forKey: .start)
        try container.encode(end, forKey: .end)
    }
}
