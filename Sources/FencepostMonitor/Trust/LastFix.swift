import FencepostGeometry
import FencepostModel

/// The last fix of a device, complete except for the device id.
///
/// `Location` takes 112 bytes in every device; this form takes 57, and the members that few fixes have are on the heap.
struct LastFix: Sendable {
    var time = Timestamp.distantPast
    var latitude = 0.0
    var longitude = 0.0
    // NaN if absent.
    private var accuracy = Double.nan
    private var speed = Double.nan
    private var course = Double.nan
    private var extras = Boxed<Extras>()
    /// Whether `extras` belongs to this fix and not to an earlier one. The last member, so that the next members of the
    /// monitor follow it without a gap.
    private var hasExtras = false

    /// The members that few fixes have.
    private struct Extras: Hashable, Sendable {
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
        hasExtras =
            location.altitude != nil || location.verticalAccuracy != nil || location.batteryLevel != nil
            || !location.hasNoExtras || location.batteryState != nil || location.isSimulated != nil
        guard hasExtras else { return }
        extras.set(
            Extras(
                altitude: location.altitude, verticalAccuracy: location.verticalAccuracy,
                batteryLevel: location.batteryLevel, floor: location.floor, source: location.source,
                trigger: location.trigger, batteryState: location.batteryState, isSimulated: location.isSimulated))
    }

    var coordinate: Coordinate { Coordinate(latitude: latitude, longitude: longitude) }
    var horizontalAccuracy: Double? { accuracy.isNaN ? nil : accuracy }
    var knownSpeed: Double? { speed.isNaN ? nil : speed }
    var altitude: Double? { hasExtras ? extras.value?.altitude : nil }

    /// The part that the evaluation of trust needs.
    var summary: FixSummary {
        FixSummary(
            time: time, coordinate: coordinate, accuracy: horizontalAccuracy ?? FixRule.defaultAccuracy,
            speed: knownSpeed ?? 0)
    }

    /// The complete fix.
    func location(of device: DeviceID) -> Location {
        var location = Location(
            deviceID: device, timestamp: time, coordinate: coordinate, horizontalAccuracy: horizontalAccuracy)
        location.speed = knownSpeed
        location.course = course.isNaN ? nil : course
        guard hasExtras, let extras = extras.value else { return location }
        location.altitude = extras.altitude
        location.verticalAccuracy = extras.verticalAccuracy
        location.batteryLevel = extras.batteryLevel
        location.floor = extras.floor
        location.source = extras.source
        location.trigger = extras.trigger
        location.batteryState = extras.batteryState
        location.isSimulated = extras.isSimulated
        return location
    }

    /// The size of its heap blocks, in bytes.
    var heapByteCount: Int { extras.heapByteCount }
}
