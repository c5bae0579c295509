public import FencepostModel

/// One thing that the app, the user, the device or the system does.
public struct Step: Hashable, Sendable {
    public var verb: Verb
    /// When; the simulation's clock goes on to it.
    public var at: Timestamp?

    public init(_ verb: Verb, at: Timestamp? = nil) {
        self.verb = verb
        self.at = at
    }
}

/// What is done in a step.
public indirect enum Verb: Hashable, Sendable {
    case request(AuthorizationRequest)
    /// The user taps a button of the prompt on screen, after switching Precise on or off where that is offered.
    case answer(Choice, precise: Bool? = nil)
    case start(ServiceObject, deviceInside: Bool? = nil, assuming: RegionState? = nil)
    case stop(Service, identifier: String?)
    case setAllowsBackgroundLocationUpdates(Bool)
    case createManager
    case createSession(Session)
    /// The app lets a session go.
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
    /// Metres beyond the boundary of the one region, on the side where the device was not.
    case move(distanceBeyondBoundary: Double, stay: Duration)
    case moveAcrossBoundaryWhilePoweredOff(ServiceEvent.Kind)
    case deviceStationary(Duration)
    case deviceMoves
    case systemShowsSecondPrompt, systemShowsReminder
    case onWatch(Step)
    case appWorks(Duration, backgroundTask: Bool = false, retakesSessions: Bool? = nil)
    case checkAuthorization, getAuthorizationStatus
    /// What the app intends to do: levels, services and the like.
    case lint(intends: [String])
}

public enum AuthorizationRequest: Hashable, Sendable {
    case level(Session.Goal)
    case temporaryFullAccuracy(purposeKey: String)
}

/// A button of a prompt.
public enum Choice: String, Hashable, Sendable, CaseIterable, Codable {
    case allow, allowWhileUsing, allowOnce, alwaysAllow, onlyWhileUsing, dontAllow, keepOnlyWhileUsing
    case changeToAlwaysAllow, changeToOnlyWhileUsing
}

public enum Iteration: String, Hashable, Sendable, CaseIterable {
    case liveUpdates
    case monitorEvents = "monitor.events"
}

public enum Query: String, Hashable, Sendable, CaseIterable {
    case status, inUse, accuracyAuthorization, startableServices, levelsByPlatform, equivalentGrant
}

public enum Launcher: String, Hashable, Sendable, CaseIterable { case user, system }

public enum SettingsChange: String, Hashable, Sendable, CaseIterable {
    case never, askNextTime, whileUsing, always, preciseOn, preciseOff, locationServicesOff, locationServicesOn
    case resetLocationAndPrivacy
}
