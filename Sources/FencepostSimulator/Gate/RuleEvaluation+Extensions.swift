import FencepostGeometry

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
}

/// Radios, pauses and events that Core Location misses.
extension RuleEvaluation {
    /// Updates that the system has paused come back only when the app starts them again.
    mutating func checkPause() {
        guard service == .standardUpdates || service == .liveUpdates, object?.isPaused == true else { return }
        if service == .liveUpdates {
            return refuse(
                .live01, .notMonitored, "The device rests, so live updates have paused until it moves.")
        }
        refuse(.svc26, .notMonitored, "The system has paused the updates, and the app has not started them again.")
        if device.grant != .always { apply(.svc27) }
    }

    /// Radios that the service needs.
    mutating func checkRadios() {
        if service == .significantChange, !device.hasCellular {
            warn(.svc28)
            refuse(.svc28, .notMonitored, "The cellular radio is off, and significant changes come from cell towers.")
        }
        if service.isRegionOfBeacon, !device.hasBluetooth {
            refuse(.svc29, .notMonitored, "Bluetooth is off, so no beacon is detected.")
        }
        guard refusals.isEmpty, service == .regionCircular || service == .clMonitorCircular || service == .visits else {
            return
        }
        if !device.hasNetwork {
            warn(
                .region08,
                "Without a network places are found by satellites only, so the event may be late or missing.")
            if service != .visits {
                warn(.region15, "That the hardware monitors regions does not say that it finds them.")
            }
        }
        if let radius = object?.radius, radius < gate.parameters.smallRadius {
            warn(
                .region09,
                "A radius below \(Int(clamped: gate.parameters.smallRadius)) metres may be missed, and may report an "
                    + "entry from far outside.")
        }
    }

    /// Updates of an app with Always that may not keep it running: they started in the background (SVC-25), or they are
    /// not enough from iOS 16.4 (SVC-24).
    mutating func checkContinuity() {
        guard service == .standardUpdates, device.lifecycle != .foreground, !isTerminated, refusals.isEmpty,
            device.platform.isHandheld, let object, object.isContinuous, device.grant == .always
        else { return }
        if object.continuesFromBackground == true { warn(.svc25, Rule[.svc25].textWithEvidence) }
        guard device.isSuspended(despite: object), !device.hasSessionInBackground else { return }
        warn(.svc24, Rule[.svc24].textWithEvidence)
        if device.active(.significantChange) == nil { warn(.dispute25) }
    }

    /// Events that Core Location does not notice.
    mutating func checkDetection() {
        if event.isMissed == true {
            apply(service.isRegion || service.isCondition ? .region24 : service.rule)
            refuse(
                service.isRegion || service.isCondition ? .region24 : service.rule, .dropped,
                "Core Location missed it, so there is no event.")
        }
        if event.isDiscarded == true {
            refuse(.region20, .dropped, "The region was registered again after this crossing, which discards it.")
        }
        guard service == .regionBeacon, event.kind == .exit, !isNotRunning,
            device.active(.beaconRanging, event.identifier) != nil
        else { return }
        warn(.region23)
        refuse(.region23, .dropped, "The app ranges the region, which by one report keeps back the exit.")
    }

    /// Why the grant permits nothing.
    var reasonForNoGrant: String {
        let cause =
            switch device.restrictedBy {
            case .screenTime: ", by Screen Time"
            case .management: ", by device management"
            case nil: ""
            }
        return "The grant is \(device.grant.rawValue)\(cause), so nothing is monitored."
    }

    /// A location push while the app tracks: one open report says that the app ends.
    mutating func warnOfPushWhileTracking() {
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
