/// Starting and stopping services.
extension CoreLocationSimulation {
    mutating func start(_ wanted: ServiceObject, deviceInside: Bool?, assuming: RegionState?) {
        var object = wanted
        object.stopped = nil
        let service = object.service
        cite(service.rule)
        for name in ["available", "started", "delivers"] { reply(name, .bool(false)) }
        reply("didDetermineState", .null)
        if let (rule, _) = system.unavailability(of: service) {
            cite(rule)
            if rule == .plat16 { reply("available", .bool(true)) }
            if service == .locationPush { fail(.unsupportedPlatform) }
            return note("\(service.rawValue) does nothing on \(device.platform.rawValue) \(device.osVersion).")
        }
        reply("available", .bool(true))
        guard device.lifecycle.isRunning else { return note("The app does not run, so it cannot start anything.") }
        if service == .standardUpdates {
            object.allowsBackgroundLocationUpdates =
                object.allowsBackgroundLocationUpdates ?? allowsBackgroundUpdates
        }
        if object.allowsBackgroundLocationUpdates == true, crashesOnBackgroundUpdates {
            return crash(
                .svc16, "allowsBackgroundLocationUpdates was set to true without the background mode location.")
        }
        if device.grant == .notDetermined, service != .heading { promptAtFirstUse() }
        let old = device.active(service)
        if service == .standardUpdates, old?.isPaused == true { cite(.svc26) }
        guard mayStart(object) else { return }
        object.startedInUse = device.isInUse
        if service == .standardUpdates {
            object.startedInUse = object.startedInUse || (old?.isPaused != true && old?.startedInUse == true)
            if !object.startedInUse, gate.policy == .lenient { object.continuesFromBackground = true }
            explainContinuity(of: object)
            if old?.isPaused == true {
                reply("didResume", .bool(true))
                note("locationManagerDidResumeLocationUpdates(_:) is called.")
            }
        }
        if let deviceInside {
            object.observed =
                service.isCondition ? (deviceInside ? .satisfied : .unsatisfied) : (deviceInside ? .inside : .outside)
        }
        if service.isCondition {
            cite(.mon01)
            if ignoresAgain(object) { return }
            object.state = assuming ?? object.state ?? .unknown
            object.listed = object.state
            if system.isAtLeast(18), device.active(.regionCircular, object.identifier) != nil {
                cite(.mon20)
                note("A region of the same name is monitored: the two report different numbers of events.")
            }
            if device.monitorProfile == .field, system.isAtLeast(18) {
                cite(.mon12)
                note("On a device the system first reports its stored state, and looks about three seconds later.")
            }
        }
        if service.isRegion {
            object.registeredAt = elapsed
            if let state = object.observed { object.state = state }
        }
        if service == .standardUpdates { cancelSingleRequests() }
        register(object)
        reply("started", .bool(true))
        if output.report.effect == "none" { effect("started") }
        let delivers = deliversNow(object)
        reply("delivers", .bool(delivers))
        if service.isRegion, device.runsOn == .simulator, object.state != nil {
            cite(.region05)
            warn(.region22, "A device would report the state of the new region at once; Apple's simulator does not.")
        } else if service.isRegion, delivers, let state = object.state {
            cite(.region04, .region05)
            reply("didDetermineState", .text(state.rawValue))
        }
        explainSilence(of: object, delivers: delivers)
    }

    /// Warns where updates that the app starts now do not keep it running for certain (SVC-24, SVC-25).
    private mutating func explainContinuity(of object: ServiceObject) {
        guard object.isContinuous, device.grant == .always, device.platform.isHandheld else { return }
        if !object.startedInUse { warn(.svc25, Rule[.svc25].textWithEvidence) }
        guard device.isSuspended(despite: object) else { return }
        warn(.svc24, Rule[.svc24].textWithEvidence)
        if device.active(.significantChange) == nil { warn(.dispute25) }
    }

    /// Whether the system ignores a condition because its identifier is in use (MON-11), and records the reason.
    private mutating func ignoresAgain(_ object: ServiceObject) -> Bool {
        let isLive = device.services.contains {
            $0.isActive && $0.service.isCondition && $0.identifier == object.identifier && $0.monitor == object.monitor
        }
        guard isLive, system.isAtLeast(18), device.monitorProfile != .documented else {
            return false
        }
        warn(
            .mon11,
            "Reports from iOS 18 on say that the new condition is ignored; a talk says that it replaces the old.")
        note("A condition with this identifier is monitored already; remove it first.")
        return true
    }

    /// Whether an event that the service produces now would reach the app.
    func deliversNow(_ object: ServiceObject) -> Bool {
        let service = object.service
        var kind = service.typicalKind
        if service.isRegion, object.notifyOnEntry == false { kind = .exit }
        if service.isCondition, object.state == .satisfied { kind = .unsatisfied }
        var event = ServiceEvent(service, kind, identifier: object.identifier)
        event.isKnownCrossing = true
        return gate.decide(event, for: device).outcome == .delivered
    }

    /// Records why a started service delivers nothing.
    private mutating func explainSilence(of object: ServiceObject, delivers: Bool) {
        guard !delivers else { return }
        var event = ServiceEvent(object.service, object.service.typicalKind, identifier: object.identifier)
        event.isKnownCrossing = true
        let decision = gate.decide(event, for: device)
        if device.grant == .notDetermined, device.locationServicesEnabled {
            guard !device.platform.isMac else { return }
            warn(.cb09)
            return note("Nothing is delivered until the user allows it, and the start does not prompt.")
        }
        cite(decision.decidingRule)
        for rule in decision.rules where Rule[rule].isAboutAccuracy { cite(rule) }
        note(decision.because)
    }

    private var crashesOnBackgroundUpdates: Bool {
        system.isAtLeast(9) && (device.platform.isHandheld || device.platform == .watchOS)
            && !device.infoPlist.declaresBackgroundLocation
    }

    /// Checks the conditions under which a start fails, records the reason and sends the error to the app.
    private mutating func mayStart(_ object: ServiceObject) -> Bool {
        let service = object.service
        switch service {
        case .locationPush: return mayStartPush()
        case .heading: return true
        case .standardUpdates, .requestLocation, .liveUpdates, .significantChange, .visits, .regionCircular,
            .regionBeacon, .clMonitorCircular, .clMonitorBeacon, .beaconRanging, .locationNotification:
            break
        }
        if device.grant == .denied || device.grant == .restricted || !device.locationServicesEnabled {
            cite(device.locationServicesEnabled ? .auth04 : .auth03)
            if !device.locationServicesEnabled { emit(.appMust("askToEnableLocationServices")) }
            if service.isRegion {
                cite(.region13)
                fail(.regionMonitoringDenied, region: object.identifier)
            } else if service.usesDelegate, service != .visits {
                cite(.cb08)
                fail(.denied)
            } else if service.isNewer {
                // Monitors and live updates report this by flags, not by an error. They stay registered.
                return true
            }
            note("The app is not authorized, so the start fails.")
            return false
        }
        if !system.isAtLeast(13), service.isClassicMonitoring, device.grant == .whenInUse, !device.platform.isMac {
            cite(.svc14)
            if service.isRegion {
                cite(.region13)
                fail(.regionMonitoringDenied, region: object.identifier)
            }
            note("Before iOS 13 While Using does not enable \(service.rawValue).")
            return false
        }
        if device.lifecycle == .backgroundRunning, !device.isInUse, device.grant != .always,
            service == .standardUpdates || service == .requestLocation, device.grant.isAuthorized
        {
            cite(.svc01)
            if device.active(.standardUpdates)?.isPaused == true { cite(.svc27) }
            note("An app with While Using that is not in use cannot start updates in the background.")
            return false
        }
        if service.isRegionOfBeacon, !device.hasBluetooth {
            cite(.svc29)
            note("Bluetooth is off, so no beacon is detected until it is on again.")
        }
        return service.isRegion ? mayStartRegion(object) : true
    }

    private mutating func mayStartRegion(_ object: ServiceObject) -> Bool {
        func refuse(_ simulation: inout Self, _ code: SDKErrorCode, _ text: String) -> Bool {
            simulation.fail(code, region: object.identifier)
            simulation.note(text)
            return false
        }
        if !device.backgroundAppRefresh, system.isAtLeast(7), !system.isAtLeast(8) {
            cite(.relaunch10, .region13)
            return refuse(&self, .regionMonitoringDenied, "On iOS 7 Background App Refresh has to be on.")
        }
        if let limit = device.maximumRegionMonitoringDistance, limit < 0 || (object.radius ?? 0) > limit {
            cite(.region03, .region13)
            if limit >= 0 { warn(.region03, "One source says that such a radius is reduced; here it fails.") }
            return refuse(
                &self, .regionMonitoringFailure,
                limit < 0 ? "Regions are not supported here." : "The radius is larger than \(limit) metres.")
        }
        let others = device.services.count {
            $0.isActive && $0.service.isRegion
                && ($0.service != object.service || $0.identifier != object.identifier)
        }
        if others + device.locationNotifications >= parameters.regionLimit {
            cite(.region01, .region13, .region19)
            if device.locationNotifications > 0 { cite(.svc21) }
            return refuse(
                &self, .regionMonitoringFailure, "The app has \(parameters.regionLimit) regions already.")
        }
        if system.isAtLeast(27) {
            cite(.region16, .region18, .svc23)
            note("Region monitoring is deprecated from OS 27 in favour of CLMonitor; it works as before.")
        }
        if let radius = object.radius, radius < parameters.smallRadius {
            cite(.region09, .region21)
            emit(
                .warn(
                    RuleWarning(
                        .region09,
                        "A radius below \(Int(parameters.smallRadius)) metres may be missed, and may report an entry from "
                            + "far outside.")))
        }
        return true
    }

    private mutating func mayStartPush() -> Bool {
        if !device.entitlements.has(PropertyKeys.pushEntitlement) {
            cite(.plist14)
            emit(.missingKeys([PropertyKeys.pushEntitlement]))
            fail(.missingEntitlement)
            note("The entitlement \(PropertyKeys.pushEntitlement) is missing.")
            return false
        }
        if !device.hasPushExtension {
            cite(.plist14)
            fail(.missingPushExtension)
            note("There is no service extension for location pushes.")
            return false
        }
        return true
    }

    /// Adds a service. It replaces the object of the same service, identifier and monitor.
    mutating func register(_ object: ServiceObject) {
        let isNamed = object.service.isRegion || object.service.isCondition
        let old = device.services.firstIndex {
            $0.service == object.service
                && (!isNamed || ($0.identifier == object.identifier && $0.monitor == object.monitor))
        }
        if let old {
            if device.services[old].isActive, isNamed { cite(object.service.isRegion ? .region02 : .mon04) }
            device.services.remove(at: old)
            device.services.insert(object, at: old)
        } else {
            device.services.append(object)
        }
        if object.service.isCondition {
            if let name = object.monitor { openMonitors.insert(name) }
            numberConditions()
        }
    }

    /// Marks the conditions beyond the limit as not monitored.
    mutating func numberConditions() {
        var count = 0
        for index in device.services.indices where device.services[index].service.isCondition {
            guard device.services[index].isActive else { continue }
            count += 1
            let isBeyond = count > parameters.regionLimit
            let wasBeyond = device.services[index].isBeyondLimit
            device.services[index].isBeyondLimit = isBeyond
            if isBeyond {
                cite(.mon03)
                if system.isAtLeast(18) { cite(.mon18) }
                device.services[index].observed = .unmonitored
            } else if wasBeyond {
                // A slot has become free.
                if system.isAtLeast(18) { cite(.mon18) }
                device.services[index].observed = nil
                note("The condition \(device.services[index].identifier ?? "") is monitored again.")
            }
        }
    }

    private mutating func cancelSingleRequests() {
        for index in device.services.indices where device.services[index].service == .requestLocation {
            if device.services[index].isActive { cite(.cb10) }
            device.services[index].stopped = true
        }
    }

    mutating func stop(_ service: Service, _ identifier: String?) {
        guard device.lifecycle.isRunning else { return note("The app does not run, so it cannot stop anything.") }
        cite(service.rule)
        let matching = device.services.indices.filter {
            device.services[$0].isActive && device.services[$0].matches(service, identifier)
        }
        guard !matching.isEmpty else { return note("\(service.rawValue) is not started.") }
        effect("stopped")
        for index in matching { device.services[index].stopped = true }
        if service.isRegion {
            cite(.region12)
            if device.lifecycle == .backgroundRunning, !device.isKeptRunning {
                cite(.region20)
                note("An app that is suspended before it adds the region again monitors nothing.")
            }
        }
        if service == .visits { cite(.visit05) }
        if service.isCondition {
            cite(.mon04)
            device.services.removeAll { $0.stopped == true && $0.matches(service, identifier) }
            numberConditions()
        }
        useMayHaveEnded()
    }

    mutating func setAllowsBackgroundUpdates(_ value: Bool) {
        guard device.lifecycle.isRunning else { return note("The app does not run.") }
        if value, crashesOnBackgroundUpdates {
            return crash(
                .svc16, "allowsBackgroundLocationUpdates was set to true without the background mode location.")
        }
        effect("set")
        cite(value ? .svc02 : .svc17, .plat02)
        allowsBackgroundUpdates = value
        for index in device.services.indices where device.services[index].service == .standardUpdates {
            device.services[index].allowsBackgroundLocationUpdates = value
            if value, device.services[index].isActive { explainContinuity(of: device.services[index]) }
        }
        useMayHaveEnded()
    }

    mutating func createManager() {
        guard device.lifecycle.isRunning else { return note("The app does not run.") }
        effect("created")
        cite(.cb01)
        // Managers that the launch code did not make are not counted.
        device.managers = device.hasDelegate ? device.managers + 1 : 1
        device.hasDelegate = true
        reply("initialCallback", .text(device.reportedStatus.rawValue))
    }
}

extension Rule {
    fileprivate var isAboutAccuracy: Bool { id.rawValue.hasPrefix("ACC-") }
}
