internal import FencepostGeometry
public import FencepostModel

/// A fix as its line gives it, checked, without anything that would have to be counted or freed.
///
/// What is unknown is NaN; a speed of which the sender says that it is unknown is negative.
public struct LineFix: Sendable {
    /// The number that the decoder gave to the device; -1 is the device of records that name none.
    public var device: Int32
    /// The place of the line among the records of its block, from 0.
    public var record: Int32
    public var timestamp: Timestamp
    public var latitude, longitude: Double
    var horizontalAccuracy, altitude, verticalAccuracy, speed, course, batteryLevel: Double
    /// The place of its words in the block's list; -1 where it has none.
    var words: Int32
}

/// The members of a fix that are no measurements: few fixes of a stream differ in them.
struct LineWords: Hashable, Sendable {
    var floor: Int?
    var batteryState: Location.BatteryState?
    var isSimulated: Bool?
    var source, trigger: String?

    init() {}

    var isEmpty: Bool { self == LineWords() }

    init(of location: Location) {
        floor = location.floor
        batteryState = location.batteryState
        isSimulated = location.isSimulated
        source = location.source
        trigger = location.trigger
    }
}

extension LineFix {
    init(_ location: Location, device: Int32, record: Int32, words: Int32) {
        self.device = device
        self.record = record
        timestamp = location.timestamp
        latitude = location.coordinate.latitude
        longitude = location.coordinate.longitude
        horizontalAccuracy = location.horizontalAccuracy ?? .nan
        altitude = location.altitude ?? .nan
        verticalAccuracy = location.verticalAccuracy ?? .nan
        speed = location.isSpeedUnknown ? -1 : location.speed ?? .nan
        course = location.course ?? .nan
        batteryLevel = location.batteryLevel ?? .nan
        self.words = words
    }

    /// The location that this stands for.
    @inline(__always)
    func location(of device: DeviceID, words: LineWords?) -> Location {
        @inline(__always) func known(_ number: Double) -> Double? { number.isNaN ? nil : number }
        var location = Location(
            deviceID: device, timestamp: timestamp,
            coordinate: Coordinate(latitude: latitude, longitude: longitude),
            horizontalAccuracy: known(horizontalAccuracy))
        location.altitude = known(altitude)
        location.verticalAccuracy = known(verticalAccuracy)
        if speed >= 0 { location.speed = speed } else { location.isSpeedUnknown = speed < 0 }
        location.course = known(course)
        location.batteryLevel = known(batteryLevel)
        if let words {
            location.floor = words.floor
            location.batteryState = words.batteryState
            location.isSimulated = words.isSimulated
            location.source = words.source
            location.trigger = words.trigger
        }
        return location
    }
}
