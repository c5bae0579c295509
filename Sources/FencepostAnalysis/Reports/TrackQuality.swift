import FencepostGeometry
public import FencepostModel
internal import FencepostMonitor

/// Quality of one device's fixes: gaps, clock jumps, duplicates, impossible speeds and accuracies.
public struct TrackQuality: Hashable, Sendable {
    /// A longer time between two fixes is a gap.
    public static let gap = Duration.seconds(900)
    /// Speed between two fixes, in metres per second and reduced by their accuracies, that no ground vehicle reaches.
    public static let impossibleSpeed = 100.0
    /// Upper bounds in metres of the accuracy histogram's classes. One more class is above the last.
    public static let accuracyClasses = [10.0, 20, 50, 100, 200, 500, 1000]

    /// Number of fixes.
    public private(set) var locations = 0
    /// Number of fixes that came after a newer one and after the end of the reorder window.
    public private(set) var late = 0
    /// Number of fixes whose time is ahead of their neighbours.
    public private(set) var ahead = 0
    /// Number of fixes with the time of an earlier one.
    public private(set) var duplicates = 0
    /// Earliest time of a fix.
    public private(set) var first: Timestamp?
    /// Latest time of a fix.
    public private(set) var last: Timestamp?
    /// Number of gaps.
    public private(set) var gaps = 0
    /// Duration of the longest gap.
    public private(set) var longestGap = Duration.zero
    /// Total duration of all gaps.
    public private(set) var secondsInGaps = 0.0
    /// Number of fixes whose time is more than a minute before that of the previous fix.
    public private(set) var clockJumps = 0
    /// Number of fixes that are faster than `impossibleSpeed` after the previous one.
    public private(set) var impossibleSpeeds = 0
    /// Number of fixes at which the device went back and forth as two phones under one id do.
    public private(set) var secondPhoneFixes = 0
    /// Number of fixes in each class of `accuracyClasses`, and above the last.
    public private(set) var accuracies = [Int](repeating: 0, count: accuracyClasses.count + 1)
    /// Number of fixes without an accuracy.
    public private(set) var unknownAccuracy = 0

    private var arrived: Timestamp?
    private var previous: Location?
    private var secondPhone: SecondPhone?

    /// The quality of no fixes.
    public init() {}

    /// Counts a fix that came after a newer one, where the fixes are added in the order of time.
    public mutating func countLate() { late += 1 }

    /// The decision of the monitor's reorder buffer about a fix.
    public enum Verdict: Hashable, Sendable { case accepted, late, duplicate, ahead }

    /// Adds a fix. Fixes come in the order of arrival.
    public mutating func add(_ location: Location, _ verdict: Verdict) {
        locations += 1
        if verdict == .ahead { return ahead += 1 }
        if let arrived, location.timestamp + .seconds(60) < arrived { clockJumps += 1 }
        arrived = location.timestamp
        switch verdict {
        case .duplicate: return duplicates += 1
        case .late: return late += 1
        case .accepted, .ahead: break
        }
        first = first.map { min($0, location.timestamp) } ?? location.timestamp
        last = last.map { max($0, location.timestamp) } ?? location.timestamp
        if let accuracy = location.horizontalAccuracy {
            accuracies[Self.accuracyClasses.firstIndex { accuracy <= $0 } ?? Self.accuracyClasses.count] += 1
        } else {
            unknownAccuracy += 1
        }
        defer { previous = location }
        guard let previous, location.timestamp > previous.timestamp else { return }
        let span = location.timestamp - previous.timestamp
        if span > Self.gap {
            gaps += 1
            longestGap = max(longestGap, span)
            secondsInGaps += span.seconds
        }
        let uncertainty = (location.horizontalAccuracy ?? 0) + (previous.horizontalAccuracy ?? 0)
        let meters = Geodesic.distance(previous.coordinate, location.coordinate) - uncertainty
        if meters / span.seconds > Self.impossibleSpeed { impossibleSpeeds += 1 }
        if SecondPhone.isFast(meters: meters, seconds: span.seconds) {
            secondPhone?.step(
                from: previous.coordinate, at: previous.timestamp, to: location.coordinate, at: location.timestamp)
            secondPhone =
                secondPhone
                ?? SecondPhone(from: previous.coordinate, to: location.coordinate, at: location.timestamp)
            if secondPhone?.other(than: location) != nil { secondPhoneFixes += 1 }
        }
    }

    /// The median accuracy, rounded up to the bound of its class; `nil` above the last class and without known
    /// accuracies.
    public var typicalAccuracy: Double? {
        let known = accuracies.reduce(0, +)
        guard known > 0 else { return nil }
        var count = 0
        for (index, upper) in Self.accuracyClasses.enumerated() {
            count += accuracies[index]
            if count * 2 >= known { return upper }
        }
        return nil
    }
}
