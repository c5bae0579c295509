import FencepostGeometry
public import FencepostModel

/// What one device's fixes are like: holes, jumps of the clock, repeats, impossible speeds, accuracies.
public struct TrackQuality: Hashable, Sendable {
    /// A hole is a silence longer than this.
    public static let hole = Duration.seconds(900)
    /// Metres per second between two fixes, their accuracies taken off, that no vehicle on the ground reaches.
    public static let impossibleSpeed = 100.0
    /// The upper ends, in metres, of the classes of the accuracy histogram; one more class lies above the last.
    public static let accuracyClasses = [10.0, 20, 50, 100, 200, 500, 1000]

    public private(set) var locations = 0
    public private(set) var late = 0
    public private(set) var duplicates = 0
    public private(set) var first: Timestamp?
    public private(set) var last: Timestamp?
    public private(set) var holes = 0
    public private(set) var longestHole = Duration.zero
    public private(set) var secondsInHoles = 0.0
    /// Fixes whose time lies more than a minute before that of the fix that came before them.
    public private(set) var clockJumps = 0
    public private(set) var impossibleSpeeds = 0
    /// How many fixes are in each of `accuracyClasses`, and above.
    public private(set) var accuracies = [Int](repeating: 0, count: accuracyClasses.count + 1)
    public private(set) var unknownAccuracy = 0

    private var arrived: Timestamp?
    private var previous: Location?

    public init() {}

    /// Whether late or repeated was found out by the monitor's own order.
    public enum Verdict: Hashable, Sendable { case accepted, late, duplicate }

    /// Takes a fix in the order of arrival.
    public mutating func add(_ location: Location, _ verdict: Verdict) {
        locations += 1
        if let arrived, location.timestamp + .seconds(60) < arrived { clockJumps += 1 }
        arrived = location.timestamp
        switch verdict {
        case .duplicate: return duplicates += 1
        case .late: return late += 1
        case .accepted: break
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
        if span > Self.hole {
            holes += 1
            longestHole = max(longestHole, span)
            secondsInHoles += span.seconds
        }
        let blur = (location.horizontalAccuracy ?? 0) + (previous.horizontalAccuracy ?? 0)
        let meters = Geodesic.distance(previous.coordinate, location.coordinate) - blur
        if meters / span.seconds > Self.impossibleSpeed { impossibleSpeeds += 1 }
    }

    /// The accuracy that half of the fixes have at most, as the upper end of its class; `nil` above the last class
    /// and where no accuracy is known.
    public var typicalAccuracy: Double? {
        let known = accuracies.reduce(0, +)
        guard known > 0 else { return nil }
        var count = 0
        for (place, upper) in Self.accuracyClasses.enumerated() {
            count += accuracies[place]
            if count * 2 >= known { return upper }
        }
        return nil
    }
}
