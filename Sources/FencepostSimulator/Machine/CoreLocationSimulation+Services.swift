/// Starting and stopping services.
extension CoreLocationSimulation {
    mutating func start(_ wanted: ServiceObject, deviceInside: Bool?, assuming: RegionState?) {
        var object = wanted
        object.stopped = nil
        let service = object.service
        cite(service.rule)
        for name in ["available", "started", "delivers"] { reply(name, .bool(false)) }
        reply("didDetermineState", .null)
        if let (rule, _) = system.lack(of: service) {
            cite(rule)
            if rule == .plat16 { reply("available", .bool(true)) }
            if service == .locationPush { fail(.unsupportedPlatform) }
            return note("\(service.rawValue) does nothing on \(given.platform.rawValue) \(given.osVersion).")
        }
        reply("available", .bool(true))
        guard given.lifecycle.isRunning else { return note("The app does not run, so it cannot start anything.") }
        if service == .standardUpdates {
            object.allowsBackgroundLocationUpdates =
                object.allowsBackgroundLocationUpdates ?? allowsBackgroundUpdates
        }
        if object.allowsBackgroundLocationUpdates == true, mayNotAllowBackground {
            return crash(
                .svc16, "allowsBackgroundLocationUpdates was set to true without the background mode location.")
        }
        if given.grant == .notDetermined, service != .heading { askAtFirstUse() }
        guard mayStart(object) else { return }
        object.startedInUse = given.isInUse
        if let deviceInside {
            object.observed =
                service.isCondition ? (deviceInside ? .satisfied : .unsatisfied) : (deviceInside ? .inside : .outside)
        }
        if service.isCondition {
            object.state = assuming ?? object.state ?? .unknown
            object.listed = object.state
        }
        if service.isRegion, let state = object.observed { object.state = state }
        if service == .standardUpdates { cancelSingleRequests() }
        register(object)
        reply("started", .bool(true))
        if turn.report.effect == "none" { effect("started") }
        let delivers = deliversNow(object)
        reply("delivers", .bool(delivers))
        if service.isRegion, delivers, let state = object.state {
            cite(.region04, .region05)
            reply("didDetermineState", .text(state.rawValue))
        }
        explainSilence(of: object, delivers: delivers)
    }

    /// Whether what the service produces now would reach the app.
    func deliversNow(_ object: ServiceObject) -> Bool {
        let service = object.service
        var kind = service.typicalKind
        if service.isRegion, object.notifyOnEntry == false { kind = .exit }
        if service.isCondition, object.state == .satisfied { kind = .unsatisfied }
        return gate.decide(ServiceEvent(service, kind, identifier: object.identifier), given: given).outcome
            == .delivered
    }

    /// Says why a service that was started gives nothing.
    private mutating func explainSilence(of object: ServiceObject, delivers: Bool) {
        guard !delivers else { return }
        let decision = gate.decide(
            ServiceEvent(object.service, object.service.typicalKind, identifier: object.identifier), given: given)
        if given.grant == .notDetermined, given.locationServicesEnabled {
            guard !given.platform.isMac else { return }
            warn(.cb09)
            return note("Nothing comes until the user has allowed it, and starting does not ask.")
        }
        cite(decision.decidingRule)
        for rule in decision.rules where Rule[rule].concernsAccuracy { cite(rule) }
        note(decision.because)
    }

    private var mayNotAllowBackground: Bool {
        system.isAtLeast(9) && (given.platform.isHandheld || given.platform == .watchOS)
            && !given.infoPlist.declaresBackgroundLocation
    }

    /// Checks what makes a start fail; says why and tells the app of the error.
    private mutating func mayStart(_ object: ServiceObject) -> Bool {
        let service = object.service
        switch service {
        case .locationPush: return mayStartPush()
        case .heading: return true
        default: break
        }
        if given.grant == .denied || given.grant == .restricted || !given.locationServicesEnabled {
            cite(given.locationServicesEnabled ? .auth04 : .auth03)
            if !given.locationServicesEnabled { emit(.appMust("askToEnableLocationServices")) }
            if service.isRegion {
                cite(.region13)
                fail(.regionMonitoringDenied, region: object.identifier)
            } else if service.usesDelegate, service != .visits {
                cite(.cb08)
                fail(.denied)
            } else if service.isNewer {
                // Monitors and live updates have no error for it; they stay registered and say it by flags.
                return true
            }
            note("The app is not authorized, so the start fails.")
            return false
        }
        if !system.isAtLeast(13), service.isClassicMonitoring, given.grant == .whenInUse, !given.platform.isMac {
            cite(.svc14)
            if service.isRegion {
                cite(.region13)
                fail(.regionMonitoringDenied, region: object.identifier)
            }
            note("Before iOS 13 while-using does not enable \(service.rawValue).")
            return false
        }
        if given.lifecycle == .backgroundRunning, !given.isInUse, given.grant != .always,
            service == .standardUpdates || service == .requestLocation, given.grant.isAuthorized
        {
            cite(.svc01)
            note("Out of use, while-using cannot start updates in the background.")
            return false
        }
        return service.isRegion ? mayStartRegion(object) : true
    }

    private mutating func mayStartRegion(_ object: ServiceObject) -> Bool {
        func refuse(_ simulation: inout Self, _ code: SDKErrorCode, _ text: String) -> Bool {
            simulation.fail(code, region: object.identifier)
            simulation.note(text)
            return false
        }
        if !given.backgroundAppRefresh, system.isAtLeast(7), !system.isAtLeast(8) {
            cite(.relaunch10, .region13)
            return refuse(&self, .regionMonitoringDenied, "On iOS 7 Background App Refresh has to be on.")
        }
        if let limit = given.maximumRegionMonitoringDistance, limit < 0 || (object.radius ?? 0) > limit {
            cite(.region03, .region13)
            if limit >= 0 { warn(.region03, "One text says that such a radius is cut down; here it fails.") }
            return refuse(
                &self, .regionMonitoringFailure,
                limit < 0 ? "Regions are not supported here." : "The radius is larger than \(limit) metres.")
        }
        let others = given.services.count {
            $0.isActive && $0.service.isRegion
                && ($0.service != object.service || $0.identifier != object.identifier)
        }
        if others + given.locationNotifications >= parameters.regionLimit {
            cite(.region01, .region13)
            if given.locationNotifications > 0 { cite(.svc21) }
            return refuse(
                &self, .regionMonitoringFailure, "The app has \(parameters.regionLimit) regions already.")
        }
        if system.isAtLeast(27) {
            cite(.region16)
            note("Region monitoring is deprecated from OS 27 in favour of CLMonitor; it works as before.")
        }
        if let radius = object.radius, radius < parameters.smallRadius {
            cite(.region09)
            emit(.warn(RuleWarning(.region09, "A radius below \(Int(parameters.smallRadius)) metres may be missed.")))
        }
        return true
    }

    private mutating func mayStartPush() -> Bool {
        if !given.entitlements.has(PropertyKeys.pushEntitlement) {
            cite(.plist14)
            emit(.missingKeys([PropertyKeys.pushEntitlement]))
            fail(.missingEntitlement)
            note("The entitlement \(PropertyKeys.pushEntitlement) is missing.")
            return false
        }
        if !given.hasPushExtension {
            cite(.plist14)
            fail(.missingPushExtension)
            note("There is no service extension for location pushes.")
            return false
        }
        return true
    }

    /// Puts it among the services in place of its namesake.
    mutating func register(_ object: ServiceObject) {
        let isNamed = object.service.isRegion || object.service.isCondition
        let old = given.services.firstIndex {
            $0.service == object.service
                && (!isNamed || ($0.identifier == object.identifier && $0.monitor == object.monitor))
        }
        if let old {
            if given.services[old].isActive, isNamed { cite(object.service.isRegion ? .region02 : .mon04) }
            given.services.remove(at: old)
            given.services.insert(object, at: old)
        } else {
            given.services.append(object)
        }
        if object.service.isCondition {
            if let name = object.monitor { openMonitors.insert(name) }
            numberConditions()
        }
    }

    /// The conditions beyond the limit are not monitored.
    mutating func numberConditions() {
        var count = 0
        for index in given.services.indices where given.services[index].service.isCondition {
            guard given.services[index].isActive else { continue }
            count += 1
            let isBeyond = count > parameters.regionLimit
            given.services[index].isBeyondLimit = isBeyond
            if isBeyond {
                cite(.mon03)
                given.services[index].observed = .unmonitored
            }
        }
    }

    private mutating func cancelSingleRequests() {
        for index in given.services.indices where given.services[index].service == .requestLocation {
            if given.services[index].isActive { cite(.cb10) }
            given.services[index].stopped = true
        }
    }

    mutating func stop(_ service: Service, _ identifier: String?) {
        guard given.lifecycle.isRunning else { return note("The app does not run, so it cannot stop anything.") }
        cite(service.rule)
        let matching = given.services.indices.filter {
            given.services[$0].isActive && given.services[$0].matches(service, identifier)
        }
        guard !matching.isEmpty else { return note("\(service.rawValue) is not started.") }
        effect("stopped")
        for index in matching { given.services[index].stopped = true }
        if service.isRegion { cite(.region12) }
        if service == .visits { cite(.visit05) }
        if service.isCondition {
            cite(.mon04)
            given.services.removeAll { $0.stopped == true && $0.matches(service, identifier) }
            numberConditions()
        }
        useMayHaveEnded()
    }

    mutating func setAllowsBackgroundUpdates(_ value: Bool) {
        guard given.lifecycle.isRunning else { return note("The app does not run.") }
        if value, mayNotAllowBackground {
            return crash(
                .svc16, "allowsBackgroundLocationUpdates was set to true without the background mode location.")
        }
        effect("set")
        cite(value ? .svc02 : .svc17, .plat02)
        allowsBackgroundUpdates = value
        for index in given.services.indices where given.services[index].service == .standardUpdates {
            given.services[index].allowsBackgroundLocationUpdates = value
        }
        useMayHaveEnded()
    }

    mutating func createManager() {
        guard given.lifecycle.isRunning else { return note("The app does not run.") }
        effect("created")
        cite(.cb01)
        // Managers that the app failed to make at its launch are not there to be counted.
        given.managers = given.hasDelegate ? given.managers + 1 : 1
        given.hasDelegate = true
        reply("initialCallback", .text(given.reportedStatus.rawValue))
    }
}

extension Rule {
    fileprivate var concernsAccuracy: Bool { id.rawValue.hasPrefix("ACC-") }
}
