import Foundation

/// Local time in milliseconds, as the clocks of a zone show it.
extension TimeZone {
    /// The offset of the local time from UTC, in milliseconds; positive in the east.
    func offset(at moment: Timestamp) -> Int64 {
        let date = Date(timeIntervalSince1970: Double(moment.milliseconds) / 1000)
        return Int64(secondsFromGMT(for: date)) * 1000
    }

    /// Days since 1970-01-01 of the local date.
    func day(of moment: Timestamp) -> Int {
        Int((moment.milliseconds + offset(at: moment)).flooredQuotient(86_400_000))
    }

    /// The moments of a local time, in milliseconds since 1970-01-01 00:00 of the zone: none in a skipped hour, two in a
    /// repeated one.
    func moments(local: Int64) -> [Timestamp] {
        let before = offset(at: Timestamp(milliseconds: local - 86_400_000))
        let after = offset(at: Timestamp(milliseconds: local + 86_400_000))
        return Set([before, after]).map { Timestamp(milliseconds: local - $0) }
            .filter { $0.milliseconds + offset(at: $0) == local }
    }

    /// The moment of a local time in milliseconds: a skipped one by the offset before, the first of a repeated one.
    func moment(ofLocal local: Int64) -> Timestamp {
        moments(local: local).min()
            ?? Timestamp(milliseconds: local - offset(at: Timestamp(milliseconds: local - 86_400_000)))
    }

    /// From 0 (Monday) to 6 (Sunday), of a day since 1970-01-01, which was a Thursday.
    static func weekday(of day: Int) -> Int { Int((Int64(day) + 3) - (Int64(day) + 3).flooredQuotient(7) * 7) }
}
