public import FencepostModel

extension ServiceEvent {
    /// What an event of the monitor is to an app: one event for each service of the app that it concerns.
    ///
    /// A crossing concerns the regions and conditions of the region's id, or one that names no id; a visit concerns
    /// `visits`. Dwells and devices that fall silent are nothing that Core Location tells.
    public static func events(of event: Event, for services: [ServiceObject]) -> [ServiceEvent] {
        switch event.occurrence {
        case .regionEntered(let region): crossings(event, region, isInward: true, services)
        // A region that is deleted or has expired is no crossing: Core Location has no such thing.
        case .regionExited(let region, reason: nil): crossings(event, region, isInward: false, services)
        case .visitArrived: visit(event, .arrival, services)
        case .visitDeparted: visit(event, .departure, services)
        case .regionExited, .regionDwelled, .deviceStale, .deviceRecovered, .appRelaunched: []
        }
    }

    private static func crossings(
        _ event: Event, _ region: RegionSummary, isInward: Bool, _ services: [ServiceObject]
    ) -> [ServiceEvent] {
        services.filter { $0.identifier == nil || $0.identifier == region.id.rawValue }.map(\.service)
            .filter { $0 == .regionCircular || $0 == .clMonitorCircular }.uniqued
            .map { service in
                let kind: Kind =
                    service.isCondition ? (isInward ? .satisfied : .unsatisfied) : (isInward ? .enter : .exit)
                var made = ServiceEvent(service, kind, identifier: region.id.rawValue, at: event.detectedAt)
                made.id = event.id
                return made
            }
    }

    private static func visit(_ event: Event, _ kind: Kind, _ services: [ServiceObject]) -> [ServiceEvent] {
        guard services.contains(where: { $0.service == .visits }) else { return [] }
        var made = ServiceEvent(.visits, kind, at: event.detectedAt)
        made.id = event.id
        return [made]
    }
}

extension Scenario {
    /// The services that the app has or starts.
    public var services: [ServiceObject] {
        given.services
            + steps.compactMap { step in
                if case .start(let object, _, _) = step.verb { object } else { nil }
            }
    }
}
