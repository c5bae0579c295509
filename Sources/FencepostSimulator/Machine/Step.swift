public import FencepostModel

/// One action of the app, the user, the device or the system.
public struct Step: Hashable, Sendable {
    /// What happens.
    public var verb: Verb
    /// The time of the step. The simulation's clock advances to it.
    public var at: Timestamp?
    /// The line of the log that a recorded step comes from, such as `app.jsonl:7`.
    public var line: String?
    /// What the device did in a recorded step; `nil` where there is nothing to compare.
    public var seen: SeenOnDevice?

    /// Makes a step. Without a time, it takes place at the current time.
    public init(_ verb: Verb, at: Timestamp? = nil) {
        self.verb = verb
        self.at = at
    }
}

/// What happens in a step.
public indirect enum Verb: Hashable, Sendable {
    /// The app asks the user for permission.
    case request(AuthorizationRequest)
    /// The user taps a button of the prompt on screen. `precise` sets the switch for precise locations where the prompt
    /// has one.
    case answer(Choice, precise: Bool? = nil)
    /// The app starts a service. `deviceInside` sets the state of a region at once; `assuming` applies to a condition
    /// of a monitor.
    case start(ServiceObject, deviceInside: Bool? = nil, assuming: RegionState? = nil)
    /// The app stops a service, or one region or condition of it.
    case stop(Service, identifier: String?)
    /// The app sets the property of its location manager.
    case setAllowsBackgroundLocationUpdates(Bool)
    /// The app makes one more location manager with a delegate.
    case createManager
    /// The app takes a session.
    case createSession(Session)
    /// The app releases a session.
    case endSession(Session)
    /// The app opens the monitor of this name.
    case openMonitor(String)
    /// The app begins a loop over an asynchronous sequence.
    case iterate(Iteration)
    /// The app requests the state of a region.
    case requestState(identifier: String?)
    /// Asks for part of the state. The answer is in the report of the step.
    case query(Query)
    /// The user leaves the app, or opens it.
    case enterBackground, enterForeground
    /// The suspended app runs again, in the background.
    case resume
    /// Time passes.
    case wait(Duration)
    /// The app is terminated.
    case terminate(by: Termination)
    /// The device restarts, which also ends the app.
    case reboot
    /// The app is launched. The cause of a launch by the system is `nil` where it makes no difference.
    case launch(by: Launcher, cause: LaunchCause? = nil)
    /// The system is updated to this version. `resetsGrant` is whether the app then stands at Ask Next Time (SET-11).
    case updateSystem(OSVersion, resetsGrant: Bool = false)
    /// A backup of the device is restored on a new device (SET-12).
    case restoreBackup
    /// The system or the user offloads the app; `install` brings it back (SET-13).
    case offload
    /// What the user does: unlocks the device, looks away from the app on Vision Pro, installs it or removes it.
    case unlock, lookAway, install, uninstall
    /// The user installs a version of the app with these keys.
    case updateApp(infoPlist: PropertyKeys)
    /// The user changes a setting.
    case settings(SettingsChange)
    /// A service detects an event.
    case event(ServiceEvent)
    /// The device crosses the boundary of the only region. The distance is in metres beyond the boundary.
    case move(distanceBeyondBoundary: Double, stay: Duration)
    /// The device crosses the boundary of its regions while it is off; no event results from it.
    case moveAcrossBoundaryWhilePoweredOff(ServiceEvent.Kind)
    /// The device rests for this long, which pauses live updates and, after a longer time, standard updates.
    case deviceStationary(Duration)
    /// The device moves again, which resumes live updates.
    case deviceMoves
    /// The system shows the prompt of a provisional Always, or the reminder of use in the background.
    case systemShowsSecondPrompt, systemShowsReminder
    /// The step happens on the paired watch.
    case onWatch(Step)
    /// The app works for this long, perhaps longer than it may in the background. `retakesSessions` is whether it takes
    /// its sessions again after a launch; `nil` leaves that open. `holdsFileLock` is whether it still holds the lock of
    /// a shared file when its time is over.
    case appWorks(
        Duration, backgroundTask: Bool = false, retakesSessions: Bool? = nil, holdsFileLock: Bool = false)
    /// The app uses the check before asking, or reads its result.
    case checkAuthorization, getAuthorizationStatus
    /// Checks the declaration for what the app intends to do: levels, services and the like.
    case lint(intends: [String])
}

/// A request for permission.
public enum AuthorizationRequest: Hashable, Sendable {
    /// A level, with the first prompt or the upgrade.
    case level(Session.Goal)
    /// Full accuracy for a limited time, for the purpose with this key in the property list.
    case temporaryFullAccuracy(purposeKey: String)
}

/// A button of a prompt.
public enum Choice: String, Hashable, Sendable, CaseIterable, Codable {
    /// The buttons of the prompts for a level.
    case allow, allowWhileUsing, allowOnce, alwaysAllow, onlyWhileUsing, dontAllow, keepOnlyWhileUsing
    /// The buttons that change a level.
    case changeToAlwaysAllow, changeToOnlyWhileUsing
}

/// An asynchronous sequence that the app iterates.
public enum Iteration: String, Hashable, Sendable, CaseIterable {
    /// `CLLocationUpdate.liveUpdates`.
    case liveUpdates
    /// The events of an open monitor.
    case monitorEvents = "monitor.events"
}

/// A question about the state.
public enum Query: String, Hashable, Sendable, CaseIterable {
    /// What the answer is about: the reported status, whether the app is in use, the reported accuracy, the services
    /// that it may start, the levels that platforms offer, and whether both levels have the same effect.
    case status, inUse, accuracyAuthorization, startableServices, levelsByPlatform, equivalentGrant
}

/// Who launches the app.
public enum Launcher: String, Hashable, Sendable, CaseIterable { case user, system }

/// Why the system launches an app.
public enum LaunchCause: String, Hashable, Sendable, CaseIterable, Codable {
    /// An event of Core Location. Steps of the verb `event` make such launches themselves.
    case location
    /// Restoration of Core Bluetooth, a silent push, and background refresh.
    case bluetooth, silentPush, backgroundRefresh
    /// The system starts the app before the user opens it.
    case prewarming
}

/// A change that the user makes in Settings.
public enum SettingsChange: String, Hashable, Sendable, CaseIterable {
    /// The rows of the app's page, the switch for precise locations, and the switch for Location Services.
    case never, askNextTime, whileUsing, always, preciseOn, preciseOff, locationServicesOff, locationServicesOn
    /// Resets the permissions of all apps.
    case resetLocationAndPrivacy
    /// Airplane mode and the switches of the radios.
    case airplaneModeOn, airplaneModeOff, cellularOff, cellularOn, bluetoothOff, bluetoothOn, wifiOff, wifiOn
    /// Screen Time or device management forbids location; the end of either restriction.
    case screenTimeRestricts, managementRestricts, restrictionEnds
}
