/// A service of Core Location that delivers locations or events.
public enum Service: String, Hashable, Sendable, CaseIterable, Codable {
    /// Services of the location manager but for the compass.
    case standardUpdates, requestLocation, significantChange, visits, regionCircular, regionBeacon, beaconRanging
    /// The compass, conditions of `CLMonitor`, `CLLocationUpdate` and the location push extension.
    case heading, clMonitorCircular, clMonitorBeacon, liveUpdates, locationPush
    /// The region trigger of a local notification. Events may name it; no app starts it.
    case locationNotification

    /// The services that an app can start.
    public static let startable = allCases.filter { $0 != .locationNotification }

    /// The rule that describes the service.
    public var rule: RuleID {
        switch self {
        case .standardUpdates: .svc01
        case .requestLocation: .svc03
        case .significantChange: .svc04
        case .visits: .svc05
        case .regionCircular: .svc06
        case .regionBeacon: .svc07
        case .beaconRanging: .svc08
        case .heading: .svc09
        case .clMonitorCircular: .svc10
        case .clMonitorBeacon: .svc11
        case .liveUpdates: .svc12
        case .locationPush: .svc13
        case .locationNotification: .svc20
        }
    }

    /// Whether this is region monitoring of the location manager.
    public var isRegion: Bool { self == .regionCircular || self == .regionBeacon }
    /// Whether the service detects beacons, by Bluetooth.
    public var isRegionOfBeacon: Bool { self == .regionBeacon || self == .beaconRanging || self == .clMonitorBeacon }
    /// Whether this is a condition of a `CLMonitor`.
    public var isCondition: Bool { self == .clMonitorCircular || self == .clMonitorBeacon }

    /// Whether this is a monitoring service of the location manager. Up to iOS 12 these needed Always.
    public var isClassicMonitoring: Bool { isRegion || self == .visits || self == .significantChange }

    /// Whether the service can wake a suspended app and relaunch a terminated one. Live updates follow their own rule
    /// (RELAUNCH-13).
    public var isLaunchCapable: Bool { isClassicMonitoring || isCondition }

    /// Whether the service produces nothing with reduced accuracy.
    public var needsFullAccuracy: Bool {
        isRegion || isCondition || self == .beaconRanging || self == .locationNotification
    }

    /// Whether this is a monitor or live updates, which depend on sessions.
    public var isNewer: Bool { isCondition || self == .liveUpdates }

    /// Whether the events go to the delegates of location managers.
    public var usesDelegate: Bool {
        switch self {
        case .standardUpdates, .requestLocation, .significantChange, .visits, .regionCircular, .regionBeacon,
            .beaconRanging, .heading:
            true
        case .clMonitorCircular, .clMonitorBeacon, .liveUpdates, .locationPush, .locationNotification: false
        }
    }

    /// Whether a termination of the app ends the service.
    public var endsWithTheProcess: Bool {
        switch self {
        case .standardUpdates, .requestLocation, .beaconRanging, .heading: true
        case .liveUpdates, .significantChange, .visits, .regionCircular, .regionBeacon, .clMonitorCircular,
            .clMonitorBeacon, .locationNotification, .locationPush:
            false
        }
    }
}

/// The known state of a region or a condition.
public enum RegionState: String, Hashable, Sendable, CaseIterable, Codable {
    /// The states of a region.
    case inside, outside
    /// The states of a condition.
    case satisfied, unsatisfied, unmonitored
    /// The state of a region or a condition before it is determined.
    case unknown

    /// Whether the state is inside or satisfied; `nil` when the state is not known.
    var isInside: Bool? {
        switch self {
        case .inside, .satisfied: true
        case .outside, .unsatisfied: false
        case .unmonitored, .unknown: nil
        }
    }
}

/// A service that the app has started, with its parameters.
public struct ServiceObject: Hashable, Sendable, Codable {
    /// The service.
    public var service: Service
    /// The identifier of a region or a condition; `nil` for other services.
    public var identifier: String?
    /// The centre of a circle: latitude and longitude in degrees.
    public var center: [Double]?
    /// The radius of a circle, in metres.
    public var radius: Double?
    /// Whether a region reports entries; `nil` means yes.
    public var notifyOnEntry: Bool?
    /// Whether a region reports exits; `nil` means yes.
    public var notifyOnExit: Bool?
    /// The state that the app knows: for a condition, the last state that the app has handled.
    public var state: RegionState?
    /// The name of the monitor that a condition belongs to.
    public var monitor: String?
    /// Whether updates may continue in the background; `nil` means no.
    public var allowsBackgroundLocationUpdates: Bool?
    /// Whether an app with Always asks for the indicator; `nil` means no.
    public var showsBackgroundLocationIndicator: Bool?
    /// The distance between two updates, in metres.
    public var distanceFilter: Double?
    /// The accuracy that the app asks for, in metres.
    public var desiredAccuracy: Double?
    /// Whether the system may pause standard updates; `nil` means yes (SVC-26).
    public var pausesLocationUpdatesAutomatically: Bool?
    /// What the app says that the user does; `nil` for Apple's default, other.
    public var activityType: Activity?
    /// Whether the service was stopped; `nil` means no.
    public var stopped: Bool?

    /// The values of `CLActivityType`.
    public enum Activity: String, Hashable, Sendable, CaseIterable, Codable {
        /// In Apple's order.
        case other, automotiveNavigation, fitness, otherNavigation, airborne
    }

    /// The true state as the system observes it, whether or not the app knows it.
    var observed: RegionState?
    /// Whether only an event implies the state of the region, and nothing states it; `nil` means no.
    var stateIsImplied: Bool?
    /// The last state of a condition that the sequence of events has delivered.
    var listed: RegionState?
    /// Whether the app was in use at the start of the service.
    var startedInUse = true
    /// Whether updates that an app with Always started in the background keep it running (SVC-25); `nil` means no.
    var continuesFromBackground: Bool?
    /// When the app registered the region, since the start of the simulation; `nil` when it was registered before.
    var registeredAt: Duration?
    /// Whether the system has paused the updates; `nil` means no.
    var isPaused: Bool?
    /// Whether the end of the process stopped the service.
    var endedWithTheProcess = false
    /// Whether the condition is beyond the limit of conditions.
    var isBeyondLimit = false
    /// Whether the service is outstanding from before the launch and not yet taken again.
    var isUnclaimed = false

    /// Makes a running service without parameters.
    public init(_ service: Service, identifier: String? = nil) {
        self.service = service
        self.identifier = identifier
    }

    /// Whether the service runs.
    public var isActive: Bool { stopped != true }
    /// Whether the system has paused the updates, which the app has not started again (SVC-26).
    public var isPausedBySystem: Bool { isPaused == true }
    var isContinuous: Bool {
        (service == .standardUpdates || service == .liveUpdates) && allowsBackgroundLocationUpdates == true
    }

    /// Whether the object produces events of this service and identifier. A missing identifier matches every
    /// identifier.
    func matches(_ service: Service, _ identifier: String?) -> Bool {
        self.service == service && (identifier == nil || self.identifier == nil || self.identifier == identifier)
    }
}
