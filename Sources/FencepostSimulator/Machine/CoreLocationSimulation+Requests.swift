/// Requests for authorization, and the prompts that they show.
extension CoreLocationSimulation {
    mutating func perform(_ request: AuthorizationRequest) {
        switch request {
        case .temporaryFullAccuracy(let key): requestTemporaryFullAccuracy(key)
        case .level(let goal):
            let (available, treated) = treatment(of: goal)
            reply("available", .bool(available))
            reply("treatedAs", available ? .text(treated.rawValue) : .null)
            guard available else {
                note("This request does not exist on \(device.platform.rawValue) \(device.osVersion).")
                return
            }
            guard device.lifecycle.isRunning else {
                note("The app does not run, so it cannot ask.")
                return
            }
            _ = promptIfAllowed(treated)
        }
    }

    /// Whether the request exists on this system, and the level that the system treats it as.
    private mutating func treatment(of goal: Session.Goal) -> (available: Bool, treated: Session.Goal) {
        if !system.isAtLeast(8) {
            cite(.auth07)
            return (false, goal)
        }
        if device.platform == .macOS, !system.isAtLeast(13) {
            cite(.plat06)
            return (false, goal)
        }
        guard goal == .always else { return (true, goal) }
        switch device.platform {
        case .tvOS:
            cite(.plat13)
            return (false, goal)
        case .visionOS:
            cite(.plat15)
            return (false, goal)
        case .visionOSCompatible:
            cite(.plat15)
            note("The request for Always is treated as a request for While Using.")
            return (true, .whenInUse)
        case .iOS, .iPadOS, .macOS, .macCatalyst, .iPadAppOnMac, .watchOS:
            if device.platform == .macCatalyst || device.platform == .iPadAppOnMac { cite(.plat08) }
            guard device.appClip else { return (true, goal) }
            cite(.plat19)
            note("An App Clip cannot have Always, so this is a request for While Using.")
            return (true, .whenInUse)
        }
    }

    /// Checks the preconditions of a request in their order, and shows a prompt if all hold.
    ///
    /// `bySession` is whether a service session asks in place of the app. A session's request without effect is not
    /// reported.
    ///
    /// - Returns: whether a prompt is on screen now, or the grant changed without one.
    mutating func promptIfAllowed(_ goal: Session.Goal, bySession: Bool = false) -> Bool {
        let missing = missingUsageKeys(for: goal)
        if device.platform == .macOS, missing.isEmpty, !device.infoPlist.has(PropertyKeys.usage) {
            warn(.plist19, "The While Using text is enough for the prompt on macOS 27; Apple documents another key.")
        }
        if !missing.isEmpty {
            cite(.auth01, keyRule(for: goal), .plist08)
            emit(.missingKeys(missing))
            citeOtherKeys(goal)
            let needed = usageKeys(for: goal).joined(separator: " and ")
            note("The console says that the app must declare \(needed) with a text for the user.")
            return refuse(.auth01, goal, "Purpose strings are missing: \(missing.joined(separator: ", ")).")
        }
        if device.lifecycle != .foreground {
            cite(system.isAtLeast(13) ? .auth02 : .plat17, .plat17)
            if device.platform == .watchOS, device.complicationOnActiveFace { cite(.plat10) }
            if bySession { cite(.sess02) }
            return refuse(.plat17, goal, "The app is not in the foreground.")
        }
        if !device.locationServicesEnabled {
            emit(.appMust("askToEnableLocationServices"))
            note("The system may show its own alert for turning Location Services on.")
            return refuse(.auth03, goal, "Location Services are off for the device.")
        }
        if device.grant == .denied || device.grant == .restricted {
            let remedy = device.grant == .denied ? "Only Settings can change that." : "This user cannot change that."
            return refuse(.auth04, goal, "The grant is \(device.grant.rawValue). \(remedy)")
        }
        if promptOnScreen != nil { return refuse(.auth08, goal, "A prompt is on screen already.") }
        if goal == .always, device.grant != .notDetermined { return requestUpgrade() }
        if device.platform == .macOS, system.isAtLeast(17), device.managers == 0 || !device.hasDelegate {
            return refuse(.plat21, goal, "No manager has a delegate, so the Mac shows no prompt and reports no error.")
        }
        guard device.grant == .notDetermined else {
            return refuse(.auth05, goal, "The status is not undetermined, so the While Using request does nothing.")
        }
        showFirstPrompt(goal)
        return true
    }

    /// Records why a request has no effect.
    private mutating func refuse(_ rule: RuleID, _ goal: Session.Goal, _ text: String) -> Bool {
        cite(rule, .auth08)
        note(text)
        let ignored: Set<RuleID> = [.auth01, .plat17, .auth19]
        if goal == .always, system.isAtLeast(13), !device.alwaysRequestUsed, ignored.contains(rule) { warn(.auth20) }
        return false
    }

    /// Shows the first prompt to a user who was never asked.
    private mutating func showFirstPrompt(_ goal: Session.Goal) {
        if device.platform.isMac {
            cite(device.platform == .macOS ? .plat06 : .plat08)
            return show(.macAutomatic, [.allow, .dontAllow], usageKeys(for: goal).first, goal: goal)
        }
        if system.isAtLeast(11), goal == .always { device.alwaysRequestUsed = true }
        if system.isAtLeast(13) {
            if onceHasEnded { cite(.once09) }
            cite(goal == .always ? .auth13 : .auth12, .plist09)
            return show(.first, [.allowOnce, .allowWhileUsing, .dontAllow], PropertyKeys.whenInUse, goal: goal)
        }
        guard goal == .always else {
            cite(.auth09)
            return show(.whenInUseLegacy, [.allow, .dontAllow], PropertyKeys.whenInUse, goal: goal)
        }
        if system.isAtLeast(11) {
            cite(.auth11, .plist09)
            show(
                .alwaysThreeOption, [.alwaysAllow, .dontAllow, .onlyWhileUsing], PropertyKeys.alwaysAndWhenInUse,
                goal: goal)
        } else {
            cite(.auth10, .plist09)
            show(.alwaysLegacy, [.allow, .dontAllow], PropertyKeys.always, goal: goal)
        }
    }

    /// A request for Always when a level is granted already.
    private mutating func requestUpgrade() -> Bool {
        switch device.grant {
        case .provisionalAlways, .always: return refuse(.auth21, .always, "There is nothing more to ask for.")
        case .temporaryWhenInUse: return refuse(.auth19, .always, "During Allow Once this request is ignored.")
        case .notDetermined, .restricted, .denied, .whenInUse: break
        }
        if device.platform.isMac {
            cite(.plat05)
            return refuse(.auth06, .always, "On a Mac there is nothing more to ask for.")
        }
        if !system.isAtLeast(11) {
            cite(.auth14)
            return refuse(.auth06, .always, "Before iOS 11 only Settings changes While Using to Always.")
        }
        if device.alwaysRequestUsed {
            cite(.auth06)
            return refuse(.auth18, .always, "The one request for Always is used up.")
        }
        device.alwaysRequestUsed = true
        if system.isAtLeast(13), !system.isAtLeast(13, 4) {
            cite(.auth16, .prov01)
            effect("transition")
            note("The grant becomes a provisional Always without a prompt.")
            setGrant(.provisionalAlways)
            return true
        }
        cite(system.isAtLeast(13) ? .auth17 : .auth15, .auth18, .plist09)
        show(
            .upgrade, [.changeToAlwaysAllow, .keepOnlyWhileUsing], PropertyKeys.alwaysAndWhenInUse, goal: .always)
        return true
    }

    /// Shows the prompt of systems without a request method, at the first use of location.
    mutating func promptAtFirstUse() {
        if device.platform == .macOS {
            _ = promptIfAllowed(.whenInUse)
        } else if !system.isAtLeast(8), device.lifecycle == .foreground, promptOnScreen == nil {
            cite(.auth07)
            let key = device.infoPlist.has(PropertyKeys.usage) ? PropertyKeys.usage : nil
            show(.implicitLegacy, [.allow, .dontAllow], key, goal: .always)
        }
    }

    mutating func show(_ kind: Prompt.Kind, _ buttons: [Choice], _ key: String?, goal: Session.Goal = .whenInUse) {
        promptOnScreen = PendingPrompt(kind: kind, buttons: buttons, goal: goal)
        effect("prompt")
        var prompt = Prompt(step: stepCount, kind: kind, buttons: buttons, descriptionKey: key)
        if kind == .first, system.isAtLeast(14) {
            let reduced = device.infoPlist.isTrue(PropertyKeys.defaultReduced)
            prompt.preciseToggle = !reduced
            prompt.titleMentionsApproximate = reduced
            cite(reduced ? .acc03 : .acc02)
        }
        emit(.prompt(prompt))
    }

    /// The keys with the strings that a request needs. On a Mac the key that the first prompt shows comes first.
    func usageKeys(for goal: Session.Goal) -> [String] {
        if device.platform == .macOS {
            let isEnough = system.isAtLeast(27) && device.infoPlist.has(PropertyKeys.whenInUse)
            return [isEnough ? PropertyKeys.whenInUse : PropertyKeys.usage]
        }
        guard goal == .always else { return [PropertyKeys.whenInUse] }
        return system.isAtLeast(11) ? [PropertyKeys.alwaysAndWhenInUse, PropertyKeys.whenInUse] : [PropertyKeys.always]
    }

    func missingUsageKeys(for goal: Session.Goal) -> [String] {
        usageKeys(for: goal).filter { !device.infoPlist.has($0) }
    }

    /// Records the rules about keys that are declared in place of the required ones.
    private mutating func citeOtherKeys(_ goal: Session.Goal) {
        guard device.platform != .macOS else { return }
        if device.infoPlist.has(PropertyKeys.usage) { cite(.plist06) }
        guard system.isAtLeast(11) else {
            if goal == .whenInUse { warn(.plist18) }
            return
        }
        guard goal == .always, device.infoPlist.has(PropertyKeys.always) else { return }
        cite(.plist04)
        // One reference page names these two keys.
        if device.infoPlist.has(PropertyKeys.whenInUse) { warn(.plist17) }
    }

    private func keyRule(for goal: Session.Goal) -> RuleID {
        if device.platform == .macOS { return .plist07 }
        guard goal == .always else { return .plist01 }
        return system.isAtLeast(11) ? .plist03 : .plist02
    }

    private mutating func requestTemporaryFullAccuracy(_ key: String) {
        let entry = "\(PropertyKeys.temporary):\(key)"
        func decline(_ simulation: inout Self, _ text: String) {
            simulation.note(text)
            simulation.reply("completionError", .error(.promptDeclined))
        }
        guard system.isAtLeast(14) else {
            cite(.acc11)
            return note("There is no reduced accuracy before iOS 14.")
        }
        if !device.infoPlist.has(PropertyKeys.temporary, containing: key) {
            cite(.acc12, .acc11, .plist11)
            emit(.missingKeys([entry]))
            return decline(&self, "The purpose key \(key) is not in \(PropertyKeys.temporary).")
        }
        if !device.hasReducedAccuracy {
            cite(.acc12)
            return decline(&self, "Accuracy is full already.")
        }
        if device.lifecycle != .foreground {
            cite(.acc12)
            return decline(&self, "The app is not in the foreground.")
        }
        if !device.grant.isAuthorized || !device.locationServicesEnabled {
            warn(.acc16)
            return decline(&self, "Without a granted level there is no accuracy to change.")
        }
        cite(.acc11, .acc13)
        reply("completionError", .null)
        show(.temporaryFullAccuracy, [.allowOnce, .dontAllow], entry)
    }
}
