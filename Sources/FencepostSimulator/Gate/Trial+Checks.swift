extension Trial {
    /// Runs every check in the order of the decision procedure.
    mutating func run() {
        switch service {
        case .locationNotification: return runNotification()
        case .locationPush: return runPush()
        default: break
        }
        if !isAsleep { weigh(service.rule) }
        checkPlatform()
        checkUnlock()
        checkLocationServices()
        checkGrant()
        checkService()
        checkAccuracy()
        checkRegistration()
        checkTermination()
        checkBackgroundRefresh()
        checkSessions()
        checkContent()
        checkListener()
        if refusals.isEmpty { weighParticulars() }
    }

    /// The rules that say more of what was found to happen.
    private mutating func weighParticulars() {
        if isAsleep { weigh(service.rule, .relaunch19) }
        if service.isRegion || service == .visits, given.managers > 1 { weigh(.cb07) }
        guard isTerminated else { return }
        weigh(.relaunch20)
        switch service {
        case .significantChange: weigh(.relaunch22)
        case .visits: weigh(.visit06, .relaunch23)
        case .regionCircular, .regionBeacon: weigh(.region12, .relaunch24)
        case .clMonitorCircular, .clMonitorBeacon: weigh(.mon06, .relaunch25)
        case .liveUpdates: weigh(.relaunch14, .relaunch26)
        default: break
        }
    }

    private mutating func checkPlatform() {
        if isTerminated { weigh(.relaunch01) }
        if let (rule, isPlatform) = system.lack(of: service) {
            if isPlatform, isTerminated {
                refuse(
                    .relaunch01, .notMonitored, "\(given.platform.rawValue) has no \(service.rawValue) to launch for.")
            } else {
                refuse(
                    rule, .notMonitored,
                    "\(service.rawValue) does nothing on \(given.platform.rawValue) \(given.osVersion)."
                )
            }
            weigh(rule)
            if isTerminated, given.platform == .watchOS { weigh(.plat12) }
            return
        }
        if given.platform.isMac, given.systemAsleep, !isTerminated {
            refuse(.relaunch01, .notMonitored, "The Mac is asleep.")
        }
        guard isTerminated, !given.platform.isHandheld else {
            if given.platform == .watchOS, isAsleep { weigh(.plat12) }
            return
        }
        refuse(
            .relaunch01, given.systemAsleep ? .notMonitored : .dropped,
            "\(given.platform.rawValue) starts no terminated app for a location event.")
        switch given.platform {
        case .macOS: weigh(.plat05)
        case .macCatalyst, .iPadAppOnMac:
            if service == .visits || service == .significantChange { warn(.dispute14) }
            warn(.relaunch01, "That the Mac's rule holds for \(given.platform.rawValue) is inferred.")
        case .watchOS:
            weigh(.plat12)
            if service == .liveUpdates { warn(.relaunch16) }
        case .tvOS: weigh(.plat13)
        case .visionOS, .visionOSCompatible: weigh(.plat14)
        case .iOS, .iPadOS: break
        }
    }

    private mutating func checkUnlock() {
        guard given.platform.isHandheld else { return }
        if isAsleep { weighIfOpen(.relaunch02) }
        if !given.unlockedSinceBoot {
            refuse(.relaunch02, .notMonitored, "The device has not been unlocked since it started.")
        }
    }

    private mutating func checkLocationServices() {
        weighIfOpen(.relaunch03)
        if !given.locationServicesEnabled, service != .heading {
            refuse(.relaunch03, .notMonitored, "Location Services are off.")
        }
    }

    private mutating func checkGrant() {
        guard service != .heading else { return }
        weighIfOpen(.relaunch04)
        let grant = given.grant
        guard grant.isAuthorized else {
            return refuse(.relaunch04, .notMonitored, "The grant is \(grant.rawValue), so nothing is monitored.")
        }
        if grant != .always, grant != .provisionalAlways, service.isClassicMonitoring, !system.isAtLeast(13),
            !given.platform.isMac
        {
            refuse(
                isAsleep ? .relaunch04 : .svc14, .notMonitored,
                "Before iOS 13 while-using does not enable \(service.rawValue).")
            weigh(.svc14)
            if isTerminated { weigh(.relaunch18) }
            return
        }
        if let use {
            weighIfOpen(use.rule(on: given.platform))
            if use == .backgroundIndicator, service == .standardUpdates {
                weighIfOpen(.svc02)
                if refusals.isEmpty, object?.isContinuous == true { grounds = .svc02 }
            }
            if grant == .temporaryWhenInUse { weighIfOpen(.once01) }
            if grant == .provisionalAlways { weighIfOpen(.prov03) }
            return
        }
        if isAsleep { grounds = .relaunch04 }
        guard grant != .always else { return }
        if service == .liveUpdates, continuesSession() { return }
        if grant == .provisionalAlways, service.isLaunchCapable {
            refuse(
                .relaunch04, .held,
                "The always is provisional: the event is held and brings about the second prompt.")
            weigh(.prov03, .prov04)
            if service.isCondition { warn(.prov03, "That events of a monitor are held as well is inferred.") }
            return
        }
        refuse(.relaunch04, .dropped, "The app is not in use, and \(grant.rawValue) reaches no further.")
        if given.platform.isVision { weigh(.plat14) }
        if given.platform == .watchOS { weigh(.plat09) }
        if service.isClassicMonitoring { weigh(.svc14) } else if !service.isNewer { weigh(.svc15) }
        if grant == .provisionalAlways, service == .liveUpdates {
            warn(.relaunch13, "That a provisional always does not continue live updates is inferred.")
        }
    }

    /// Whether live updates go on after a suspension or termination because a background session is outstanding.
    private mutating func continuesSession() -> Bool {
        guard isTerminated, given.platform.isHandheld, given.grant != .provisionalAlways,
            given.infoPlist.declaresBackgroundLocation || given.infoPlist.isEmpty,
            given.sessions.contains(where: { $0.session.prolongsUse && $0.isEffective })
        else { return false }
        warn(
            .relaunch13,
            "That while-using relaunches by an outstanding session is said in talks and not in the documentation.")
        if isStrict { refuse(.relaunch13, .dropped, "Read strictly, while-using relaunches nothing.") }
        grounds = .relaunch13
        return true
    }

    private mutating func checkService() {
        if !isAsleep { return checkBackgroundOfUnlaunchable() }
        weighIfOpen(.relaunch05)
        if service.isLaunchCapable || use == .complication { return }
        if service == .liveUpdates {
            if isTerminated {
                weighIfOpen(.relaunch13)
                if refusals.isEmpty { grounds = .relaunch13 }
            }
            return
        }
        let waits = !isTerminated && (service == .standardUpdates || service == .requestLocation)
        if waits {
            if given.system.platform.isVision {
                return refuse(.plat14, .dropped, "An app on Vision Pro gets nothing in the background.")
            }
            refuse(.relaunch05, .queued, "\(service.rawValue) wakes no suspended app; what comes waits until it runs.")
            weigh(.svc15)
        } else {
            refuse(.relaunch05, .dropped, "\(service.rawValue) cannot launch or wake an app.")
            if service == .standardUpdates { weigh(.relaunch27) }
        }
    }

    /// Ranging in the background needs updates that run on.
    private mutating func checkBackgroundOfUnlaunchable() {
        guard given.lifecycle != .foreground, service == .beaconRanging, !given.platform.isMac else { return }
        let updates = given.active(.standardUpdates) != nil && given.infoPlist.declaresBackgroundLocation
        if !updates, !given.wasWokenByBeacon {
            refuse(.svc08, .dropped, "Ranging goes on in the background only beside running updates.")
        }
    }

    private mutating func checkAccuracy() {
        guard system.isAtLeast(14) else { return }
        if service.needsFullAccuracy {
            if isAsleep { weighIfOpen(.relaunch06) }
            guard given.hasReducedAccuracy else { return }
            refuse(.relaunch06, .notMonitored, "\(service.rawValue) needs full accuracy.")
            weigh(.acc06)
            if service.isCondition, system.isAtLeast(18) { weigh(.acc09) }
        } else if given.hasReducedAccuracy {
            switch service {
            case .visits: weighIfOpen(.relaunch06, .acc07)
            case .significantChange: weighIfOpen(.relaunch06, .acc08)
            default: weighIfOpen(.acc04)
            }
        }
    }

    private mutating func checkRegistration() {
        if isAsleep { weighIfOpen(.relaunch07) }
        guard given.appInstalled else { return refuse(.relaunch07, .notMonitored, "The app is not installed.") }
        guard given.appEverLaunched, !(isTerminated && given.terminatedBy == .neverLaunched) else {
            return refuse(.relaunch07, .notMonitored, "An app that never ran has registered nothing.")
        }
        guard let object else {
            let name = event.identifier.map { " \"\($0)\"" } ?? ""
            return refuse(.relaunch07, .notMonitored, "\(service.rawValue)\(name) is not started, or was stopped.")
        }
        if object.isBeyondLimit { return refuse(.mon03, .notMonitored, "The condition is beyond the limit.") }
        guard service.isRegion, let inward = event.kind.isInward else { return }
        if (inward ? object.notifyOnEntry : object.notifyOnExit) == false {
            refuse(.relaunch07, .notMonitored, "The region does not ask to be told of this crossing.")
            weigh(.region10)
        }
    }

    private mutating func checkTermination() {
        guard isTerminated, given.platform.isHandheld else { return }
        switch given.terminatedBy {
        case .user:
            weighIfOpen(.relaunch08)
            if system.isAtLeast(7), !system.isAtLeast(7, 1) {
                refuse(.relaunch08, .dropped, "On iOS 7.0 a force quit kept the app from being launched.")
            } else if service.isNewer, refusals.isEmpty {
                warn(.relaunch15)
                if isStrict { refuse(.relaunch15, .dropped, "Read strictly, a force quit ends the newer services.") }
            }
        case .reboot:
            weighIfOpen(.relaunch17)
            guard refusals.isEmpty else { return }
            if service == .visits { return }
            guard service.isRegion || service.isCondition else { return }
            warn(.relaunch17, "Whether monitoring lasts beyond a reboot is said in two ways; here it does.")
            if isStrict { refuse(.relaunch17, .notMonitored, "Read strictly, monitoring lasts until the reboot.") }
        case .system, .crash, .neverLaunched, nil: weighIfOpen(.relaunch09)
        }
    }

    private mutating func checkBackgroundRefresh() {
        guard given.platform.isHandheld, isAsleep else { return }
        if !given.backgroundAppRefresh, refusals.isEmpty {
            if system.isAtLeast(7), !system.isAtLeast(8) {
                refuse(.relaunch10, .dropped, "On iOS 7 Background App Refresh has to be on.")
            } else if system.isAtLeast(8) {
                warn(.relaunch10)
                if isStrict { refuse(.relaunch10, .dropped, "Read strictly, Background App Refresh has to be on.") }
            }
        }
        if given.lowPowerMode, refusals.isEmpty { warn(.relaunch11) }
        if !given.infoPlist.isEmpty, !given.infoPlist.declaresBackgroundLocation, service.isClassicMonitoring {
            weighIfOpen(.svc18)
        }
    }

    private mutating func checkSessions() {
        guard service.isNewer, system.isAtLeast(18) else { return }
        if given.lacksExplicitSession {
            refuse(.sess05, .dropped, "The app has declared to hold a service session, and holds none.")
            return
        }
        guard use == nil, given.grant == .always || given.grant == .provisionalAlways else { return }
        weighIfOpen(.relaunch12, .sess03)
        if !given.alwaysCountsForNewerServices {
            refuse(
                .relaunch12, .dropped,
                "From iOS 18 \(service.rawValue) needs an outstanding service session for always, taken on screen.")
        }
    }

    /// Whether the event says anything new.
    private mutating func checkContent() {
        if service.isCondition, let inward = event.kind.isInward, object?.state?.isInside == inward {
            refuse(.mon02, .dropped, "The app has handled this state already.")
        }
        guard service == .significantChange else { return }
        let parameters = gate.parameters
        if let meters = event.meters, meters < parameters.significantDistance {
            refuse(.slc01, .dropped, "The move is shorter than \(Int(parameters.significantDistance)) metres.")
        }
        if given.hasReducedAccuracy, event.sameCoarseCell {
            refuse(.acc08, .dropped, "The coarse location did not change.")
        }
        if let since = event.sinceLast {
            if since < parameters.significantInterval {
                refuse(.slc01, .dropped, "The last significant change was less than five minutes ago.")
            } else if given.hasReducedAccuracy, since < parameters.reducedInterval {
                refuse(.acc08, .dropped, "With reduced accuracy there are about four significant changes an hour.")
            }
        }
    }

    /// Whether there is anything in the app that hears of it.
    private mutating func checkListener() {
        guard refusals.isEmpty else { return }
        if isTerminated, !given.delegateSetAtLaunch || (service.usesDelegate && given.managers == 0) {
            refuse(.relaunch21, .lost, "The app is launched, but makes no manager with a delegate.")
            if service.isCondition { weigh(.relaunch25) }
        } else if !isTerminated, service.usesDelegate, given.managers == 0 || !given.hasDelegate {
            refuse(.relaunch21, .lost, "No manager in the app has a delegate.")
        } else if isTerminated {
            weigh(.relaunch21)
        }
    }
}

extension Trial {
    /// The trigger of a local notification: the system shows it, and the app learns nothing.
    private mutating func runNotification() {
        weigh(.svc20)
        if system.lack(of: service) != nil { refuse(.svc20, .notMonitored, "Only iPhone and iPad have such triggers.") }
        checkUnlock()
        checkLocationServices()
        if !given.grant.isAuthorized {
            refuse(.relaunch04, .notMonitored, "The grant is \(given.grant.rawValue), so nothing is monitored.")
        }
        checkAccuracy()
        if !given.appInstalled { refuse(.relaunch07, .notMonitored, "The app is not installed.") }
        notificationShown = refusals.isEmpty
        if refusals.isEmpty {
            refuse(.svc20, .dropped, "The system shows the notification itself; the app learns nothing of it.")
        }
    }

    /// A push runs the extension, not the app.
    private mutating func runPush() {
        weigh(.svc13, .push01)
        if let (rule, _) = system.lack(of: service) {
            refuse(
                rule, .notMonitored, "There are no location pushes on \(given.platform.rawValue) \(given.osVersion).")
        }
        checkUnlock()
        checkLocationServices()
        weighIfOpen(.relaunch04)
        if !given.grant.isAuthorized {
            refuse(.relaunch04, .notMonitored, "The grant is \(given.grant.rawValue).")
        } else if given.grant != .always {
            refuse(.relaunch04, .dropped, "A location push needs always.")
            if given.grant == .provisionalAlways {
                warn(.svc13, "What a provisional always does here is not stated; it is taken as too little.")
            }
        }
        if !given.entitlements.has(PropertyKeys.pushEntitlement) {
            refuse(.plist14, .notMonitored, "The entitlement for location pushes is missing.")
        }
        if !given.hasPushExtension {
            refuse(.plist14, .notMonitored, "There is no service extension for location pushes.")
        }
        // A push comes to a token, which the app got by starting; only a stop is known to end it.
        let isStopped = given.services.contains { $0.service == .locationPush && !$0.isActive }
        if !given.appInstalled || isStopped {
            refuse(.relaunch07, .notMonitored, "Location pushes are not being monitored.")
        }
        extensionRuns = refusals.isEmpty
        grounds = .svc13
    }
}

extension Given {
    /// Whether one of the extensions is the service extension for location pushes.
    var hasPushExtension: Bool { extensions.contains { $0.lowercased().contains("push") } }
}
