/// Answers of the user, and prompts that the system shows on its own.
extension CoreLocationSimulation {
    mutating func answer(_ choice: Choice, precise: Bool?) {
        guard let prompt = promptOnScreen else { return note("No prompt is on screen.") }
        guard let meaning = Self.meaning(of: choice, at: prompt.kind) else {
            if prompt.kind == .first { cite(prompt.goal == .always ? .auth13 : .auth12) }
            let buttons = prompt.buttons.map(\.rawValue).joined(separator: ", ")
            return note("This prompt has no such button; it has \(buttons).")
        }
        promptOnScreen = nil
        effect("answered")
        switch prompt.kind {
        case .temporaryFullAccuracy:
            cite(.acc13)
            reply("completionError", .null)
            if meaning == .full { device.accuracy = .temporaryFull }
        case .second: answerSecond(agrees: meaning == .full)
        case .reminder:
            cite(.set09)
            if meaning == .refusal { setGrant(.whenInUse) }
        case .upgrade:
            cite(system.isAtLeast(13) ? .auth17 : .auth15)
            if meaning == .full {
                setGrant(.always)
            } else {
                cite(.cb03)
                note("The status does not change, so there is no callback.")
            }
        case .implicitLegacy, .alwaysLegacy:
            cite(prompt.kind == .alwaysLegacy ? .auth10 : .auth07)
            setGrant(meaning == .full ? .always : .denied)
        case .whenInUseLegacy:
            cite(.auth09)
            setGrant(meaning == .full ? .whenInUse : .denied)
        case .alwaysThreeOption:
            cite(.auth11)
            if meaning == .partial { cite(.auth18) }
            setGrant(meaning == .full ? .always : meaning == .partial ? .whenInUse : .denied)
        case .macAutomatic:
            cite(.plat06)
            let level: Grant = device.platform == .macOS || prompt.goal == .always ? .always : .whenInUse
            setGrant(meaning == .full ? level : .denied)
        case .first: answerFirst(meaning, goal: prompt.goal, precise: precise)
        }
        // A session that needs a higher level continues to ask.
        if prompt.kind == .first, device.sessions.contains(where: { $0.session.goal == .always }) {
            sessionsMayPrompt()
        }
    }

    private mutating func answerFirst(_ meaning: Meaning, goal: Session.Goal, precise: Bool?) {
        cite(goal == .always ? .auth13 : .auth12)
        if let precise, system.isAtLeast(14), !device.infoPlist.isTrue(PropertyKeys.defaultReduced) {
            cite(.acc02)
            device.accuracy = precise ? .full : .reduced
        }
        if meaning != .refusal, system.isAtLeast(14), device.infoPlist.isTrue(PropertyKeys.defaultReduced) {
            cite(.acc03, .plist10)
            device.accuracy = .reduced
            note("The app asks for reduced accuracy by default, so Precise is off.")
        }
        switch meaning {
        case .refusal: setGrant(.denied)
        case .partial:
            cite(.once01)
            setGrant(.temporaryWhenInUse)
        case .full where goal == .always:
            cite(.prov01, .prov09)
            setGrant(.provisionalAlways)
            note("The grant is a provisional Always: the API reports Always, while Settings shows While Using.")
        case .full: setGrant(.whenInUse)
        }
    }

    /// What a button means: the highest level of the prompt, a lower level, or a refusal.
    private enum Meaning { case full, partial, refusal }

    /// The meaning of a button; `nil` if the prompt has no such button. Buttons of other releases with the same meaning
    /// are accepted.
    private static func meaning(of choice: Choice, at kind: Prompt.Kind) -> Meaning? {
        switch (kind, choice) {
        case (.upgrade, .changeToAlwaysAllow), (.second, .changeToAlwaysAllow), (.upgrade, .alwaysAllow),
            (.second, .alwaysAllow), (.upgrade, .allow), (.second, .allow), (.reminder, .alwaysAllow),
            (.reminder, .allow), (.reminder, .changeToAlwaysAllow):
            .full
        case (.upgrade, .keepOnlyWhileUsing), (.second, .keepOnlyWhileUsing), (.upgrade, .onlyWhileUsing),
            (.second, .onlyWhileUsing), (.upgrade, .allowWhileUsing), (.second, .allowWhileUsing),
            (.reminder, .changeToOnlyWhileUsing), (.reminder, .onlyWhileUsing), (.reminder, .keepOnlyWhileUsing),
            (.upgrade, .dontAllow), (.second, .dontAllow):
            .refusal
        case (.upgrade, _), (.second, _), (.reminder, _): nil
        case (_, .dontAllow): .refusal
        case (.first, .allowWhileUsing), (.first, .allow), (.first, .onlyWhileUsing): .full
        case (.first, .allowOnce): .partial
        case (.first, _): nil
        case (.alwaysThreeOption, .onlyWhileUsing), (.alwaysThreeOption, .allowWhileUsing): .partial
        case (.alwaysThreeOption, .alwaysAllow), (.alwaysThreeOption, .allow): .full
        case (.alwaysThreeOption, _): nil
        case (.temporaryFullAccuracy, .allow), (.temporaryFullAccuracy, .allowOnce): .full
        case (.temporaryFullAccuracy, _): nil
        case (_, .allow): .full
        case (.whenInUseLegacy, .allowWhileUsing), (.whenInUseLegacy, .onlyWhileUsing): .full
        case (.alwaysLegacy, .alwaysAllow), (.implicitLegacy, .alwaysAllow): .full
        case (.macAutomatic, .allowWhileUsing), (.macAutomatic, .alwaysAllow): .full
        case (_, _): nil
        }
    }

    /// Changes the grant and applies the consequences.
    mutating func setGrant(_ grant: Grant) {
        let status = device.reportedStatus
        if device.grant == .provisionalAlways, grant != .always { dropHeldEvent(.prov07) }
        device.grant = grant
        grantedAt = elapsed
        if device.reportedStatus == status, grant.isAuthorized { cite(.cb03) }
        notifyOfAuthorization()
        useMayHaveEnded()
        shareWithWatch()
    }

    mutating func showSecondPrompt() {
        cite(.prov04)
        guard device.grant == .provisionalAlways, secondPromptScheduled else {
            return note("No event is held, so the system shows no second prompt.")
        }
        secondPromptScheduled = false
        cite(.plist09)
        show(.second, [.changeToAlwaysAllow, .keepOnlyWhileUsing], PropertyKeys.alwaysAndWhenInUse, goal: .always)
    }

    private mutating func answerSecond(agrees: Bool) {
        guard agrees else {
            cite(.prov07, .prov08)
            return setGrant(.whenInUse)
        }
        cite(.prov06, .cb03)
        device.grant = .always
        grantedAt = elapsed
        note("The status stays Always, so there is no callback.")
        guard let waiting = held else { return }
        held = nil
        if elapsed - waiting.since >= parameters.eventExpiry {
            cite(.prov05)
            settle(waiting, .dropped, .prov05)
        } else {
            deliverWaiting(waiting, rule: .prov06)
        }
    }

    /// Drops the event that waits for the user's answer.
    mutating func dropHeldEvent(_ rule: RuleID) {
        secondPromptScheduled = false
        guard let waiting = held else { return }
        held = nil
        settle(waiting, .dropped, rule)
    }

    mutating func showReminder() {
        cite(.set09)
        guard device.grant == .always, system.isAtLeast(8), device.platform.isHandheld || device.platform == .watchOS
        else {
            return note("The reminder is for apps with Always.")
        }
        if !usedLocationInBackground {
            note("The system shows it only if location was used in the background, and no earlier step did that.")
        }
        let key = system.isAtLeast(11) ? PropertyKeys.alwaysAndWhenInUse : PropertyKeys.always
        show(.reminder, [.alwaysAllow, .changeToOnlyWhileUsing], key, goal: .always)
    }
}
