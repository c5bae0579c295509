public import FencepostJSON

/// A plan for an app that wants to know about locations: what to declare, to ask, to start and to do at launch, and
/// what will not work. Every item names its rules, and every promise is a scenario that was run.
public struct Advice: Hashable, Sendable {
    /// The parts of a plan, in the order of its output.
    public enum Part: String, Hashable, Sendable, CaseIterable {
        /// What the user has to grant, and the services to start.
        case grants, services
        /// What to declare, and the sessions to hold.
        case keys, sessions
        /// What the launch code does.
        case launchCode
        /// Limits that hold on every version, and what does not work on some.
        case limits, willNotWork
    }

    /// One item of a plan.
    public struct Item: Hashable, Sendable {
        /// The part that it belongs to.
        public var part: Part
        /// One or two sentences for people.
        public var text: String
        /// The rules that it rests on.
        public var rules: [RuleID]
        /// Whether the app's declaration already satisfies the item; `nil` where that is not to be seen from it.
        public var isDone: Bool?
    }

    /// A statement about one event on one system. It was run as a scenario.
    public struct Promise: Hashable, Sendable {
        /// The service of the event.
        public var service: Service
        /// The version of the system.
        public var version: OSVersion
        /// The situation in words: the state of the app, and what else is special.
        public var situation: String
        /// The state of the app.
        public var state: RelaunchMatrix.State
        /// The answer of the simulator, to the last event of the scenario.
        public var delivery: Delivery
        /// How sure the promise is: as sure as the least certain of its events.
        public var certainty: Certainty
        /// The uncertain rules of all its events.
        public var uncertainRules: [RuleID]
        /// Whether the app gets what it wants: the event, or a run of its extension for a location push.
        public var isKept: Bool { delivery.outcome == .delivered || delivery.extensionRuns == true }
        /// The scenario with the answer as its expectation, as compact JSON.
        public var scenario: String
    }

    /// The wish.
    public let wish: AppWish
    /// The items, part by part.
    public let items: [Item]
    /// The promises: for each service, version and state.
    public let promises: [Promise]

    /// Makes a plan.
    ///
    /// - Parameters:
    ///   - wish: what the app wants to know.
    ///   - declaration: what the app declares today; `nil` when it is not known.
    ///   - gate: decides the promises.
    public init(_ wish: AppWish, for declaration: AppDeclaration? = nil, gate: RelaunchGate = RelaunchGate()) {
        self.wish = wish
        let planner = AdvicePlanner(wish: wish, declaration: declaration, gate: gate)
        promises = planner.promises()
        items = planner.items(promises)
    }
}

extension AppWish.Goal {
    /// The service that serves the goal, and the call that starts it.
    var service: (service: Service, call: String) {
        switch self {
        case .regions: (.regionCircular, "startMonitoring(for:)")
        case .visits: (.visits, "startMonitoringVisits()")
        case .moves: (.significantChange, "startMonitoringSignificantLocationChanges()")
        case .path: (.standardUpdates, "startUpdatingLocation()")
        case .once: (.requestLocation, "requestLocation()")
        case .beacons: (.regionBeacon, "startMonitoring(for:)")
        case .pushes: (.locationPush, "startMonitoringLocationPushes(completion:)")
        }
    }
}

extension JSONWriter {
    /// Writes a plan: `{"goals","inBackground","versions","items":[…],"promises":[…]}`.
    public mutating func value(_ advice: Advice) {
        beginObject()
        member("goals", advice.wish.goals.map(\.rawValue))
        member("inBackground", advice.wish.inBackground)
        member("versions", advice.wish.systems.map(\.description))
        let wish = advice.wish
        if !wish.constraints.isEmpty { member("constraints", wish.constraints.sorted().map(\.rawValue)) }
        if !wish.activities.isEmpty { member("excludedActivities", wish.activities) }
        if !wish.ignored.isEmpty { member("ignored", wish.ignored) }
        array("items", advice.items) { writer, item in
            writer.beginObject()
            writer.member("part", item.part.rawValue)
            writer.member("text", item.text)
            writer.member("rules", item.rules.map(\.rawValue))
            writer.optional("isDone", item.isDone)
            writer.endObject()
        }
        array("promises", advice.promises) { writer, promise in
            writer.beginObject()
            writer.member("service", promise.service.rawValue)
            writer.member("osVersion", promise.version.description)
            writer.member("situation", promise.situation)
            writer.member("lifecycle", promise.state.lifecycle.rawValue)
            writer.member("terminatedBy", promise.state.terminatedBy?.rawValue)
            writer.member("delivery", promise.delivery.outcome.rawValue)
            writer.member("isKept", promise.isKept)
            writer.member("relaunch", promise.delivery.relaunch)
            writer.member("decidingRule", promise.delivery.decidingRule.rawValue)
            writer.member("certainty", promise.certainty.words)
            writer.endObject()
        }
        endObject()
    }

    /// Writes plans: one as an object, several as an array.
    public mutating func value(of plans: [Advice]) {
        if plans.count == 1 { return value(plans[0]) }
        beginArray()
        for plan in plans { value(plan) }
        endArray()
    }

    /// Writes the promises of a plan as an array of scenarios for `simulate`.
    public mutating func scenarios(of advice: Advice) { scenarios(of: [advice]) }

    /// Writes the promises of several plans as one array of scenarios for `simulate`.
    public mutating func scenarios(of plans: [Advice]) {
        beginArray()
        for promise in plans.flatMap(\.promises) { raw(promise.scenario) }
        endArray()
    }
}
