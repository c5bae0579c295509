import FencepostModel
import FencepostService

/// Decides whether an endpoint receives an event.
struct EndpointFilter: Sendable {
    let endpoint: Endpoint
    private let types, regions, devices: TextPatterns
    private let apps: Set<String>
    private let outcomes: Set<String>
    private let wantsRelaunched: Bool
    private let origins: Set<EventOrigin>

    init(_ endpoint: Endpoint) {
        self.endpoint = endpoint
        types = TextPatterns(endpoint.events)
        regions = TextPatterns(endpoint.regions)
        devices = TextPatterns(endpoint.devices)
        apps = Set(endpoint.apps)
        outcomes = Set(endpoint.when.map(\.rawValue))
        wantsRelaunched = endpoint.when.contains(.relaunched)
        origins = endpoint.origins
    }

    func admits(_ subject: MessageSubject) -> Bool {
        // A test event goes only to the endpoint that is tested. Events about an endpoint do not go to itself: each
        // failed delivery would cause the next event.
        guard subject.type != ServiceEventType.webhookTest.rawValue, subject.endpoint != endpoint.id else {
            return false
        }
        guard origins.contains(subject.origin),
            types.match(subject.type) || subject.retractedType.map(types.match) ?? false,
            devices.match(subject.deviceID?.rawValue)
        else { return false }
        guard regions.isEmpty || subject.regions.contains(where: regions.match) else { return false }
        if let app = subject.app, !concerns(app) { return false }
        guard !outcomes.isEmpty else { return true }
        return subject.decisions.contains { decision in
            concerns(decision.app)
                && (outcomes.contains(decision.outcome) || wantsRelaunched && decision.relaunched)
        }
    }

    private func concerns(_ app: String?) -> Bool {
        apps.isEmpty || app.map(apps.contains) == true
    }
}
