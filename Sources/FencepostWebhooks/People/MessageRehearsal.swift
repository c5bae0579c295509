public import FencepostMessages
public import FencepostModel
public import FencepostService
public import Foundation

/// What endpoints would send about events, with quiet hours, cooldown and collection in the time of the events.
public struct MessageRehearsal {
    /// A message that would be sent, or that is suppressed.
    public struct Message: Sendable {
        /// The recipient.
        public var endpoint: Endpoint
        /// When it would be sent.
        public var at: Timestamp
        /// Its text.
        public var text: WrittenMessage
        /// The events that it is about.
        public var eventIDs: [String]
        /// Whether quiet hours or a cooldown keep it from being sent.
        public var isSuppressed: Bool
    }

    private struct Line {
        let endpoint: Endpoint
        var gate: MessageGate
        /// Messages that wait, with the time until which they are held.
        var held: [(delivery: PendingDelivery, until: Timestamp)] = []
    }

    private let roster: EndpointRoster
    private let zone: TimeZone?
    private var lines: [String: Line]
    /// Numbers of messages so far; of those that are omitted another one has said the same.
    public private(set) var counts = (sent: 0, suppressed: 0, omitted: 0)

    /// A rehearsal for active endpoints. Those without a zone have `zone`, or else that of the machine.
    public init(
        _ endpoints: [Endpoint], instance: String = "default", zone: TimeZone? = nil,
        regions: RegionCatalog = RegionCatalog()
    ) {
        self.zone = zone
        roster = EndpointRoster(endpoints, instance: instance, regions: { regions })
        lines = Dictionary(
            endpoints.map { ($0.id, Line(endpoint: $0, gate: MessageGate($0))) },
            uniquingKeysWith: { first, _ in first })
    }

    /// Takes an event. There are no simulated apps, so endpoints with `when` get none.
    ///
    /// - Parameter event: the event, in the order of detection.
    /// - Returns: the messages that are sent or suppressed until then.
    public mutating func take(_ event: Event) -> [Message] {
        let message = EventMessage(.occurrence(event, decisions: []), receivedAt: event.detectedAt)
        let now = event.detectedAt
        var messages = release(until: now)
        for new in roster.messages(for: NewEvent(message)) {
            var delivery = PendingDelivery(
                id: event.id, endpointID: new.endpointID, eventID: event.id, eventType: event.occurrence.type.rawValue,
                deviceID: new.deviceID, body: new.body, headers: new.headers, attempts: 0, createdAt: now, due: now)
            delivery.eventTimestamp = event.timestamp
            messages += offer([delivery], at: now)
        }
        return messages
    }

    /// The messages that are still held, at the times at which they would be sent.
    public mutating func finish() -> [Message] { release(until: .distantFuture) }

    private mutating func release(until now: Timestamp) -> [Message] {
        var messages: [Message] = []
        while let next = lines.values.compactMap({ $0.held.map(\.until).min() }).min(), next <= now {
            for id in lines.keys.sorted() {
                guard let due = lines[id]?.held.filter({ $0.until == next }).map(\.delivery), !due.isEmpty else {
                    continue
                }
                lines[id]?.held.removeAll { $0.until == next }
                messages += offer(
                    due.map { delivery in
                        var delivery = delivery
                        delivery.due = next
                        return delivery
                    }, at: next)
            }
        }
        return messages
    }

    private mutating func offer(_ deliveries: [PendingDelivery], at now: Timestamp) -> [Message] {
        guard let first = deliveries.first, var line = lines[first.endpointID] else { return [] }
        defer { lines[first.endpointID] = line }
        var messages: [Message] = []
        var group: [PendingDelivery] = []
        func message(_ deliveries: [PendingDelivery], isSuppressed: Bool) -> Message {
            Message(
                endpoint: line.endpoint, at: now, text: line.endpoint.writer(zone: zone).write(deliveries.map(\.body)),
                eventIDs: deliveries.map(\.eventID), isSuppressed: isSuppressed)
        }
        for delivery in deliveries {
            switch line.gate.decide(delivery, at: now) {
            case .send: group.append(delivery)
            case .hold(let time): line.held.append((delivery, time))
            case .suppress:
                messages.append(message([delivery], isSuppressed: true))
                counts.suppressed += 1
            case .omit: counts.omitted += 1
            }
        }
        let size = line.gate.collects ? MessageGate.largestGroup : 1
        while !group.isEmpty {
            messages.append(message(Array(group.prefix(size)), isSuppressed: false))
            group.removeFirst(min(size, group.count))
            counts.sent += 1
        }
        return messages
    }
}
