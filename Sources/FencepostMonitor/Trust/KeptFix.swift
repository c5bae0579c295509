import FencepostGeometry
import FencepostModel

/// The last fix of a device without the device's name: what fixes mostly say in 49 bytes, the rest where it is said.
struct KeptFix: Sendable {
    var time = Timestamp.distantPast
    var latitude = 0.0
    var longitude = 0.0
    // Not a number where it was not said.
    private var accuracy = Double.nan
    private var speed = Double.nan
    private var course = Double.nan
    private var isSpeedUnknown = false
    /// Whether the details are of this fix, and not of an earlier one.
    private var hasDetails = false
    private var details = Boxed<Details>()

    /// What few fixes say.
    private struct Details: Hashable, Sendable {
        var altitude, verticalAccuracy: Double?
        var batteryLevel: Double?
        var floor: Int?
        var source, trigger: String?
        var batteryState: Location.BatteryState?
        var isSimulated: Bool?
    }

    init() {}

    mutating func set(_ location: Location) {
        time = location.timestamp
        latitude = location.coordinate.latitude
        longitude = location.coordinate.longitude
        accuracy = location.horizontalAccuracy ?? .nan
        speed = location.speed ?? .nan
        course = location.course ?? .nan
        isSpeedUnknown = location.isSpeedUnknown
        hasDetails =
            location.altitude != nil || location.verticalAccuracy != nil || location.batteryLevel != nil
            || location.floor != nil || location.source != nil || location.trigger != nil
            || location.batteryState != nil || location.isSimulated != nil
        guard hasDetails else { return }
        details.set(
            Details(
                altitude: location.altitude, verticalAccuracy: location.verticalAccuracy,
                batteryLevel: location.batteryLevel, floor: location.floor, source: location.source,
                trigger: location.trigger, batteryState: location.batteryState, isSimulated: location.isSimulated))
    }

    var coordinate: Coordinate { Coordinate(latitude: latitude, longitude: longitude) }
    var horizontalAccuracy: Double? { accuracy.isNaN ? nil : accuracy }
    var knownSpeed: Double? { speed.isNaN ? nil : speed }
    var altitude: Double? { hasDetails ? details.value?.altitude : nil }

    /// What a judge wants of it.
    var mark: FixMark {
        FixMark(
            time: time, coordinate: coordinate, accuracy: horizontalAccuracy ?? FixRule.usualAccuracy,
            speed: knownSpeed ?? 0)
    }

    /// The whole fix again.
    func location(of device: DeviceID) -> Location {
        var location = Location(
            deviceID: device, timestamp: time, coordinate: coordinate, horizontalAccuracy: horizontalAccuracy)
        location.speed = knownSpeed
        location.course = course.isNaN ? nil : course
        location.isSpeedUnknown = isSpeedUnknown
        guard hasDetails, let details = details.value else { return location }
        location.altitude = details.altitude
        location.verticalAccuracy = details.verticalAccuracy
        location.batteryLevel = details.batteryLevel
        location.floor = details.floor
        location.source = details.source
        location.trigger = details.trigger
        location.batteryState = details.batteryState
        location.isSimulated = details.isSimulated
        return location
    }

    var heapByteCount: Int { details.heapByteCount }
}
