/// The members of an event on the wire, in their order.
///
/// Each view of events decides about each of them by a switch, so that a new member is in none before somebody has decided.
public enum EventMember: String, CaseIterable, Sendable {
    case id, sequence, type, timestamp, detectedAt, receivedAt, earliest, latest
    case device = "deviceId"
    case retracts, retractedType
    case endpoint, delivery, schedule, report, recipients
    case region, visit, app, alert, fence, proximity, plan, location, confidence, reason, dwell
    case revision, supersedes, apps
}
