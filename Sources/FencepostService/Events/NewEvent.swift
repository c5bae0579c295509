import FencepostFormats
import FencepostJSON
public import FencepostModel

/// What brought an event about. Endpoints and streams choose by it.
public enum EventOrigin: Int, Hashable, Sendable, CaseIterable {
    /// A fix in order, a deadline, a change of regions, or the service itself.
    case live = 0
    /// An import or late fixes; it replaces no other event.
    case history = 1
    /// An import or late fixes; it replaces another event.
    case correction = 2
    /// An `event.retracted`: another event did not happen.
    case retraction = 3
}

/// An event as it is stored.
public struct NewEvent: Hashable, Sendable {
    /// What an event says.
    public enum Content: Hashable, Sendable {
        /// As values.
        case message(EventMessage)
        /// As JSON without `why`, and the `why` object: a row of an earlier version, or one that cannot be read.
        case text(String, why: String?)
    }

    /// `evt_…`; it follows from the event's cause. A store ignores an event whose id it has.
    public var id: String
    /// The event type on the wire.
    public var type: String
    /// `nil` for events of the service itself (`endpoint.disabled` …).
    public var deviceID: DeviceID?
    /// The region that the event is about; `nil` for other events.
    public var regionID: RegionID?
    /// When it happened.
    public var timestamp: Timestamp
    /// What it says.
    public var content: Content
    /// The visit after the event; `nil` for events that are not about a visit.
    public var visit: NewVisit?
    /// The time of the fix or of the deadline that settled it; `nil` for events of the service itself.
    public var detectedAt: Timestamp?
    /// What brought it about.
    public var origin = EventOrigin.live
    /// Counts the corrections of an event, from 1.
    public var revision = 1
    /// The id that the evaluation gave the event, if `id` differs from it.
    public var cause: String?
    /// The event that holds instead of this one; `nil` while it holds.
    public var supersededBy: String?

    /// An event with its JSON. More than five parameters, because each is a column.
    public init(
        id: String, type: String, deviceID: DeviceID?, regionID: RegionID? = nil, timestamp: Timestamp, body: String,
        why: String? = nil, visit: NewVisit? = nil
    ) {
        self.init(
            id: id, type: type, deviceID: deviceID, regionID: regionID, timestamp: timestamp,
            content: .text(body, why: why), visit: visit)
    }

    /// An event with the columns of its row. More than five parameters, because each is a column.
    public init(
        id: String, type: String, deviceID: DeviceID?, regionID: RegionID?, timestamp: Timestamp, content: Content,
        visit: NewVisit? = nil
    ) {
        self.id = id
        self.type = type
        self.deviceID = deviceID
        self.regionID = regionID
        self.timestamp = timestamp
        self.content = content
        self.visit = visit
    }

    /// An event, by its values.
    public init(_ message: EventMessage, visit: NewVisit? = nil) {
        self.init(
            id: message.id, type: message.type, deviceID: message.deviceID, regionID: message.region?.id,
            timestamp: message.timestamp, content: .message(message), visit: visit)
        if message.notice == nil { detectedAt = message.detectedAt }
        if let correction = message.correction { revision = correction.revision }
    }

    /// Its values; `nil` for a text that is no event.
    public var message: EventMessage? {
        switch content {
        case .message(let message): message
        case .text(let body, let why): EventMessage(body: body, why: why)
        }
    }

    /// The event as one line of JSON, without `why`.
    public var body: String {
        switch content {
        case .text(let body, _): return body
        case .message(let message):
            var writer = JSONWriter()
            writer.value(message)
            return String(decoding: writer.bytes, as: UTF8.self)
        }
    }

    /// The `why` object; `nil` when the event has none.
    public var why: String? {
        switch content {
        case .text(_, let why): return why
        case .message(let message):
            guard let why = message.event?.why else { return nil }
            var writer = JSONWriter()
            writer.value(why)
            return String(decoding: writer.bytes, as: UTF8.self)
        }
    }
}

/// A visit as it is stored. A departure replaces the stored arrival.
public struct NewVisit: Hashable, Sendable {
    /// `vis_…`
    public var id: String
    /// The arrival, or the earliest known time of the visit. Queries filter by it.
    public var start: Timestamp
    /// The departure; `nil` for a current visit.
    public var end: Timestamp?
    /// The regions that contain the centre of the visit.
    public var regionIDs: [RegionID]
    /// The visit as one line of JSON, with `deviceId` first.
    public var body: String

    /// The stored form of the visit of an event.
    ///
    /// - Parameters:
    ///   - visit: the visit.
    ///   - device: the device of the event.
    ///   - timestamp: the time of the event.
    public init(_ visit: Visit, of device: DeviceID, at timestamp: Timestamp) {
        var writer = JSONWriter()
        writer.value(visit)
        // The `visit` object of the event, with `deviceId` as its first member.
        var first = JSONWriter()
        first.value(device.rawValue)
        self.init(
            id: visit.id, start: visit.arrival ?? visit.arrivalEarliest ?? timestamp, end: visit.departure,
            regionIDs: visit.regions,
            body: "{\"deviceId\":" + String(decoding: first.bytes, as: UTF8.self) + ","
                + String(decoding: writer.bytes.dropFirst(), as: UTF8.self))
    }

    /// A visit with its JSON.
    public init(id: String, start: Timestamp, end: Timestamp?, regionIDs: [RegionID], body: String) {
        self.id = id
        self.start = start
        self.end = end
        self.regionIDs = regionIDs
        self.body = body
    }
}

/// The decision of the relaunch rules about an event for an app.
public struct NewDecision: Hashable, Sendable {
    /// The app.
    public var appID: String
    /// The event.
    public var eventID: String
    /// The device of the event.
    public var deviceID: DeviceID
    /// When the event happened.
    public var timestamp: Timestamp
    /// The delivery to the app as one line of JSON.
    public var body: String

    /// A decision with its JSON.
    public init(appID: String, eventID: String, deviceID: DeviceID, timestamp: Timestamp, body: String) {
        self.appID = appID
        self.eventID = eventID
        self.deviceID = deviceID
        self.timestamp = timestamp
        self.body = body
    }
}

/// A message to an endpoint, before it is stored.
public struct NewDelivery: Hashable, Sendable {
    /// The recipient.
    public var endpointID: String
    /// The event.
    public var eventID: String
    /// Ordered endpoints receive the messages of a device in order; `nil` for events of the service itself.
    public var deviceID: DeviceID?
    /// The exact bytes that are signed and sent, the same on every retry (rule W4).
    public var body: String
    /// Headers in addition to those of Standard Webhooks, `content-type` included.
    public var headers: [String: String]
    /// Whether it waits for earlier messages of the same endpoint and device.
    public var isOrdered: Bool
    /// Whether it may be handed over without a row (`DirectMessage`).
    public var isDirect = false

    /// A message to an endpoint.
    public init(
        endpointID: String, eventID: String, deviceID: DeviceID?, body: String, headers: [String: String],
        isOrdered: Bool
    ) {
        self.endpointID = endpointID
        self.eventID = eventID
        self.deviceID = deviceID
        self.body = body
        self.headers = headers
        self.isOrdered = isOrdered
    }
}
