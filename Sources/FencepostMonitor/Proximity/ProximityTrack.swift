public import FencepostGeometry
public import FencepostModel

/// What proximity uses of a fix.
public struct ProximityFix: Hashable, Sendable {
    /// When it was taken.
    public var timestamp: Timestamp
    /// Where.
    public var coordinate: Coordinate
    /// Radius of 68 % confidence in metres; a fix that states none has `ProximityTrack.unknownAccuracy`.
    public var accuracy: Double
    /// The reported speed in metres per second; negative if there is none.
    public var speed: Double

    /// The part of a location that proximity uses.
    public init(_ location: Location) {
        timestamp = location.timestamp
        coordinate = location.coordinate
        accuracy = max(location.horizontalAccuracy ?? ProximityTrack.unknownAccuracy, 3)
        speed = location.speed ?? -1
    }

    /// An order of fixes with one time that does not depend on their arrival.
    fileprivate func precedes(_ other: ProximityFix) -> Bool {
        if timestamp != other.timestamp { return timestamp < other.timestamp }
        if accuracy != other.accuracy { return accuracy < other.accuracy }
        let (a, b) = (coordinate, other.coordinate)
        return a.latitude != b.latitude ? a.latitude < b.latitude : a.longitude < b.longitude
    }
}

/// The last fixes of one device, by time, with one fix per time: the most accurate one.
public struct ProximityTrack: Sendable {
    /// The accuracy of a fix that states none, in metres.
    static let unknownAccuracy = 50.0
    /// What is older than the newest fix by more is not evaluated from memory.
    public static let keptSpan = Duration.seconds(3600)
    /// So many fixes before that are kept, of whatever age, because they say where the device was then.
    public static let context = 4

    /// The fixes.
    public private(set) var fixes: [ProximityFix] = []
    /// The time from which on all fixes and the position are known. It follows from the fixes alone, so that a service that starts evaluates the same
    /// as one that ran on.
    public private(set) var completeFrom = Timestamp.distantPast
    /// The latitudes and longitudes of the fixes: south, west, north, east.
    public private(set) var box = SIMD4<Float>(.infinity, .infinity, -.infinity, -.infinity)
    /// Whether old fixes are kept, for an evaluation of the past.
    private let keepsAll: Bool

    /// A track without fixes. `keepsAll`: whether it drops none.
    public init(keepsAll: Bool = false) { self.keepsAll = keepsAll }

    /// The time of the newest fix.
    public var lastTime: Timestamp { fixes.last?.timestamp ?? .distantPast }

    /// Adds the fixes of a device as of a start: all within the kept span, and those before that are kept.
    ///
    /// - Parameter locations: the fixes, in any order.
    public mutating func restore(_ locations: [Location]) {
        for location in locations { _ = insert(ProximityFix(location)) }
        trim()
    }

    /// Adds a fix.
    ///
    /// - Returns: its index; `nil` if it changes nothing, since there is a better one of its time, or all of its time were
    ///   dropped.
    mutating func insert(_ fix: ProximityFix) -> Int? {
        let isCut = completeFrom > .distantPast && firstIndex(from: completeFrom) >= Self.context
        if isCut, let first = fixes.first, first.timestamp > fix.timestamp {
            return nil
        }
        var index = fixes.count
        if let last = fixes.last, fix.timestamp <= last.timestamp { index = firstIndex(from: fix.timestamp) }
        if index < fixes.count, fixes[index].timestamp == fix.timestamp {
            guard fix.precedes(fixes[index]) else { return nil }
            fixes[index] = fix
        } else {
            fixes.insert(fix, at: index)
        }
        extend(fix)
        return index
    }

    /// Gives up what is older than needed, and drops it many at a time.
    mutating func trim() {
        guard !keepsAll, let first = fixes.first else { return }
        let start = lastTime - Self.keptSpan
        guard first.timestamp < start else { return }
        completeFrom = start
        let count = firstIndex(from: start) - Self.context
        guard fixes.count > 32, count > fixes.count / 4 else { return }
        fixes.removeFirst(count)
        box = SIMD4(.infinity, .infinity, -.infinity, -.infinity)
        for fix in fixes { extend(fix) }
    }

    private mutating func extend(_ fix: ProximityFix) {
        let (latitude, longitude) = (Float(fix.coordinate.latitude), Float(fix.coordinate.longitude))
        box = SIMD4(
            min(box.x, latitude), min(box.y, longitude), max(box.z, latitude), max(box.w, longitude))
    }

    /// The index of the first fix at or after a time.
    func firstIndex(from time: Timestamp) -> Int {
        var (low, high) = (0, fixes.count)
        while low < high {
            let middle = (low + high) / 2
            if fixes[middle].timestamp < time { low = middle + 1 } else { high = middle }
        }
        return low
    }
}
