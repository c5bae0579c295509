/// A device, an app on it and its user as they are: what a decision depends on.
public struct Given: Hashable, Sendable, Codable {
    public var platform = Platform.iOS
    public var osVersion = OSVersion(17)
    public var grant = Grant.notDetermined
    /// Whether the one request for always is spent.
    public var alwaysRequestUsed = false
    public var accuracy = Accuracy.full
    public var lifecycle = Lifecycle.foreground
    public var terminatedBy: Termination?
    public var locationServicesEnabled = true
    public var backgroundAppRefresh = true
    public var lowPowerMode = false
    public var unlockedSinceBoot = true
    public var infoPlist = PropertyKeys()
    public var entitlements = PropertyKeys()
    public var extensions: [String] = []
    public var services: [ServiceObject] = []
    public var sessions: [HeldSession] = []
    public var managers = 1
    public var appClip = false
    public var complicationOnActiveFace = false
    public var appEverLaunched = true
    public var appInstalled = true
    public var delegateSetAtLaunch = true
    /// Of a Mac.
    public var systemAsleep = false
    public var pairedWatchApp = false
    /// Metres; -1 where regions are not supported; `nil` when no region is too large.
    public var maximumRegionMonitoringDistance: Double?
    /// How many local notifications wait at regions.
    public var locationNotifications = 0
    /// In place of what would be reported, for the abstraction alone.
    public var statusOverride: ReportedStatus?

    /// Whether the running app has a delegate that events can go to.
    var hasDelegate = true
    /// Whether the app runs in the background because a beacon region woke it.
    var wasWokenByBeacon = false

    public init() {}

    public var system: OperatingSystem { OperatingSystem(platform, osVersion) }
}

extension Given {
    /// What the API returns.
    public var reportedStatus: ReportedStatus {
        if grant == .restricted { return .restricted }
        if !locationServicesEnabled { return .denied }
        return switch grant {
        case .notDetermined: .notDetermined
        case .restricted: .restricted
        case .denied: .denied
        case .whenInUse, .temporaryWhenInUse: platform == .macOS ? .authorizedAlways : .authorizedWhenInUse
        case .provisionalAlways, .always: .authorizedAlways
        }
    }

    /// `nil` where Settings offers this user no row for the app.
    public var settingsRow: SettingsRow? {
        guard locationServicesEnabled else { return nil }
        return switch grant {
        case .notDetermined, .temporaryWhenInUse: .askNextTime
        case .restricted: nil
        case .denied: .never
        case .whenInUse, .provisionalAlways: .whileUsing
        case .always: .always
        }
    }

    public var hasReducedAccuracy: Bool { accuracy == .reduced && system.isAtLeast(14) }

    public var accuracyAuthorization: AccuracyAuthorization {
        hasReducedAccuracy ? .reducedAccuracy : .fullAccuracy
    }

    /// The name of the delegate method that tells a change of authorization.
    public var callbackName: String {
        system.isAtLeast(14)
            ? "locationManagerDidChangeAuthorization(_:)" : "locationManager(_:didChangeAuthorization:)"
    }

    /// Whether both levels have the same effect.
    public var levelsAreEquivalent: Bool { platform.isMac }
}

/// Why an app counts as in use.
public enum Use: String, Hashable, Sendable {
    case foreground, grace, backgroundIndicator, backgroundSession, complication, alwaysRunningOnMac

    func rule(on platform: Platform) -> RuleID {
        switch self {
        case .foreground, .grace:
            switch platform {
            case .watchOS: .plat09
            case .visionOS, .visionOSCompatible: .plat14
            default: .plat01
            }
        case .backgroundIndicator: platform == .watchOS ? .plat09 : .plat02
        case .backgroundSession: .plat03
        case .complication: .plat09
        case .alwaysRunningOnMac: .plat05
        }
    }
}

extension Given {
    /// Why the app is in use; `nil` when it is not.
    public var use: Use? {
        guard lifecycle != .terminated else { return nil }
        if lifecycle == .foreground { return .foreground }
        if platform.isMac { return .alwaysRunningOnMac }
        if lifecycle.isRunning, showsIndicatorForUpdates { return .backgroundIndicator }
        if hasSessionInBackground { return .backgroundSession }
        if platform == .watchOS, complicationOnActiveFace { return .complication }
        if lifecycle == .backgroundGrace, platform != .watchOS { return .grace }
        return nil
    }

    public var isInUse: Bool { use != nil }

    /// Whether continuous updates run on in the background.
    var hasContinuousUpdates: Bool {
        guard grant.isAuthorized, locationServicesEnabled, !platform.isVision, platform != .tvOS,
            platform == .watchOS || infoPlist.declaresBackgroundLocation
        else { return false }
        return services.contains { $0.isActive && $0.isContinuous && $0.startedInUse }
    }

    /// Whether continuous updates show the indicator: to an app with always only if it asks for that.
    private var showsIndicatorForUpdates: Bool {
        guard hasContinuousUpdates else { return false }
        return platform == .watchOS || grant != .always
            || services.contains {
                $0.isActive && $0.isContinuous && $0.startedInUse && $0.showsBackgroundLocationIndicator == true
            }
    }

    /// Whether a session keeps the app in use in the background.
    var hasSessionInBackground: Bool {
        guard system.isAtLeast(17), platform.isHandheld || platform == .watchOS,
            infoPlist.declaresBackgroundLocation, grant.isAuthorized, locationServicesEnabled
        else { return false }
        return sessions.contains { $0.session.prolongsUse && $0.isEffective }
    }

    /// Whether a service or a session keeps the app from being suspended.
    public var isKeptRunning: Bool {
        guard lifecycle != .terminated else { return false }
        return hasContinuousUpdates || hasSessionInBackground
    }

    /// Whether the background indicator shows.
    public var showsIndicator: Bool {
        switch lifecycle {
        case .foreground, .suspended, .terminated: false
        case .backgroundGrace, .backgroundRunning:
            showsIndicatorForUpdates
                || (hasSessionInBackground
                    && sessions.contains { $0.session == .backgroundActivitySession && $0.isEffective })
        }
    }

    /// Whether always is in effect for monitors and live updates out of use.
    var alwaysCountsForNewerServices: Bool {
        !system.isAtLeast(18) || sessions.contains { $0.session.goal == .always && $0.isEffective }
    }

    /// Whether monitors and live updates lack the session that the app has declared to take itself.
    var lacksExplicitSession: Bool {
        system.isAtLeast(18) && infoPlist.requiresExplicitSession
            && !sessions.contains { $0.session.goal ?? .none > .none }
    }

    func active(_ service: Service, _ identifier: String? = nil) -> ServiceObject? {
        services.first { $0.isActive && $0.matches(service, identifier) }
    }
}
