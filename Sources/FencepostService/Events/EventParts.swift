public import FencepostModel

/// An event taken apart for its members: a copy of the event for each of them takes longer than writing it.
public struct EventParts: Sendable {
    /// The event.
    public let message: EventMessage
    /// As of the event; `nil` where it has none.
    public let event: Event?
    let notice: ServiceNotice?
    let retraction: Retraction?
    let sequence: Int?
    let detectedAt: Timestamp
    let device: DeviceID?
    /// The region and the visit that it is about; `nil` for other events.
    public let region: RegionSummary?, visit: Visit?
    let reason: String?
    let decisions: [AppDecision]

    /// The parts of an event.
    public init(_ message: EventMessage) {
        self.message = message
        (event, notice, retraction) = (message.event, message.notice, message.retraction)
        (sequence, detectedAt, device) = (message.sequence, message.detectedAt, message.deviceID)
        (region, visit, reason) = (message.region, message.visit, message.reason)
        decisions = message.decisions
    }
}
