public import FencepostModel

/// What a caller wants of the fence of a device.
public enum FenceCommand: Hashable, Sendable {
    /// A fence about where the device stands, until a time if one is given, in place of any other. With a schedule, that arms and
    /// disarms the next ones.
    case arm(FenceSettings, until: Timestamp?)
    /// The schedule of the settings arms and disarms fences. What was armed before is disarmed.
    case schedule(FenceSettings)
    /// No fence. The schedule stays for the next time, or is removed as well.
    case disarm(keepsSchedule: Bool)
}

/// The answer to a `FenceCommand`, once it is durable.
public enum FenceAnswer: Hashable, Sendable {
    /// The state of the fence; `nil` without one.
    case changed(FenceStatus?)
    /// It is not known where the device stands. `since` is the time of its last location.
    case refused(FenceObstacle, since: Timestamp?)
    /// The device has no fence that could be disarmed.
    case absent
    /// There is no such device.
    case unknownDevice
    /// The device is set aside, so that nothing of it is evaluated.
    case setAside
}
