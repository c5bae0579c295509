internal import FencepostGeometry
public import FencepostModel

/// A decoded and checked fix of one line, without references to count or free.
///
/// Unknown values are NaN; a speed that the sender marks as unknown is negative.
public struct LineFix: Sendable {
    /// The number that the decoder gave the device; −1 for the default device.
    public var device: Int32
    /// The index of the line among the records of its block.
    public var record: Int32
    /// When the fix was taken.
    public var timestamp: Timestamp
    /// Degrees.
    public var latitude, longitude: Double
    var horizontalAccuracy, altitude, verticalAccuracy, speed, course, batteryLevel: Double
    /// The index of its constants in the block; −1 for none.
    var constantsIndex: Int32
}

/// The members of a fix that are no measurements. They are the same for most fixes of a stream.
struct LineConstants: Hashable, Sendable {
    var floor: Int?
    var batteryState: Location.BatteryState?
    var isSimulated: Bool?
    var source, trigger: String?

    init() {}

    var isEmpty: Bool { self == LineConstants() }

    init(of location: Location) {
        floor = location.floor
        batteryState = location.batteryState
        isSimulated = location.isSimulated
        source = location.source
        trigger = location.trigger
    }
}

extension LineFix {
    init(_ location: Location, device: Int32, record: Int32, constantsIndex: Int32) {
        self.device = device
        self.record = record
        timestamp = location.timestamp
        latitude = location.coordinate.latitude
        longitude = location.coordinate.longitude
        horizontalAccuracy = location.horizontalAccuracy ?? .nan
        altitude = location.altitude ?? .nan
        verticalAccuracy = location.verticalAccuracy ?? .nan
        speed = location.speed ?? .nan
        course = location.course ?? .nan
        batteryLevel = location.batteryLevel ?? .nan
        self.constantsIndex = constantsIndex
    }

    /// The location of the fix.
    @inline(__always)
    func location(of device: DeviceID, constants: LineConstants?) -> Location {
        @inline(__always) func known(_ number: Double) -> Double? { number.isNaN ? nil : number }
        var location = Location(
            deviceID: device, timestamp: timestamp,
            coordinate: Coordinate(latitude: latitude, longitude: longitude),
            horizontalAccuracy: known(horizontalAccuracy))
        location.altitude = known(altitude)
        location.verticalAccuracy = known(verticalAccuracy)
        if speed >= 0 { location.speed = speed }
        location.course = known(course)
        location.batteryLevel = known(batteryLevel)
        if let constants {
            location.floor = constants.floor
            location.batteryState = constants.batteryState
            location.isSimulated = constants.isSimulated
            location.source = constants.source
            location.trigger = constants.trigger
        }
        return location
    }
}
