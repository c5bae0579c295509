/// Questions about the state. They do not change it.
extension CoreLocationSimulation {
    mutating func answer(_ query: Query) {
        effect("answered")
        let blocks = query == .status || query == .accuracyAuthorization
        if blocks, system.isAtLeast(26), device.platform.isHandheld, device.lifecycle == .backgroundRunning {
            cite(.cb11)
        }
        switch query {
        case .status:
            reply("grant", .text(device.grant.rawValue))
            reply("reportedStatus", .text(device.reportedStatus.rawValue))
            reply("settingsRow", device.settingsRow.map { .text($0.rawValue) } ?? .null)
            explainStatus()
        case .inUse:
            let use = device.use
            reply("inUse", .bool(use != nil))
            reply("because", use.map { .text($0.rawValue) } ?? .null)
            if let use {
                cite(use.rule(on: device.platform))
            } else {
                cite(device.platform.isVision ? .plat14 : device.platform == .watchOS ? .plat09 : .plat01)
                if device.lifecycle == .backgroundRunning { cite(.plat04) }
            }
        case .accuracyAuthorization:
            reply("accuracyAuthorization", .text(device.accuracyAuthorization.rawValue))
            if device.grant == .notDetermined {
                cite(.acc10)
                note("While the status is undetermined, the accuracy has no meaning.")
            }
        case .startableServices:
            cite(.plat18)
            reply("startable", .strings(startableServices.map(\.rawValue)))
        case .levelsByPlatform:
            cite(.plat18, .plat13, .plat15)
            reply("whenInUse", .strings(Platform.allCases.map(\.rawValue)))
            reply("always", .strings(Platform.allCases.filter(\.offersAlways).map(\.rawValue)))
        case .equivalentGrant:
            cite(device.platform.isMac ? (device.platform == .macOS ? .plat05 : .plat08) : .plat18)
            reply("whenInUseEqualsAlways", .bool(device.levelsAreEquivalent))
        }
    }

    /// The services that the app may start at its level.
    public var startableServices: [Service] {
        guard device.grant.isAuthorized, device.locationServicesEnabled else { return [] }
        return Service.startable.filter { service in
            guard system.unavailability(of: service) == nil else { return false }
            return system.isAtLeast(13) || !service.isClassicMonitoring || device.grant == .always
                || device.platform.isMac
        }
    }

    private mutating func explainStatus() {
        if !device.locationServicesEnabled {
            if device.grant == .notDetermined { warn(.dispute09) }
            cite(.set02)
            guard device.grant != .restricted else {
                return note(
                    "Location Services are off, but a restriction comes first: the app reports restricted, because the "
                        + "switch is not what keeps it from locations and turning it on would not help.")
            }
            return note("Location Services are off, so every app reports denied; its own grant is kept.")
        }
        switch device.grant {
        case .provisionalAlways:
            cite(.prov01, .prov09)
            note(
                "The grant is a provisional Always: the API reports Always, but the user has allowed use only; nothing "
                    + "in the API distinguishes the two.")
        case .temporaryWhenInUse:
            cite(.once01)
            note("The API reports While Using, but the grant is Allow Once; nothing in the API distinguishes the two.")
        case .whenInUse where device.platform == .macOS:
            cite(.plat07)
            note("A Mac reports every allowed app as always authorized.")
        case .notDetermined, .restricted, .denied, .whenInUse, .always: break
        }
    }

    mutating func requestState(_ identifier: String?) {
        cite(.region06)
        let region = device.services.first {
            $0.isActive && $0.service.isRegion && (identifier == nil || $0.identifier == identifier)
        }
        guard device.lifecycle.isRunning else {
            reply("state", .text(RegionState.unknown.rawValue))
            return note("The app does not run; a request for the state never launches it.")
        }
        effect("answered")
        cite(.region05)
        let isKnown = device.locationServicesEnabled && device.grant.isAuthorized && !device.hasReducedAccuracy
        let state = isKnown ? region?.state ?? .unknown : .unknown
        reply("state", .text(state.rawValue))
        if region == nil { note("There is no such region.") }
    }

    // MARK: The three-way view

    private enum AuthorizationView: String { case hasAuthorization, needAuthorization, notYet }

    private mutating func authorizationView() -> AuthorizationView {
        if let override = device.statusOverride { return authorizationView(of: override) }
        if !device.locationServicesEnabled {
            cite(.abstr10)
            emit(.appMust("askToEnableLocationServices"))
        }
        if device.grant == .provisionalAlways || device.grant == .temporaryWhenInUse, device.locationServicesEnabled {
            warn(.abstr09)
            note("The grant is \(device.grant.rawValue).")
        }
        return authorizationView(of: device.reportedStatus)
    }

    private mutating func authorizationView(of status: ReportedStatus) -> AuthorizationView {
        switch status {
        case .authorizedAlways, .authorizedWhenInUse:
            cite(.abstr01)
            return .hasAuthorization
        case .restricted, .denied:
            cite(.abstr02)
            if status == .restricted {
                warn(.abstr08)
                note("This user cannot change the restriction, so Settings does not help.")
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
        reply("authorizationStatus", .text(authorizationView().rawValue))
    }

    mutating func checkAuthorization() {
        effect("checked")
        let authorizationView = authorizationView()
        cite(.abstr05)
        reply("actionRan", .bool(authorizationView == .hasAuthorization))
        reply("alertShown", .bool(authorizationView == .needAuthorization))
        reply("alertButtons", .strings(authorizationView == .needAuthorization ? ["settings", "cancel"] : []))
        reply("requestCalled", authorizationView == .notYet ? .text("whenInUse") : .bool(false))
        if authorizationView == .notYet { _ = promptIfAllowed(.whenInUse) }
    }
}
