/// The state of a device, of one app on it and of the user's permissions: everything that a decision depends on.
///
/// Scenario files, app files and the API call it `given`.
public struct DeviceState: Hashable, Sendable, Codable {
    /// The platform that the app runs on.
    public var platform = Platform.iOS
    /// The version of the platform. The default is the newest that the rules know.
    public var osVersion = OSVersion.newest
    /// What the user really allowed.
    public var grant = Grant.notDetermined
    /// Whether the app has used its one request for Always (rule AUTH-18).
    public var alwaysRequestUsed = false
    /// How precise the locations are.
    public var accuracy = Accuracy.full
    /// Whether the app is in the foreground, in the background, suspended or terminated.
    public var lifecycle = Lifecycle.foreground
    /// What terminated the app; `nil` unless terminated.
    public var terminatedBy: Termination?
    /// Whether Location Services are on for the whole device.
    public var locationServicesEnabled = true
    /// Whether Background App Refresh is on.
    public var backgroundAppRefresh = true
    /// Whether Low Power Mode is on.
    public var lowPowerMode = false
    /// Whether the device was unlocked since it started.
    public var unlockedSinceBoot = true
    /// The keys of the app's Info.plist.
    public var infoPlist = PropertyKeys()
    /// The keys of the app's entitlements.
    public var entitlements = PropertyKeys()
    /// The identifiers of the app's extensions.
    public var extensions: [String] = []
    /// The services that the app has started, in the order of their start.
    public var services: [ServiceObject] = []
    /// The sessions that the app holds.
    public var sessions: [HeldSession] = []
    /// How many location managers the app has.
    public var managers = 1
    /// Whether the app is an App Clip.
    public var appClip = false
    /// Whether the app's complication is on the watch face that is shown.
    public var complicationOnActiveFace = false
    /// Whether the app has run since its installation.
    public var appEverLaunched = true
    /// Whether the app is installed.
    public var appInstalled = true
    /// Whether the launch code of the app makes a manager with a delegate.
    public var delegateSetAtLaunch = true
    /// Whether a Mac sleeps.
    public var systemAsleep = false
    /// Whether the app has a companion app on a paired watch.
    public var pairedWatchApp = false
    /// The largest radius of a region in metres; -1 where regions are not supported; `nil` for no limit.
    public var maximumRegionMonitoringDistance: Double?
    /// How many local notifications with a region trigger are scheduled. They count towards the limit of regions.
    public var locationNotifications = 0
    /// A status that the three-way view of authorization uses in place of the reported one; `nil` for none.
    public var statusOverride: ReportedStatus?

    /// When the launch code of the app starts its services again; `nil` means on every launch.
    public var restartsServices: ServiceRestart?
    /// How monitors behave; `nil` for the best-supported answer to each question.
    public var monitorProfile: MonitorProfile?

    /// Whether the app runs on a device or in Apple's simulator; `nil` for a device.
    public var runsOn: Hardware?
    /// Whether airplane mode is on; `nil` means no. It switches the cellular radio off, and Bluetooth and Wi-Fi too
    /// unless their own switches are set.
    public var airplaneMode: Bool?
    /// Whether the radios are on; `nil` means that airplane mode decides.
    public var cellularEnabled, bluetoothEnabled, wifiEnabled: Bool?
    /// What restricts location, where the grant is restricted; `nil` when that is not known.
    public var restrictedBy: Restriction?
    /// Whether the app is offloaded: not installed, with its data and its grant kept; `nil` means no.
    public var offloaded: Bool?

    /// The grant that returns when the restriction ends; `nil` without one.
    var grantBeforeRestriction: Grant?
    /// Whether the running app has a manager with a delegate.
    var hasDelegate = true
    /// Whether sessions from before the launch ended because the app did not take them again; `nil` means no.
    var hasForgottenSessions: Bool?
    /// Whether the system launched the app for something else than a location, since the app was last on screen (MON-17);
    /// `nil` means no.
    var wasLaunchedForOtherCause: Bool?
    /// Whether a beacon region woke the app, which now runs in the background.
    var wasWokenByBeacon = false

    /// Makes the state of a new iPhone app in the foreground, with no permission and no keys.
    public init() {}

    /// The platform with its version.
    public var system: OperatingSystem { OperatingSystem(platform, osVersion) }
}

extension DeviceState {
    /// The status that the API returns. It differs from the grant for provisional Always and Allow Once.
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

    /// The row that Settings shows; `nil` where Settings offers this user no row for the app.
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

    /// Whether the app gets reduced accuracy. It exists from iOS 14.
    public var hasReducedAccuracy: Bool { accuracy == .reduced && system.isAtLeast(14) }

    /// The accuracy that the API returns.
    public var accuracyAuthorization: AccuracyAuthorization {
        hasReducedAccuracy ? .reducedAccuracy : .fullAccuracy
    }

    /// The name of the delegate method that reports a change of authorization on this system.
    public var callbackName: String {
        system.isAtLeast(14)
            ? "locationManagerDidChangeAuthorization(_:)" : "locationManager(_:didChangeAuthorization:)"
    }

    /// Whether While Using and Always have the same effect.
    public var levelsAreEquivalent: Bool { platform.isMac }
}

/// Why an app counts as in use.
public enum Use: String, Hashable, Sendable {
    /// The app is on screen, left it a few seconds ago, shows the indicator of background use, holds a session, has a
    /// complication on the active watch face, or runs on a Mac.
    case foreground, grace, backgroundIndicator, backgroundSession, complication, alwaysRunningOnMac

    func rule(on platform: Platform) -> RuleID {
        switch self {
        case .foreground, .grace:
            switch platform {
            case .watchOS: .plat09
            case .visionOS, .visionOSCompatible: .plat14
            case .iOS, .iPadOS, .macOS, .macCatalyst, .iPadAppOnMac, .tvOS: .plat01
            }
        case .backgroundIndicator: platform == .watchOS ? .plat09 : .plat02
        case .backgroundSession: .plat03
        case .complication: .plat09
        case .alwaysRunningOnMac: .plat05
        }
    }
}

extension DeviceState {
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

    /// Whether the app is in use, as Core Location counts it.
    public var isInUse: Bool { use != nil }

    /// Whether continuous updates run in the background. They may not be enough to keep the app running (SVC-24).
    var hasContinuousUpdates: Bool { services.contains { updatesContinuously($0) } }

    /// Whether the service produces updates in the background.
    private func updatesContinuously(_ object: ServiceObject) -> Bool {
        guard grant.isAuthorized, locationServicesEnabled, !platform.isVision, platform != .tvOS,
            platform == .watchOS || infoPlist.declaresBackgroundLocation, object.isActive, object.isContinuous,
            object.isPaused != true
        else { return false }
        return object.startedInUse
            || (grant == .always && platform.isHandheld && object.continuesFromBackground == true)
    }

    /// Whether the system suspends the app from iOS 16.4 in spite of these updates (SVC-24).
    func isSuspended(despite object: ServiceObject) -> Bool {
        guard object.service == .standardUpdates, object.isContinuous, grant == .always, platform.isHandheld,
            system.isAtLeast(16, 4), object.showsBackgroundLocationIndicator != true
        else { return false }
        return (object.distanceFilter ?? -1) > 0 || (object.desiredAccuracy ?? -1) > 100
    }

    /// Whether continuous updates show the indicator. An app with Always has to ask for the indicator.
    private var showsIndicatorForUpdates: Bool {
        guard hasContinuousUpdates else { return false }
        return platform == .watchOS || grant != .always
            || services.contains {
                updatesContinuously($0) && $0.showsBackgroundLocationIndicator == true
            }
    }

    /// Whether a session keeps the app in use in the background.
    var hasSessionInBackground: Bool {
        guard grant.isAuthorized, locationServicesEnabled else { return false }
        if hasWorkout { return true }
        guard system.isAtLeast(17), platform.isHandheld || platform == .watchOS, infoPlist.declaresBackgroundLocation
        else { return false }
        return sessions.contains { $0.session.prolongsUse && $0.session != .workoutSession && $0.isEffective }
    }

    /// Why a session that the app holds does not keep it in use, with the rule; `nil` where it does or where none is held.
    var idleSession: (session: Session, rule: RuleID, reason: String)? {
        guard !hasSessionInBackground,
            let held = sessions.first(where: {
                $0.session.prolongsUse && $0.session != .workoutSession && $0.isEffective
            })
        else { return nil }
        guard platform.isHandheld || platform == .watchOS else {
            return (held.session, .plat22, "\(platform.rawValue) has none")
        }
        guard system.isAtLeast(17) else { return (held.session, .live03, "such sessions exist from iOS 17 on") }
        guard infoPlist.declaresBackgroundLocation else {
            return (held.session, .plist12, "the Info.plist does not declare the background mode location")
        }
        return nil
    }

    /// Whether a workout keeps a watch app running (PLAT-23).
    var hasWorkout: Bool {
        platform == .watchOS && infoPlist.declaresWorkouts
            && sessions.contains { $0.session == .workoutSession && $0.isEffective }
    }

    /// Whether the cellular radio is on.
    var hasCellular: Bool { airplaneMode != true && cellularEnabled != false }
    /// Whether Bluetooth is on. Airplane mode switches it off unless the user has switched it on again.
    var hasBluetooth: Bool { bluetoothEnabled ?? (airplaneMode != true) }
    /// Whether the device has a network, over the cellular radio or Wi-Fi.
    var hasNetwork: Bool { hasCellular || (wifiEnabled ?? (airplaneMode != true)) }

    /// Whether a service or a session keeps the system from suspending the app.
    public var isKeptRunning: Bool {
        guard lifecycle != .terminated else { return false }
        return hasSessionInBackground
            || services.contains { updatesContinuously($0) && !isSuspended(despite: $0) }
    }

    /// Whether the system shows the background location indicator.
    public var showsIndicator: Bool {
        switch lifecycle {
        case .foreground, .suspended, .terminated: false
        case .backgroundGrace, .backgroundRunning:
            showsIndicatorForUpdates
                || (hasSessionInBackground
                    && sessions.contains { $0.session == .backgroundActivitySession && $0.isEffective })
        }
    }

    /// Whether Always applies to monitors and live updates while the app is not in use. A native Mac app cannot hold a
    /// service session (PLAT-22).
    var alwaysCountsForNewerServices: Bool {
        !system.isAtLeast(18) || platform == .macOS
            || sessions.contains { $0.session.goal == .always && $0.isEffective }
    }

    /// Whether the app declares explicit service sessions and holds none.
    var lacksExplicitSession: Bool {
        guard system.isAtLeast(18), platform != .macOS, infoPlist.requiresExplicitSession else { return false }
        return !sessions.contains { $0.session.goal.map { $0 > .none || grant.isAuthorized } ?? false }
    }

    /// Whether the app has adopted the scene life cycle, by its Info.plist.
    public var isSceneBased: Bool { system.isAtLeast(13) && infoPlist.has(PropertyKeys.sceneManifest) }

    /// Whether the app fails to launch because it is built with SDK 27 and has no scenes (RELAUNCH-32).
    public var failsToLaunchWithoutScenes: Bool {
        guard system.isAtLeast(27), !isSceneBased, let sdk = infoPlist.sdkMajorVersion, sdk >= 27 else { return false }
        return platform != .macOS && platform != .watchOS
    }

    /// Whether a launch by the system passes the location key to the app's launch code (RELAUNCH-20, RELAUNCH-31).
    public var passesLaunchKey: Bool { !isSceneBased }

    /// Whether the launch code starts the services again after a launch by the system.
    var restartsServicesAfterLaunch: Bool {
        switch restartsServices {
        case .always, nil: true
        case .withLaunchKey: passesLaunchKey
        case .never: false
        }
    }

    func active(_ service: Service, _ identifier: String? = nil) -> ServiceObject? {
        services.first { $0.isActive && $0.matches(service, identifier) }
    }
}

/// When the launch code of an app starts its services again.
public enum ServiceRestart: String, Hashable, Sendable, CaseIterable, Codable {
    /// On every launch.
    case always
    /// Only if the launch options have the location key, which scene-based apps never get (RELAUNCH-31).
    case withLaunchKey
    /// Never.
    case never
}

/// Where the app runs. Apple's simulator behaves differently in a few points (REGION-22).
public enum Hardware: String, Hashable, Sendable, CaseIterable, Codable { case device, simulator }

/// What forbids location on a device, so that the API reports restricted (SET-14).
public enum Restriction: String, Hashable, Sendable, CaseIterable, Codable {
    /// Content and privacy restrictions of Screen Time.
    case screenTime
    /// A profile of a device management service.
    case management
}

/// How conditions of a `CLMonitor` behave where the documentation and reports from the field differ.
public enum MonitorProfile: String, Hashable, Sendable, CaseIterable, Codable {
    /// By Apple's documentation and talks.
    case documented
    /// By the reports of developers: repeated states, copies of events, stored states first.
    case field
}
