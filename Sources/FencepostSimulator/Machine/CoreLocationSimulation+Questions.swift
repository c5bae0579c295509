/// What steps ask about, without changing the system's state.
extension CoreLocationSimulation {
    mutating func answer(_ query: Query) {
        effect("answered")
        switch query {
        case .status:
            reply("grant", .text(given.grant.rawValue))
            reply("reportedStatus", .text(given.reportedStatus.rawValue))
            reply("settingsRow", given.settingsRow.map { .text($0.rawValue) } ?? .null)
            explainStatus()
        case .inUse:
            let use = given.use
            reply("inUse", .bool(use != nil))
            reply("because", use.map { .text($0.rawValue) } ?? .null)
            if let use {
                cite(use.rule(on: given.platform))
            } else {
                cite(given.platform.isVision ? .plat14 : given.platform == .watchOS ? .plat09 : .plat01)
                if given.lifecycle == .backgroundRunning { cite(.plat04) }
            }
        case .accuracyAuthorization:
            reply("accuracyAuthorization", .text(given.accuracyAuthorization.rawValue))
            if given.grant == .notDetermined {
                cite(.acc10)
                note("As long as the status is undetermined this alone means nothing.")
            }
        case .startableServices:
            cite(.plat18)
            reply("startable", .texts(startableServices.map(\.rawValue)))
        case .levelsByPlatform:
            cite(.plat18, .plat13, .plat15)
            reply("whenInUse", .texts(Platform.allCases.map(\.rawValue)))
            reply("always", .texts(Platform.allCases.filter(\.offersAlways).map(\.rawValue)))
        case .equivalentGrant:
            cite(given.platform.isMac ? (given.platform == .macOS ? .plat05 : .plat08) : .plat18)
            reply("whenInUseEqualsAlways", .bool(given.levelsAreEquivalent))
        }
    }

    /// The services that the app may start at its level.
    public var startableServices: [Service] {
        guard given.grant.isAuthorized, given.locationServicesEnabled else { return [] }
        return Service.startable.filter { service in
            guard system.lack(of: service) == nil else { return false }
            return system.isAtLeast(13) || !service.isClassicMonitoring || given.grant == .always
                || given.platform.isMac
        }
    }

    private mutating func explainStatus() {
        if !given.locationServicesEnabled {
            if given.grant == .notDetermined { warn(.dispute09) }
            cite(.set02)
            return note("Location Services are off, so every app is told that it is denied; its own grant is kept.")
        }
        switch given.grant {
        case .provisionalAlways:
            cite(.prov01, .prov09)
            note("The app is told always, but the user has allowed use only; nothing in the API tells the two apart.")
        case .temporaryWhenInUse:
            cite(.once01)
            note("The app is told while-using, but the grant is for once; nothing in the API tells the two apart.")
        case .whenInUse where given.platform == .macOS:
            cite(.plat07)
            note("A Mac reports every allowed app as always authorized.")
        default: break
        }
    }

    mutating func requestState(_ identifier: String?) {
        cite(.region06)
        let region = given.services.first {
            $0.isActive && $0.service.isRegion && (identifier == nil || $0.identifier == identifier)
        }
        guard given.lifecycle.isRunning else {
            reply("state", .text(RegionState.unknown.rawValue))
            return note("The app does not run; a request for the state never launches it.")
        }
        effect("answered")
        cite(.region05)
        let isKnown = given.locationServicesEnabled && given.grant.isAuthorized && !given.hasReducedAccuracy
        let state = isKnown ? region?.state ?? .unknown : .unknown
        reply("state", .text(state.rawValue))
        if region == nil { note("There is no such region.") }
    }

    // MARK: The three-way view

    private enum Standing: String { case hasAuthorization, needAuthorization, notYet }

    private mutating func standing() -> Standing {
        if let override = given.statusOverride { return standing(of: override) }
        if !given.locationServicesEnabled {
            cite(.abstr10)
            emit(.appMust("askToEnableLocationServices"))
        }
        if given.grant == .provisionalAlways || given.grant == .temporaryWhenInUse, given.locationServicesEnabled {
            warn(.abstr09)
            note("The grant is \(given.grant.rawValue).")
        }
        return standing(of: given.reportedStatus)
    }

    private mutating func standing(of status: ReportedStatus) -> Standing {
        switch status {
        case .authorizedAlways, .authorizedWhenInUse:
            cite(.abstr01)
            return .hasAuthorization
        case .restricted, .denied:
            cite(.abstr02)
            if status == .restricted {
                warn(.abstr08)
                note("This user cannot change the restriction, so Settings is of no help.")
            }
            return .needAuthorization
        case .notDetermined:
            cite(.abstr03)
            return .notYet
        case .unknownFutureValue:
            warn(.abstr04)
            return .needAuthorization
        }
    }

    mutating func getAuthorizationStatus() {
        effect("answered")
        reply("authorizationStatus", .text(standing().rawValue))
    }

    mutating func checkAuthorization() {
        effect("checked")
        let standing = standing()
        cite(.abstr05)
        reply("actionRan", .bool(standing == .hasAuthorization))
        reply("alertShown", .bool(standing == .needAuthorization))
        reply("alertButtons", .texts(standing == .needAuthorization ? ["settings", "cancel"] : []))
        reply("requestCalled", standing == .notYet ? .text("whenInUse") : .bool(false))
        if standing == .notYet { _ = bringUp(.whenInUse) }
    }
}
