import FencepostSimulator

/// A lane of the time line that always has a state.
enum StateLane: CaseIterable {
    case app, reported, settings, grant, accuracy

    struct State: Hashable {
        var words: String
        var tone: Tone
        /// Whether what the app is told is not what the user gave.
        var misleads = false
    }

    var title: String {
        switch self {
        case .app: "The app"
        case .reported: "The API reports"
        case .settings: "Settings shows"
        case .grant: "The user gave"
        case .accuracy: "Accuracy"
        }
    }

    func state(of given: Given) -> State {
        switch self {
        case .app: Self.app(given)
        case .reported:
            State(
                words: given.reportedStatus.rawValue, tone: Self.tone(given.reportedStatus), misleads: given.misleads)
        case .settings: Self.settings(given)
        case .grant: State(words: given.grant.words, tone: Self.tone(given.grant), misleads: given.misleads)
        case .accuracy:
            switch given.accuracy {
            case .full: State(words: given.accuracyAuthorization.rawValue, tone: .green)
            case .temporaryFull: State(words: "\(given.accuracyAuthorization.rawValue), for a while", tone: .amber)
            case .reduced: State(words: given.accuracyAuthorization.rawValue, tone: .blue)
            }
        }
    }

    private static func app(_ given: Given) -> State {
        guard given.appInstalled else { return State(words: "not installed", tone: .neutral) }
        switch given.lifecycle {
        case .foreground: return State(words: "on screen", tone: .green)
        case .backgroundGrace: return State(words: "background, just left", tone: .blue)
        case .backgroundRunning: return State(words: "running in background", tone: .blue)
        case .suspended: return State(words: "suspended", tone: .amber)
        case .terminated:
            let cause =
                switch given.terminatedBy {
                case .system: "terminated by the system"
                case .user: "force-quit by the user"
                case .crash: "crashed"
                case .reboot: "terminated by a restart"
                case .neverLaunched: "never launched"
                case nil: "terminated"
                }
            return State(words: cause, tone: .red)
        }
    }

    private static func settings(_ given: Given) -> State {
        switch given.settingsRow {
        case .never: State(words: "Never", tone: .red)
        case .askNextTime: State(words: "Ask Next Time", tone: .neutral, misleads: given.misleads)
        case .whileUsing: State(words: "While Using the App", tone: .blue, misleads: given.misleads)
        case .always: State(words: "Always", tone: .green, misleads: given.misleads)
        case nil: State(words: "no row", tone: .neutral)
        }
    }

    private static func tone(_ status: ReportedStatus) -> Tone {
        switch status {
        case .notDetermined, .unknownFutureValue: .neutral
        case .restricted, .denied: .red
        case .authorizedWhenInUse: .blue
        case .authorizedAlways: .green
        }
    }

    private static func tone(_ grant: Grant) -> Tone {
        switch grant {
        case .notDetermined: .neutral
        case .restricted, .denied: .red
        case .whenInUse: .blue
        case .temporaryWhenInUse, .provisionalAlways: .amber
        case .always: .green
        }
    }
}

extension Given {
    /// Whether the status, the row in Settings and the grant are three things that do not say the same.
    var misleads: Bool {
        switch grant {
        case .provisionalAlways, .temporaryWhenInUse: true
        case .whenInUse, .always: !locationServicesEnabled
        case .notDetermined: !locationServicesEnabled
        case .restricted, .denied: false
        }
    }
}

extension Grant {
    var words: String {
        switch self {
        case .notDetermined: "nothing yet"
        case .restricted: "may not give any"
        case .denied: "denied"
        case .whenInUse: "when in use"
        case .temporaryWhenInUse: "when in use, this once"
        case .provisionalAlways: "always, provisionally"
        case .always: "always"
        }
    }
}
