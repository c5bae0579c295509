import FencepostGeometry
package import FencepostModel
import Foundation

/// The system's clock, which people and other machines set.
package enum WallClock {
    /// `FENCEPOST_CLOCK_OFFSET` is for tests: the seconds by which the clock of this process is wrong.
    private static let offset = ProcessInfo.processInfo.environment["FENCEPOST_CLOCK_OFFSET"].flatMap(Double.init) ?? 0

    /// The time by this clock.
    package static var now: Timestamp {
        Timestamp(milliseconds: Int64(clamped: (Date().timeIntervalSince1970 + offset) * 1000))
    }
}
