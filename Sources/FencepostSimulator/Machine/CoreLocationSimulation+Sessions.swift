/// Sessions, monitors and live updates.
extension CoreLocationSimulation {
    mutating func createSession(_ session: Session) {
        for name in ["sessionStarted", "sessionEffective"] { reply(name, .bool(false)) }
        reply("diagnostics", .members([]))
        guard given.lifecycle.isRunning else { return note("The app does not run.") }
        if let goal = session.goal {
            createServiceSession(session, goal)
        } else {
            createBackgroundSession(session)
        }
    }

    private mutating func createBackgroundSession(_ session: Session) {
        cite(.plat03, .live03)
        guard system.isAtLeast(17), given.platform.isHandheld || given.platform == .watchOS else {
            return note("There is no \(session) on \(given.platform.rawValue) \(given.osVersion).")
        }
        let isRejoined = rejoin(session)
        if !isRejoined {
            guard given.lifecycle == .foreground else {
                note("It has to be started in the foreground, and there is none to rejoin.")
                if system.isAtLeast(18) { reply("diagnostics", .flags(["insufficientlyInUse"])) }
                return
            }
            given.sessions.append(HeldSession(session))
        }
        effect("started")
        reply("sessionStarted", .bool(true))
        let isEffective = given.hasSessionInBackground
        reply("sessionEffective", .bool(isEffective))
        if !given.infoPlist.declaresBackgroundLocation {
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
        let isRejoined = rejoin(session)
        if !isRejoined {
            // Always is in effect only for a session that was first taken on screen.
            let isEffective = goal != .always || given.lifecycle == .foreground
            given.sessions.append(HeldSession(session, isEffective: isEffective))
        }
        let goals = given.sessions.compactMap(\.session.goal)
        if goals.count > 1 { warn(.sess06) }
        effect("started")
        reply("sessionStarted", .bool(true))
        cite(.sess07)
        let isProgressing = sessionsMayPrompt()
        var flags = blockingFlags()
        let held = given.sessions.last { $0.session == session }
        switch goal {
        case .none: break
        case .whenInUse: if given.grant == .notDetermined, !isProgressing { flags.append("insufficientlyInUse") }
        case .always:
            cite(.sess03)
            if held?.isEffective == false { flags.append("insufficientlyInUse") }
            if given.grant == .notDetermined, !isProgressing { flags.append("insufficientlyInUse") }
            if !isProgressing, given.grant == .whenInUse || given.grant == .temporaryWhenInUse {
                flags.append("alwaysAuthorizationDenied")
            }
        }
        if case .serviceSession(_, .some) = session, given.hasReducedAccuracy, !isProgressing {
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
            case .whenInUse: given.grant.isAuthorized
            case .always: given.grant == .always || given.grant == .provisionalAlways
            }
        reply(
            "sessionEffective",
            .bool(isGranted && given.locationServicesEnabled && held?.isEffective == true))
    }

    mutating func endSession(_ session: Session) {
        guard given.lifecycle.isRunning else { return note("The app does not run.") }
        guard let index = given.sessions.firstIndex(where: { $0.session == session }) else {
            return note("No such session is held.")
        }
        cite(session.prolongsUse ? .plat03 : .sess01)
        effect("ended")
        given.sessions.remove(at: index)
        useMayHaveEnded()
    }

    /// Takes again a session that is outstanding or held.
    private mutating func rejoin(_ session: Session) -> Bool {
        guard let index = given.sessions.firstIndex(where: { $0.session == session }) else { return false }
        if given.sessions[index].isUnclaimed {
            cite(.relaunch14, .relaunch26)
            note("This takes up the session from before the launch.")
        }
        given.sessions[index].isUnclaimed = false
        if given.lifecycle == .foreground { given.sessions[index].isEffective = true }
        return true
    }

    mutating func retakeEverything() {
        cite(.relaunch14, .relaunch26)
        for index in given.sessions.indices { given.sessions[index].isUnclaimed = false }
        for index in given.services.indices { given.services[index].isUnclaimed = false }
        sessionsForgotten = nil
    }

    /// The flags that say what stands in the way of any location.
    func blockingFlags() -> [String] {
        if !given.locationServicesEnabled, given.grant != .restricted {
            return ["authorizationDeniedGlobally", "authorizationDenied"]
        }
        return switch given.grant {
        case .denied: ["authorizationDenied"]
        case .restricted: ["authorizationRestricted"]
        default: []
        }
    }

    /// Sessions that are held ask by themselves as soon as they can.
    ///
    /// - Returns: whether a request is in progress.
    @discardableResult mutating func sessionsMayPrompt() -> Bool {
        guard system.isAtLeast(18) else { return false }
        if promptOnScreen != nil { return true }
        let claimed = given.sessions.filter { !$0.isUnclaimed }
        var goal = claimed.compactMap(\.session.goal).max() ?? .none
        if goal == .none, given.services.contains(where: { $0.isActive && !$0.isUnclaimed && isIterated($0.service) }),
            !given.infoPlist.requiresExplicitSession
        {
            cite(.sess04)
            goal = .whenInUse
        }
        guard goal > .none, given.platform != .macOS || goal == .whenInUse else { return false }
        if given.grant == .notDetermined || (goal == .always && given.grant == .whenInUse && !given.alwaysRequestUsed) {
            if given.platform.offersAlways, !given.appClip {
                return bringUp(goal, bySession: true)
            }
            return bringUp(.whenInUse, bySession: true)
        }
        return promptForFullAccuracy(claimed)
    }

    /// Whether the running process may be iterating it: of a loop from before a launch it is known by its claim.
    private func isIterated(_ service: Service) -> Bool {
        service == .liveUpdates || (service.isCondition && !isFreshlyLaunched)
    }

    private mutating func promptForFullAccuracy(_ sessions: [HeldSession]) -> Bool {
        guard given.hasReducedAccuracy, given.lifecycle == .foreground, given.grant.isAuthorized,
            given.locationServicesEnabled
        else { return false }
        for held in sessions {
            guard case .serviceSession(_, .some(let key)) = held.session else { continue }
            if given.infoPlist.has(PropertyKeys.temporary, containing: key) {
                show(.temporaryFullAccuracy, [.allowOnce, .dontAllow], "\(PropertyKeys.temporary):\(key)")
                return true
            }
            emit(.missingKeys(["\(PropertyKeys.temporary):\(key)"]))
        }
        return false
    }

    mutating func openMonitor(_ name: String) {
        guard given.lifecycle.isRunning else { return note("The app does not run.") }
        guard system.lack(of: .clMonitorCircular) == nil else {
            cite(.svc10)
            return note("There is no CLMonitor on \(given.platform.rawValue) \(given.osVersion).")
        }
        guard !openMonitors.contains(name) else {
            return crash(.mon05, "A monitor of the name \(name) is open already.")
        }
        openMonitors.insert(name)
        effect("opened")
        cite(.mon05)
        let records = given.services.filter { $0.isActive && $0.service.isCondition && $0.monitor == name }
        if !records.isEmpty {
            cite(.mon06, .relaunch25)
            note("The monitor is opened with the conditions and states from before.")
        }
    }

    mutating func iterateLiveUpdates() {
        reply("delivers", .bool(false))
        reply("events", .list([]))
        reply("diagnostics", .members([]))
        guard given.lifecycle.isRunning else { return note("The app does not run.") }
        if let (rule, _) = system.lack(of: .liveUpdates) {
            cite(rule)
            return note("There are no live updates on \(given.platform.rawValue) \(given.osVersion).")
        }
        cite(.svc12)
        if let index = given.services.firstIndex(where: { $0.service == .liveUpdates && $0.isActive }) {
            if given.services[index].isUnclaimed { cite(.relaunch26) }
            given.services[index].isUnclaimed = false
        } else {
            var object = ServiceObject(.liveUpdates)
            object.startedInUse = given.isInUse
            register(object)
        }
        effect("iterating")
        describeIteration(of: ServiceObject(.liveUpdates))
    }

    mutating func iterateMonitor() {
        reply("delivers", .bool(false))
        reply("events", .list([]))
        reply("diagnostics", .members([]))
        guard given.lifecycle.isRunning else { return note("The app does not run.") }
        cite(.mon02)
        let conditions = given.services.indices.filter {
            given.services[$0].isActive && given.services[$0].service.isCondition
        }
        for index in conditions { if let name = given.services[index].monitor { openMonitors.insert(name) } }
        effect("iterating")
        let isFirst = isFreshlyLaunched
        isFreshlyLaunched = false
        describeIteration(of: conditions.first.map { given.services[$0] } ?? ServiceObject(.clMonitorCircular))
        var events: [AnswerValue] = []
        for index in conditions {
            let object = given.services[index]
            let flags = eventFlags(of: object)
            var state = object.observed
            if !flags.isEmpty { state = .unmonitored }
            guard let state, state != object.listed ?? .unknown else { continue }
            events.append(
                .members(
                    [
                        AnswerValue.Member("identifier", object.identifier.map(AnswerValue.text) ?? .null),
                        AnswerValue.Member("state", .text(state.rawValue)),
                    ] + (system.isAtLeast(18) ? flags.map { AnswerValue.Member($0, .bool(true)) } : [])))
            (given.services[index].state, given.services[index].listed) = (state, state)
        }
        if events.contains(where: { _ in system.isAtLeast(18) }) { cite(.mon08) }
        reply("events", .list(events))
        if isFirst, !conditions.isEmpty, events.count < conditions.count { warn(.mon09) }
    }

    /// Whether what is iterated delivers, and the flags that say why not.
    private mutating func describeIteration(of object: ServiceObject) {
        var flags: [String] = []
        if system.isAtLeast(18), given.infoPlist.requiresExplicitSession, given.lacksExplicitSession {
            cite(.sess05)
            flags.append("serviceSessionRequired")
        } else if sessionsMayPrompt() {
            cite(.sess04)
            flags.append("authorizationRequestInProgress")
        }
        flags += blockingFlags()
        let isThere = given.active(object.service) != nil
        let delivers = isThere && deliversNow(object)
        if !delivers, flags.isEmpty, given.grant.isAuthorized {
            if object.service.isCondition, given.hasReducedAccuracy {
                flags.append("accuracyLimited")
                cite(.acc09)
            } else if isThere, !given.isInUse {
                flags.append("insufficientlyInUse")
            }
        } else if object.service == .liveUpdates, given.hasReducedAccuracy, given.grant.isAuthorized {
            flags.append("accuracyLimited")
            cite(.acc09)
        } else if given.grant == .notDetermined, flags.isEmpty, given.lifecycle != .foreground {
            flags.append("insufficientlyInUse")
        }
        reply("delivers", .bool(delivers))
        if system.isAtLeast(18) {
            reply("diagnostics", .flags(flags))
            if !flags.isEmpty { cite(object.service.isCondition ? .mon08 : .live02) }
        } else if !delivers {
            note("Before iOS 18 nothing flags why nothing comes.")
        }
    }

    /// What keeps a condition from being monitored, as its event flags it.
    private func eventFlags(of object: ServiceObject) -> [String] {
        if object.isBeyondLimit { return ["conditionLimitExceeded"] }
        if given.lacksExplicitSession { return ["serviceSessionRequired"] }
        let blocking = blockingFlags()
        if !blocking.isEmpty { return blocking }
        if promptOnScreen != nil, given.grant == .notDetermined { return ["authorizationRequestInProgress"] }
        return given.hasReducedAccuracy ? ["accuracyLimited"] : []
    }
}
