/// Changes from outside the app: Settings, installing, updating, the paired watch.
extension CoreLocationSimulation {
    mutating func changeSettings(_ change: SettingsChange) {
        let before = Knowledge(status: given.reportedStatus, accuracy: given.accuracyAuthorization)
        let grant = given.grant
        apply(change)
        if given.grant != grant {
            grantedAt = elapsed
            if grant == .provisionalAlways {
                cite(.prov08)
                dropHeldEvent(.prov08)
            }
        }
        let after = Knowledge(status: given.reportedStatus, accuracy: given.accuracyAuthorization)
        if turn.report.effect == "none", grant != given.grant || before != after { effect("changed") }
        let isNews = before != after
        reply("managersNotified", .number(Double(isNews ? notifiedManagers() : 0)))
        if !isNews, grant != given.grant { cite(.cb03) }
        tell()
        useMayHaveEnded()
        shareWithWatch()
    }

    /// How many managers hear of a change at once; others hear of it later.
    private mutating func notifiedManagers() -> Int {
        switch given.lifecycle {
        case .terminated:
            cite(.set05)
            note("The app hears of it from its first manager when it is launched.")
            return 0
        case .suspended:
            cite(.set04)
            if !system.isAtLeast(11) { return given.managers }
            note("The suspended app is not woken for it, and hears of it when it runs again.")
            return 0
        case .foreground, .backgroundGrace, .backgroundRunning:
            cite(.set03)
            return given.hasDelegate ? given.managers : 0
        }
    }

    private mutating func apply(_ change: SettingsChange) {
        switch change {
        case .locationServicesOff, .locationServicesOn:
            cite(.set02)
            given.locationServicesEnabled = change == .locationServicesOn
            if change == .locationServicesOff, given.grant == .notDetermined { warn(.dispute09) }
        case .preciseOn, .preciseOff:
            cite(.acc01)
            guard system.isAtLeast(14) else { return note("There is no such switch before iOS 14.") }
            if change == .preciseOn { cite(.acc15) }
            given.accuracy = change == .preciseOn ? .full : .reduced
            effect("changed")
        case .resetLocationAndPrivacy:
            cite(.set06)
            if given.grant != .restricted { given.grant = .notDetermined }
            given.accuracy = initialAccuracy
        case .never, .askNextTime, .whileUsing, .always: setLevel(change)
        }
    }

    private mutating func setLevel(_ change: SettingsChange) {
        guard given.grant != .restricted else {
            cite(.auth04)
            return note("A restricted app cannot be changed by this user.")
        }
        guard given.locationServicesEnabled else {
            cite(.set02)
            return note("With Location Services off, Settings offers no level.")
        }
        cite(.set01)
        switch change {
        case .askNextTime:
            guard system.isAtLeast(13) else { return note("Settings can ask next time from iOS 13 on.") }
            given.grant = .notDetermined
        case .whileUsing:
            if !system.isAtLeast(13), system.isAtLeast(11) { cite(.set10) }
            given.grant = .whenInUse
        case .always:
            guard given.platform.offersAlways, !given.appClip else {
                cite(given.appClip ? .plat19 : .plat18)
                return note("Always is not offered here.")
            }
            given.grant = .always
        default: given.grant = .denied
        }
    }

    private var initialAccuracy: Accuracy {
        given.infoPlist.isTrue(PropertyKeys.defaultReduced) && system.isAtLeast(14) ? .reduced : .full
    }

    mutating func uninstall() {
        guard given.appInstalled else { return note("The app is not installed.") }
        cite(.set07)
        effect("uninstalled")
        if given.lifecycle != .terminated { endProcess(.neverLaunched) }
        dropHeldEvent(.set07)
        given.terminatedBy = .neverLaunched
        (given.appInstalled, given.appEverLaunched) = (false, false)
        given.grant = given.grant == .restricted ? .restricted : .notDetermined
        given.alwaysRequestUsed = false
        given.accuracy = initialAccuracy
        given.services = []
        given.sessions = []
        given.locationNotifications = 0
        promptOnScreen = nil
        visitArrival = nil
        // A new install has heard of nothing; what it starts from is no news to it.
        known = Knowledge(status: given.reportedStatus, accuracy: given.accuracyAuthorization)
    }

    mutating func install() {
        guard !given.appInstalled else { return note("The app is installed already.") }
        cite(.set07)
        effect("installed")
        given.appInstalled = true
        given.lifecycle = .terminated
        given.terminatedBy = .neverLaunched
    }

    mutating func updateApp(_ keys: PropertyKeys) {
        guard given.appInstalled else { return note("The app is not installed.") }
        cite(.set08)
        effect("updated")
        given.infoPlist = keys
        let always = system.isAtLeast(11) ? PropertyKeys.alwaysAndWhenInUse : PropertyKeys.always
        var grant = given.grant
        if grant == .always || grant == .provisionalAlways, !keys.has(always) { grant = .whenInUse }
        if grant == .whenInUse || grant == .temporaryWhenInUse, !keys.has(PropertyKeys.whenInUse) {
            grant = .notDetermined
        }
        if given.platform == .macOS { grant = keys.has(PropertyKeys.usage) ? given.grant : .notDetermined }
        if given.grant == .denied || given.grant == .restricted { grant = given.grant }
        if grant != given.grant { become(grant) }
    }
}

/// The watch app of a paired iPhone app.
extension CoreLocationSimulation {
    mutating func handleOnWatch(_ step: Step) {
        guard given.pairedWatchApp else { return note("There is no paired watch app.") }
        if watch.isEmpty {
            var app = Given()
            app.platform = .watchOS
            let version = given.osVersion
            app.osVersion = version.major < 26 ? OSVersion(max(version.major - 7, 1), version.minor) : version
            app.infoPlist = given.infoPlist
            app.accuracy = given.accuracy == .full ? .full : .reduced
            app.locationServicesEnabled = given.locationServicesEnabled
            watch = [CoreLocationSimulation(app, gate: gate)]
            watch[0].receive(given)
        }
        watch[0].stepCount = stepCount
        for action in watch[0].handle(step) {
            switch action {
            case .report(let report): turn.report = report
            // The steps are about the phone's app: what the watch app is told is not news to it.
            case .callback, .deliver, .settle: break
            case .prompt, .fail, .crash, .missingKeys, .appMust, .warn: emit(action)
            }
        }
        let watched = watch[0].given
        let before = (given.grant, given.accuracy)
        receive(watched)
        if before != (given.grant, given.accuracy) { cite(.once10) }
    }

    /// Passes a temporary grant on to the watch app, and its end.
    mutating func shareWithWatch() {
        if !watch.isEmpty { watch[0].receive(given) }
    }

    /// Takes over what is temporary on the other device, or has ended there.
    private mutating func receive(_ other: Given) {
        guard system.isAtLeast(14) else { return }
        if other.grant == .temporaryWhenInUse, given.grant == .notDetermined {
            given.grant = .temporaryWhenInUse
            cite(.once10)
        } else if other.grant == .notDetermined, given.grant == .temporaryWhenInUse {
            given.grant = .notDetermined
            cite(.once10)
        }
        if other.accuracy == .temporaryFull, given.accuracy == .reduced {
            given.accuracy = .temporaryFull
        } else if other.accuracy == .reduced, given.accuracy == .temporaryFull {
            given.accuracy = .reduced
        }
    }
}
