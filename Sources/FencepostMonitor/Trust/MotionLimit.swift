import FencepostGeometry
import FencepostModel

/// Finds fixes that a device cannot have come to, as those of jammed or spoofed satellites: nothing on earth is faster.
///
/// Such fixes agree with each other, so agreement proves nothing. They are ignored until the device could have come there at
/// the speed of a fast train, or has been there for longer than it was where it seemed to be before: the fixes before may be
/// the wrong ones, as those of a phone that repeats the position where it fell asleep.
struct MotionLimit: Hashable, Sendable, Codable {
    /// Metres per second: the speed of sound, that no traffic reaches, and the speed from which on a device is not trusted to
    /// be where it seemed to leap to.
    private static let fastest = 340.0
    private static let usual = 70.0
    /// The least `support` with which the fixes before a leap are trusted, and not those after it.
    private static let leastSupport: UInt16 = 300
    /// Seconds after which it is trusted wherever it is.
    private static let longest = 10_800.0
    /// More than the metres of a degree of latitude.
    private static let degree = 111_700.0

    /// Seconds over which the device could have come to each of its fixes as a fast train, and none repeated the one before, up to
    /// the last one of these.
    private var support: UInt16 = 0
    /// Seconds from that fix to the first one that it could not have come to; 0 if there is none.
    private var leapStart: UInt16 = 0

    /// That of a device with the most support, as most have.
    static let supported: MotionLimit = {
        var limit = MotionLimit()
        limit.support = .max
        return limit
    }()

    /// Whether both decide the same, for what lasts longer than the difference between them: sums of whole seconds differ by where
    /// late fixes lie.
    func isEquivalent(to other: MotionLimit) -> Bool {
        leapStart == other.leapStart && min(support, Self.leastSupport) == min(other.support, Self.leastSupport)
    }

    /// Whether the last fix was an impossible one.
    var isLeaping: Bool { leapStart > 0 }

    /// Takes the next fix if the device has certainly come to it, and not by a fast step, as nearly always; else it changes
    /// nothing, and `measure` takes it.
    ///
    /// - Parameters:
    ///   - location: the fix.
    ///   - time: of the last fix that was possible.
    ///   - latitude: that of its position, in degrees.
    ///   - longitude: that of its position, in degrees.
    /// - Returns: whether it was taken.
    @inline(__always)
    mutating func isUsual(_ location: Location, after time: Timestamp, latitude: Double, longitude: Double) -> Bool {
        let milliseconds = location.timestamp.milliseconds &- time.milliseconds
        // The way along a meridian and a parallel is longer than the straight one, up to twice in most places.
        let bound = abs(location.coordinate.latitude - latitude) + abs(location.coordinate.longitude - longitude)
        guard leapStart == 0, bound * (Self.degree * 1000 / (2 * SecondPhone.fastStep)) <= Double(milliseconds) else {
            return false
        }
        if bound == 0 {
            // One that repeats to the last digit may be where the device was when it fell asleep.
            support = 0
        } else if support != .max {
            support = UInt16(clamping: Int64(support) &+ max(milliseconds / 1000, 1))
        }
        return true
    }

    /// Takes a fix that `isUsual` did not take.
    ///
    /// - Parameters:
    ///   - distance: metres from the last possible fix, less the accuracies of both.
    ///   - seconds: from the last possible fix.
    /// - Returns: whether the device can have come to it. If not, the next call is for the same last fix.
    mutating func measure(_ distance: Double, in seconds: Double) -> Bool {
        // Times are often whole seconds.
        let span = max(seconds, 0) + 1
        if distance <= Self.usual * span {
            (support, leapStart) = (UInt16(clamping: Int64(support) + Int64(clamped: max(seconds, 1))), 0)
            return true
        }
        if leapStart == 0, distance <= Self.fastest * span || support < Self.leastSupport {
            // It may be in an aircraft, or one of the two is wrong.
            support = 0
            return true
        }
        if leapStart == 0 { leapStart = UInt16(clamped: max(seconds, 1)) }
        let there = seconds - Double(leapStart)
        guard there > Double(support) || seconds > Self.longest else { return false }
        (support, leapStart) = (UInt16(clamped: there), 0)
        return true
    }
}
