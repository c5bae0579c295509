public import FencepostModel

extension ServiceEvent {
    /// The events of an app's services that follow from an event of the monitor, one for each service that it concerns.
    ///
    /// A crossing concerns the regions and conditions with the id of the region or without an id. A visit concerns
    /// `visits`. Dwells and silent devices have no equivalent in Core Location.
    public static func events(of event: Event, for services: [ServiceObject]) -> [ServiceEvent] {
        switch event.occurrence {
        case .regionEntered(let region): crossings(event, region, isInward: true, services)
        // The deletion or expiry of a region is not a crossing: Core Location has no such event.
        case .regionExited(let region, reason: nil): crossings(event, region, isInward: false, services)
        case .visitArrived: visit(event, .arrival, services)
        case .visitDeparted: visit(event, .departure, services)
        case .regionExited, .regionDwelled, .deviceStale, .deviceRecovered, .appRelaunched, .alert, .fence, .proximity,
            .plan:
            []
        }
    }

    private static func crossings(
        _ event: Event, _ region: RegionSummary, isInward: Bool, _ services: [ServiceObject]
    ) -> [ServiceEvent] {
        services.filter { $0.identifier == nil || $0.identifier == region.id.rawValue }.map(\.service)
            .filter { $0 == .regionCircular || $0 == .clMonitorCircular }.withoutDuplicates
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
    /// The services of the scenario's app at the start and those that steps start.
    public var services: [ServiceObject] {
        device.services
            + steps.compactMap { step in
                if case .start(let object, _, _) = step.verb { object } else { nil }
            }
    }
}
