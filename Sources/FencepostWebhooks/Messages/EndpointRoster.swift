import FencepostFormats
import FencepostJSON
public import FencepostModel
public import FencepostService
public import FencepostSimulator
import Synchronization

/// The active endpoints as of now, and what each of them is to be told.
public final class EndpointRoster: MessageComposer {
    private let filters: Mutex<[EndpointFilter]>
    private let encoder: MessageEncoder

    /// - Parameter instance: the deployment's name in the `source` of CloudEvents.
    public init(_ endpoints: [Endpoint] = [], instance: String = "default") {
        encoder = MessageEncoder(instance: instance)
        filters = Mutex(EndpointRoster.filters(endpoints))
    }

    /// Takes other endpoints from the next event on; those that are disabled get nothing new.
    public func replace(_ endpoints: [Endpoint]) {
        let compiled = EndpointRoster.filters(endpoints)
        filters.withLock { $0 = compiled }
    }

    /// Takes an endpoint out until it is active again.
    func remove(_ id: String) {
        filters.withLock { $0.removeAll { $0.endpoint.id == id } }
    }

    private static func filters(_ endpoints: [Endpoint]) -> [EndpointFilter] {
        endpoints.filter(\.isActive).map(EndpointFilter.init)
    }

    public func messages(for event: Event, decisions: [Delivery]) -> [NewDelivery] {
        let filters = filters.withLock { $0 }
        guard !filters.isEmpty else { return [] }
        let subject = MessageSubject(event, decisions: decisions)
        let asked = filters.filter { $0.admits(subject) }
        guard !asked.isEmpty else { return [] }
        var writer = JSONWriter()
        writer.value(
            event,
            apps: decisions.map { decision in
                var writer = JSONWriter()
                writer.value(decision)
                return JSONText(String(decoding: writer.bytes, as: UTF8.self))
            })
        guard let document = try? JSONDocument(parsing: writer.bytes) else {
            preconditionFailure("an event was written as JSON that cannot be read")
        }
        return messages(for: subject, object: document.root, to: asked)
    }

    /// The messages for an event that is written already, such as `endpoint.disabled`.
    public func messages(for event: NewEvent) -> [NewDelivery] {
        messages(for: event, to: filters.withLock { $0 })
    }

    /// The messages that an endpoint would have got for stored events, had it been active.
    public func messages(for events: [StoredEvent], to endpoint: Endpoint) -> [NewDelivery] {
        let filter = EndpointFilter(endpoint)
        return events.flatMap { messages(for: $0.event, to: [filter]) }
    }

    private func messages(for event: NewEvent, to filters: [EndpointFilter]) -> [NewDelivery] {
        guard !filters.isEmpty, let document = try? JSONDocument(parsing: event.body) else { return [] }
        let subject = MessageSubject(event, object: document.root)
        return messages(for: subject, object: document.root, to: filters.filter { $0.admits(subject) })
    }

    private func messages(
        for subject: MessageSubject, object: JSONElement, to filters: [EndpointFilter]
    ) -> [NewDelivery] {
        // Most endpoints want the same bytes.
        var written: [MessageView: (body: String, headers: [String: String])] = [:]
        return filters.map { filter in
            let view = MessageView(filter.endpoint)
            let message = written[view] ?? encoder.encode(object, as: view)
            written[view] = message
            return NewDelivery(
                endpointID: filter.endpoint.id, eventID: subject.id, deviceID: subject.deviceID, body: message.body,
                headers: message.headers, isOrdered: filter.endpoint.isOrdered)
        }
    }

    /// What `POST /v1/endpoints/{id}/test` sends.
    func testMessage(_ event: NewEvent, to endpoint: Endpoint) -> (body: String, headers: [String: String]) {
        guard let document = try? JSONDocument(parsing: event.body) else {
            preconditionFailure("a test event was written as JSON that cannot be read")
        }
        return encoder.encode(document.root, as: MessageView(endpoint), isTest: true)
    }
}
