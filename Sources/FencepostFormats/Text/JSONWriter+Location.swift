internal import FencepostGeometry
public import FencepostJSON
public import FencepostModel

extension JSONWriter {
    /// Writes a location in its canonical form, without unknown values. Reading it gives the same location.
    public mutating func value(_ location: Location) {
        beginObject()
        members(of: location)
        endObject()
    }

    mutating func members(of location: Location) {
        member("deviceId", location.deviceID.rawValue)
        member("timestamp", location.timestamp)
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

    mutating func member(_ name: StaticString, _ timestamp: Timestamp?) {
        guard let timestamp else { return }
        asciiField(name, most: Timestamp.rfc3339Length) { timestamp.writeRFC3339(to: $0) }
    }
}
