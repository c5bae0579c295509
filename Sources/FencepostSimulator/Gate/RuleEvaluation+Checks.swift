extension RuleEvaluation {
    /// Runs every check in the order of the decision procedure.
    mutating func run() {
        switch service {
        case .locationNotification: return runNotification()
        case .locationPush: return runPush()
        case .standardUpdates, .requestLocation, .liveUpdates, .significantChange, .visits, .regionCircular,
            .regionBeacon, .clMonitorCircular, .clMonitorBeacon, .beaconRanging, .heading:
            break
        }
        if !isNotRunning { apply(service.rule) }
        checkPlatform()
        checkUnlock()
        checkLocationServices()
        checkPause()
        checkRadios()
        checkGrant()
        checkContinuity()
        checkService()
        checkAccuracy()
        checkRegistration()
        checkTermination()
        checkBackgroundRefresh()
        checkSessions()
        checkDetection()
        checkContent()
        checkListener()
        if refusals.isEmpty { applyDetailRules() }
    }

    /// Records the rules that describe the details of a delivery.
    private mutating func applyDetailRules() {
        if isNotRunning { apply(service.rule, .relaunch19) }
        if service.isRegion || service == .visits, device.managers > 1 { apply(.cb07) }
        if service.isCondition { applyMonitorDetails() }
        guard isTerminated else { return }
        apply(device.isSceneBased ? .relaunch31 : .relaunch20)
        if system.isAtLeast(18), service.isRegion || service == .significantChange { apply(.relaunch35) }
        switch service {
        case .significantChange: apply(.relaunch22)
        case .visits: apply(.visit06, .visit09, .relaunch23)
        case .regionCircular, .regionBeacon:
            apply(.region12, .relaunch24)
            if system.isAtLeast(26) { apply(.relaunch34) }
        case .clMonitorCircular, .clMonitorBeacon: apply(.mon06, .relaunch25)
        case .liveUpdates: apply(.relaunch14, .relaunch26)
        case .standardUpdates, .requestLocation, .beaconRanging, .heading, .locationNotification, .locationPush: break
        }
    }

    /// Records what reports from the field add to the documentation of monitors.
    private mutating func applyMonitorDetails() {
        guard device.monitorProfile == .field, system.isAtLeast(18) else { return }
        apply(.mon14)
        if isTerminated { apply(.mon16) }
    }

    private mutating func checkPlatform() {
        if isTerminated { apply(.relaunch01) }
        if let (rule, isPlatform) = system.unavailability(of: service) {
            if isPlatform, isTerminated {
                refuse(
                    .relaunch01, .notMonitored, "\(device.platform.rawValue) has no \(service.rawValue) to launch for.")
            } else {
                refuse(
                    rule, .notMonitored,
                    "\(service.rawValue) does nothing on \(device.platform.rawValue) \(device.osVersion)."
                )
            }
            apply(rule)
            if isTerminated, device.platform == .watchOS { apply(.plat12) }
            return
        }
        if device.platform.isMac, device.systemAsleep, !isTerminated {
            refuse(.relaunch01, .notMonitored, "The Mac is asleep.")
        }
        guard isTerminated, !device.platform.isHandheld else {
            if device.platform == .watchOS, isNotRunning { apply(.plat12) }
            return
        }
        // What Apple states of the Mac and of the watch is disputed for some of these apps.
        let openRules: [RuleID] =
            switch device.platform {
            case .macCatalyst, .iPadAppOnMac:
                service == .visits || service == .significantChange ? [.dispute14] : [.relaunch01]
            case .watchOS: service == .liveUpdates ? [.relaunch16] : []
            case .iOS, .iPadOS, .macOS, .tvOS, .visionOS, .visionOSCompatible: []
            }
        refuse(
            .relaunch01, device.systemAsleep ? .notMonitored : .dropped,
            "\(device.platform.rawValue) starts no terminated app for a location event.", restingOn: openRules)
        switch device.platform {
        case .macOS: apply(.plat05)
        case .macCatalyst, .iPadAppOnMac:
            if service == .visits || service == .significantChange { warn(.dispute14) }
            warn(.relaunch01, "That the rule of the Mac applies to \(device.platform.rawValue) is inferred.")
        case .watchOS:
            apply(.plat12)
            if service == .liveUpdates { warn(.relaunch16) }
        case .tvOS: apply(.plat13)
        case .visionOS, .visionOSCompatible: apply(.plat14)
        case .iOS, .iPadOS: break
        }
    }

    mutating func checkUnlock() {
        guard device.platform.isHandheld else { return }
        if isNotRunning { applyIfUndecided(.relaunch02) }
        if !device.unlockedSinceBoot {
            refuse(.relaunch02, .notMonitored, "The device has not been unlocked since it started.")
        }
    }

    mutating func checkLocationServices() {
        applyIfUndecided(.relaunch03)
        if !device.locationServicesEnabled, service != .heading {
            refuse(.relaunch03, .notMonitored, "Location Services are off.")
        }
    }

    /// Says of a session that it has no effect, and why.
    private var idleSessionReason: String {
        guard let (session, rule, reason) = device.idleSession else { return "" }
        return " Its \(session.description) has no effect, as \(reason) (\(rule.rawValue))."
    }

    private mutating func checkGrant() {
        guard service != .heading else {
            // An app that does not run gets no heading, whatever the grant.
            if !isNotRunning,
                device.grant == .denied || device.grant == .restricted || !device.locationServicesEnabled
            {
                warn(.svc09, "That the magnetic heading also comes where location is refused is inferred.")
            }
            return
        }
        if isNotRunning { applyIfUndecided(.relaunch04) }
        let grant = device.grant
        guard grant.isAuthorized else {
            // Rules about a launch do not decide for an app that runs.
            let rule: RuleID = isNotRunning ? .relaunch04 : grant == .notDetermined ? .cb09 : .auth04
            if rule == .cb09 { warn(.cb09) }
            if device.restrictedBy != nil { apply(.set14) }
            return refuse(rule, .notMonitored, reasonForNoGrant)
        }
        if grant != .always, grant != .provisionalAlways, service.isClassicMonitoring, !system.isAtLeast(13),
            !device.platform.isMac
        {
            refuse(
                isNotRunning ? .relaunch04 : .svc14, .notMonitored,
                "Before iOS 13 While Using does not enable \(service.rawValue).")
            apply(.svc14)
            if isTerminated { apply(.relaunch18) }
            return
        }
        if let use {
            applyIfUndecided(use.rule(on: device.platform))
            if use == .backgroundIndicator, service == .standardUpdates {
                applyIfUndecided(.svc02)
                if refusals.isEmpty, object?.isContinuous == true { grantingRule = .svc02 }
            }
            if grant == .temporaryWhenInUse { applyIfUndecided(.once01) }
            if grant == .provisionalAlways { applyIfUndecided(.prov03, .prov01, .prov09) }
            return
        }
        if isNotRunning { grantingRule = .relaunch04 }
        guard grant != .always else { return }
        if service == .liveUpdates, continuesSession() { return }
        if grant == .provisionalAlways, service.isLaunchCapable {
            refuse(
                isNotRunning ? .relaunch04 : .prov03, .held,
                "Always is provisional: the event is held and leads to the second prompt.")
            apply(.prov03, .prov04, .prov01, .prov09)
            if service.isCondition { warn(.prov03, "That events of a monitor are also held is inferred.") }
            return
        }
        // Nothing that cannot launch is held for a terminated app.
        let isHeldPerhaps = grant == .provisionalAlways && !isTerminated
        refuse(
            isNotRunning ? .relaunch04 : service.rule, .dropped,
            "The app is not in use, and \(grant.rawValue) permits nothing else." + idleSessionReason,
            restingOn: isHeldPerhaps ? [.prov03] : [])
        if let idle = device.idleSession { apply(idle.rule) }
        if device.platform.isVision { apply(.plat14) }
        if device.platform == .watchOS { apply(.plat09) }
        if service.isClassicMonitoring { apply(.svc14) } else if !service.isNewer { apply(.svc15) }
        guard grant == .provisionalAlways else { return }
        if service == .liveUpdates {
            warn(.relaunch13, "That a provisional Always does not continue live updates is inferred.")
        }
        guard isHeldPerhaps else { return }
        warn(.prov03, "That \(service.rawValue) is dropped, and not held like an event that can launch, is inferred.")
    }

    /// Why the grant permits nothing.
    private var reasonForNoGrant: String {
        let cause =
            switch device.restrictedBy {
            case .screenTime: ", by Screen Time"
            case .management: ", by device management"
            case nil: ""
            }
        return "The grant is \(device.grant.rawValue)\(cause), so nothing is monitored."
    }

    /// Whether live updates continue after a suspension or a termination because a background session is outstanding.
    private mutating func continuesSession() -> Bool {
        guard isTerminated, device.platform.isHandheld || device.platform == .watchOS,
            device.grant != .provisionalAlways, device.infoPlist.declaresBackgroundLocation || device.infoPlist.isEmpty,
            device.sessions.contains(where: { $0.session.prolongsUse && $0.isEffective })
        else { return false }
        guard device.platform.isHandheld else { return true }
        warn(
            .relaunch13,
            "Talks state that an outstanding session relaunches an app with While Using; the documentation does not.")
        if isStrict { refuseStrictly(.relaunch13, .dropped, "While Using relaunches nothing.") }
        grantingRule = .relaunch13
        return true
    }

    private mutating func checkService() {
        if !isNotRunning { return checkBackgroundOfUnlaunchable() }
        applyIfUndecided(.relaunch05)
        if service.isLaunchCapable || use == .complication { return }
        if service == .liveUpdates {
            if isTerminated {
                applyIfUndecided(.relaunch13)
                if refusals.isEmpty { grantingRule = .relaunch13 }
            }
            return
        }
        let waits = !isTerminated && (service == .standardUpdates || service == .requestLocation)
        if waits {
            if device.system.platform.isVision {
                return refuse(.plat14, .dropped, "An app on Vision Pro gets nothing in the background.")
            }
            if isStrict, endedByStrictPolicy { warnOfContrary(.svc25, Rule[.svc25].textWithEvidence) }
            refuse(.relaunch05, .queued, "\(service.rawValue) wakes no suspended app; events wait until it runs.")
            apply(.svc15)
        } else {
            refuse(.relaunch05, .dropped, "\(service.rawValue) cannot launch or wake an app.")
            if service == .standardUpdates { apply(.relaunch27) }
        }
    }

    /// Whether the app is suspended only because, by the strict policy, updates that it started in the background do not
    /// keep it running (SVC-25).
    private var endedByStrictPolicy: Bool {
        guard refusals.isEmpty, device.grant == .always, device.platform.isHandheld, let object else { return false }
        return object.isContinuous && !object.startedInUse && device.infoPlist.declaresBackgroundLocation
            && !device.isSuspended(despite: object)
    }

    /// Beacon ranging in the background needs continuous updates.
    private mutating func checkBackgroundOfUnlaunchable() {
        guard device.lifecycle != .foreground, service == .beaconRanging, !device.platform.isMac else { return }
        let updates = device.active(.standardUpdates) != nil && device.infoPlist.declaresBackgroundLocation
        if !updates, device.lifecycle == .backgroundGrace {
            return warn(.svc08, "That ranging goes on in the seconds before the app is suspended is inferred.")
        }
        if !updates, !device.wasWokenByBeacon {
            refuse(.svc08, .dropped, "Ranging continues in the background only with running updates.")
        }
    }

    mutating func checkAccuracy() {
        guard system.isAtLeast(14) else { return }
        if service.needsFullAccuracy {
            if isNotRunning { applyIfUndecided(.relaunch06) }
            guard device.hasReducedAccuracy else { return }
            refuse(isNotRunning ? .relaunch06 : .acc06, .notMonitored, "\(service.rawValue) needs full accuracy.")
            apply(.acc06)
            if service.isCondition, system.isAtLeast(18) { apply(.acc09) }
        } else if device.hasReducedAccuracy {
            switch service {
            case .visits: applyIfUndecided(.relaunch06, .acc07)
            case .significantChange: applyIfUndecided(.relaunch06, .acc08)
            case .standardUpdates, .requestLocation, .liveUpdates, .regionCircular, .regionBeacon, .clMonitorCircular,
                .clMonitorBeacon, .beaconRanging, .heading, .locationNotification, .locationPush:
                applyIfUndecided(.acc04)
            }
        }
    }

    private mutating func checkRegistration() {
        if isNotRunning { applyIfUndecided(.relaunch07) }
        guard device.appInstalled else {
            if device.offloaded == true { apply(.set13) }
            return refuse(
                .relaunch07, .notMonitored,
                device.offloaded == true ? "The app is offloaded." : "The app is not installed.")
        }
        guard device.appEverLaunched, !(isTerminated && device.terminatedBy == .neverLaunched) else {
            return refuse(.relaunch07, .notMonitored, "An app that never ran has registered nothing.")
        }
        guard !isTerminated || !device.failsToLaunchWithoutScenes else {
            warn(.relaunch32, "Apple states it for launches on screen; that it also holds for an event is inferred.")
            return refuse(
                .relaunch32, .dropped, "An app that is built with SDK 27 and has no scenes does not launch.",
                restingOn: [.relaunch32])
        }
        guard let object else {
            if service == .liveUpdates, device.hasForgottenSessions == true {
                return refuse(.relaunch14, .notMonitored, "The app did not take its loop again after the launch.")
            }
            let name = event.identifier.map { " \"\($0)\"" } ?? ""
            return refuse(.relaunch07, .notMonitored, "\(service.rawValue)\(name) is not started, or was stopped.")
        }
        if object.isBeyondLimit { return refuse(.mon03, .notMonitored, "The condition is beyond the limit.") }
        guard service.isRegion, let inward = event.kind.isInward else { return }
        if (inward ? object.notifyOnEntry : object.notifyOnExit) == false {
            refuse(.relaunch07, .notMonitored, "The region does not report this kind of crossing.")
            apply(.region10)
        }
    }

    private mutating func checkTermination() {
        guard isTerminated, device.platform.isHandheld else { return }
        switch device.terminatedBy {
        case .user:
            applyIfUndecided(.relaunch08)
            if system.isAtLeast(7), !system.isAtLeast(7, 1) {
                refuse(.relaunch08, .dropped, "On iOS 7.0 a force quit kept the app from being launched.")
            } else {
                checkForceQuit()
            }
        case .reboot:
            applyIfUndecided(.relaunch17)
            guard refusals.isEmpty else { return }
            if service == .visits { return }
            guard service.isRegion || service.isCondition else { return }
            if service.isCondition, system.isAtLeast(18), device.monitorProfile != .documented {
                warn(.relaunch36)
                if system.isAtLeast(26) || isStrict || device.monitorProfile == .field {
                    refuse(.relaunch36, .dropped, "The first crossing after a reboot launches nothing for a monitor.")
                    return
                }
            }
            warn(.relaunch17, "Sources disagree on whether monitoring continues after a reboot; here it does.")
            if isStrict { refuseStrictly(.relaunch17, .notMonitored, "monitoring ends at the reboot.") }
        case .system, .crash, .neverLaunched, nil: applyIfUndecided(.relaunch09)
        }
    }

    /// A force quit. Reports on iOS 26 disagree, so its answer has a warning that cites both sides.
    private mutating func checkForceQuit() {
        guard refusals.isEmpty else { return }
        if system.isAtLeast(26), service.isLaunchCapable {
            let rule: RuleID = service.isCondition ? .relaunch30 : .relaunch29
            warn(
                rule,
                Rule[rule].textWithEvidence + (service == .visits ? " No report on visits is known." : ""))
            if isStrict { refuseStrictly(rule, .dropped, "a force quit ends \(service.rawValue).") }
        } else if service.isNewer {
            warn(.relaunch15)
            if isStrict {
                refuseStrictly(.relaunch15, .dropped, "a force quit ends the newer services.")
            }
        }
    }

    private mutating func checkBackgroundRefresh() {
        guard device.platform.isHandheld, isNotRunning else { return }
        if !device.backgroundAppRefresh, refusals.isEmpty {
            if system.isAtLeast(7), !system.isAtLeast(8) {
                refuse(.relaunch10, .dropped, "On iOS 7 Background App Refresh has to be on.")
            } else if system.isAtLeast(8) {
                warn(.relaunch10)
                if isStrict {
                    refuseStrictly(.relaunch10, .dropped, "Background App Refresh has to be on.")
                }
            }
        }
        if device.lowPowerMode, refusals.isEmpty { warn(.relaunch11) }
        if !device.infoPlist.isEmpty, !device.infoPlist.declaresBackgroundLocation, service.isClassicMonitoring {
            applyIfUndecided(.svc18)
        }
    }

    private mutating func checkSessions() {
        if service.isClassicMonitoring, service != .visits, system.isAtLeast(26), isNotRunning,
            device.platform.isHandheld
        {
            applyIfUndecided(.relaunch37)
        }
        guard service.isNewer, system.isAtLeast(18) else { return }
        if device.platform == .macOS { applyIfUndecided(.plat22) }
        if device.lacksExplicitSession {
            refuse(.sess05, .dropped, "The app has declared to hold a service session, and holds none.")
            return
        }
        guard use == nil, device.grant == .always || device.grant == .provisionalAlways else { return }
        if device.platform == .macOS { return }
        if !device.alwaysCountsForNewerServices, device.hasForgottenSessions == true {
            refuse(.relaunch14, .dropped, "The app did not take its sessions again after the launch, so they ended.")
            return apply(.relaunch12, .sess03)
        }
        // For an app that has a process it is a matter of sessions only.
        let rule: RuleID = isNotRunning ? .relaunch12 : .sess03
        applyIfUndecided(rule, .sess03)
        if !device.alwaysCountsForNewerServices {
            refuse(
                rule, .dropped,
                "From iOS 18 \(service.rawValue) needs an outstanding service session for Always, taken on screen.")
        }
    }

    /// Whether the event differs from what the app already knows.
    private mutating func checkContent() {
        if service.isCondition, let inward = event.kind.isInward, object?.state?.isInside == inward {
            refuse(.mon02, .dropped, "The app has handled this state already.")
        }
        checkCrossing()
        if service.isCondition, event.kind.isInward == true, system.isAtLeast(18), device.lifecycle != .foreground,
            device.wasLaunchedForOtherCause == true, refusals.isEmpty
        {
            warnOfContrary(.mon17)
        }
        guard service == .significantChange else { return }
        let parameters = gate.parameters
        if let meters = event.meters, meters < parameters.significantDistance {
            refuse(.slc01, .dropped, "The move is shorter than \(Int(parameters.significantDistance)) metres.")
        }
        if device.hasReducedAccuracy, event.sameCoarseCell {
            refuse(.acc08, .dropped, "The coarse location did not change.")
        }
        if let since = event.sinceLast {
            if since < parameters.significantInterval {
                refuse(.slc01, .dropped, "The last significant change was less than five minutes ago.")
            } else if device.hasReducedAccuracy, since < parameters.reducedInterval {
                refuse(.acc08, .dropped, "With reduced accuracy there are about four significant changes an hour.")
            }
        }
    }

    /// A device that is inside already does not enter (REGION-04).
    private mutating func checkCrossing() {
        guard service.isRegion, let inward = event.kind.isInward, event.isKnownCrossing != true, let object,
            object.state?.isInside == inward
        else { return }
        let side = inward ? "inside" : "outside"
        // A state that only an earlier event of the scenario implies leaves open whether the device came back unseen.
        if object.stateIsImplied == true {
            if refusals.isEmpty {
                warnOfContrary(
                    .region04,
                    "By the event before this one the device is \(side) already, so this is probably no crossing.")
            }
        } else {
            refuse(.region04, .dropped, "The device is \(side) already, so this is no crossing and there is no event.")
        }
    }

    /// Whether any code in the app receives the event.
    private mutating func checkListener() {
        guard refusals.isEmpty else { return }
        if isTerminated, !device.delegateSetAtLaunch || (service.usesDelegate && device.managers == 0) {
            refuse(.relaunch21, .lost, "The app is launched, but its launch code makes no manager with a delegate.")
            if service.isCondition { apply(.relaunch25) }
        } else if isTerminated, service == .significantChange, !device.restartsServicesAfterLaunch {
            refuse(
                .relaunch33, .lost,
                "The app is launched, but it does not start significant changes again, so nothing is delivered.")
            if device.restartsServices == .withLaunchKey { apply(.relaunch31) }
        } else if !isTerminated, service.usesDelegate, device.managers == 0 || !device.hasDelegate {
            let rule: RuleID = service.isRegion || service == .visits ? .cb07 : service.rule
            refuse(isNotRunning ? .relaunch21 : rule, .lost, "No manager in the app has a delegate.")
        } else if isTerminated {
            apply(.relaunch21)
        }
    }
}
