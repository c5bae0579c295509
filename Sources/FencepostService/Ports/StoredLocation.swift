import FencepostGeometry
public import FencepostModel

/// A fix as it is stored.
public struct StoredLocation: Hashable, Sendable {
    /// The fix.
    public var location: Location
    /// Whether it was older than the last evaluated fix of its device on arrival. It is never evaluated then (rule I52).
    public var isLate: Bool
    /// Whether its time is ahead of its arrival, or of its neighbours in a file. It is never evaluated, now or later.
    public var isAhead: Bool

    /// A stored fix.
    public init(_ location: Location, isLate: Bool = false, isAhead: Bool = false) {
        self.location = location
        self.isLate = isLate
        self.isAhead = isAhead
    }
}

/// The members that two fixes must have in common to be duplicates (rule I51).
public struct FixKey: Hashable, Sendable {
    /// The device.
    public var deviceID: DeviceID
    /// The time of the fix.
    public var timestamp: Timestamp
    /// The position in degrees.
    public var latitude, longitude: Double

    /// The key of a fix.
    public init(_ location: Location) {
        deviceID = location.deviceID
        timestamp = location.timestamp
        latitude = location.coordinate.latitude
        longitude = location.coordinate.longitude
    }
}
