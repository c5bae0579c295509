import FencepostModel

/// What the speed of a fix says about its source.
///
/// A speed counts only on a device that uses the field: one that has reported a speed above 0. Nothing is concluded from
/// a field that is always 0, always unknown or absent.
enum FixKind: UInt8, Hashable, Sendable, Codable {
    /// The device has never reported a speed above 0, so the field says nothing.
    case plain
    /// A speed of 0 on a device that reports speeds: a satellite fix of a stationary device, or a network fix of a
    /// sender that writes 0 for an unknown speed.
    case stationary
    /// A speed above 0: a satellite fix.
    case satellite
    /// No speed on a device that reports speeds: a network fix.
    case network

    /// - Parameters:
    ///   - speed: metres per second; `nil` if unknown.
    ///   - reportsSpeeds: whether the device has ever reported a speed above 0, this fix included.
    init(speed: Double?, reportsSpeeds: Bool) {
        guard reportsSpeeds else {
            self = .plain
            return
        }
        switch speed {
        case nil: self = .network
        case let known?: self = known > 0 ? .satellite : .stationary
        }
    }
}
