public import FencepostModel
public import FencepostService
import Synchronization

/// The active endpoints. Composes the messages that each of them receives for an event.
public final class EndpointRoster: MessageComposer {
    private let filters: Mutex<[EndpointFilter]>
    /// The endpoints whose messages may be handed over without rows.
    private let direct = Mutex<Set<String>>([])
    private let encoder: MessageEncoder
    private let named: MessagePlaces
    /// The zone of endpoints that name none.
    let zone: ServiceZone

    /// - Parameters:
    ///   - endpoints: disabled ones are left out.
    ///   - instance: name of the deployment, for the attribute `source` of CloudEvents.
    ///   - zone: the zone of endpoints that name none.
    ///   - regions: the regions of now. Messages for people have their names, and are about homes if they choose nothing else.
    public init(
        _ endpoints: [Endpoint] = [], instance: String = "default", zone: ServiceZone = ServiceZone(),
        regions: @escaping @Sendable () -> RegionCatalog = { RegionCatalog() }
    ) {
        encoder = MessageEncoder(instance: instance)
        named = MessagePlaces(regions)
        self.zone = zone
        filters = Mutex(EndpointRoster.filters(endpoints))
    }

    /// Replaces the endpoints, from the next event on. Disabled ones are left out.
    public func replace(_ endpoints: [Endpoint]) {
        let compiled = EndpointRoster.filters(endpoints)
        filters.withLock { $0 = compiled }
        let ids = Set(compiled.map(\.endpoint.id))
        direct.withLock { $0.formIntersection(ids) }
    }

    /// What an endpoint for people would send about sample events at the regions of now.
    func previews(of endpoint: Endpoint, at now: Timestamp) -> [MessagePreview] {
        MessageSamples.previews(of: endpoint, at: now, regions: named.catalog, zone: zone.current)
    }

    /// Removes an endpoint, until `replace` adds it again.
    func remove(_ id: String) {
        filters.withLock { $0.removeAll { $0.endpoint.id == id } }
        setDirect(false, id)
    }

    /// Sets whether the messages of an endpoint may be handed over without rows, from the next event on.
    func setDirect(_ isDirect: Bool, _ id: String) {
        direct.withLock { direct in
            if isDirect { direct.insert(id) } else { direct.remove(id) }
        }
    }

    private static func filters(_ endpoints: [Endpoint]) -> [EndpointFilter] {
        endpoints.filter(\.isActive).map(EndpointFilter.init)
    }

    public func messages(for event: NewEvent) -> [NewDelivery] {
        messages(for: event, to: filters.withLock { $0 })
    }

    /// The event of a report, with the messages to the active endpoints of its schedule.
    func report(
        _ schedule: ReportSchedule, _ run: ReportTiming.Run, at now: Timestamp, isAskedFor: Bool
    ) -> (event: NewEvent, deliveries: [NewDelivery]) {
        let event = ServiceEvents.report(schedule, run, asked: isAskedFor ? now : nil, at: now)
        return (event, messages(for: event))
    }

    public func messages(forHistory event: NewEvent) -> [NewDelivery] {
        let filters = filters.withLock { $0 }
        guard filters.contains(where: { $0.endpoint.origins.contains(event.origin) }) else { return [] }
        return messages(for: event, to: filters)
    }

    /// The messages that an endpoint would have received for stored events if it had been active.
    public func messages(for events: [StoredEvent], to endpoint: Endpoint) -> [NewDelivery] {
        let filter = EndpointFilter(endpoint)
        return events.flatMap { messages(for: $0.event, to: [filter]) }
    }

    private func messages(for event: NewEvent, to filters: [EndpointFilter]) -> [NewDelivery] {
        guard !filters.isEmpty, let message = event.message else { return [] }
        let subject = MessageSubject(message, origin: event.origin)
        return messages(for: message, subject, to: recipients(of: subject, among: filters))
    }

    private func recipients(of subject: MessageSubject, among filters: [EndpointFilter]) -> [EndpointFilter] {
        filters.filter { filter in
            filter.admits(subject)
                && (!filter.meansHomes || filter.means(named.places(of: subject), haveHome: named.haveHome, subject))
        }
    }

    private func messages(
        for message: EventMessage, _ subject: MessageSubject, to filters: [EndpointFilter]
    ) -> [NewDelivery] {
        guard !filters.isEmpty else { return [] }
        let hasPeople = filters.contains { $0.endpoint.kind.isForPeople }
        let notes =
            hasPeople ? MessageData.Notes(regions: named.places(of: subject), isCrossing: subject.isCrossing) : nil
        // Most endpoints receive the same bytes, which are encoded once.
        var written: [MessageView: (body: String, headers: [String: String])] = [:]
        let direct = direct.withLock { $0 }
        // The map page walks its test devices under this name.
        let isTest = subject.deviceID?.rawValue.hasPrefix("test/") == true
        return filters.map { filter in
            let view = MessageView(filter.endpoint)
            let text = written[view] ?? encoder.encode(message, as: view, isTest: isTest, notes: notes)
            written[view] = text
            var delivery = NewDelivery(
                endpointID: filter.endpoint.id, eventID: subject.id, deviceID: subject.deviceID, body: text.body,
                headers: text.headers, isOrdered: filter.endpoint.isOrdered)
            delivery.isDirect = !direct.isEmpty && direct.contains(filter.endpoint.id)
            return delivery
        }
    }

    /// The message of `POST /v1/endpoints/{id}/test`.
    func testMessage(_ event: NewEvent, to endpoint: Endpoint) -> (body: String, headers: [String: String]) {
        guard let message = event.message else { preconditionFailure("a test event has no values") }
        return encoder.encode(message, as: MessageView(endpoint), isTest: true)
    }
}
