import FencepostGeometry
import FencepostModel

/// The part of a fix that the visit detector needs, in 32 bytes: it keeps up to 40 of them per device.
struct VisitFix: Hashable, Sendable, Codable {
    var time: Timestamp
    var latitude, longitude: Double
    /// Metres, at least 0; 30 m for a fix that states none.
    var accuracy: Float
    /// Metres per second; negative if unknown, or if the speeds of the device are not trusted.
    var speed: Float

    /// A placeholder for an absent fix.
    static let none = VisitFix()

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
    /// Whether the speed says that the device moves. Network fixes have no speed, or 0.
    var isMoving: Bool { Double(speed) > VisitRule.standingSpeed }
    /// Whether the speed is at least that of a walk.
    var isTravelling: Bool { Double(speed) > VisitRule.movingSpeed }

    /// Metres over the ground.
    func distance(to other: VisitFix) -> Double {
        LocalPlane(origin: coordinate).distance(to: other.coordinate)
    }

    func seconds(since other: VisitFix) -> Double {
        Double(time.milliseconds - other.time.milliseconds) / 1000
    }
}

/// The centre of a stay: the mean of its fixes, weighted by accuracy and by the time that each one stands for.
struct VisitCentroid: Hashable, Sendable, Codable {
    var latitude, longitude: Double
    /// The sum of the weights, limited so that new fixes still move the centre.
    var weight: Double
    /// The best accuracy of its fixes, in metres.
    var accuracy: Double

    init(_ fix: VisitFix) {
        latitude = fix.latitude
        longitude = fix.longitude
        accuracy = Double(fix.accuracy)
        weight = VisitCentroid.weight(fix, after: 60)
    }

    var coordinate: Coordinate { Coordinate(latitude: latitude, longitude: longitude) }

    /// Centres have errors of 15 to 20 m even with good fixes, since the errors of neighbouring fixes correlate.
    static let bestAccuracy = 15.0
    /// Metres. Fixes state smaller errors, and do not have them.
    static let leastError = 8.0
    /// The weight of half an hour of good fixes.
    private static let maximumWeight = 30 / (15.0 * 15.0)

    /// The weight of a fix that came `seconds` after the one before. The errors of neighbouring fixes correlate, so ten
    /// fixes in a minute weigh little more than one.
    private static func weight(_ fix: VisitFix, after seconds: Double) -> Double {
        let error = max(Double(fix.accuracy), leastError)
        let stationary = Double(fix.speed) > VisitRule.standingSpeed ? 0.1 : 1
        return stationary * min(1, max(seconds, 1) / 60) / (error * error)
    }

    /// Adds a fix that came `seconds` after the one before. The plane has its origin at the centre.
    mutating func add(_ fix: VisitFix, after seconds: Double, _ plane: LocalPlane) {
        let share = addWeight(of: fix, after: seconds)
        let (east, north) = plane.project(fix.coordinate)
        let moved = plane.unproject(east: east * share, north: north * share)
        (latitude, longitude) = (moved.latitude, moved.longitude)
    }

    /// Adds the weight of a fix.
    ///
    /// - Returns: the share of the distance to the fix by which the centre has to move.
    mutating func addWeight(of fix: VisitFix, after seconds: Double) -> Double {
        let added = VisitCentroid.weight(fix, after: seconds)
        let share = added / (weight + added)
        weight = min(weight + added, VisitCentroid.maximumWeight)
        accuracy = min(accuracy, Double(fix.accuracy))
        return share
    }

    /// Metres over the ground.
    func distance(to fix: VisitFix) -> Double {
        LocalPlane(origin: coordinate).distance(to: fix.coordinate)
    }
}
