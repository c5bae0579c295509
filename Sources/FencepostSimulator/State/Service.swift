/// A way of getting locations or events.
public enum Service: String, Hashable, Sendable, CaseIterable, Codable {
    case standardUpdates, requestLocation, significantChange, visits, regionCircular, regionBeacon, beaconRanging
    case heading, clMonitorCircular, clMonitorBeacon, liveUpdates, locationPush
    /// The trigger of a local notification, which an event may name; nothing starts it.
    case locationNotification

    /// What an app can start.
    public static let startable = allCases.filter { $0 != .locationNotification }

    /// The rule that describes it.
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

    public var isRegion: Bool { self == .regionCircular || self == .regionBeacon }
    public var isCondition: Bool { self == .clMonitorCircular || self == .clMonitorBeacon }

    /// The classic monitoring services, which up to iOS 12 needed always.
    public var isClassicMonitoring: Bool { isRegion || self == .visits || self == .significantChange }

    /// Whether it can wake a suspended app and relaunch a terminated one; live updates do so by a rule of their own.
    public var isLaunchCapable: Bool { isClassicMonitoring || isCondition }

    /// Whether reduced accuracy silences it.
    public var needsFullAccuracy: Bool {
        isRegion || isCondition || self == .beaconRanging || self == .locationNotification
    }

    /// Monitors and live updates, which look at sessions.
    public var isNewer: Bool { isCondition || self == .liveUpdates }

    /// Whether its events come to the delegates of location managers.
    public var usesDelegate: Bool {
        switch self {
        case .standardUpdates, .requestLocation, .significantChange, .visits, .regionCircular, .regionBeacon,
            .beaconRanging, .heading:
            true
        case .clMonitorCircular, .clMonitorBeacon, .liveUpdates, .locationPush, .locationNotification: false
        }
    }

    /// Whether a termination ends it for good.
    public var endsWithTheProcess: Bool {
        switch self {
        case .standardUpdates, .requestLocation, .beaconRanging, .heading: true
        default: false
        }
    }
}

/// What is known of a region or a condition.
public enum RegionState: String, Hashable, Sendable, CaseIterable, Codable {
    case inside, outside
    case satisfied, unsatisfied, unmonitored
    case unknown

    /// Inside or satisfied; `nil` when nothing is known.
    var isInside: Bool? {
        switch self {
        case .inside, .satisfied: true
        case .outside, .unsatisfied: false
        case .unmonitored, .unknown: nil
        }
    }
}

/// A service that the app has started, with what it was started with.
public struct ServiceObject: Hashable, Sendable, Codable {
    public var service: Service
    /// Of a region or a condition.
    public var identifier: String?
    /// Latitude and longitude, degrees.
    public var center: [Double]?
    /// Metres.
    public var radius: Double?
    public var notifyOnEntry: Bool?
    public var notifyOnExit: Bool?
    /// Of a condition, the last that the app has handled.
    public var state: RegionState?
    /// The name of the monitor that a condition belongs to.
    public var monitor: String?
    public var allowsBackgroundLocationUpdates: Bool?
    public var showsBackgroundLocationIndicator: Bool?
    /// Metres.
    public var distanceFilter: Double?
    /// Metres.
    public var desiredAccuracy: Double?
    public var stopped: Bool?

    /// Where the device really is, as the system sees it, told to the app or not.
    var observed: RegionState?
    /// Of a condition, what the sequence of events has given last.
    var listed: RegionState?
    /// Whether it was started while the app was in use.
    var startedInUse = true
    /// Whether it was the end of the process that stopped it.
    var endedWithTheProcess = false
    /// Beyond the limit of conditions.
    var isBeyondLimit = false
    /// Outstanding from before the launch, and not yet taken again.
    var isUnclaimed = false

    public init(_ service: Service, identifier: String? = nil) {
        self.service = service
        self.identifier = identifier
    }

    public var isActive: Bool { stopped != true }
    var isContinuous: Bool {
        (service == .standardUpdates || service == .liveUpdates) && allowsBackgroundLocationUpdates == true
    }

    /// Whether an event of this service and identifier comes from here; one without an identifier stands for any.
    func matches(_ service: Service, _ identifier: String?) -> Bool {
        self.service == service && (identifier == nil || self.identifier == nil || self.identifier == identifier)
    }
}
