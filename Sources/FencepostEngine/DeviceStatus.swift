public import FencepostModel

/// Where a device is, as far as is known.
public struct DeviceStatus: Hashable, Sendable {
    public var deviceID: DeviceID
    /// The newest fix, evaluated or live (rule I23).
    public var lastLocation: Location?
    /// The regions that it is in, as far as events go; sorted by bytes.
    public var regions: [RegionID] = []
    /// The visit that goes on.
    public var visit: Visit?
    public var isStale = false
    /// Rises with every change of what is here.
    public var version: Int64 = 0

    public init(deviceID: DeviceID) {
        self.deviceID = deviceID
    }
}
