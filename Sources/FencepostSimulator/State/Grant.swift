/// What the user really allowed.
public enum Grant: String, Hashable, Sendable, CaseIterable, Codable {
    /// Not asked yet, not permitted on this device, refused, and While Using.
    case notDetermined, restricted, denied, whenInUse
    /// Allow Once.
    case temporaryWhenInUse
    /// The API reports Always, but the user has allowed use only so far.
    case provisionalAlways
    /// Always, which the user has confirmed.
    case always

    /// Whether the app may get locations at all.
    public var isAuthorized: Bool {
        switch self {
        case .whenInUse, .temporaryWhenInUse, .provisionalAlways, .always: true
        case .notDetermined, .restricted, .denied: false
        }
    }
}

/// The status that the API returns.
public enum ReportedStatus: String, Hashable, Sendable, CaseIterable, Codable {
    /// The constants of `CLAuthorizationStatus`.
    case notDetermined, restricted, denied, authorizedAlways, authorizedWhenInUse
    /// A value that a later SDK may add.
    case unknownFutureValue
}

/// What Settings shows for the app.
public enum SettingsRow: String, Hashable, Sendable, CaseIterable { case never, askNextTime, whileUsing, always }

/// How precise the locations are that the app gets.
public enum Accuracy: String, Hashable, Sendable, CaseIterable, Codable {
    /// Precise locations, or locations that stand for an area of some kilometres.
    case full, reduced
    /// Full accuracy for a limited time. The API reports full.
    case temporaryFull
}

/// The accuracy that the API returns.
public enum AccuracyAuthorization: String, Hashable, Sendable, Codable { case fullAccuracy, reducedAccuracy }

/// Whether the app is on screen, in the background, or not running.
public enum Lifecycle: String, Hashable, Sendable, CaseIterable, Codable {
    /// On screen.
    case foreground
    /// The few seconds after the app leaves the foreground.
    case backgroundGrace
    /// The app's code runs, off screen.
    case backgroundRunning
    /// In memory without running, and not in memory.
    case suspended, terminated

    /// Whether the app's code runs.
    public var isRunning: Bool { self != .suspended && self != .terminated }
}

/// What terminated the app.
public enum Termination: String, Hashable, Sendable, CaseIterable, Codable {
    /// The system, for example for lack of memory.
    case system
    /// The user, in the app switcher.
    case user
    /// An error of the app, a restart of the device, and an app that was not opened since it was installed.
    case crash, reboot, neverLaunched
}
