import FencepostSimulator

/// A lane of the time line that has a state at every time.
enum StateLane: CaseIterable {
    case app, reported, settings, grant, accuracy

    struct State: Hashable {
        var words: String
        var tone: Tone
        /// Whether the reported status differs from the true grant.
        var misleads = false
    }

    var title: String {
        switch self {
        case .app: "The app"
        case .reported: "The API reports"
        case .settings: "Settings shows"
        case .grant: "The user allowed"
        case .accuracy: "Accuracy"
        }
    }

    func state(of device: DeviceState) -> State {
        switch self {
        case .app: Self.app(device)
        case .reported:
            State(
                words: device.reportedStatus.rawValue, tone: Self.tone(device.reportedStatus), misleads: device.misleads
            )
        case .settings: Self.settings(device)
        case .grant: State(words: device.grant.words, tone: Self.tone(device.grant), misleads: device.misleads)
        case .accuracy:
            switch device.accuracy {
            case .full: State(words: device.accuracyAuthorization.rawValue, tone: .green)
            case .temporaryFull: State(words: "\(device.accuracyAuthorization.rawValue), temporary", tone: .amber)
            case .reduced: State(words: device.accuracyAuthorization.rawValue, tone: .blue)
            }
        }
    }

    private static func app(_ device: DeviceState) -> State {
        guard device.appInstalled else { return State(words: "not installed", tone: .neutral) }
        switch device.lifecycle {
        case .foreground: return State(words: "on screen", tone: .green)
        case .backgroundGrace: return State(words: "background, grace period", tone: .blue)
        case .backgroundRunning: return State(words: "running in background", tone: .blue)
        case .suspended: return State(words: "suspended", tone: .amber)
        case .terminated:
            let cause =
                switch device.terminatedBy {
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

    private static func settings(_ device: DeviceState) -> State {
        switch device.settingsRow {
        case .never: State(words: "Never", tone: .red)
        case .askNextTime: State(words: "Ask Next Time", tone: .neutral, misleads: device.misleads)
        case .whileUsing: State(words: "While Using the App", tone: .blue, misleads: device.misleads)
        case .always: State(words: "Always", tone: .green, misleads: device.misleads)
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

extension DeviceState {
    /// Whether the reported status, the row in Settings and the grant differ.
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
        case .notDetermined: "not determined"
        case .restricted: "restricted"
        case .denied: "denied"
        case .whenInUse: "when in use"
        case .temporaryWhenInUse: "when in use, once"
        case .provisionalAlways: "always, provisionally"
        case .always: "always"
        }
    }
}
