public import FencepostFormats
public import FencepostModel
public import FencepostSimulator

/// An event with everything that is said about it, as values.
///
/// It is what the store keeps, what messages are made of, and what is compared when history is evaluated again. Text is made of
/// it where it leaves the service: each view decides for each `EventMember`.
public struct EventMessage: Hashable, Sendable {
    /// What an event is about.
    public enum Content: Hashable, Sendable {
        /// What happened to a device, with the decisions about its apps.
        case occurrence(Event, decisions: [AppDecision])
        /// Another event did not happen.
        indirect case retraction(Retraction)
        /// Something about the service.
        indirect case notice(ServiceNotice)
    }

    /// What it is about.
    public var content: Content
    /// Arrival of what settled it.
    public var receivedAt: Timestamp
    /// What it replaces after late data; `nil` for nothing.
    public var correction: EventCorrection?

    /// An event.
    public init(_ content: Content, receivedAt: Timestamp, correction: EventCorrection? = nil) {
        (self.content, self.receivedAt, self.correction) = (content, receivedAt, correction)
    }

    /// What happened to a device; `nil` for a retraction and for what is about the service.
    public var event: Event? {
        if case .occurrence(let event, _) = content { event } else { nil }
    }

    /// `evt_…`; it follows from the event's cause.
    public var id: String {
        switch content {
        case .occurrence(let event, _): event.id
        case .retraction(let retraction): retraction.id
        case .notice(let notice): notice.id
        }
    }

    /// The event type on the wire.
    public var type: String {
        switch content {
        case .occurrence(let event, _): event.occurrence.type.rawValue
        case .retraction: Retraction.type
        case .notice(let notice): notice.type.rawValue
        }
    }

    /// Rises by one per device, from 1; `nil` for what is about the service.
    public var sequence: Int? {
        switch content {
        case .occurrence(let event, _): event.sequence
        case .retraction(let retraction): retraction.sequence
        case .notice: nil
        }
    }

    /// `nil` for what is about the service.
    public var deviceID: DeviceID? {
        switch content {
        case .occurrence(let event, _): event.deviceID
        case .retraction(let retraction): retraction.deviceID
        case .notice: nil
        }
    }

    /// When it happened.
    public var timestamp: Timestamp {
        switch content {
        case .occurrence(let event, _): event.timestamp
        case .retraction(let retraction): retraction.timestamp
        case .notice(let notice): notice.timestamp
        }
    }

    /// The time of the fix or of the deadline that settled it.
    public var detectedAt: Timestamp {
        switch content {
        case .occurrence(let event, _): event.detectedAt
        case .retraction(let retraction): retraction.detectedAt
        case .notice(let notice): notice.timestamp
        }
    }

    /// The region that it is about; `nil` for other events.
    public var region: RegionSummary? {
        switch content {
        case .occurrence(let event, _): event.occurrence.region
        case .retraction(let retraction): retraction.region
        case .notice: nil
        }
    }

    /// The visit that it is about; `nil` for other events.
    public var visit: Visit? {
        switch content {
        case .occurrence(let event, _): event.occurrence.visit
        case .retraction(let retraction): retraction.visit
        case .notice: nil
        }
    }

    /// The decisions about the apps on the device.
    public var decisions: [AppDecision] {
        if case .occurrence(_, let decisions) = content { decisions } else { [] }
    }

    var retraction: Retraction? { if case .retraction(let retraction) = content { retraction } else { nil } }

    /// What it says about the service; `nil` for other events.
    public var notice: ServiceNotice? { if case .notice(let notice) = content { notice } else { nil } }

    /// The type of the event that a retraction is about; `nil` for other events.
    public var retractedType: String? { retraction?.retractedType }

    /// The reason of an exit of a region or of a pair, of a disarmed fence, of a retraction or of a disabled endpoint, as on the wire.
    var reason: String? {
        switch content {
        case .occurrence(let event, _):
            switch event.occurrence {
            case .regionExited(_, let reason): reason?.rawValue
            case .fence(let report): report.reason
            case .proximity(let report): report.reason
            case .regionEntered, .regionDwelled, .visitArrived, .visitDeparted, .deviceStale, .deviceRecovered,
                .appRelaunched, .alert, .plan:
                nil
            }
        case .retraction(let retraction): retraction.reason
        case .notice(let notice): notice.reason
        }
    }

    /// Gives the event another id, as a further revision of one that was withdrawn.
    public mutating func take(id: String) {
        switch content {
        case .occurrence(var event, let decisions):
            event.id = id
            content = .occurrence(event, decisions: decisions)
        case .retraction(var retraction):
            retraction.id = id
            content = .retraction(retraction)
        case .notice(var notice):
            notice.id = id
            content = .notice(notice)
        }
    }
}

/// The decision of the relaunch rules about an event and an app.
public struct AppDecision: Hashable, Sendable {
    /// The app; `nil` for one without an id.
    public var app: String?
    /// How the event reaches it, as on the wire.
    public var outcome: String
    /// Whether it was started.
    public var isRelaunched: Bool
    /// All of it, as on the wire.
    public var text: JSONText

    /// A decision with its text.
    public init(app: String?, outcome: String, isRelaunched: Bool, text: JSONText) {
        (self.app, self.outcome, self.isRelaunched, self.text) = (app, outcome, isRelaunched, text)
    }

    /// A decision of the simulator; `text` is its JSON.
    public init(_ delivery: Delivery, text: JSONText) {
        self.init(
            app: delivery.app, outcome: delivery.outcome.rawValue, isRelaunched: delivery.relaunch, text: text)
    }
}
