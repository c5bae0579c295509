import FencepostModel
import FencepostSimulator

extension Verb {
    /// The verb in words, with the parameters of the step.
    var words: String {
        switch self {
        case .request(.level(let level)): "the app asks for \(level.rawValue)"
        case .request(.temporaryFullAccuracy(let key)): "the app asks for temporary full accuracy (\(key))"
        case .answer(let choice, let precise):
            "the user answers \(choice.rawValue)" + (precise.map { ", Precise \($0 ? "on" : "off")" } ?? "")
        case .start(let object, let inside, let assumed):
            "the app starts \(object.words)"
                + (inside.map { $0 ? ", the device is inside" : ", the device is outside" } ?? "")
                + (assumed.map { ", assuming \($0.rawValue)" } ?? "")
        case .stop(let service, let identifier): "the app stops \(service.rawValue)\(identifier.map { " " + $0 } ?? "")"
        case .setAllowsBackgroundLocationUpdates(let value): "the app sets allowsBackgroundLocationUpdates to \(value)"
        case .createManager: "the app creates a CLLocationManager"
        case .createSession(let session): "the app takes a \(session)"
        case .endSession(let session): "the app ends its \(session)"
        case .openMonitor(let name): "the app opens the monitor \(name)"
        case .iterate(let what): "the app iterates \(what.rawValue)"
        case .requestState(let identifier): "the app asks for the state of \(identifier ?? "its region")"
        case .query(let query): "the app asks: \(query.rawValue)"
        case .enterBackground: "the app goes to the background"
        case .enterForeground: "the app comes to the foreground"
        case .resume: "the suspended app runs again"
        case .wait(let span): "\(Words.span(span)) pass"
        case .terminate(let cause): cause.words
        case .reboot: "the device restarts"
        case .launch(let launcher, let cause):
            "the \(launcher.rawValue) launches the app" + (cause.map { " (\($0.rawValue))" } ?? "")
        case .updateSystem(let version, let resets):
            "the system is updated to \(version)" + (resets ? ", and the app stands at Ask Next Time" : "")
        case .restoreBackup: "a backup is restored on a new device"
        case .offload: "the app is offloaded"
        case .unlock: "the user unlocks the device"
        case .lookAway: "the user looks away"
        case .install: "the app is installed"
        case .uninstall: "the app is removed"
        case .updateApp(let keys): "the app is updated: \(keys.entries.joined(separator: ", "))"
        case .settings(let change): "in Settings the user sets \(change.rawValue)"
        case .event(let event): event.words
        case .move(let distance, let stay):
            "the device goes \(Words.number(distance)) m beyond the boundary and stays \(Words.span(stay))"
        case .moveAcrossBoundaryWhilePoweredOff(let kind):
            "while it is off, the device crosses the boundary: \(kind.rawValue)"
        case .deviceStationary(let span): "the device rests for \(Words.span(span))"
        case .deviceMoves: "the device moves again"
        case .systemShowsSecondPrompt: "the system shows the second prompt"
        case .systemShowsReminder: "the system shows its reminder"
        case .onWatch(let step): "on the watch: \(step.verb.words)"
        case .appWorks(let span, let task, let retakes, let holdsLock):
            "the app works for \(Words.span(span))" + (task ? " in a background task" : "")
                + (retakes == true ? ", and takes its sessions again" : "") + (holdsLock ? ", holding a file lock" : "")
        case .checkAuthorization: "the app checks its authorization"
        case .getAuthorizationStatus: "the app asks its authorization manager"
        case .lint(let intentions): "the app’s keys are checked for \(intentions.joined(separator: ", "))"
        }
    }
}

extension ServiceEvent {
    /// `regionCircular office: exit`.
    var words: String {
        "\(service.rawValue)\(identifier.map { " " + $0 } ?? ""): \(kind.rawValue)"
            + (meters.map { " by \(Words.number($0)) m" } ?? "") + (isMissed == true ? ", missed" : "")
    }
}

extension ServiceObject {
    fileprivate var words: String {
        "\(service.rawValue)\(identifier.map { " " + $0 } ?? "")"
            + (radius.map { ", \(Words.number($0)) m around" } ?? "")
    }
}

extension Termination {
    fileprivate var words: String {
        switch self {
        case .system: "the system ends the app"
        case .user: "the user force-quits the app"
        case .crash: "the app crashes"
        case .reboot: "the device restarts"
        case .neverLaunched: "the app counts as never launched"
        }
    }
}
