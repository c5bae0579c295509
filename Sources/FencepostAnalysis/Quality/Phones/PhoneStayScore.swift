public import FencepostModel

/// Agreement of reported stays with the logged ones.
///
/// A logged stay is required if it lasts ten minutes before the last fix and has a fix. A reported stay is cut to the time
/// whose truth is known, and counts if eight minutes are left. It matches a required one if they share at least half of the
/// shorter of the two; the pairs that share most match first. What is left over is false, unless waits, unknown time and
/// short stays are at least half of it.
public struct PhoneStayScore: Sendable {
    /// The shortest required stay and the shortest reported one that counts, in seconds.
    public static let shortestRequired = 600.0, shortestReported = 480.0

    /// Number of phones.
    public private(set) var phones = 0
    /// Numbers of required stays, and of those that were found.
    public private(set) var required = 0, found = 0
    /// Number of reported stays that are false, those in `splits` among them.
    public private(set) var spurious = 0
    /// Number of surplus reported stays that lie in required ones.
    public private(set) var splits = 0
    /// Reported minus logged time in seconds, of the stays that begin, or end, within the time whose truth is known.
    public private(set) var arrivalErrors: [Double] = [], departureErrors: [Double] = []
    /// The phone with the most missed and false stays, and among equals the one with the largest error of a time; `nil` if no
    /// phone has one.
    public private(set) var worst: (device: DeviceID, missed: Int, spurious: Int)?
    private var worstError = 0.0

    /// Number of required stays that were not found.
    public var missed: Int { required - found }
    /// Harmonic mean of precision and recall.
    public var f1: Double { Statistics.fraction(2 * found, of: 2 * found + spurious + missed) }

    /// Quantile of the error of the arrival in seconds, without its sign; `nil` without one. 1 is the largest.
    public func arrivalError(_ fraction: Double) -> Double? {
        Statistics.rank(fraction, of: arrivalErrors.map(\.magnitude))
    }
    /// Quantile of the error of the departure in seconds, without its sign; `nil` without one. 1 is the largest.
    public func departureError(_ fraction: Double) -> Double? {
        Statistics.rank(fraction, of: departureErrors.map(\.magnitude))
    }

    /// Scores the stays of phones.
    public init(_ stays: [DeviceID: [PhoneStay]], of cases: [PhoneCase]) {
        for phone in cases {
            let score = PhoneStayScore(stays[phone.device] ?? [], of: phone)
            phones += 1
            required += score.required
            found += score.found
            spurious += score.spurious
            splits += score.splits
            arrivalErrors += score.arrivalErrors
            departureErrors += score.departureErrors
            let error = (score.arrivalErrors + score.departureErrors).map(\.magnitude).max() ?? 0
            let losses = score.missed + score.spurious
            guard losses > 0 || error > 0 else { continue }
            if let worst, (losses, error) <= (worst.missed + worst.spurious, worstError) { continue }
            worst = (phone.device, score.missed, score.spurious)
            worstError = error
        }
    }

    private init(_ stays: [PhoneStay], of phone: PhoneCase) {
        let truth = Truth(phone)
        let reported = stays.compactMap { $0.clipped(to: phone.known) }
            .filter { $0.seconds >= Self.shortestReported }.sorted { ($0.start, $0.end) < ($1.start, $1.end) }
        let matches = truth.matches(of: reported)
        required = truth.required.count
        found = matches.count
        for (stay, number) in matches {
            let (logged, span) = (truth.required[stay], reported[number])
            // The log begins and ends in a stay, whose true ends are not known.
            if (logged.start - phone.known.start).seconds > 1 {
                arrivalErrors.append((span.start - logged.start).seconds)
            }
            if (phone.known.end - logged.end).seconds > 1 { departureErrors.append((span.end - logged.end).seconds) }
        }
        let matched = Set(matches.values)
        for (number, span) in reported.enumerated() where !matched.contains(number) {
            let half = 0.5 * span.seconds
            if truth.optional.overlap(span) >= half { continue }
            spurious += 1
            if truth.required.overlap(span) >= half { splits += 1 }
        }
    }

    /// The time of one phone, by what a detector has to report.
    private struct Truth {
        /// Stays that have to be reported.
        var required: [TimeSpan] = []
        /// Time in which stays may be reported.
        var optional: [TimeSpan] = []

        init(_ phone: PhoneCase) {
            let last = phone.recorded.end
            for interval in phone.intervals {
                let span = interval.span
                switch interval.kind {
                case .stay:
                    let isLong = (min(span.end, last) - span.start).seconds >= PhoneStayScore.shortestRequired
                    let isSeen = phone.fixes.contains { span.start <= $0.timestamp && $0.timestamp <= span.end }
                    if isLong, isSeen { required.append(span) } else { optional.append(span) }
                case .wait, .unknown: optional.append(span)
                case .move: break
                }
            }
        }

        /// For each required stay that is found the number of the reported one.
        func matches(of reported: [TimeSpan]) -> [Int: Int] {
            var pairs: [(overlap: Double, number: Int, stay: Int)] = []
            for (number, span) in reported.enumerated() {
                for (stay, logged) in required.enumerated() {
                    let overlap = span.overlap(logged)
                    guard overlap > 0, overlap >= 0.5 * min(span.seconds, logged.seconds) else { continue }
                    pairs.append((overlap, number, stay))
                }
            }
            var matches: [Int: Int] = [:]
            var used: Set<Int> = []
            for pair in pairs.sorted(by: { $0 > $1 }) where !used.contains(pair.number) && matches[pair.stay] == nil {
                matches[pair.stay] = pair.number
                used.insert(pair.number)
            }
            return matches
        }
    }
}

extension TimeSpan {
    /// The seconds that both have in common.
    func overlap(_ other: TimeSpan) -> Double { clipped(to: other)?.seconds ?? 0 }
}

extension [TimeSpan] {
    /// The seconds that these spans, which do not overlap, have in common with another one.
    fileprivate func overlap(_ span: TimeSpan) -> Double { reduce(0) { $0 + $1.overlap(span) } }
}
