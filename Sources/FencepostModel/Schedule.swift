public import Foundation

/// The hours of a week in which a region is open, in the local time of one place.
public struct Schedule: Hashable, Sendable {
    /// A span of local time that begins on one weekday; when `end` is not after `start` it runs into the next day.
    public struct Opening: Hashable, Sendable {
        /// 0 Monday to 6 Sunday.
        public var weekdays: Set<Int>
        /// Minutes since midnight, 0 to 1440.
        public var start, end: Int

        public init(weekdays: Set<Int>, start: Int, end: Int) {
            self.weekdays = weekdays
            self.start = start
            self.end = end
        }
    }

    public var timeZone: TimeZone
    public var weekly: [Opening]
    /// Days on which no opening begins, as days since 1970-01-01.
    public var except: Set<Int>

    public init(timeZone: TimeZone, weekly: [Opening], except: Set<Int> = []) {
        self.timeZone = timeZone
        self.weekly = weekly
        self.except = except
    }
}
