/// The app on and off the screen, started and ended.
extension CoreLocationSimulation {
    mutating func enterBackground() {
        guard given.lifecycle == .foreground else { return note("The app is not in the foreground.") }
        leaveForeground()
    }

    mutating func lookAway() {
        guard given.platform.isVision else { return note("Looking away matters on Vision Pro alone.") }
        guard given.lifecycle == .foreground else { return note("The app is not being looked at.") }
        cite(.plat14)
        leaveForeground()
    }

    private mutating func leaveForeground() {
        effect("background")
        if given.platform.isMac {
            cite(.plat05)
            given.lifecycle = .backgroundRunning
            return
        }
        given.lifecycle = .backgroundGrace
        graceEnds = elapsed + parameters.grace
        if let use = given.use { cite(use.rule(on: given.platform)) }
        useMayHaveEnded()
    }

    mutating func enterForeground() {
        if given.lifecycle == .terminated { return launch(by: .user) }
        guard given.lifecycle != .foreground else { return note("The app is in the foreground already.") }
        guard given.appInstalled else { return note("The app is not installed.") }
        effect("foreground")
        comeBack()
        given.lifecycle = .foreground
        (graceEnds, runtimeEnds) = (nil, nil)
        tell()
        deliverQueue()
        sessionsMayPrompt()
    }

    mutating func resume() {
        guard given.lifecycle == .suspended else { return note("The app is not suspended.") }
        effect("resumed")
        cite(.cb04)
        comeBack()
        wake()
    }

    /// What ended while the app was away is found to have ended.
    private mutating func comeBack() {
        if given.grant == .temporaryWhenInUse {
            switch given.use {
            case .grace: cite(.once05)
            case .backgroundIndicator: cite(.once06)
            case .backgroundSession: warn(.once07)
            case .foreground, .complication, .alwaysRunningOnMac, nil: break
            }
        }
        useMayHaveEnded()
    }

    /// Lets a suspended app run for a while.
    mutating func wake() {
        guard given.lifecycle == .suspended else { return }
        given.lifecycle = .backgroundRunning
        runtimeEnds = elapsed + parameters.runtime
        tell()
        deliverQueue()
    }

    mutating func launch(by launcher: Launcher) {
        guard given.appInstalled else { return note("The app is not installed.") }
        guard given.lifecycle == .terminated else {
            return launcher == .user ? enterForeground() : note("The app runs already, or is suspended.")
        }
        effect("launched")
        startProcess(inForeground: launcher == .user)
    }

    /// Starts the app; a launch by the system counts.
    mutating func startProcess(inForeground: Bool) {
        if given.grant == .temporaryWhenInUse {
            cite(.once02)
            given.grant = .notDetermined
        }
        if given.accuracy == .temporaryFull {
            cite(.acc14)
            given.accuracy = .reduced
        }
        given.lifecycle = inForeground ? .foreground : .backgroundRunning
        given.terminatedBy = nil
        given.appEverLaunched = true
        given.hasDelegate = given.delegateSetAtLaunch && given.managers > 0
        if !inForeground {
            launches += 1
            runtimeEnds = elapsed + parameters.runtime
        }
        openMonitors = []
        isFreshlyLaunched = true
        wasLaunched = true
        allowsBackgroundUpdates = nil
        for index in given.sessions.indices { given.sessions[index].isUnclaimed = true }
        var isOutstanding = !given.sessions.isEmpty
        for index in given.services.indices where given.services[index].isActive {
            let service = given.services[index].service
            if service == .liveUpdates {
                given.services[index].isUnclaimed = true
                isOutstanding = true
            } else if service.endsWithTheProcess {
                given.services[index].stopped = true
                cite(.relaunch27)
            }
        }
        if isOutstanding { sessionsForgotten = elapsed + parameters.sessionMemory }
        if given.grant == .notDetermined { cite(.relaunch28) }
        if given.hasDelegate { cite(.cb01) }
        tell()
        if inForeground { sessionsMayPrompt() }
    }

    mutating func terminate(by cause: Termination) {
        guard given.appInstalled else { return note("The app is not installed.") }
        if given.lifecycle == .terminated, cause != .reboot, cause != .user {
            return note("The app is terminated already.")
        }
        effect("terminated")
        if cause == .user, given.hasContinuousUpdates { cite(.svc19) }
        endProcess(cause)
        guard cause == .reboot else { return }
        cite(.relaunch17)
        if given.platform.isHandheld {
            cite(.relaunch02)
            given.unlockedSinceBoot = false
        }
        for index in given.services.indices where given.services[index].service.isRegion {
            given.services[index].observed = given.services[index].observed ?? given.services[index].state
            given.services[index].state = nil
        }
    }

    /// Ends the app, and with it what the process held.
    mutating func endProcess(_ cause: Termination) {
        given.lifecycle = .terminated
        given.terminatedBy = cause
        (graceEnds, runtimeEnds, sessionsForgotten) = (nil, nil, nil)
        given.hasDelegate = false
        liveUpdatesArePaused = false
        openMonitors = []
        if let prompt = promptOnScreen, prompt.kind != .second, prompt.kind != .reminder { promptOnScreen = nil }
        for index in given.services.indices
        where given.services[index].service.endsWithTheProcess && given.services[index].isActive {
            given.services[index].stopped = true
            given.services[index].endedWithTheProcess = true
        }
        for waiting in queue { settle(waiting, .dropped, .svc01) }
        queue = []
        useMayHaveEnded()
    }

    mutating func unlock() {
        let isFirst = !given.unlockedSinceBoot
        given.unlockedSinceBoot = true
        reply("regionStates", .text(isFirst ? "redetermined" : "kept"))
        guard isFirst else { return note("The device was unlocked before; nothing changes.") }
        effect("unlocked")
        cite(.relaunch02, .relaunch17)
        if given.services.contains(where: { $0.isActive && ($0.service.isRegion || $0.service.isCondition) }) {
            warn(.relaunch17, "That registrations last beyond a reboot is said in two ways; here they do.")
        }
        for index in given.services.indices where given.services[index].service.isRegion {
            given.services[index].state = given.services[index].observed
        }
    }

    mutating func work(_ span: Duration, task: Bool, retakesSessions: Bool?) {
        guard given.lifecycle.isRunning else { return note("The app does not run.") }
        effect("worked")
        let inBackground = given.lifecycle == .backgroundRunning && !given.isKeptRunning && !given.platform.isMac
        let limit = task ? parameters.runtimeWithTask : parameters.runtime
        let isCutOff = inBackground && span > limit
        reply("cutOff", .bool(isCutOff))
        if retakesSessions == true {
            retakeEverything()
        } else if sessionsForgotten != nil, retakesSessions == false || span >= parameters.sessionMemory {
            forgetSessions()
        }
        if inBackground { cite(.relaunch19) }
        if isCutOff {
            cite(.dispute12)
            if !task { emit(.appMust("beginBackgroundTask")) }
            runtimeEnds = nil
            suspendIfIdle()
        } else if inBackground, task {
            runtimeEnds = elapsed + parameters.runtimeWithTask
        }
    }
}
