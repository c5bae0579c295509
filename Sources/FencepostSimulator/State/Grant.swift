/// What the user really gave.
public enum Grant: String, Hashable, Sendable, CaseIterable, Codable {
    case notDetermined, restricted, denied, whenInUse
    /// Allow Once.
    case temporaryWhenInUse
    /// Reported as always, though the user has so far allowed use only.
    case provisionalAlways
    case always

    /// Whether any location may reach the app.
    public var isAuthorized: Bool {
        switch self {
        case .whenInUse, .temporaryWhenInUse, .provisionalAlways, .always: true
        case .notDetermined, .restricted, .denied: false
        }
    }
}

/// What the API returns.
public enum ReportedStatus: String, Hashable, Sendable, CaseIterable, Codable {
    case notDetermined, restricted, denied, authorizedAlways, authorizedWhenInUse
    /// A value that a later SDK may add.
    case unknownFutureValue

    /// The raw value of `CLAuthorizationStatus`.
    public var rawNumber: Int {
        switch self {
        case .notDetermined: 0
        case .restricted: 1
        case .denied: 2
        case .authorizedAlways: 3
        case .authorizedWhenInUse: 4
        case .unknownFutureValue: 5
        }
    }
}

/// What Settings shows for the app.
public enum SettingsRow: String, Hashable, Sendable, CaseIterable { case never, askNextTime, whileUsing, always }

/// How precise the locations are that the app gets.
public enum Accuracy: String, Hashable, Sendable, CaseIterable, Codable {
    case full, reduced
    /// Full for a while, and reported as full.
    case temporaryFull
}

/// What the API returns of the accuracy.
public enum AccuracyAuthorization: String, Hashable, Sendable, Codable { case fullAccuracy, reducedAccuracy }

/// Whether the app is on screen, running, or gone.
public enum Lifecycle: String, Hashable, Sendable, CaseIterable, Codable {
    case foreground
    /// The few seconds after leaving the foreground.
    case backgroundGrace
    case backgroundRunning
    case suspended, terminated

    /// Whether the app's code runs.
    public var isRunning: Bool { self != .suspended && self != .terminated }
}

/// What ended the app.
public enum Termination: String, Hashable, Sendable, CaseIterable, Codable {
    /// For memory or the like.
    case system
    /// Swiped away in the app switcher.
    case user
    case crash, reboot, neverLaunched
}
