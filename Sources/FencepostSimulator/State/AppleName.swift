/// Reads the values of enumerations by Fencepost's names, by the names of Apple's interfaces and by everyday words.
///
/// `CLCircularRegion`, `significantLocationChanges`, `authorizedAlways` and `swiped away` are read as `regionCircular`,
/// `significantChange`, `always` and `user`. Output always has Fencepost's name.
public enum AppleName {
    /// Finds the value that a text names. Case, spaces and punctuation do not count.
    ///
    /// - Parameters:
    ///   - text: a raw value, a name of Apple's, or an everyday word for the value.
    ///   - type: the enumeration.
    /// - Returns: the value; `nil` when the text names none.
    public static func value<Value: RawRepresentable>(of text: String, _ type: Value.Type) -> Value?
    where Value.RawValue == String {
        if let value = Value(rawValue: text) { return value }
        guard let names = names[ObjectIdentifier(type)] else { return nil }
        return names[plain(text)].flatMap(Value.init(rawValue:))
    }

    /// The text in lower case with letters and digits only.
    static func plain(_ text: String) -> String {
        String(text.lowercased().filter { $0.isLetter || $0.isNumber })
    }

    /// The text of a session with Fencepost's name of it: `CLServiceSession(authorization: .always)` and `always` become
    /// `serviceSession(always)`.
    static func canonicalSession(_ text: String) -> String {
        switch plain(text) {
        case "clbackgroundactivitysession", "backgroundactivitysession", "backgroundsession":
            return "backgroundActivitySession"
        case "liveactivity", "activitykit", "activity": return "liveActivity"
        case "workoutsession", "hkworkoutsession", "workout": return "workoutSession"
        case let word: if let goal = value(of: word, Session.Goal.self) { return "serviceSession(\(goal.rawValue))" }
        }
        var rest = text
        if rest.hasPrefix("CLServiceSession") { rest = "s" + rest.dropFirst(3) }
        guard rest.hasPrefix("serviceSession("), rest.hasSuffix(")") else { return text }
        // Apple's labels are dropped, and the purpose key follows a plus sign.
        let arguments = rest.dropFirst("serviceSession(".count).dropLast().split(separator: ",").map { argument in
            let value = argument.split(separator: ":").last ?? argument
            return String(value.filter { $0 != "\"" && $0 != " " }.drop { $0 == "." })
        }
        return "serviceSession(\(arguments.joined(separator: "+")))"
    }

    /// The raw value of each name, for each enumeration.
    private static let names: [ObjectIdentifier: [String: String]] = [
        ObjectIdentifier(Service.self): table(Service.self, services),
        ObjectIdentifier(Grant.self): table(Grant.self, grants),
        ObjectIdentifier(Lifecycle.self): table(Lifecycle.self, lifecycles),
        ObjectIdentifier(Termination.self): table(Termination.self, terminations),
        ObjectIdentifier(Platform.self): table(Platform.self, platforms),
        ObjectIdentifier(Accuracy.self): table(Accuracy.self, accuracies),
        ObjectIdentifier(ServiceEvent.Kind.self): table(ServiceEvent.Kind.self, kinds),
        ObjectIdentifier(SettingsChange.self): table(SettingsChange.self, settings),
        ObjectIdentifier(Choice.self): table(Choice.self, choices),
        ObjectIdentifier(Session.Goal.self): table(Session.Goal.self, goals),
        ObjectIdentifier(ReportedStatus.self): table(ReportedStatus.self, []),
        ObjectIdentifier(RegionState.self): table(RegionState.self, []),
        ObjectIdentifier(Query.self): table(Query.self, []),
        ObjectIdentifier(Iteration.self): table(Iteration.self, [(.liveUpdates, ["CLLocationUpdate.liveUpdates"])]),
        ObjectIdentifier(Launcher.self): table(Launcher.self, []),
        ObjectIdentifier(ServiceRestart.self): table(ServiceRestart.self, []),
        ObjectIdentifier(MonitorProfile.self): table(MonitorProfile.self, []),
        ObjectIdentifier(Hardware.self): table(
            Hardware.self, [(.device, ["hardware", "phone"]), (.simulator, ["iOS Simulator", "simctl"])]),
        ObjectIdentifier(Restriction.self): table(
            Restriction.self,
            [(.screenTime, ["parental controls", "parentalControls"]), (.management, ["MDM", "profile"])]),
        ObjectIdentifier(LaunchCause.self): table(
            LaunchCause.self,
            [
                (.silentPush, ["remoteNotification", "push", "content-available"]),
                (.backgroundRefresh, ["BGAppRefreshTask", "backgroundFetch", "fetch"]),
                (.bluetooth, ["stateRestoration", "CoreBluetooth", "bluetoothRestoration"]),
                (.prewarming, ["prewarm"]),
            ]),
        ObjectIdentifier(ServiceObject.Activity.self): table(
            ServiceObject.Activity.self, [(.automotiveNavigation, ["automotive"])]),
    ]

    private static func table<Value: RawRepresentable & CaseIterable>(
        _ type: Value.Type, _ aliases: [(Value, [String])]
    ) -> [String: String] where Value.RawValue == String {
        var table: [String: String] = [:]
        for (value, names) in aliases { for name in names { table[plain(name)] = value.rawValue } }
        for value in Value.allCases { table[plain(value.rawValue)] = value.rawValue }
        return table
    }

    private static let services: [(Service, [String])] = [
        (
            .standardUpdates,
            [
                "startUpdatingLocation", "startUpdatingLocation()", "standard", "standardLocation",
                "didUpdateLocations", "location updates", "standardLocationService", "continuous updates",
            ]
        ),
        (.requestLocation, ["requestLocation()", "oneShot", "one-shot location"]),
        (
            .significantChange,
            [
                "significantLocationChange", "significantLocationChanges", "significantChanges", "SLC",
                "startMonitoringSignificantLocationChanges", "startMonitoringSignificantLocationChanges()",
                "significantChangeLocationService", "significant",
            ]
        ),
        (
            .visits,
            [
                "CLVisit", "visit", "startMonitoringVisits", "startMonitoringVisits()", "didVisit",
                "visitMonitoring", "visitsService",
            ]
        ),
        (
            .regionCircular,
            [
                "CLCircularRegion", "CLRegion", "circularRegion", "region", "regions", "geofence",
                "geofences", "geofencing", "regionMonitoring", "startMonitoring(for:)", "startMonitoring",
            ]
        ),
        (.regionBeacon, ["CLBeaconRegion", "beaconRegion", "iBeacon", "beacon", "beaconMonitoring"]),
        (
            .beaconRanging,
            [
                "CLBeaconIdentityConstraint", "startRangingBeacons", "startRangingBeacons(satisfying:)",
                "ranging", "rangeBeacons",
            ]
        ),
        (.heading, ["startUpdatingHeading", "startUpdatingHeading()", "CLHeading", "compass"]),
        (
            .clMonitorCircular,
            [
                "CLMonitor", "CircularGeographicCondition", "CLMonitor.CircularGeographicCondition",
                "CLCircularGeographicCondition", "monitor",
            ]
        ),
        (
            .clMonitorBeacon,
            [
                "BeaconIdentityCondition", "CLMonitor.BeaconIdentityCondition",
                "CLBeaconIdentityCondition",
            ]
        ),
        (
            .liveUpdates,
            [
                "CLLocationUpdate", "CLLocationUpdate.liveUpdates", "CLLocationUpdate.liveUpdates()",
                "liveUpdates()",
            ]
        ),
        (
            .locationPush,
            [
                "CLLocationPushServiceExtension", "startMonitoringLocationPushes", "push", "locationPushes",
                "location push service extension",
            ]
        ),
        (.locationNotification, ["UNLocationNotificationTrigger", "locationTrigger"]),
    ]

    private static let grants: [(Grant, [String])] = [
        (
            .notDetermined,
            [
                "CLAuthorizationStatus.notDetermined", "kCLAuthorizationStatusNotDetermined", "undetermined",
                "askNextTime", "not asked", "not determined",
            ]
        ),
        (.restricted, ["CLAuthorizationStatus.restricted", "kCLAuthorizationStatusRestricted"]),
        (.denied, ["CLAuthorizationStatus.denied", "kCLAuthorizationStatusDenied", "never", "dontAllow"]),
        (
            .whenInUse,
            [
                "authorizedWhenInUse", "CLAuthorizationStatus.authorizedWhenInUse", "WIU", "whileUsing",
                "while using the app", "while in use", "kCLAuthorizationStatusAuthorizedWhenInUse", "when in use",
                "allowWhileUsing",
            ]
        ),
        (.temporaryWhenInUse, ["allowOnce", "once", "temporary"]),
        (.provisionalAlways, ["provisional", "provisional always"]),
        (
            .always,
            [
                "authorizedAlways", "CLAuthorizationStatus.authorizedAlways", "authorized", "alwaysAllow",
                "kCLAuthorizationStatusAuthorizedAlways",
            ]
        ),
    ]

    private static let lifecycles: [(Lifecycle, [String])] = [
        (.foreground, ["active", "inForeground", "on screen", "UIApplication.State.active", "inactive"]),
        (.backgroundGrace, ["just left", "just left the foreground"]),
        (.backgroundRunning, ["background", "inBackground", "UIApplication.State.background", "running"]),
        (.suspended, ["frozen"]),
        (.terminated, ["killed", "notRunning", "not running", "dead", "closed", "quit"]),
    ]

    private static let terminations: [(Termination, [String])] = [
        (.system, ["memory", "jetsam", "memoryPressure", "iOS", "by the system", "out of memory", "watchdog"]),
        (
            .user,
            [
                "swipedAway", "swiped away", "swipe", "swiped up", "forceQuit", "force-quit", "forceQuitByUser",
                "app switcher", "appSwitcher", "by the user", "killed by user", "force kill", "forceKill",
            ]
        ),
        (.crash, ["crashed", "exception"]),
        (.reboot, ["restart", "restarted", "rebooted", "device restart"]),
        (.neverLaunched, ["never launched", "neverOpened", "fresh install"]),
    ]

    private static let platforms: [(Platform, [String])] = [
        (.iOS, ["iPhone", "iPhoneOS", "iphoneos"]), (.iPadOS, ["iPad"]), (.macOS, ["Mac", "OS X", "macosx"]),
        (.macCatalyst, ["Catalyst", "UIKit for Mac"]), (.iPadAppOnMac, ["iOS app on Mac", "Designed for iPad"]),
        (.watchOS, ["Apple Watch", "watch"]), (.tvOS, ["Apple TV", "appletvos"]),
        (.visionOS, ["Apple Vision Pro", "Vision Pro", "xrOS", "xros"]),
        (.visionOSCompatible, ["iPad app on Vision Pro"]),
    ]

    private static let accuracies: [(Accuracy, [String])] = [
        (.full, ["fullAccuracy", "CLAccuracyAuthorization.fullAccuracy", "precise", "preciseOn"]),
        (
            .reduced,
            [
                "reducedAccuracy", "CLAccuracyAuthorization.reducedAccuracy", "approximate", "coarse",
                "preciseOff",
            ]
        ),
        (.temporaryFull, ["temporaryFullAccuracy"]),
    ]

    private static let kinds: [(ServiceEvent.Kind, [String])] = [
        (.enter, ["didEnterRegion", "entry", "entered"]), (.exit, ["didExitRegion", "exited", "leave"]),
        (.arrival, ["arrive", "arrived"]), (.departure, ["depart", "departed"]),
        (.moved, ["move", "significantChange"]),
        (.update, ["didUpdateLocations", "didUpdateHeading"]),
    ]

    private static let settings: [(SettingsChange, [String])] = [
        (.whileUsing, ["whenInUse", "while using the app", "authorizedWhenInUse"]), (.never, ["denied"]),
        (.always, ["authorizedAlways"]), (.askNextTime, ["ask next time or when I share", "notDetermined"]),
        (.preciseOn, ["fullAccuracy"]), (.preciseOff, ["reducedAccuracy"]),
    ]

    private static let choices: [(Choice, [String])] = [
        (.allowWhileUsing, ["Allow While Using App"]), (.dontAllow, ["Don't Allow", "Don’t Allow", "deny"]),
    ]

    private static let goals: [(Session.Goal, [String])] = [
        (.whenInUse, ["authorizedWhenInUse", "whileUsing"]), (.always, ["authorizedAlways"]),
    ]
}
