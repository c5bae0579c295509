import FencepostModel

/// A story about one app: how things are, what happens, and what is to come of it.
public struct Scenario: Hashable, Sendable {
    public var name: String
    public var given: Given
    public var steps: [Step]
    /// The path of a recording whose events go among the steps, as it was written.
    public var track: String?
    /// The path of the regions that the recording is held against.
    public var regions: String?
    public var expectation: Expectation?

    public init(name: String = "", given: Given, steps: [Step]) {
        self.name = name
        self.given = given
        self.steps = steps
    }

    /// Puts events among the steps, each before the first step that has a later time.
    ///
    /// Steps without a time keep their place behind the step before them.
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
    /// The word for it in a scenario.
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
    /// Every word that a step can have for its verb, sorted.
    public static var names: [String] { StepReader.keys.keys.sorted() }
}
