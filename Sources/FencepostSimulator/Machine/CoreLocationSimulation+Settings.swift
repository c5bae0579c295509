/// Changes from outside the app: Settings, installation, update.
extension CoreLocationSimulation {
    mutating func changeSettings(_ change: SettingsChange) {
        let before = KnownAuthorization(status: device.reportedStatus, accuracy: device.accuracyAuthorization)
        let grant = device.grant
        apply(change)
        if device.grant != grant {
            grantedAt = elapsed
            if grant == .provisionalAlways {
                cite(.prov08)
                dropHeldEvent(.prov08)
            }
        }
        let after = KnownAuthorization(status: device.reportedStatus, accuracy: device.accuracyAuthorization)
        if output.report.effect == "none", grant != device.grant || before != after { effect("changed") }
        let hasChanged = before != after
        reply("managersNotified", .number(Double(hasChanged ? notifiedManagers() : 0)))
        if !hasChanged, grant != device.grant { cite(.cb03) }
        notifyOfAuthorization()
        useMayHaveEnded()
        shareWithWatch()
    }

    /// How many managers are notified of a change at once. The others are notified when the app runs again.
    private mutating func notifiedManagers() -> Int {
        switch device.lifecycle {
        case .terminated:
            cite(.set05)
            note("The first manager after the next launch reports it to the app.")
            return 0
        case .suspended:
            cite(.set04)
            if !system.isAtLeast(11) { return device.managers }
            note("The suspended app is not woken for it, and is notified when it runs again.")
            return 0
        case .foreground, .backgroundGrace, .backgroundRunning:
            cite(.set03)
            return device.hasDelegate ? device.managers : 0
        }
    }

    private mutating func apply(_ change: SettingsChange) {
        switch change {
        case .locationServicesOff, .locationServicesOn:
            cite(.set02)
            device.locationServicesEnabled = change == .locationServicesOn
            if change == .locationServicesOff, device.grant == .notDetermined { warn(.dispute09) }
        case .preciseOn, .preciseOff:
            cite(.acc01)
            guard system.isAtLeast(14) else { return note("There is no such switch before iOS 14.") }
            if change == .preciseOn { cite(.acc15) }
            device.accuracy = change == .preciseOn ? .full : .reduced
            effect("changed")
        case .resetLocationAndPrivacy:
            cite(.set06)
            if device.grant != .restricted { device.grant = .notDetermined }
            device.accuracy = initialAccuracy
        case .never, .askNextTime, .whileUsing, .always: setLevel(change)
        case .airplaneModeOn: switchRadio(\.airplaneMode, to: true)
        case .airplaneModeOff: switchRadio(\.airplaneMode, to: nil)
        case .cellularOn: switchRadio(\.cellularEnabled, to: nil)
        case .cellularOff: switchRadio(\.cellularEnabled, to: false)
        case .bluetoothOn: switchRadio(\.bluetoothEnabled, to: true)
        case .bluetoothOff: switchRadio(\.bluetoothEnabled, to: false)
        case .wifiOn: switchRadio(\.wifiEnabled, to: true)
        case .wifiOff: switchRadio(\.wifiEnabled, to: false)
        case .screenTimeRestricts: restrict(by: .screenTime)
        case .managementRestricts: restrict(by: .management)
        case .restrictionEnds: endRestriction()
        }
    }

    private mutating func setLevel(_ change: SettingsChange) {
        guard device.grant != .restricted else {
            cite(.auth04)
            return note("A restricted app cannot be changed by this user.")
        }
        guard device.locationServicesEnabled else {
            cite(.set02)
            return note("With Location Services off, Settings offers no level.")
        }
        cite(.set01)
        switch change {
        case .askNextTime:
            guard system.isAtLeast(13) else { return note("Settings can ask next time from iOS 13 on.") }
            device.grant = .notDetermined
            if system.isAtLeast(13, 4), device.alwaysRequestUsed {
                warn(.auth22, "One developer found that the request for Always is available again; Apple does not say.")
                if gate.policy == .lenient { device.alwaysRequestUsed = false }
            }
        case .whileUsing:
            if !system.isAtLeast(13), system.isAtLeast(11) { cite(.set10) }
            device.grant = .whenInUse
        case .always:
            guard device.platform.offersAlways, !device.appClip else {
                cite(device.appClip ? .plat19 : .plat18)
                return note("Always is not offered here.")
            }
            device.grant = .always
        case .never: device.grant = .denied
        // No levels of the permission.
        case .locationServicesOn, .locationServicesOff, .preciseOn, .preciseOff, .resetLocationAndPrivacy,
            .airplaneModeOn, .airplaneModeOff, .cellularOn, .cellularOff, .bluetoothOn, .bluetoothOff, .wifiOn,
            .wifiOff, .screenTimeRestricts, .managementRestricts, .restrictionEnds:
            break
        }
    }

    private var initialAccuracy: Accuracy {
        device.infoPlist.isTrue(PropertyKeys.defaultReduced) && system.isAtLeast(14) ? .reduced : .full
    }

    mutating func uninstall() {
        guard device.appInstalled else { return note("The app is not installed.") }
        cite(.set07)
        if system.isAtLeast(18), device.services.contains(where: { $0.isActive && $0.service.isCondition }) {
            cite(.mon13)
            note("By one report the stored states of conditions survive, and a new installation gets them as events.")
        }
        effect("uninstalled")
        forgetInstallation()
        device.offloaded = nil
    }

    /// Removes the app, its services and its sessions from the device.
    mutating func forgetInstallation() {
        if device.lifecycle != .terminated { endProcess(.neverLaunched) }
        dropHeldEvent(.set07)
        device.terminatedBy = .neverLaunched
        (device.appInstalled, device.appEverLaunched) = (false, false)
        device.grant = device.grant == .restricted ? .restricted : .notDetermined
        device.alwaysRequestUsed = false
        device.accuracy = initialAccuracy
        device.services = []
        device.sessions = []
        device.locationNotifications = 0
        device.hasForgottenSessions = nil
        promptOnScreen = nil
        visitArrival = nil
        // A new installation starts with the current status, so it is not notified of it.
        known = KnownAuthorization(status: device.reportedStatus, accuracy: device.accuracyAuthorization)
    }

    mutating func install() {
        guard !device.appInstalled else { return note("The app is installed already.") }
        cite(device.offloaded == true ? .set13 : .set07)
        effect("installed")
        device.appInstalled = true
        device.offloaded = nil
        device.lifecycle = .terminated
        device.terminatedBy = .neverLaunched
    }

    mutating func updateApp(_ keys: PropertyKeys) {
        guard device.appInstalled else { return note("The app is not installed.") }
        cite(.set08)
        effect("updated")
        device.infoPlist = keys
        let always = system.isAtLeast(11) ? PropertyKeys.alwaysAndWhenInUse : PropertyKeys.always
        var grant = device.grant
        if grant == .always || grant == .provisionalAlways, !keys.has(always) { grant = .whenInUse }
        if grant == .whenInUse || grant == .temporaryWhenInUse, !keys.has(PropertyKeys.whenInUse) {
            grant = .notDetermined
        }
        if device.platform == .macOS { grant = keys.has(PropertyKeys.usage) ? device.grant : .notDetermined }
        if device.grant == .denied || device.grant == .restricted { grant = device.grant }
        if grant != device.grant { setGrant(grant) }
    }
}

/// The watch app of a paired iPhone app.
extension CoreLocationSimulation {
    mutating func handleOnWatch(_ step: Step) {
        guard device.pairedWatchApp else { return note("There is no paired watch app.") }
        if watch.isEmpty {
            var app = DeviceState()
            app.platform = .watchOS
            let version = device.osVersion
            app.osVersion = version.major < 26 ? OSVersion(max(version.major - 7, 1), version.minor) : version
            app.infoPlist = device.infoPlist
            app.accuracy = device.accuracy == .full ? .full : .reduced
            app.locationServicesEnabled = device.locationServicesEnabled
            watch = [CoreLocationSimulation(app, gate: gate)]
            watch[0].receive(device)
        }
        watch[0].stepCount = stepCount
        for action in watch[0].handle(step) {
            switch action {
            case .report(let report): output.report = report
            // The outcome describes the phone's app, so callbacks of the watch app are left out.
            case .callback, .deliver, .settle: break
            case .prompt, .fail, .crash, .missingKeys, .appMust, .warn: emit(action)
            }
        }
        let watched = watch[0].device
        let before = (device.grant, device.accuracy)
        receive(watched)
        if before != (device.grant, device.accuracy) { cite(.once10) }
    }

    /// Shares a temporary grant, and its end, with the watch app.
    mutating func shareWithWatch() {
        if !watch.isEmpty { watch[0].receive(device) }
    }

    /// Takes over temporary grants from the other device, and their end.
    private mutating func receive(_ other: DeviceState) {
        guard system.isAtLeast(14) else { return }
        if other.grant == .temporaryWhenInUse, device.grant == .notDetermined {
            device.grant = .temporaryWhenInUse
            cite(.once10)
        } else if other.grant == .notDetermined, device.grant == .temporaryWhenInUse {
            device.grant = .notDetermined
            cite(.once10)
        }
        if other.accuracy == .temporaryFull, device.accuracy == .reduced {
            device.accuracy = .temporaryFull
        } else if other.accuracy == .reduced, device.accuracy == .temporaryFull {
            device.accuracy = .reduced
        }
    }
}
