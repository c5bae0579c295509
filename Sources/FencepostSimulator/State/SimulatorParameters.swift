/// The numbers that Core Location does not document or that depend on the device.
public struct SimulatorParameters: Hashable, Sendable {
    /// How long an app stays in use after it leaves the foreground (ONCE-11).
    public var grace: Duration = .seconds(10)
    /// How long an app may run after a launch or a wake-up (RELAUNCH-19).
    public var runtime: Duration = .seconds(10)
    /// How long an app may run with a background task (RELAUNCH-19, DISPUTE-12).
    public var runtimeWithTask: Duration = .seconds(30)
    /// How long after a launch the system remembers outstanding sessions (RELAUNCH-14).
    public var sessionMemory: Duration = .seconds(10)
    /// The age at which a held event is no longer delivered (PROV-05).
    public var eventExpiry: Duration = .seconds(1800)
    /// The distance beyond a region's boundary that a crossing needs, in metres (REGION-07).
    public var margin = 200.0
    /// How long the device has to stay beyond the boundary (REGION-07).
    public var marginStay: Duration = .seconds(20)
    /// The least distance between two significant changes, in metres (SLC-01).
    public var significantDistance = 500.0
    /// The least time between two significant changes (SLC-01).
    public var significantInterval: Duration = .seconds(300)
    /// The least time between two significant changes with reduced accuracy (ACC-08).
    public var reducedInterval: Duration = .seconds(900)
    /// How long the device has to rest before live updates pause (LIVE-01).
    public var stationaryAfter: Duration = .seconds(60)
    /// How long the device has to rest before standard updates pause (SVC-26): ten to twenty minutes by a report.
    public var pauseAfter: Duration = .seconds(900)
    /// The run time that an app may have after a launch or a wake-up, at least and at most (RELAUNCH-19, DISPUTE-12).
    public var runtimeRange: ClosedRange<Duration> = .zero ... .seconds(30)
    /// How long the grant of an App Clip lasts when the time of day is not known (PLAT-19).
    public var appClipNight: Duration = .seconds(43_200)
    /// How many regions an app may have, and how many conditions of monitors (REGION-01, MON-03).
    public var regionLimit = 20
    /// The radius in metres below which a region gets a warning (REGION-09).
    public var smallRadius = 100.0

    /// How late events are expected to arrive (REGION-08, RELAUNCH-35).
    public var latency = DeliveryLatency.none

    /// Makes the default numbers.
    public init() {}
}

/// Which reading of a disputed rule applies.
public enum SimulatorPolicy: String, Hashable, Sendable, CaseIterable {
    /// The reading that delivers less.
    case strict
    /// The best-supported reading.
    case lenient
}

/// How late the system delivers an event.
public enum DeliveryLatency: String, Hashable, Sendable, CaseIterable {
    /// No statement: events arrive when they happen.
    case none
    /// The average: three to five minutes for a region, about thirteen minutes for a significant change.
    case typical
    /// The slowest relaunch that was reported: about three hours.
    case tail

    /// The delay of an event of the service; `nil` where nothing is known.
    ///
    /// The average of regions is Apple's (REGION-08); the other numbers are single observations (RELAUNCH-35).
    public func delay(of service: Service) -> Duration? {
        guard service.isRegion || service.isCondition || service == .significantChange else { return nil }
        return switch self {
        case .none: nil
        case .typical: service == .significantChange ? .seconds(780) : .seconds(240)
        case .tail: .seconds(10_800)
        }
    }
}
