public import FencepostModel

/// A visit with the device that was there, as lists of several devices have it.
public struct DeviceVisit: Hashable, Sendable {
    /// The device.
    public var deviceID: DeviceID
    /// Its visit.
    public var visit: Visit

    /// A visit of a device.
    public init(_ visit: Visit, of deviceID: DeviceID) {
        (self.deviceID, self.visit) = (deviceID, visit)
    }

    /// Seconds from the arrival to the departure; `nil` while one of them is not known.
    public var seconds: Double? {
        guard let arrival = visit.arrival, let departure = visit.departure else { return nil }
        return (departure - arrival).seconds
    }
}
