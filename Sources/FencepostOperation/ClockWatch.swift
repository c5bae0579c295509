import CLinux
import Foundation

/// Notices that the system's wall clock was set: by a person, or in a step of NTP.
///
/// A clock that NTP slews is not reported, and neither is one that the library `libfaketime` pretends.
public final class ClockWatch: Sendable {
    private let descriptor: Int32

    /// Starts to watch. On a system without timer descriptors nothing is ever reported.
    public init() { descriptor = fencepost_clock_watch_open() }

    deinit { if descriptor >= 0 { close(descriptor) } }

    /// Whether the wall clock was set since the call before.
    public func wasSet() -> Bool { descriptor >= 0 && fencepost_clock_watch_was_set(descriptor) != 0 }
}
