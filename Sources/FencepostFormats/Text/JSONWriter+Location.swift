internal import FencepostGeometry
public import FencepostJSON
public import FencepostModel

extension JSONWriter {
    /// Writes a location in its canonical form, without unknown values. Reading it gives the same location.
    public mutating func value(_ location: Location) {
        beginObject()
        members(of: location, time: TimeText(location.timestamp))
        endObject()
    }

    /// `time` is the text of the location's time.
    mutating func members(of location: Location, time: TimeText) {
        member("deviceId", location.deviceID.rawValue)
        field("timestamp", time)
        member("latitude", location.coordinate.latitude)
        member("longitude", location.coordinate.longitude)
        member("horizontalAccuracy", location.horizontalAccuracy)
        member("altitude", location.altitude)
        member("verticalAccuracy", location.verticalAccuracy)
        member("speed", location.speed)
        member("course", location.course)
        if let floor = location.floor {
            name("floor")
            value(floor)
        }
        member("batteryLevel", location.batteryLevel)
        if let state = location.batteryState, state != .unknown { member("batteryState", state.rawValue) }
        if let isSimulated = location.isSimulated {
            name("isSimulated")
            value(isSimulated)
        }
        member("source", location.source)
        member("trigger", location.trigger)
    }

    /// Writes a time in RFC 3339.
    public mutating func value(_ timestamp: Timestamp) {
        asciiString(most: Timestamp.rfc3339Length) { timestamp.writeRFC3339(to: $0) }
    }

    mutating func member(_ name: StaticString, _ string: String?) {
        guard let string else { return }
        field(name, string)
    }

    mutating func member(_ name: StaticString, _ number: Double?) {
        guard let number, number.isFinite else { return }
        field(name, number)
    }

    /// A member with a time.
    mutating func field(_ name: StaticString, _ time: TimeText) {
        asciiField(name, most: Timestamp.rfc3339Length) { time.write(to: $0) }
    }

    mutating func member(_ name: StaticString, _ timestamp: Timestamp?) {
        guard let timestamp else { return }
        asciiField(name, most: Timestamp.rfc3339Length) { timestamp.writeRFC3339(to: $0) }
    }
}

/// A time with its text in RFC 3339, to write it more than once.
struct TimeText {
    let timestamp: Timestamp
    private var words = (UInt64(0), UInt64(0), UInt64(0))
    private var count = 0

    init(_ timestamp: Timestamp) {
        self.timestamp = timestamp
        assert(Timestamp.rfc3339Length == MemoryLayout.size(ofValue: words))
        count = withUnsafeMutableBytes(of: &words) { bytes in
            bytes.withMemoryRebound(to: UInt8.self) { bytes in
                bytes.baseAddress.map { timestamp.writeRFC3339(to: $0) } ?? 0
            }
        }
    }

    /// Writes the text.
    ///
    /// - Parameter start: has room for `Timestamp.rfc3339Length` bytes.
    /// - Returns: the number of bytes of the text.
    func write(to start: UnsafeMutablePointer<UInt8>) -> Int {
        let target = UnsafeMutableRawPointer(start)
        target.storeBytes(of: words.0, as: UInt64.self)
        target.storeBytes(of: words.1, toByteOffset: 8, as: UInt64.self)
        target.storeBytes(of: words.2, toByteOffset: 16, as: UInt64.self)
        return count
    }
}
