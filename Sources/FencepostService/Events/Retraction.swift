public import FencepostModel

/// That another event did not happen, as late data shows.
public struct Retraction: Hashable, Sendable {
    /// The type on the wire.
    public static let type = "event.retracted"

    /// The id, which follows from that of the event.
    public var id: String
    /// As of other events of the device.
    public var sequence: Int
    /// The device.
    public var deviceID: DeviceID
    /// The times of the event.
    public var timestamp, detectedAt: Timestamp
    /// The event that did not happen, and its type.
    public var retracts, retractedType: String
    /// The region of that event; `nil` if it had none.
    public var region: RegionSummary?
    /// The visit of that event; `nil` if it had none.
    public var visit: Visit?
    /// Why history was evaluated again, as on the wire.
    public var reason: String

    /// A retraction of an event.
    ///
    /// - Parameters:
    ///   - event: the event that did not happen.
    ///   - sequence: as of other events of the device.
    ///   - reason: why history was evaluated again.
    init(of event: HeldEvent, sequence: Int, reason: EvaluationTask.Cause) {
        var identity = Identity()
        identity.add(Self.type)
        identity.add(event.id)
        id = identity.text(prefix: "evt_")
        (self.sequence, deviceID) = (sequence, event.deviceID)
        (timestamp, detectedAt) = (event.timestamp, event.detectedAt)
        (retracts, retractedType) = (event.id, event.type)
        (region, visit) = (event.message?.region, event.message?.visit)
        self.reason = reason.rawValue
    }

    /// A retraction with all members, for one that is read.
    ///
    /// More parameters than five, because each is a member.
    init(
        id: String, sequence: Int, deviceID: DeviceID, timestamp: Timestamp, detectedAt: Timestamp, retracts: String,
        retractedType: String, region: RegionSummary?, visit: Visit?, reason: String
    ) {
        (self.id, self.sequence, self.deviceID) = (id, sequence, deviceID)
        (self.timestamp, self.detectedAt) = (timestamp, detectedAt)
        (self.retracts, self.retractedType) = (retracts, retractedType)
        (self.region, self.visit, self.reason) = (region, visit, reason)
    }
}
