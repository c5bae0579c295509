import FencepostModel
import FencepostSimulator

/// Permission, services and events.
extension ScenarioComposer {
    mutating func requested(_ verb: AuthorizationRequest, _ entry: LogEntry) {
        switch verb {
        case .level(let goal):
            request = (goal, steps.count, entry.at)
            add("request", [AnswerValue.Member("level", .text(goal.rawValue))], entry)
        case .temporaryFullAccuracy(let key):
            request = (nil, steps.count, entry.at)
            let members = [
                AnswerValue.Member("level", .text("temporaryFullAccuracy")),
                AnswerValue.Member("purposeKey", .text(key)),
            ]
            add("request", members, entry)
        }
    }

    mutating func promptShown(_ goal: Session.Goal?, _ entry: LogEntry) {
        if let request, entry.at - request.at < .seconds(30) { return steps[request.step].seen.prompt = true }
        guard let goal else {
            return note("\(entry.source): a prompt without a request of the app, and without its level: left out.")
        }
        var seen = SeenOnDevice()
        seen.prompt = true
        request = (goal, steps.count, entry.at)
        add("request", [AnswerValue.Member("level", .text(goal.rawValue))], entry, seen)
    }

    mutating func changed(_ new: ReportedStatus, _ accuracy: AccuracyAuthorization?, _ entry: LogEntry) {
        defer { (status, self.accuracy) = (new, accuracy ?? self.accuracy) }
        var seen = SeenOnDevice()
        seen.status = new
        if new != .notDetermined { seen.accuracy = accuracy }
        guard let old = status else {
            if steps.isEmpty { startStatus = new }
            return add("query", [AnswerValue.Member("what", .text("status"))], entry, seen)
        }
        guard new != old else {
            guard let accuracy, let before = self.accuracy, accuracy != before, new != .notDetermined else { return }
            if request?.level == nil, request != nil {
                request = nil
                return add("answer", [AnswerValue.Member("choice", .text("allow"))], entry, seen)
            }
            let word = accuracy == .fullAccuracy ? "preciseOn" : "preciseOff"
            return add("settings", [AnswerValue.Member("set", .text(word))], entry, seen)
        }
        if let request, let choice = Self.choice(from: old, to: new, request.level) {
            self.request = nil
            isProvisional = old == .notDetermined && new == .authorizedAlways && first?.platform != .macOS
            var members = [AnswerValue.Member("choice", .text(choice.rawValue))]
            if accuracy == .reducedAccuracy, old == .notDetermined, new != .denied {
                members.append(AnswerValue.Member("precise", .bool(false)))
            }
            return add("answer", members, entry, seen)
        }
        if new == .notDetermined, old == .authorizedWhenInUse, expire(entry) {
            return add("query", [AnswerValue.Member("what", .text("status"))], entry, seen)
        }
        isProvisional = false
        guard let change = Self.change(to: new) else {
            note("\(entry.source): the status became \(new.rawValue); no step brings that about.")
            return add("query", [AnswerValue.Member("what", .text("status"))], entry, seen)
        }
        add("settings", [AnswerValue.Member("set", .text(change.rawValue))], entry, seen)
    }

    /// A status that expires without the user's action was Allow Once.
    private mutating func expire(_ entry: LogEntry) -> Bool {
        guard let index = steps.lastIndex(where: { $0.verb == "answer" }),
            steps[index].text("choice") == Choice.allowWhileUsing.rawValue
        else { return false }
        steps[index].set("choice", Choice.allowOnce.rawValue)
        note("\(entry.source): the permission expired, so the answer at \(steps[index].at.rfc3339) was Allow Once.")
        return true
    }

    private static func choice(from old: ReportedStatus, to new: ReportedStatus, _ level: Session.Goal?) -> Choice? {
        guard level != nil else { return nil }
        return switch (old, new) {
        case (.notDetermined, .authorizedWhenInUse), (.notDetermined, .authorizedAlways): .allowWhileUsing
        case (.notDetermined, .denied): .dontAllow
        case (.authorizedWhenInUse, .authorizedAlways): .changeToAlwaysAllow
        case (.notDetermined, .notDetermined), (.notDetermined, .restricted), (.notDetermined, .unknownFutureValue),
            (.authorizedWhenInUse, _), (.authorizedAlways, _), (.denied, _), (.restricted, _), (.unknownFutureValue, _):
            nil
        }
    }

    private static func change(to status: ReportedStatus) -> SettingsChange? {
        switch status {
        case .notDetermined: .askNextTime
        case .denied: .never
        case .authorizedWhenInUse: .whileUsing
        case .authorizedAlways: .always
        case .restricted, .unknownFutureValue: nil
        }
    }

    mutating func started(_ object: ServiceObject, _ entry: LogEntry) {
        let isKnown = known.contains { $0.service == object.service && $0.identifier == object.identifier }
        if !isKnown { known.append(object) }
        // The power log repeats a service that runs.
        if isKnown, object.identifier == nil, object.service != .standardUpdates, entry.source.contains("PLLocation") {
            return
        }
        add("start", object.recordedMembers, entry)
    }

    mutating func stopped(_ service: Service, _ identifier: String?, _ entry: LogEntry) {
        known.removeAll { $0.service == service && ($0.identifier == identifier || identifier == nil) }
        var members = [AnswerValue.Member("service", .text(service.rawValue))]
        if let identifier { members.append(AnswerValue.Member("identifier", .text(identifier))) }
        add("stop", members, entry)
    }

    /// An event shows that its service ran; one that no line started ran before the log.
    mutating func assume(_ service: Service, _ identifier: String?) {
        let isKnown = known.contains {
            $0.service == service && ($0.identifier == identifier || $0.identifier == nil || identifier == nil)
        }
        guard !isKnown, service != .requestLocation, service != .locationNotification else { return }
        let object = ServiceObject(service, identifier: identifier)
        known.append(object)
        assumed.append(object)
        let name = identifier.map { " \($0)" } ?? ""
        note("No line starts \(service.rawValue)\(name): assumed that it ran before the log begins.")
    }

    mutating func received(_ event: ServiceEvent, _ entry: LogEntry) {
        assume(event.service, event.identifier)
        var seen = SeenOnDevice()
        seen.delivered = true
        var at = entry
        if let launch {
            // The event happened before the process that received it began.
            seen.relaunch = true
            at.at = launch.at
            self.launch = nil
        }
        add("event", Self.members(of: event), at, seen)
        if isProvisional, process == .background, event.service.isLaunchCapable { confirm(at) }
    }

    /// With a provisional Always the first event in the background waits for the second prompt, which no log shows: the
    /// status stays the same. An event that came shows the answer.
    private mutating func confirm(_ entry: LogEntry) {
        isProvisional = false
        let assumed = LogEntry(at: entry.at, source: "", entry.fact)
        add("systemShowsSecondPrompt", [], assumed)
        add("answer", [AnswerValue.Member("choice", .text(Choice.changeToAlwaysAllow.rawValue))], assumed)
        note(
            "\(entry.source): an event came with a provisional Always: assumed that the user confirmed Always in the "
                + "second prompt.")
    }

    /// The daemon's line names no service, so it stands for the one that sends locations continuously.
    mutating func sendsLocations(_ entry: LogEntry) {
        guard !hasSentLocations else { return }
        let object = known.last { $0.service == .standardUpdates || $0.service == .liveUpdates }
        guard let object else {
            return note("\(entry.source): the system sends locations, and no log says for which service: left out.")
        }
        hasSentLocations = true
        received(ServiceEvent(object.service, .update), entry)
    }
}
