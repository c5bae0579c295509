extension RuleEvaluation {
    /// The trigger of a local notification. The system shows the notification; the app receives nothing.
    mutating func runNotification() {
        apply(.svc20)
        if system.unavailability(of: service) != nil {
            refuse(.svc20, .notMonitored, "Only iPhone and iPad have such triggers.")
        }
        checkUnlock()
        checkLocationServices()
        if !device.grant.isAuthorized {
            refuse(
                isNotRunning ? .relaunch04 : .svc20, .notMonitored,
                "The grant is \(device.grant.rawValue), so nothing is monitored.")
        }
        checkAccuracy()
        if !device.appInstalled { refuse(.relaunch07, .notMonitored, "The app is not installed.") }
        notificationShown = refusals.isEmpty
        if refusals.isEmpty {
            refuse(.svc20, .dropped, "The system shows the notification; the app is not notified.")
        }
    }

    /// A location push runs the service extension, not the app.
    mutating func runPush() {
        apply(.svc13, .push01)
        if let (rule, _) = system.unavailability(of: service) {
            refuse(
                rule, .notMonitored, "There are no location pushes on \(device.platform.rawValue) \(device.osVersion).")
        }
        checkUnlock()
        checkLocationServices()
        // A rule about a launch does not decide for an app that runs.
        let rule: RuleID = isNotRunning ? .relaunch04 : .push01
        applyIfUndecided(rule)
        if !device.grant.isAuthorized {
            refuse(rule, .notMonitored, "The grant is \(device.grant.rawValue).")
        } else if device.grant != .always {
            refuse(rule, .dropped, "A location push needs Always.")
            if device.grant == .provisionalAlways {
                warn(
                    .svc13, "No source states the effect of a provisional Always here; it is assumed not to be enough.")
            }
        }
        if !device.entitlements.has(PropertyKeys.pushEntitlement) {
            refuse(.plist14, .notMonitored, "The entitlement for location pushes is missing.")
        }
        if !device.hasPushExtension {
            refuse(.plist14, .notMonitored, "There is no service extension for location pushes.")
        }
        // The app gets a push token by starting the service. Only a stop is known to invalidate it.
        let isStopped = device.services.contains { $0.service == .locationPush && !$0.isActive }
        if !device.appInstalled || isStopped {
            refuse(.relaunch07, .notMonitored, "Location pushes are not being monitored.")
        }
        extensionRuns = refusals.isEmpty
        warnOfPushWhileTracking()
        grantingRule = .svc13
    }

    /// A location push while the app tracks: one open report says that the app ends.
    private mutating func warnOfPushWhileTracking() {
        guard refusals.isEmpty, system.isAtLeast(26), device.hasContinuousUpdates, device.lifecycle.isRunning else {
            return
        }
        warn(.push06)
    }
}

extension DeviceState {
    /// Whether one of the extensions is the service extension for location pushes.
    var hasPushExtension: Bool { extensions.contains { $0.lowercased().contains("push") } }
}
