public import FencepostGeometry
public import FencepostModel
public import FencepostMonitor

/// The current status of a device.
public struct DeviceStatus: Hashable, Sendable {
    /// The device.
    public var deviceID: DeviceID
    /// The newest fix, evaluated or live (rule I23).
    public var lastLocation: Location?
    /// The regions that the device has entered and not exited, by events; sorted by bytes.
    public var regions: [RegionID] = []
    /// The current visit.
    public var visit: Visit?
    /// Whether no fix has come for the `staleAfter` of the settings.
    public var isStale = false
    /// How far the clock of the device is ahead, in seconds; `nil` if it is right, or if one fix alone says so.
    public var clockOffset: Int?
    /// Where another phone with the same id was last; `nil` unless the fixes go back and forth as those of two phones do.
    public var secondPhone: Coordinate?
    /// The alerts that have started and not ended, in the order in which they began.
    public var alerts: [ActiveAlert] = []
    /// The state of its fence; `nil` without one.
    public var fence: FenceStatus?
    /// Whether it walks the rounds of a plan.
    public var walksRounds = false
    /// Whether a proximity rule watches it, so that events of pairs may be about it. The engine does not know it.
    public var isInPairs = false
    /// Increases with every change of the status.
    public var version: Int64 = 0

    /// A device without a known location.
    public init(deviceID: DeviceID) {
        self.deviceID = deviceID
    }
}
