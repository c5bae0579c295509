public import Foundation
import Synchronization

/// The time zone of the service, `timeZone` of the configuration, which can change while the service runs.
public final class ServiceZone: Sendable {
    private let zone: Mutex<TimeZone?>

    /// - Parameter zone: `nil` where the configuration names none.
    public init(_ zone: TimeZone? = nil) { self.zone = Mutex(zone) }

    /// The zone of what names none; `nil` where the configuration names none either.
    public var current: TimeZone? {
        get { zone.withLock { $0 } }
        set { zone.withLock { $0 = newValue } }
    }
}
