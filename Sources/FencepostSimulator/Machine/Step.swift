public import FencepostModel

/// One action of the app, the user, the device or the system.
public struct Step: Hashable, Sendable {
    /// What happens.
    public var verb: Verb
    /// The time of the step. The simulation's clock advances to it.
    public var at: Timestamp?

    /// Makes a step. Without a time, it takes place at the current time.
    public init(_ verb: Verb, at: Timestamp? = nil) {
        self.verb = verb
        self.at = at
    }
}

/// What happens in a step.
public indirect enum Verb: Hashable, Sendable {
    case request(AuthorizationRequest)
    /// The user taps a button of the prompt on screen. `precise` sets the switch for precise locations where the prompt
    /// has one.
    case answer(Choice, precise: Bool? = nil)
    case start(ServiceObject, deviceInside: Bool? = nil, assuming: RegionState? = nil)
    case stop(Service, identifier: String?)
    case setAllowsBackgroundLocationUpdates(Bool)
    case createManager
    case createSession(Session)
    /// The app releases a session.
    case endSession(Session)
    case openMonitor(String)
    case iterate(Iteration)
    case requestState(identifier: String?)
    case query(Query)
    case enterBackground, enterForeground
    /// The suspended app runs again, in the background.
    case resume
    case wait(Duration)
    case terminate(by: Termination)
    case launch(by: Launcher)
    case unlock, lookAway, install, uninstall
    case updateApp(infoPlist: PropertyKeys)
    case settings(SettingsChange)
    case event(ServiceEvent)
    /// The device crosses the boundary of the only region. The distance is in metres beyond the boundary.
    case move(distanceBeyondBoundary: Double, stay: Duration)
    case moveAcrossBoundaryWhilePoweredOff(ServiceEvent.Kind)
    case deviceStationary(Duration)
    case deviceMoves
    case systemShowsSecondPrompt, systemShowsReminder
    case onWatch(Step)
    case appWorks(Duration, backgroundTask: Bool = false, retakesSessions: Bool? = nil)
    case checkAuthorization, getAuthorizationStatus
    /// Checks the declaration for what the app intends to do: levels, services and the like.
    case lint(intends: [String])
}

/// A request for permission.
public enum AuthorizationRequest: Hashable, Sendable {
    case level(Session.Goal)
    case temporaryFullAccuracy(purposeKey: String)
}

/// A button of a prompt.
public enum Choice: String, Hashable, Sendable, CaseIterable, Codable {
    case allow, allowWhileUsing, allowOnce, alwaysAllow, onlyWhileUsing, dontAllow, keepOnlyWhileUsing
    case changeToAlwaysAllow, changeToOnlyWhileUsing
}

/// An asynchronous sequence that the app iterates.
public enum Iteration: String, Hashable, Sendable, CaseIterable {
    case liveUpdates
    case monitorEvents = "monitor.events"
}

/// A question about the state.
public enum Query: String, Hashable, Sendable, CaseIterable {
    case status, inUse, accuracyAuthorization, startableServices, levelsByPlatform, equivalentGrant
}

/// Who launches the app.
public enum Launcher: String, Hashable, Sendable, CaseIterable { case user, system }

/// A change that the user makes in Settings.
public enum SettingsChange: String, Hashable, Sendable, CaseIterable {
    case never, askNextTime, whileUsing, always, preciseOn, preciseOff, locationServicesOff, locationServicesOn
    case resetLocationAndPrivacy
}
