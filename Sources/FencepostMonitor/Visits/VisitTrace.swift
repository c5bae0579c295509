import FencepostGeometry
import FencepostModel

/// What is kept of one fix: when and where, how good it is, and how fast the device said it was.
struct VisitTrace: Hashable, Sendable, Codable {
    var time: Timestamp
    var latitude, longitude: Double
    /// Metres, never negative; a fix without one gets that of a usual network fix.
    var accuracy: Float
    /// Metres per second; negative when unknown.
    var speed: Float

    /// Stands where there is none.
    static let none = VisitTrace()

    private init() {
        (time, latitude, longitude, accuracy, speed) = (.distantPast, 0, 0, 0, -1)
    }

    init(_ location: Location) {
        time = location.timestamp
        latitude = location.coordinate.latitude
        longitude = location.coordinate.longitude
        accuracy = Float(location.horizontalAccuracy ?? 30)
        speed = Float(location.speed ?? -1)
    }

    var coordinate: Coordinate { Coordinate(latitude: latitude, longitude: longitude) }
    /// Whether a satellite fix says that the device moves; network fixes come without a speed, or with 0.
    var isMoving: Bool { Double(speed) > VisitRule.standingSpeed }
    var isUnderWay: Bool { Double(speed) > VisitRule.movingSpeed }

    /// Metres over the ground.
    func distance(to other: VisitTrace) -> Double {
        LocalPlane(origin: coordinate).distance(to: other.coordinate)
    }

    /// Seconds since another fix.
    func seconds(since other: VisitTrace) -> Double {
        Double(time.milliseconds - other.time.milliseconds) / 1000
    }
}

/// The middle of a stay, as a mean of its fixes weighted by how good they are and how long they stood.
struct VisitAnchor: Hashable, Sendable, Codable {
    var latitude, longitude: Double
    /// Sum of the weights, limited so that the centre can still follow.
    var weight: Double
    /// The best accuracy of a fix in it, in metres.
    var accuracy: Double

    init(_ trace: VisitTrace) {
        latitude = trace.latitude
        longitude = trace.longitude
        accuracy = Double(trace.accuracy)
        weight = VisitAnchor.weight(trace, after: 60)
    }

    var coordinate: Coordinate { Coordinate(latitude: latitude, longitude: longitude) }

    /// Centres are off by 15 to 20 m however good their fixes are, since neighbouring fixes err alike.
    static let bestAccuracy = 15.0
    /// The weight of half an hour of good fixes.
    private static let heaviest = 30 / (15.0 * 15.0)

    /// - Parameter seconds: since the fix before: neighbouring fixes share their error, so that ten in a minute say
    ///   little more than one.
    private static func weight(_ trace: VisitTrace, after seconds: Double) -> Double {
        let error = max(Double(trace.accuracy), 8)
        let still = Double(trace.speed) > VisitRule.standingSpeed ? 0.1 : 1
        return still * min(1, max(seconds, 1) / 60) / (error * error)
    }

    /// - Parameter plane: about the middle.
    mutating func add(_ trace: VisitTrace, after seconds: Double, _ plane: LocalPlane) {
        let share = gain(trace, after: seconds)
        let (east, north) = plane.project(trace.coordinate)
        let moved = plane.unproject(east: east * share, north: north * share)
        (latitude, longitude) = (moved.latitude, moved.longitude)
    }

    /// Takes the weight of a fix in.
    ///
    /// - Returns: which share of the way to the fix the centre goes.
    mutating func gain(_ trace: VisitTrace, after seconds: Double) -> Double {
        let added = VisitAnchor.weight(trace, after: seconds)
        let share = added / (weight + added)
        weight = min(weight + added, VisitAnchor.heaviest)
        accuracy = min(accuracy, Double(trace.accuracy))
        return share
    }

    func distance(to trace: VisitTrace) -> Double {
        LocalPlane(origin: coordinate).distance(to: trace.coordinate)
    }
}
