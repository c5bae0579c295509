import FencepostModel
import FencepostService

/// Decides whether an endpoint receives an event.
struct EndpointFilter: Sendable {
    let endpoint: Endpoint
    /// What an endpoint for people gets that names no events: who is where, the alerts and pairs that somebody has
    /// configured, devices that were moved, and places of rounds that were missed or visited late.
    static let typesForPeople: [GlobPattern] =
        [
            EventType.regionEntered, .regionExited, .visitArrived, .visitDeparted,
        ].map { GlobPattern($0.rawValue) } + [GlobPattern("alert.*"), GlobPattern("proximity.*")]
        + [EventType.fenceBroken, .planMissed, .planLate].map { GlobPattern($0.rawValue) }

    private let types, regions, devices: TextPatterns
    /// Whether it named neither events nor regions: then homes are meant, where there are any.
    let meansHomes: Bool
    private let apps: Set<String>
    private let outcomes: Set<String>
    private let wantsRelaunched: Bool
    private let origins: Set<EventOrigin>

    init(_ endpoint: Endpoint) {
        self.endpoint = endpoint
        // Who asks for apps means their launches and deliveries, whatever the place.
        let asksForApps = !endpoint.apps.isEmpty || !endpoint.when.isEmpty
        let choosesNothing = endpoint.kind.isForPeople && endpoint.events.isEmpty && !asksForApps
        types = TextPatterns(choosesNothing ? Self.typesForPeople : endpoint.events)
        meansHomes = choosesNothing && endpoint.regions.isEmpty
        regions = TextPatterns(endpoint.regions)
        devices = TextPatterns(endpoint.devices)
        apps = Set(endpoint.apps)
        outcomes = Set(endpoint.when.map(\.rawValue))
        wantsRelaunched = endpoint.when.contains(.relaunched)
        origins = endpoint.origins
    }

    /// Whether the endpoint gets events of this type.
    func wants(_ type: String) -> Bool { types.match(type) }

    func admits(_ subject: MessageSubject) -> Bool {
        // A test event goes only to the endpoint that is tested. Events about an endpoint do not go to itself: each
        // failed delivery would cause the next event.
        guard subject.type != ServiceEventType.webhookTest.rawValue, subject.endpoint != endpoint.id else {
            return false
        }
        // A report goes to the endpoints of its schedule, whatever else they want.
        if subject.type == ServiceEventType.reportReady.rawValue { return subject.recipients.contains(endpoint.id) }
        guard origins.contains(subject.origin),
            types.match(subject.type) || subject.retractedType.map(types.match) ?? false,
            devices.match(subject.deviceID?.rawValue)
        else { return false }
        guard regions.isEmpty || subject.regions.contains(where: regions.match) else { return false }
        if endpoint.kind.isForPeople, !isFactForPeople(subject) { return false }
        if let app = subject.app, !concerns(app) { return false }
        guard !outcomes.isEmpty else { return true }
        return subject.decisions.contains { decision in
            concerns(decision.app)
                && (outcomes.contains(decision.outcome) || wantsRelaunched && decision.isRelaunched)
        }
    }

    /// Whether an endpoint that means homes also means an event at these places, where it admits the event.
    ///
    /// `haveHome`: whether any region is somebody's home.
    func means(_ regions: [MessagePlace], haveHome: Bool, _ subject: MessageSubject) -> Bool {
        if ["alert.", "proximity.", "plan."].contains(where: subject.type.hasPrefix) { return true }
        if subject.type == EventType.fenceBroken.rawValue { return true }
        if subject.type == ServiceEventType.reportReady.rawValue { return true }
        return haveHome ? regions.contains(where: \.name.isHome) : !regions.isEmpty
    }

    /// Whether something happened to somebody. Nobody leaves a region that closes, expires or is deleted.
    private func isFactForPeople(_ subject: MessageSubject) -> Bool {
        subject.isCrossing || subject.type != EventType.regionExited.rawValue
    }

    private func concerns(_ app: String?) -> Bool {
        apps.isEmpty || app.map(apps.contains) == true
    }
}
