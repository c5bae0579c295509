/// The numbers that Core Location does not document, or that depend on the device.
public struct SimulatorParameters: Hashable, Sendable {
    /// How long an app stays in use after it left the foreground.
    public var grace: Duration = .seconds(10)
    /// How long an app runs that was launched or woken for an event.
    public var runtime: Duration = .seconds(10)
    /// The same with a background task.
    public var runtimeWithTask: Duration = .seconds(30)
    /// How long after a launch outstanding sessions are remembered.
    public var sessionMemory: Duration = .seconds(10)
    /// From when on a held event is too old to be delivered.
    public var eventExpiry: Duration = .seconds(1800)
    /// Metres that a device has to be beyond a region's boundary.
    public var cushion = 200.0
    /// How long it has to stay there.
    public var cushionStay: Duration = .seconds(20)
    /// Metres and time between two significant changes.
    public var significantDistance = 500.0
    public var significantInterval: Duration = .seconds(300)
    /// Time between two significant changes with reduced accuracy.
    public var reducedInterval: Duration = .seconds(900)
    /// After how long at rest live updates pause.
    public var stationaryAfter: Duration = .seconds(60)
    /// After how long the grant of an App Clip is gone when the time of day is not known.
    public var appClipNight: Duration = .seconds(43_200)
    /// Regions, and conditions of monitors, that an app may have.
    public var regionLimit = 20
    /// Metres; smaller circles are warned of.
    public var smallRadius = 100.0

    public init() {}
}

/// Which reading of a disputed rule counts.
public enum SimulatorPolicy: String, Hashable, Sendable, CaseIterable {
    /// The one that delivers less.
    case strict
    /// The best-supported one.
    case lenient
}
