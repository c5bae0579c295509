import FencepostModel

/// The clock, and what happens when a time limit passes.
extension CoreLocationSimulation {
    mutating func advance(to time: Timestamp) {
        guard let now else {
            origin = time - elapsed
            return
        }
        if time > now { advance(by: time - now) }
    }

    mutating func advance(by span: Duration) {
        let end = elapsed + span
        while let due = [graceEnds, runtimeEnds, sessionsForgotten, appClipGrantEnd].compactMap({ $0 }).min(),
            due <= end
        {
            elapsed = max(elapsed, due)
            if graceEnds == due {
                graceEnds = nil
                leaveGrace()
            } else if runtimeEnds == due {
                runtimeEnds = nil
                suspendIfIdle()
            } else if sessionsForgotten == due {
                forgetSessions()
            } else {
                endAppClipGrant()
            }
        }
        elapsed = end
    }

    mutating func wait(_ span: Duration) {
        effect("timePassed")
        let before = (device.grant, device.accuracy, device.lifecycle)
        advance(by: span)
        if device.grant == .temporaryWhenInUse {
            switch device.use {
            case .foreground: cite(.once04)
            case .grace: cite(.once05)
            case .backgroundIndicator: cite(.once06)
            case .backgroundSession: warn(.once07)
            case .complication, .alwaysRunningOnMac, nil: break
            }
        }
        if span >= .seconds(86_400), device.lifecycle == .suspended, system.isAtLeast(18),
            device.services.contains(where: { $0.isActive && $0.service.isCondition })
        {
            cite(.mon19)
            note(
                "After days of suspension a condition may be stuck; the app should remove and add it once it is on screen."
            )
        }
        if before == (device.grant, device.accuracy, device.lifecycle) { effect("none") }
    }

    private mutating func leaveGrace() {
        guard device.lifecycle == .backgroundGrace else { return }
        if device.isKeptRunning || device.platform.isMac || device.complicationOnActiveFace {
            device.lifecycle = .backgroundRunning
        } else if let runtimeEnds, runtimeEnds > elapsed {
            // A background task prolongs the run time, not the use.
            device.lifecycle = .backgroundRunning
        } else {
            device.lifecycle = .suspended
            cite(.plat04)
        }
        useMayHaveEnded(byGrace: true)
    }

    /// Limits the run time of an app in the background that nothing keeps running.
    mutating func limitRuntime() {
        guard device.lifecycle == .backgroundRunning else { return }
        if device.isKeptRunning || device.platform.isMac {
            runtimeEnds = nil
        } else if runtimeEnds == nil {
            runtimeEnds = elapsed + parameters.runtime
        }
    }

    /// Suspends an app in the background whose run time is over and that nothing keeps running.
    mutating func suspendIfIdle() {
        guard device.lifecycle == .backgroundRunning, !device.isKeptRunning, !device.platform.isMac,
            !device.complicationOnActiveFace
        else { return }
        device.lifecycle = .suspended
        device.wasWokenByBeacon = false
        cite(.plat04)
        useMayHaveEnded()
    }

    /// Ends what lasts only while the app is in use.
    mutating func useMayHaveEnded(byGrace: Bool = false) {
        guard !device.isInUse else { return }
        if device.grant == .temporaryWhenInUse {
            device.grant = .notDetermined
            onceHasEnded = true
            cite(device.lifecycle == .terminated ? .once02 : .once03, .once08)
            if byGrace { warn(.once11) }
            note("Allow Once has ended; the app is notified when it next runs.")
        }
        if device.accuracy == .temporaryFull {
            device.accuracy = .reduced
            cite(.acc14)
            note("Temporary full accuracy has ended.")
        }
        shareWithWatch()
    }

    /// Ends the sessions and loops that the app has not taken again in time after a launch.
    mutating func forgetSessions() {
        sessionsForgotten = nil
        guard device.lifecycle != .terminated else { return }
        let count = device.sessions.count
        let hadLoop = device.services.contains { $0.service == .liveUpdates && $0.isUnclaimed && $0.isActive }
        if hadLoop || device.sessions.contains(where: \.isUnclaimed) { device.hasForgottenSessions = true }
        for held in device.sessions where held.isUnclaimed {
            if let goal = held.session.goal { emit(.appMust("recreateServiceSession(\(goal.rawValue))")) }
            if held.session == .backgroundActivitySession { emit(.appMust("recreateBackgroundActivitySession")) }
        }
        device.sessions.removeAll(where: \.isUnclaimed)
        for index in device.services.indices
        where device.services[index].service == .liveUpdates && device.services[index].isUnclaimed {
            device.services[index].stopped = true
        }
        if device.sessions.count < count {
            cite(.relaunch14, .sess08)
            note("The app did not take the sessions from before the launch again in time; they have ended.")
        }
        useMayHaveEnded()
    }

    /// When the grant of an App Clip ends.
    private var appClipGrantEnd: Duration? {
        guard device.appClip, device.grant == .whenInUse else { return nil }
        guard let origin else { return grantedAt + parameters.appClipNight }
        // 04:00 UTC, since the time zone of the device is not known.
        let day: Int64 = 86_400_000
        let granted = (origin + grantedAt).milliseconds - 4 * 3_600_000
        let days = granted >= 0 ? granted / day : (granted - day + 1) / day
        return Timestamp(milliseconds: (days + 1) * day + 4 * 3_600_000) - origin
    }

    private mutating func endAppClipGrant() {
        device.grant = .notDetermined
        cite(.plat19)
        note("The While Using grant of an App Clip ends in the morning.")
        notifyOfAuthorization()
    }
}
