import FencepostModel

/// The clock, and what comes due on it.
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
        while let due = [graceEnds, runtimeEnds, sessionsForgotten, morning].compactMap({ $0 }).min(), due <= end {
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
        let before = (given.grant, given.accuracy, given.lifecycle)
        advance(by: span)
        if given.grant == .temporaryWhenInUse {
            switch given.use {
            case .foreground: cite(.once04)
            case .grace: cite(.once05)
            case .backgroundIndicator: cite(.once06)
            case .backgroundSession: warn(.once07)
            case .complication, .alwaysRunningOnMac, nil: break
            }
        }
        if before == (given.grant, given.accuracy, given.lifecycle) { effect("none") }
    }

    private mutating func leaveGrace() {
        guard given.lifecycle == .backgroundGrace else { return }
        if given.isKeptRunning || given.platform.isMac || given.complicationOnActiveFace {
            given.lifecycle = .backgroundRunning
        } else {
            given.lifecycle = .suspended
            cite(.plat04)
        }
        useMayHaveEnded(byGrace: true)
    }

    /// An app in the background that nothing keeps running has a little time left.
    mutating func limitRuntime() {
        guard given.lifecycle == .backgroundRunning else { return }
        if given.isKeptRunning || given.platform.isMac {
            runtimeEnds = nil
        } else if runtimeEnds == nil {
            runtimeEnds = elapsed + parameters.runtime
        }
    }

    /// Out of its runtime, an app in the background that nothing keeps running is suspended.
    mutating func suspendIfIdle() {
        guard given.lifecycle == .backgroundRunning, !given.isKeptRunning, !given.platform.isMac,
            !given.complicationOnActiveFace
        else { return }
        given.lifecycle = .suspended
        given.wasWokenByBeacon = false
        cite(.plat04)
        useMayHaveEnded()
    }

    /// Takes back what lasts only as long as the app is in use.
    mutating func useMayHaveEnded(byGrace: Bool = false) {
        guard !given.isInUse else { return }
        if given.grant == .temporaryWhenInUse {
            given.grant = .notDetermined
            cite(given.lifecycle == .terminated ? .once02 : .once03, .once08)
            if byGrace { warn(.once11) }
            note("The grant for once is gone; the app hears of it when it next runs.")
        }
        if given.accuracy == .temporaryFull {
            given.accuracy = .reduced
            cite(.acc14)
            note("The temporary full accuracy is over.")
        }
        shareWithWatch()
    }

    /// Whoever does not take its sessions again in time after a launch no longer has them.
    mutating func forgetSessions() {
        sessionsForgotten = nil
        guard given.lifecycle != .terminated else { return }
        let count = given.sessions.count
        given.sessions.removeAll(where: \.isUnclaimed)
        for index in given.services.indices
        where given.services[index].service == .liveUpdates && given.services[index].isUnclaimed {
            given.services[index].stopped = true
        }
        if given.sessions.count < count {
            cite(.relaunch14, .sess08)
            note("The sessions from before the launch were not taken again in time and are gone.")
        }
        useMayHaveEnded()
    }

    /// When the grant of an App Clip ends.
    private var morning: Duration? {
        guard given.appClip, given.grant == .whenInUse else { return nil }
        guard let origin else { return grantedAt + parameters.appClipNight }
        // Four in the morning, UTC: the zone of the device is not known.
        let day: Int64 = 86_400_000
        let granted = (origin + grantedAt).milliseconds - 4 * 3_600_000
        let days = granted >= 0 ? granted / day : (granted - day + 1) / day
        return Timestamp(milliseconds: (days + 1) * day + 4 * 3_600_000) - origin
    }

    private mutating func endAppClipGrant() {
        given.grant = .notDetermined
        cite(.plat19)
        note("The while-using grant of an App Clip ends in the morning.")
        tell()
    }
}
