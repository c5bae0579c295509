import FencepostModel

/// A scenario for one app: the state at the start, the steps and the expected outcome.
public struct Scenario: Hashable, Sendable {
    /// The name, for reports.
    public var name: String
    /// The state at the start; the member `given` of a file.
    public var device: DeviceState
    /// The steps, in order.
    public var steps: [Step]
    /// The path of a recording whose events are inserted among the steps, as written in the file.
    public var track: String?
    /// The path of the regions that the recording is evaluated against.
    public var regions: String?
    /// The expected outcome; `nil` for none.
    public var expectation: Expectation?
    /// The device that the scenario was recorded on; `nil` for a scenario that was written.
    public var recorded: RecordingOrigin?

    /// Makes a scenario without an expectation.
    public init(name: String = "", device: DeviceState, steps: [Step]) {
        self.name = name
        self.device = device
        self.steps = steps
    }

    /// Delays the events of the steps, as the system delivers them late: each moves behind the steps until its new time.
    ///
    /// Only events with a time of services whose delay is known move. The event keeps its own time.
    public mutating func delayEvents(by latency: DeliveryLatency) {
        var delayed: [(at: Timestamp, step: Step)] = []
        var rest: [Step] = []
        for step in steps {
            if case .event(let event) = step.verb, let at = step.at, let delay = latency.delay(of: event.service) {
                var late = step
                var original = event
                original.at = event.at ?? at
                (late.verb, late.at) = (.event(original), at + delay)
                delayed.append((at + delay, late))
            } else {
                rest.append(step)
            }
        }
        delayed.sort { $0.at < $1.at }
        var merged: [Step] = []
        var late = delayed[...]
        for step in rest {
            while let at = step.at, let next = late.first, next.at < at {
                merged.append(next.step)
                late.removeFirst()
            }
            merged.append(step)
        }
        steps = merged + late.map(\.step)
    }

    /// Inserts events among the steps, each before the first step with a later time.
    ///
    /// Steps without a time stay behind the step before them.
    public mutating func insert(_ events: [ServiceEvent]) {
        let sorted = events.enumerated().sorted {
            ($0.element.at ?? .distantPast, $0.offset) < ($1.element.at ?? .distantPast, $1.offset)
        }
        var merged: [Step] = []
        var rest = sorted[...]
        for step in steps {
            while let at = step.at, let next = rest.first?.element, (next.at ?? .distantPast) < at {
                merged.append(Step(.event(next), at: next.at))
                rest.removeFirst()
            }
            merged.append(step)
        }
        steps = merged + rest.map { Step(.event($0.element), at: $0.element.at) }
    }
}

extension Verb {
    /// The name of the verb in a scenario file.
    public var name: String {
        switch self {
        case .request: "request"
        case .answer: "answer"
        case .start: "start"
        case .stop: "stop"
        case .setAllowsBackgroundLocationUpdates: "setAllowsBackgroundLocationUpdates"
        case .createManager: "createManager"
        case .createSession: "createSession"
        case .endSession: "endSession"
        case .openMonitor: "openMonitor"
        case .iterate: "iterate"
        case .requestState: "requestState"
        case .query: "query"
        case .enterBackground: "enterBackground"
        case .enterForeground: "enterForeground"
        case .resume: "resume"
        case .wait: "wait"
        case .terminate: "terminate"
        case .launch: "launch"
        case .reboot: "reboot"
        case .updateSystem: "updateSystem"
        case .restoreBackup: "restoreBackup"
        case .offload: "offload"
        case .unlock: "unlock"
        case .lookAway: "lookAway"
        case .install: "install"
        case .uninstall: "uninstall"
        case .updateApp: "updateApp"
        case .settings: "settings"
        case .event: "event"
        case .move: "move"
        case .moveAcrossBoundaryWhilePoweredOff: "moveAcrossBoundaryWhilePoweredOff"
        case .deviceStationary: "deviceStationary"
        case .deviceMoves: "deviceMoves"
        case .systemShowsSecondPrompt: "systemShowsSecondPrompt"
        case .systemShowsReminder: "systemShowsReminder"
        case .onWatch: "onWatch"
        case .appWorks: "appWorks"
        case .checkAuthorization: "checkAuthorization"
        case .getAuthorizationStatus: "getAuthorizationStatus"
        case .lint: "lint"
        }
    }
}

extension Verb {
    /// The names of all verbs, sorted.
    public static var names: [String] { StepReader.keys.keys.sorted() }
}
