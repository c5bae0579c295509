/// Sessions, monitors and live updates.
extension CoreLocationSimulation {
    mutating func createSession(_ session: Session) {
        for name in ["sessionStarted", "sessionEffective"] { reply(name, .bool(false)) }
        reply("diagnostics", .members([]))
        guard device.lifecycle.isRunning else { return note("The app does not run.") }
        if let goal = session.goal {
            createServiceSession(session, goal)
        } else {
            createBackgroundSession(session)
        }
    }

    private mutating func createWorkoutSession() {
        cite(.plat23)
        guard device.platform == .watchOS else { return note("Only a watch app keeps running for a workout session.") }
        if !retake(.workoutSession) {
            guard device.lifecycle == .foreground else { return note("A workout session has to start on screen.") }
            device.sessions.append(HeldSession(.workoutSession))
        }
        effect("started")
        reply("sessionStarted", .bool(true))
        reply("sessionEffective", .bool(device.hasWorkout))
        guard !device.infoPlist.declaresWorkouts else { return }
        emit(.missingKeys(["\(PropertyKeys.watchBackgroundModes):workout-processing"]))
        note("Without the background mode workout-processing it does not keep the app running.")
    }

    private mutating func createBackgroundSession(_ session: Session) {
        guard session != .workoutSession else { return createWorkoutSession() }
        cite(.plat03, .live03)
        guard system.isAtLeast(17), device.platform.isHandheld || device.platform == .watchOS else {
            cite(.plat22)
            return note("There is no \(session) on \(device.platform.rawValue) \(device.osVersion).")
        }
        let isRetaken = retake(session)
        if !isRetaken {
            guard device.lifecycle == .foreground else {
                note("It has to be started in the foreground, and there is no outstanding one to take again.")
                if system.isAtLeast(18) { reply("diagnostics", .flags(["insufficientlyInUse"])) }
                return
            }
            device.sessions.append(HeldSession(session))
        }
        effect("started")
        reply("sessionStarted", .bool(true))
        let isEffective = device.hasSessionInBackground
        reply("sessionEffective", .bool(isEffective))
        if !device.infoPlist.declaresBackgroundLocation {
            cite(.plist12)
            emit(.missingKeys([PropertyKeys.backgroundModeLocation]))
            note("Without the background mode location it has no effect.")
        }
        let flags = blockingFlags()
        if system.isAtLeast(18), !flags.isEmpty { reply("diagnostics", .flags(flags)) }
    }

    private mutating func createServiceSession(_ session: Session, _ goal: Session.Goal) {
        cite(.sess01)
        guard system.isAtLeast(18) else { return note("Service sessions exist from iOS 18 on.") }
        guard device.platform != .macOS else {
            cite(.plat22)
            return note("There is no service session for a native Mac app.")
        }
        if goal == .none { cite(.sess09) }
        if goal == .always {
            device.hasForgottenSessions = nil
            if device.grant != .always { cite(.sess10) }
        }
        let isRetaken = retake(session)
        if !isRetaken {
            // Always applies only to a session that the app first took in the foreground.
            let isEffective = goal != .always || device.lifecycle == .foreground
            device.sessions.append(HeldSession(session, isEffective: isEffective))
        }
        let goals = device.sessions.compactMap(\.session.goal)
        if goals.count > 1 { warn(.sess06) }
        effect("started")
        reply("sessionStarted", .bool(true))
        cite(.sess07)
        let isProgressing = sessionsMayPrompt()
        var flags = blockingFlags()
        let held = device.sessions.last { $0.session == session }
        switch goal {
        case .none: break
        case .whenInUse: if device.grant == .notDetermined, !isProgressing { flags.append("insufficientlyInUse") }
        case .always:
            cite(.sess03)
            if held?.isEffective == false { flags.append("insufficientlyInUse") }
            if device.grant == .notDetermined, !isProgressing { flags.append("insufficientlyInUse") }
            if !isProgressing, device.grant == .whenInUse || device.grant == .temporaryWhenInUse {
                flags.append("alwaysAuthorizationDenied")
            }
        }
        if case .serviceSession(_, .some) = session, device.hasReducedAccuracy, !isProgressing {
            flags.append("fullAccuracyDenied")
        }
        if isProgressing { flags.append("authorizationRequestInProgress") }
        var unique: [String] = []
        for flag in flags where !unique.contains(flag) { unique.append(flag) }
        reply("diagnostics", .flags(unique))
        if unique.contains("insufficientlyInUse") { cite(.sess02) }
        let isGranted =
            switch goal {
            case .none: true
            case .whenInUse: device.grant.isAuthorized
            case .always: device.grant == .always || device.grant == .provisionalAlways
            }
        reply(
            "sessionEffective",
            .bool(isGranted && device.locationServicesEnabled && held?.isEffective == true))
    }

    mutating func endSession(_ session: Session) {
        guard device.lifecycle.isRunning else { return note("The app does not run.") }
        guard let index = device.sessions.firstIndex(where: { $0.session == session }) else {
            return note("No such session is held.")
        }
        cite(session == .workoutSession ? .plat23 : session.prolongsUse ? .plat03 : .sess01)
        if session == .backgroundActivitySession { cite(.live04) }
        effect("ended")
        device.sessions.remove(at: index)
        useMayHaveEnded()
    }

    /// Takes an outstanding or held session again.
    ///
    /// - Returns: whether there is such a session.
    private mutating func retake(_ session: Session) -> Bool {
        guard let index = device.sessions.firstIndex(where: { $0.session == session }) else { return false }
        if device.sessions[index].isUnclaimed {
            cite(.relaunch14, .relaunch26)
            note("This takes the session from before the launch again.")
        }
        device.sessions[index].isUnclaimed = false
        if device.lifecycle == .foreground { device.sessions[index].isEffective = true }
        return true
    }

    mutating func retakeAll() {
        cite(.relaunch14, .relaunch26)
        for index in device.sessions.indices { device.sessions[index].isUnclaimed = false }
        for index in device.services.indices { device.services[index].isUnclaimed = false }
        sessionsForgotten = nil
    }

    /// The flags that report why the app gets no location at all.
    func blockingFlags() -> [String] {
        if !device.locationServicesEnabled, device.grant != .restricted {
            return ["authorizationDeniedGlobally", "authorizationDenied"]
        }
        return switch device.grant {
        case .denied: ["authorizationDenied"]
        case .restricted: ["authorizationRestricted"]
        case .notDetermined, .temporaryWhenInUse, .whenInUse, .provisionalAlways, .always: []
        }
    }

    /// Shows the prompt that a held session needs, as soon as it is possible.
    ///
    /// - Returns: whether a request is in progress.
    @discardableResult mutating func sessionsMayPrompt() -> Bool {
        guard system.isAtLeast(18) else { return false }
        if promptOnScreen != nil { return true }
        let claimed = device.sessions.filter { !$0.isUnclaimed }
        var goal = claimed.compactMap(\.session.goal).max() ?? .none
        if goal == .none, device.services.contains(where: { $0.isActive && !$0.isUnclaimed && isIterated($0.service) }),
            !device.infoPlist.requiresExplicitSession
        {
            cite(.sess04)
            goal = .whenInUse
        }
        guard goal > .none, device.platform != .macOS || goal == .whenInUse else { return false }
        if device.grant == .notDetermined
            || (goal == .always && device.grant == .whenInUse && !device.alwaysRequestUsed)
        {
            if device.platform.offersAlways, !device.appClip {
                return promptIfAllowed(goal, bySession: true)
            }
            return promptIfAllowed(.whenInUse, bySession: true)
        }
        return promptForFullAccuracy(claimed)
    }

    /// Whether the running process may iterate this service. For a loop from before a launch, `isUnclaimed` decides.
    private func isIterated(_ service: Service) -> Bool {
        service == .liveUpdates || (service.isCondition && !isFreshlyLaunched)
    }

    private mutating func promptForFullAccuracy(_ sessions: [HeldSession]) -> Bool {
        guard device.hasReducedAccuracy, device.lifecycle == .foreground, device.grant.isAuthorized,
            device.locationServicesEnabled
        else { return false }
        for held in sessions {
            guard case .serviceSession(_, .some(let key)) = held.session else { continue }
            if device.infoPlist.has(PropertyKeys.temporary, containing: key) {
                show(.temporaryFullAccuracy, [.allowOnce, .dontAllow], "\(PropertyKeys.temporary):\(key)")
                return true
            }
            emit(.missingKeys(["\(PropertyKeys.temporary):\(key)"]))
        }
        return false
    }

    mutating func openMonitor(_ name: String) {
        guard device.lifecycle.isRunning else { return note("The app does not run.") }
        guard system.unavailability(of: .clMonitorCircular) == nil else {
            cite(.svc10)
            return note("There is no CLMonitor on \(device.platform.rawValue) \(device.osVersion).")
        }
        guard name.allSatisfy({ $0.isLetter || $0.isNumber }) else {
            return crash(.mon21, "The name \(name) is not valid: a monitor's name has letters and digits only.")
        }
        guard !openMonitors.contains(name) else {
            return crash(.mon05, "A monitor of the name \(name) is open already.")
        }
        openMonitors.insert(name)
        effect("opened")
        cite(.mon05)
        if device.lifecycle == .backgroundRunning {
            warn(.mon22)
            note("The app opens its monitor in the background, perhaps while the phone is locked; it should not wait.")
        }
        let records = device.services.filter { $0.isActive && $0.service.isCondition && $0.monitor == name }
        if !records.isEmpty, !device.unlockedSinceBoot {
            cite(.mon23)
            note("Before the first unlock its stored conditions cannot be read: persistenceUnavailable.")
        } else if !records.isEmpty {
            cite(.mon06, .relaunch25)
            note("The monitor is opened with the conditions and states from before.")
        }
    }

    mutating func iterateLiveUpdates() {
        reply("delivers", .bool(false))
        reply("events", .list([]))
        reply("diagnostics", .members([]))
        guard device.lifecycle.isRunning else { return note("The app does not run.") }
        if let (rule, _) = system.unavailability(of: .liveUpdates) {
            cite(rule)
            return note("There are no live updates on \(device.platform.rawValue) \(device.osVersion).")
        }
        cite(.svc12)
        if let index = device.services.firstIndex(where: { $0.service == .liveUpdates && $0.isActive }) {
            if device.services[index].isUnclaimed { cite(.relaunch26) }
            device.services[index].isUnclaimed = false
        } else {
            var object = ServiceObject(.liveUpdates)
            object.startedInUse = device.isInUse
            register(object)
        }
        effect("iterating")
        describeIteration(of: ServiceObject(.liveUpdates))
    }

    mutating func iterateMonitor() {
        reply("delivers", .bool(false))
        reply("events", .list([]))
        reply("diagnostics", .members([]))
        guard device.lifecycle.isRunning else { return note("The app does not run.") }
        cite(.mon02)
        let conditions = device.services.indices.filter {
            device.services[$0].isActive && device.services[$0].service.isCondition
        }
        for index in conditions { if let name = device.services[index].monitor { openMonitors.insert(name) } }
        effect("iterating")
        let isFirst = isFreshlyLaunched
        isFreshlyLaunched = false
        if isFirst, device.lifecycle == .backgroundRunning { cite(.mon16) }
        let repeats = isFirst && device.monitorProfile == .field && system.isAtLeast(18)
        describeIteration(of: conditions.first.map { device.services[$0] } ?? ServiceObject(.clMonitorCircular))
        var events: [AnswerValue] = []
        for index in conditions {
            let object = device.services[index]
            let flags = eventFlags(of: object)
            var state = object.observed
            if !flags.isEmpty { state = .unmonitored }
            guard let state = state ?? (repeats ? object.state : nil), repeats || state != object.listed ?? .unknown
            else { continue }
            events.append(
                .members(
                    [
                        AnswerValue.Member("identifier", object.identifier.map(AnswerValue.text) ?? .null),
                        AnswerValue.Member("state", .text(state.rawValue)),
                    ] + (system.isAtLeast(18) ? flags.map { AnswerValue.Member($0, .bool(true)) } : [])))
            (device.services[index].state, device.services[index].listed) = (state, state)
        }
        if events.contains(where: { _ in system.isAtLeast(18) }) { cite(.mon08) }
        if !conditions.isEmpty, !device.unlockedSinceBoot { cite(.mon23) }
        reply("events", .list(events))
        guard isFirst, !conditions.isEmpty else { return }
        if repeats {
            cite(.mon15)
        } else if events.count < conditions.count {
            warn(.mon09)
            if system.isAtLeast(18) { warn(.mon15) }
        }
    }

    /// Answers whether an iterated sequence delivers, and the flags that report why not.
    private mutating func describeIteration(of object: ServiceObject) {
        var flags: [String] = []
        if system.isAtLeast(18), device.infoPlist.requiresExplicitSession, device.lacksExplicitSession {
            cite(.sess05)
            flags.append("serviceSessionRequired")
        } else if sessionsMayPrompt() {
            cite(.sess04)
            flags.append("authorizationRequestInProgress")
        }
        flags += blockingFlags()
        let isThere = device.active(object.service) != nil
        let delivers = isThere && deliversNow(object)
        if !delivers, flags.isEmpty, device.grant.isAuthorized {
            if object.service.isCondition, device.hasReducedAccuracy {
                flags.append("accuracyLimited")
                cite(.acc09)
            } else if isThere, !device.isInUse {
                flags.append("insufficientlyInUse")
            }
        } else if object.service == .liveUpdates, device.hasReducedAccuracy, device.grant.isAuthorized {
            flags.append("accuracyLimited")
            cite(.acc09)
        } else if device.grant == .notDetermined, flags.isEmpty, device.lifecycle != .foreground {
            flags.append("insufficientlyInUse")
        }
        reply("delivers", .bool(delivers))
        if system.isAtLeast(18) {
            reply("diagnostics", .flags(flags))
            if !flags.isEmpty { cite(object.service.isCondition ? .mon08 : .live02) }
        } else if !delivers {
            note("Before iOS 18 no flag reports why there is no update.")
        }
    }

    /// The flags of an event that report why a condition is not monitored.
    private func eventFlags(of object: ServiceObject) -> [String] {
        if !device.unlockedSinceBoot, device.platform.isHandheld { return ["persistenceUnavailable"] }
        if object.isBeyondLimit { return ["conditionLimitExceeded"] }
        if device.lacksExplicitSession { return ["serviceSessionRequired"] }
        let blocking = blockingFlags()
        if !blocking.isEmpty { return blocking }
        if promptOnScreen != nil, device.grant == .notDetermined { return ["authorizationRequestInProgress"] }
        return device.hasReducedAccuracy ? ["accuracyLimited"] : []
    }
}
