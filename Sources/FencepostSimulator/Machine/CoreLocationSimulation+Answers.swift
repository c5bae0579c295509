/// What the user answers, and what the system asks by itself.
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
            if meaning == .yes { given.accuracy = .temporaryFull }
        case .second: answerSecond(agrees: meaning == .yes)
        case .reminder:
            cite(.set09)
            if meaning == .no { become(.whenInUse) }
        case .upgrade:
            cite(system.isAtLeast(13) ? .auth17 : .auth15)
            if meaning == .yes {
                become(.always)
            } else {
                cite(.cb03)
                note("The status stays as it was, so nothing is called back.")
            }
        case .implicitLegacy, .alwaysLegacy:
            cite(prompt.kind == .alwaysLegacy ? .auth10 : .auth07)
            become(meaning == .yes ? .always : .denied)
        case .whenInUseLegacy:
            cite(.auth09)
            become(meaning == .yes ? .whenInUse : .denied)
        case .alwaysThreeOption:
            cite(.auth11)
            if meaning == .less { cite(.auth18) }
            become(meaning == .yes ? .always : meaning == .less ? .whenInUse : .denied)
        case .macAutomatic:
            cite(.plat06)
            let level: Grant = given.platform == .macOS || prompt.goal == .always ? .always : .whenInUse
            become(meaning == .yes ? level : .denied)
        case .first: answerFirst(meaning, goal: prompt.goal, precise: precise)
        }
        // A session that wants more than was asked for goes on asking.
        if prompt.kind == .first, given.sessions.contains(where: { $0.session.goal == .always }) { sessionsMayPrompt() }
    }

    private mutating func answerFirst(_ meaning: Meaning, goal: Session.Goal, precise: Bool?) {
        cite(goal == .always ? .auth13 : .auth12)
        if let precise, system.isAtLeast(14), !given.infoPlist.isTrue(PropertyKeys.defaultReduced) {
            cite(.acc02)
            given.accuracy = precise ? .full : .reduced
        }
        switch meaning {
        case .no: become(.denied)
        case .less:
            cite(.once01)
            become(.temporaryWhenInUse)
        case .yes where goal == .always:
            cite(.prov01)
            become(.provisionalAlways)
            note("The app is told always, while Settings shows While Using.")
        case .yes: become(.whenInUse)
        }
    }

    /// What a button comes to: the most that the prompt offers, the middle way, or no.
    private enum Meaning { case yes, less, no }

    /// Buttons that differ in words alone are taken for each other, as releases changed the words.
    private static func meaning(of choice: Choice, at kind: Prompt.Kind) -> Meaning? {
        switch (kind, choice) {
        case (.upgrade, .changeToAlwaysAllow), (.second, .changeToAlwaysAllow), (.upgrade, .alwaysAllow),
            (.second, .alwaysAllow), (.upgrade, .allow), (.second, .allow), (.reminder, .alwaysAllow),
            (.reminder, .allow), (.reminder, .changeToAlwaysAllow):
            .yes
        case (.upgrade, .keepOnlyWhileUsing), (.second, .keepOnlyWhileUsing), (.upgrade, .onlyWhileUsing),
            (.second, .onlyWhileUsing), (.upgrade, .allowWhileUsing), (.second, .allowWhileUsing),
            (.reminder, .changeToOnlyWhileUsing), (.reminder, .onlyWhileUsing), (.reminder, .keepOnlyWhileUsing),
            (.upgrade, .dontAllow), (.second, .dontAllow):
            .no
        case (.upgrade, _), (.second, _), (.reminder, _): nil
        case (_, .dontAllow): .no
        case (.first, .allowWhileUsing), (.first, .allow), (.first, .onlyWhileUsing): .yes
        case (.first, .allowOnce): .less
        case (.first, _): nil
        case (.alwaysThreeOption, .onlyWhileUsing), (.alwaysThreeOption, .allowWhileUsing): .less
        case (.alwaysThreeOption, .alwaysAllow), (.alwaysThreeOption, .allow): .yes
        case (.alwaysThreeOption, _): nil
        case (.temporaryFullAccuracy, .allow), (.temporaryFullAccuracy, .allowOnce): .yes
        case (.temporaryFullAccuracy, _): nil
        case (_, .allow): .yes
        case (.whenInUseLegacy, .allowWhileUsing), (.whenInUseLegacy, .onlyWhileUsing): .yes
        case (.alwaysLegacy, .alwaysAllow), (.implicitLegacy, .alwaysAllow): .yes
        case (.macAutomatic, .allowWhileUsing), (.macAutomatic, .alwaysAllow): .yes
        case (_, _): nil
        }
    }

    /// Gives the app another grant.
    mutating func become(_ grant: Grant) {
        let status = given.reportedStatus
        if given.grant == .provisionalAlways, grant != .always { dropHeldEvent(.prov07) }
        given.grant = grant
        grantedAt = elapsed
        if given.reportedStatus == status, grant.isAuthorized { cite(.cb03) }
        tell()
        useMayHaveEnded()
        shareWithWatch()
    }

    mutating func showSecondPrompt() {
        cite(.prov04)
        guard given.grant == .provisionalAlways, secondPromptScheduled else {
            return note("No event is held, so the system has no reason for a second prompt.")
        }
        secondPromptScheduled = false
        cite(.plist09)
        show(.second, [.changeToAlwaysAllow, .keepOnlyWhileUsing], PropertyKeys.alwaysAndWhenInUse, goal: .always)
    }

    private mutating func answerSecond(agrees: Bool) {
        guard agrees else {
            cite(.prov07, .prov08)
            return become(.whenInUse)
        }
        cite(.prov06, .cb03)
        given.grant = .always
        grantedAt = elapsed
        note("The status stays always, so nothing is called back.")
        guard let waiting = held else { return }
        held = nil
        if elapsed - waiting.since >= parameters.eventExpiry {
            cite(.prov05)
            settle(waiting, .dropped, .prov05)
        } else {
            deliverWaiting(waiting, rule: .prov06)
        }
    }

    /// The event that waited for the answer is not delivered any more.
    mutating func dropHeldEvent(_ rule: RuleID) {
        secondPromptScheduled = false
        guard let waiting = held else { return }
        held = nil
        settle(waiting, .dropped, rule)
    }

    mutating func showReminder() {
        cite(.set09)
        guard given.grant == .always, system.isAtLeast(8), given.platform.isHandheld || given.platform == .watchOS
        else {
            return note("The reminder is for apps that were granted always.")
        }
        if !usedLocationInBackground {
            note("The system shows it only if location was used in the background, which no step before did.")
        }
        let key = system.isAtLeast(11) ? PropertyKeys.alwaysAndWhenInUse : PropertyKeys.always
        show(.reminder, [.alwaysAllow, .changeToOnlyWhileUsing], key, goal: .always)
    }
}
