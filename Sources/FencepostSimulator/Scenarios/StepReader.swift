import FencepostJSON
import FencepostModel

/// Reads the steps of a scenario.
struct StepReader {
    let deviceReader: DeviceStateReader

    /// The keys of each verb besides `do` and `at`.
    static let keys: [String: [String]] = [
        "request": ["level", "purposeKey"], "answer": ["choice", "precise"],
        "start": DeviceStateReader.serviceKeys + ["deviceInside", "assuming"], "stop": DeviceStateReader.serviceKeys,
        "setAllowsBackgroundLocationUpdates": ["value"], "createManager": [], "createSession": ["session"],
        "endSession": ["session"], "openMonitor": ["name"], "iterate": ["what"], "requestState": ["identifier"],
        "query": ["what"],
        "enterBackground": [], "enterForeground": [], "resume": [], "wait": ["seconds"], "terminate": ["by"],
        "launch": ["by", "cause"], "reboot": [], "updateSystem": ["osVersion", "resetsGrant"], "restoreBackup": [],
        "offload": [], "unlock": [], "lookAway": [], "install": [], "uninstall": [], "updateApp": ["infoPlist"],
        "settings": ["set"],
        "event": ["service", "kind", "identifier", "id", "deliveredTogether", "meters", "sameCoarseCell", "missed"],
        "move": ["distanceBeyondBoundary", "staySeconds"], "moveAcrossBoundaryWhilePoweredOff": ["kind", "identifier"],
        "deviceStationary": ["seconds"], "deviceMoves": [], "systemShowsSecondPrompt": [], "systemShowsReminder": [],
        "onWatch": ["step"], "appWorks": ["seconds", "backgroundTask", "retakesSessions", "holdsFileLock"],
        "checkAuthorization": [],
        "getAuthorizationStatus": [], "lint": ["intends"],
    ]

    func read(_ element: JSONElement, at pointer: JSONPointer, _ findings: inout Findings) -> Step? {
        guard element.object != nil else {
            findings.reportInvalid("an object", at: pointer)
            return nil
        }
        guard let name = element["do"]?.string, let known = Self.keys[name] else {
            let verbs = Self.keys.keys.sorted()
            let hint =
                element["do"]?.string.flatMap { Self.otherNames[AppleName.plain($0)] ?? nearest(to: $0, in: verbs) }
                .map { "Did you mean \"\($0)\"?" }
                ?? "Known are \(verbs.map { "\"\($0)\"" }.joined(separator: ", "))."
            findings.report("unknown_verb", pointer.appending("do"), "The key \"do\" names the verb of a step. \(hint)")
            return nil
        }
        guard
            let members = ObjectReader(
                element, at: pointer, known: ["do", "at", "id", "line", "seen"] + known, &findings)
        else {
            return nil
        }
        let at = members.time("at", &findings)
        guard let verb = verb(name, members, at, &findings) else { return nil }
        var step = Step(verb, at: at)
        step.line = members.text("line", &findings)
        step.seen = members.element("seen").flatMap { seen($0, at: members.pointer("seen"), &findings) }
        return step
    }

    /// Reads what a device did in a step.
    private func seen(
        _ element: JSONElement, at pointer: JSONPointer, _ findings: inout Findings
    ) -> SeenOnDevice? {
        let known = ["delivered", "relaunch", "status", "accuracy", "inUse", "prompt"]
        guard let members = ObjectReader(element, at: pointer, known: known, &findings) else { return nil }
        var seen = SeenOnDevice()
        seen.delivered = members.bool("delivered", &findings)
        seen.relaunch = members.bool("relaunch", &findings)
        seen.inUse = members.bool("inUse", &findings)
        seen.prompt = members.bool("prompt", &findings)
        seen.status = members.enumValue("status", ReportedStatus.self, &findings)
        if let text = members.text("accuracy", &findings) {
            seen.accuracy = AccuracyAuthorization(rawValue: text)
            if seen.accuracy == nil {
                findings.reportInvalid("\"fullAccuracy\" or \"reducedAccuracy\"", at: members.pointer("accuracy"))
            }
        }
        return seen
    }

    private func verb(
        _ name: String, _ members: ObjectReader, _ at: Timestamp?, _ findings: inout Findings
    ) -> Verb? {
        switch name {
        case "request": request(members, &findings)
        case "answer":
            required(members.enumValue("choice", Choice.self, &findings), "choice", members, &findings).map {
                .answer($0, precise: members.bool("precise", &findings))
            }
        case "start":
            deviceReader.service(members, &findings).map {
                .start(
                    $0, deviceInside: members.bool("deviceInside", &findings),
                    assuming: members.enumValue("assuming", RegionState.self, &findings))
            }
        case "stop": deviceReader.service(members, &findings).map { .stop($0.service, identifier: $0.identifier) }
        case "setAllowsBackgroundLocationUpdates":
            .setAllowsBackgroundLocationUpdates(members.bool("value", &findings) ?? true)
        case "createSession": session(members, &findings).map { .createSession($0) }
        case "endSession": session(members, &findings).map { .endSession($0) }
        case "openMonitor":
            required(members.text("name", &findings), "name", members, &findings).map { .openMonitor($0) }
        case "iterate":
            required(members.enumValue("what", Iteration.self, &findings), "what", members, &findings).map {
                .iterate($0)
            }
        case "requestState": .requestState(identifier: members.text("identifier", &findings))
        case "query":
            required(members.enumValue("what", Query.self, &findings), "what", members, &findings).map { .query($0) }
        case "wait":
            required(members.seconds("seconds", &findings), "seconds", members, &findings).map { .wait($0) }
        case "terminate": .terminate(by: members.enumValue("by", Termination.self, &findings) ?? .system)
        case "launch": launch(members, &findings)
        case "updateSystem": updateSystem(members, &findings)
        case "updateApp": .updateApp(infoPlist: deviceReader.keys("infoPlist", members, &findings))
        case "settings":
            required(members.enumValue("set", SettingsChange.self, &findings), "set", members, &findings).map {
                .settings($0)
            }
        case "event": EventReader.read(members, at, &findings).map { .event($0) }
        case "move":
            .move(
                distanceBeyondBoundary: members.number(
                    "distanceBeyondBoundary", in: -ObjectReader.metres...ObjectReader.metres, &findings) ?? 0,
                stay: members.seconds("staySeconds", &findings) ?? .zero)
        case "moveAcrossBoundaryWhilePoweredOff":
            .moveAcrossBoundaryWhilePoweredOff(members.enumValue("kind", ServiceEvent.Kind.self, &findings) ?? .exit)
        case "deviceStationary": .deviceStationary(members.seconds("seconds", &findings) ?? .zero)
        case "onWatch":
            required(members.element("step"), "step", members, &findings)
                .flatMap { read($0, at: members.pointer("step"), &findings) }.map { .onWatch($0) }
        case "appWorks":
            .appWorks(
                members.seconds("seconds", &findings) ?? .zero,
                backgroundTask: members.bool("backgroundTask", &findings) ?? false,
                retakesSessions: members.bool("retakesSessions", &findings),
                holdsFileLock: members.bool("holdsFileLock", &findings) ?? false)
        case "lint":
            .lint(
                intends: members.element("intends")?.string.map { [$0] } ?? members.strings("intends", &findings) ?? [])
        default: Self.plain[name]
        }
    }

    /// Words for verbs that a person may try, in lower case.
    private static let otherNames = [
        "kill": "terminate", "forcequit": "terminate", "crash": "terminate", "restart": "reboot", "relaunch": "launch",
        "osupdate": "updateSystem", "restore": "restoreBackup", "background": "enterBackground",
        "foreground": "enterForeground", "suspend": "wait", "lock": "enterBackground", "airplanemode": "settings",
        "pause": "deviceStationary", "missed": "event", "missedevent": "event", "push": "launch",
    ]

    /// The verbs without further keys.
    private static let plain: [String: Verb] = [
        "createManager": .createManager, "enterBackground": .enterBackground, "enterForeground": .enterForeground,
        "resume": .resume, "unlock": .unlock, "lookAway": .lookAway, "install": .install, "uninstall": .uninstall,
        "deviceMoves": .deviceMoves, "systemShowsSecondPrompt": .systemShowsSecondPrompt,
        "systemShowsReminder": .systemShowsReminder, "checkAuthorization": .checkAuthorization,
        "getAuthorizationStatus": .getAuthorizationStatus, "reboot": .reboot, "restoreBackup": .restoreBackup,
        "offload": .offload,
    ]

    /// A launch. A cause says that the system launches the app.
    private func launch(_ members: ObjectReader, _ findings: inout Findings) -> Verb {
        let cause = members.enumValue("cause", LaunchCause.self, &findings)
        let launcher = members.enumValue("by", Launcher.self, &findings) ?? (cause == nil ? .user : .system)
        if cause != nil, launcher == .user {
            findings.reportInvalid("absent, as a launch by the user has no cause", at: members.pointer("cause"))
        }
        return .launch(by: launcher, cause: cause)
    }

    private func updateSystem(_ members: ObjectReader, _ findings: inout Findings) -> Verb? {
        guard let version = members.version("osVersion", &findings) else {
            if members.element("osVersion") == nil {
                findings.reportInvalid("a version such as \"26.0\"", at: members.pointer("osVersion"))
            }
            return nil
        }
        return .updateSystem(version, resetsGrant: members.bool("resetsGrant", &findings) ?? false)
    }

    private func required<Value>(
        _ value: Value?, _ name: String, _ members: ObjectReader, _ findings: inout Findings
    ) -> Value? {
        if value == nil, members.element(name) == nil {
            findings.report("missing_key", members.pointer, "The key \"\(name)\" is missing.")
        }
        return value
    }

    private func request(_ members: ObjectReader, _ findings: inout Findings) -> Verb? {
        let level = members.element("level")?.string ?? ""
        switch AppleName.plain(level) {
        case "wheninuse", "requestwheninuseauthorization", "whileusing", "authorizedwheninuse":
            return .request(.level(.whenInUse))
        case "always", "requestalwaysauthorization", "authorizedalways": return .request(.level(.always))
        case "temporaryfullaccuracy", "requesttemporaryfullaccuracyauthorization":
            return .request(.temporaryFullAccuracy(purposeKey: members.text("purposeKey", &findings) ?? ""))
        default:
            findings.reportInvalid(
                "\"whenInUse\", \"always\" or \"temporaryFullAccuracy\"", at: members.pointer("level"))
            return nil
        }
    }

    private func session(_ members: ObjectReader, _ findings: inout Findings) -> Session? {
        if let session = members.element("session")?.string.flatMap({ Session($0) }) { return session }
        findings.reportInvalid(DeviceStateReader.sessionWords, at: members.pointer("session"))
        return nil
    }
}

/// Reads an event of a scenario or of a question.
enum EventReader {
    static let keys = [
        "service", "kind", "identifier", "at", "id", "deliveredTogether", "meters", "sameCoarseCell", "missed",
    ]

    static func read(_ members: ObjectReader, _ at: Timestamp?, _ findings: inout Findings) -> ServiceEvent? {
        guard members.element("service") != nil else {
            findings.report("missing_key", members.pointer, "The key \"service\" is missing.")
            return nil
        }
        guard let service = members.enumValue("service", Service.self, &findings) else { return nil }
        let kind = members.enumValue("kind", ServiceEvent.Kind.self, &findings) ?? service.typicalKind
        var event = ServiceEvent(service, kind, identifier: members.text("identifier", &findings), at: at)
        if !service.kinds.contains(kind) {
            let kinds = service.kinds.map { "\"\($0.rawValue)\"" }.joined(separator: " or ")
            findings.add(
                Diagnostic(
                    .warning, code: "unusual_kind", file: findings.file,
                    at: .pointer(members.pointer("kind").description), "\(service.rawValue) produces \(kinds)."))
        }
        if let id = members.element("id") { event.id = id.string ?? id.text }
        event.meters = members.number("meters", in: -ObjectReader.metres...ObjectReader.metres, &findings)
        event.isMissed = members.bool("missed", &findings)
        event.sameCoarseCell = members.bool("sameCoarseCell", &findings) ?? false
        if let together = members.element("deliveredTogether") { event.deliveredTogether = together.bool ?? true }
        return event
    }
}
