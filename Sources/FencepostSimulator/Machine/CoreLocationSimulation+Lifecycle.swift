/// Launch, termination, foreground and background of the app.
extension CoreLocationSimulation {
    mutating func enterBackground() {
        guard device.lifecycle == .foreground else { return note("The app is not in the foreground.") }
        leaveForeground()
    }

    mutating func lookAway() {
        guard device.platform.isVision else { return note("Looking away has an effect only on Vision Pro.") }
        guard device.lifecycle == .foreground else { return note("The user does not look at the app.") }
        cite(.plat14)
        leaveForeground()
    }

    private mutating func leaveForeground() {
        effect("background")
        if device.platform.isMac {
            cite(.plat05)
            device.lifecycle = .backgroundRunning
            return
        }
        device.lifecycle = .backgroundGrace
        graceEnds = elapsed + parameters.grace
        if let use = device.use { cite(use.rule(on: device.platform)) }
        useMayHaveEnded()
    }

    mutating func enterForeground() {
        if device.lifecycle == .terminated { return launch(by: .user) }
        guard device.lifecycle != .foreground else { return note("The app is in the foreground already.") }
        guard device.appInstalled else { return note("The app is not installed.") }
        effect("foreground")
        comeBack()
        device.lifecycle = .foreground
        device.wasLaunchedForOtherCause = nil
        (graceEnds, runtimeEnds) = (nil, nil)
        notifyOfAuthorization()
        deliverQueue()
        sessionsMayPrompt()
    }

    mutating func resume() {
        guard device.lifecycle == .suspended else { return note("The app is not suspended.") }
        effect("resumed")
        cite(.cb04)
        comeBack()
        wake()
    }

    /// Records what a grant for one use survived while the app was away.
    private mutating func comeBack() {
        if device.grant == .temporaryWhenInUse {
            switch device.use {
            case .grace: cite(.once05)
            case .backgroundIndicator: cite(.once06)
            case .backgroundSession: warn(.once07)
            case .foreground, .complication, .alwaysRunningOnMac, nil: break
            }
        }
        useMayHaveEnded()
    }

    /// Lets a suspended app run for a limited time.
    mutating func wake() {
        guard device.lifecycle == .suspended else { return }
        device.lifecycle = .backgroundRunning
        runtimeEnds = elapsed + parameters.runtime
        notifyOfAuthorization()
        deliverQueue()
    }

    mutating func launch(by launcher: Launcher, for cause: LaunchCause? = nil) {
        guard device.appInstalled else { return note("The app is not installed.") }
        guard device.lifecycle == .terminated else {
            return launcher == .user ? enterForeground() : note("The app runs already, or is suspended.")
        }
        if let cause, !mayLaunch(for: cause) { return }
        effect("launched")
        startProcess(inForeground: launcher == .user, cause: launcher == .user ? nil : cause?.rawValue ?? "unknown")
        if launcher == .system, !device.unlockedSinceBoot {
            cite(.relaunch41)
            note(
                "The device has not been unlocked since it started: stored data cannot be read, and settings read as "
                    + "their defaults. Ask isProtectedDataAvailable first.")
        }
        if launcher == .system, let cause, cause != .location { device.wasLaunchedForOtherCause = true }
        if launcher == .system, cause != .location, system.isAtLeast(18),
            device.services.contains(where: { $0.isActive && $0.service.isCondition })
        {
            cite(.mon17)
            note(
                "After a launch for something else than a location, entries of monitors may stay away until the app is "
                    + "on screen.")
        }
    }

    /// Whether the system launches the app for this cause, and records why not.
    private mutating func mayLaunch(for cause: LaunchCause) -> Bool {
        reply("cause", .text(cause.rawValue))
        guard device.terminatedBy == .user, [.bluetooth, .silentPush, .backgroundRefresh].contains(cause) else {
            return true
        }
        cite(.relaunch40)
        if cause == .bluetooth, system.isAtLeast(26) {
            note(
                "From iOS 26 an app whose accessories were set up with AccessorySetupKit is launched; this one is not.")
        }
        note("After a force quit a \(cause.rawValue) launches nothing until the user opens the app.")
        return false
    }

    /// Starts the app. A launch by the system is counted.
    ///
    /// - Parameters:
    ///   - inForeground: whether the app comes on screen.
    ///   - cause: why the system launches it; `nil` for a launch by the user.
    mutating func startProcess(inForeground: Bool, cause: String? = nil) {
        guard !device.failsToLaunchWithoutScenes else {
            device.lifecycle = inForeground ? .foreground : .backgroundRunning
            return crash(.relaunch32, "The app is built with SDK 27 and has no scenes, so it fails to launch.")
        }
        device.hasForgottenSessions = nil
        device.wasLaunchedForOtherCause = nil
        if device.grant == .temporaryWhenInUse {
            cite(.once02)
            device.grant = .notDetermined
            onceHasEnded = true
        }
        if device.accuracy == .temporaryFull {
            cite(.acc14)
            device.accuracy = .reduced
        }
        device.lifecycle = inForeground ? .foreground : .backgroundRunning
        device.terminatedBy = nil
        device.appEverLaunched = true
        device.hasDelegate = device.delegateSetAtLaunch && device.managers > 0
        if !inForeground {
            launches += 1
            launchCauses.append(cause ?? "unknown")
            runtimeEnds = elapsed + parameters.runtime
        }
        openMonitors = []
        isFreshlyLaunched = true
        wasLaunched = true
        allowsBackgroundUpdates = nil
        for index in device.sessions.indices { device.sessions[index].isUnclaimed = true }
        var isOutstanding = !device.sessions.isEmpty
        for index in device.services.indices where device.services[index].isActive {
            let service = device.services[index].service
            if service == .liveUpdates {
                device.services[index].isUnclaimed = true
                isOutstanding = true
            } else if service.endsWithTheProcess {
                device.services[index].stopped = true
                cite(.relaunch27)
            }
        }
        if isOutstanding { sessionsForgotten = elapsed + parameters.sessionMemory }
        if device.grant == .notDetermined { cite(.relaunch28) }
        if device.hasDelegate {
            cite(.cb01)
            // Every launch has this callback. The callbacks of an outcome list only what is news to the app.
            if system.isAtLeast(13) { reply("initialCallback", .text(device.reportedStatus.rawValue)) }
        }
        notifyOfAuthorization()
        if inForeground { sessionsMayPrompt() }
    }

    mutating func terminate(by cause: Termination) {
        guard device.appInstalled else { return note("The app is not installed.") }
        if device.lifecycle == .terminated, cause != .reboot, cause != .user {
            return note("The app is terminated already.")
        }
        effect("terminated")
        if cause == .user, device.hasContinuousUpdates { cite(.svc19) }
        if cause == .user, device.osVersion.major == 15, device.osVersion.minor == 3, device.platform.isHandheld {
            cite(.relaunch39)
            note("By one report iOS 15.3 launches an app again at once after a force quit, without an event.")
        }
        endProcess(cause)
        guard cause == .reboot else { return }
        cite(.relaunch17)
        if device.platform.isHandheld {
            cite(.relaunch02)
            device.unlockedSinceBoot = false
        }
        for index in device.services.indices where device.services[index].service.isRegion {
            device.services[index].observed = device.services[index].observed ?? device.services[index].state
            device.services[index].state = nil
        }
    }

    /// Ends the app and everything that belongs to the process.
    mutating func endProcess(_ cause: Termination) {
        device.lifecycle = .terminated
        device.terminatedBy = cause
        (graceEnds, runtimeEnds, sessionsForgotten) = (nil, nil, nil)
        device.hasDelegate = false
        liveUpdatesArePaused = false
        for index in device.services.indices where device.services[index].service == .liveUpdates {
            device.services[index].isPaused = nil
        }
        openMonitors = []
        if let prompt = promptOnScreen, prompt.kind != .second, prompt.kind != .reminder { promptOnScreen = nil }
        for index in device.services.indices
        where device.services[index].service.endsWithTheProcess && device.services[index].isActive {
            device.services[index].stopped = true
            device.services[index].endedWithTheProcess = true
        }
        for waiting in queue { settle(waiting, .dropped, .svc01) }
        queue = []
        useMayHaveEnded()
    }

    mutating func unlock() {
        let isFirst = !device.unlockedSinceBoot
        device.unlockedSinceBoot = true
        reply("regionStates", .text(isFirst ? "redetermined" : "kept"))
        guard isFirst else { return note("The device was unlocked before; nothing changes.") }
        effect("unlocked")
        cite(.relaunch02, .relaunch17)
        if device.services.contains(where: { $0.isActive && ($0.service.isRegion || $0.service.isCondition) }) {
            warn(.relaunch17, "Sources disagree on whether registrations survive a reboot; here they do.")
        }
        for index in device.services.indices where device.services[index].service.isRegion {
            device.services[index].state = device.services[index].observed
        }
    }

    mutating func work(_ span: Duration, task: Bool, retakesSessions: Bool?, holdsFileLock: Bool) {
        guard device.lifecycle.isRunning else { return note("The app does not run.") }
        effect("worked")
        let end = elapsed + span
        let remaining = remainingRuntime(task: task)
        let isCutOff = remaining.map { span > $0 } ?? false
        reply("cutOff", .bool(isCutOff))
        if retakesSessions == true {
            retakeAll()
        } else if sessionsForgotten != nil, retakesSessions == false {
            forgetSessions()
        }
        guard let remaining else { return advance(by: span) }
        cite(.relaunch19)
        note("The time is not documented: from none at all to about 30 seconds were observed.")
        runtimeEnds = elapsed + remaining
        if isCutOff {
            cite(.plat04, .dispute12)
            if !task { emit(.appMust("beginBackgroundTask")) }
            if holdsFileLock { emit(.appMust("releaseFileLocks")) }
        }
        guard isCutOff, holdsFileLock else { return advance(by: span) }
        // The app is killed at the moment at which it would be suspended.
        (graceEnds, runtimeEnds) = (nil, nil)
        advance(by: remaining)
        crash(.relaunch38, "The app is suspended while it holds a file lock, and is killed with 0xdead10cc.")
        if end > elapsed { advance(by: end - elapsed) }
    }

    /// How long an app that nothing keeps running may still run; `nil` where nothing limits it.
    private func remainingRuntime(task: Bool) -> Duration? {
        let isLimited =
            switch device.lifecycle {
            case .backgroundRunning, .backgroundGrace:
                !device.isKeptRunning && !device.platform.isMac && !device.complicationOnActiveFace
            case .foreground, .suspended, .terminated: false
            }
        guard isLimited else { return nil }
        let due = device.lifecycle == .backgroundGrace ? graceEnds : runtimeEnds
        let remaining = due.map { $0 - elapsed } ?? parameters.runtime
        // The run time with a task counts from the same moment.
        return task ? remaining + parameters.runtimeWithTask - parameters.runtime : remaining
    }
}
