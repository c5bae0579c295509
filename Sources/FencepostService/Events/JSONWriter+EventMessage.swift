import FencepostFormats
public import FencepostJSON
import FencepostModel

extension JSONWriter {
    /// Writes an event as the API and streams have it, without `why`.
    public mutating func value(_ message: EventMessage) {
        if case .occurrence(var event, let decisions) = message.content {
            event.why = nil
            return value(
                event, apps: decisions.map(\.text), receivedAt: message.receivedAt, correction: message.correction)
        }
        beginObject()
        let parts = EventParts(message)
        for member in EventMember.allCases { field(member, of: parts) }
        endObject()
    }

    /// Writes a member of an event, with its name, if the event has it.
    public mutating func field(_ member: EventMember, of parts: EventParts) {
        switch member {
        case .id: field(member, parts.message.id) { $0.value($1) }
        case .sequence: field(member, parts.sequence) { $0.value($1) }
        case .type: field(member, parts.message.type) { $0.value($1) }
        case .timestamp: field(member, parts.message.timestamp) { $0.value($1) }
        case .detectedAt: field(member, parts.detectedAt) { $0.value($1) }
        case .receivedAt: field(member, parts.message.receivedAt) { $0.value($1) }
        case .earliest: field(member, parts.event?.earliest) { $0.value($1) }
        case .latest: field(member, parts.event?.latest) { $0.value($1) }
        case .device: field(member, parts.device?.rawValue) { $0.value($1) }
        case .retracts: field(member, parts.retraction?.retracts) { $0.value($1) }
        case .retractedType: field(member, parts.retraction?.retractedType) { $0.value($1) }
        case .endpoint: field(member, parts.notice?.endpoint) { $0.value($1) }
        case .delivery: field(member, parts.notice?.delivery) { $0.value($1) }
        case .schedule: field(member, parts.notice?.schedule) { $0.value($1) }
        case .report: field(member, parts.notice?.report) { $0.value($1) }
        case .recipients: field(member, parts.notice?.recipients) { $0.array($1) }
        case .region: field(member, parts.region) { $0.value($1) }
        case .visit: field(member, parts.visit) { $0.value($1) }
        case .app: field(member, parts.event?.occurrence.app) { $0.value($1) }
        case .alert: field(member, parts.event?.occurrence.alert) { $0.value($1) }
        case .fence: field(member, parts.event?.occurrence.fence) { $0.value($1) }
        case .proximity: field(member, parts.event?.occurrence.proximity) { $0.value($1) }
        case .plan: field(member, parts.event?.occurrence.plan) { $0.value($1) }
        case .location: field(member, parts.event?.location) { $0.value($1) }
        case .confidence:
            field(member, parts.event?.confidence.flatMap { $0.isFinite ? $0 : nil }) {
                $0.value(($1 * 1000).rounded() / 1000)
            }
        case .reason: field(member, parts.reason) { $0.value($1) }
        case .dwell: field(member, parts.event?.occurrence.dwell) { $0.value($1.seconds) }
        case .revision: field(member, parts.message.correction?.revision) { $0.value($1) }
        case .supersedes: field(member, parts.message.correction?.supersedes) { $0.value($1) }
        case .apps: field(member, parts.decisions) { $0.array($1) }
        }
    }

    private mutating func field<Value>(
        _ member: EventMember, _ value: Value?, _ write: (inout JSONWriter, Value) -> Void
    ) {
        guard let value else { return }
        name(member.rawValue)
        write(&self, value)
    }

    private mutating func value(_ endpoint: ServiceNotice.EndpointSummary) {
        object([("id", endpoint.id), ("description", endpoint.description)])
    }

    private mutating func value(_ delivery: ServiceNotice.DeliverySummary) {
        beginObject()
        texts([("id", delivery.id), ("eventId", delivery.eventID), ("eventType", delivery.eventType)])
        name("attempts")
        value(delivery.attempts)
        endObject()
    }

    private mutating func value(_ schedule: ServiceNotice.ScheduleSummary) {
        object([("id", schedule.id), ("name", schedule.name)])
    }

    private mutating func value(_ report: ServiceNotice.ReportSummary) {
        object([
            ("kind", report.kind), ("format", report.format), ("from", report.from), ("to", report.to),
            ("timeZone", report.timeZone), ("firstDate", report.firstDate), ("lastDate", report.lastDate),
            ("path", report.path),
        ])
    }

    private mutating func object(_ members: [(name: String, text: String?)]) {
        beginObject()
        texts(members)
        endObject()
    }

    private mutating func texts(_ members: [(name: String, text: String?)]) {
        for (name, text) in members {
            guard let text else { continue }
            self.name(name)
            value(text)
        }
    }

    private mutating func array(_ elements: [String]) {
        beginArray()
        for element in elements { value(element) }
        endArray()
    }

    private mutating func array(_ decisions: [AppDecision]) {
        beginArray()
        for decision in decisions { raw(decision.text.rawValue) }
        endArray()
    }
}

extension Occurrence {
    /// The app of a launch; `nil` for all others.
    fileprivate var app: AppSummary? { if case .appRelaunched(let app) = self { app } else { nil } }

    /// The alert of its begin or end; `nil` for all others.
    fileprivate var alert: Alert? { if case .alert(let alert) = self { alert } else { nil } }

    /// What happened to a fence; `nil` for all others.
    fileprivate var fence: FenceReport? { if case .fence(let report) = self { report } else { nil } }

    /// What happened to two devices; `nil` for all others.
    fileprivate var proximity: ProximityReport? { if case .proximity(let report) = self { report } else { nil } }

    /// What happened in a round; `nil` for all others.
    fileprivate var plan: PlanReport? { if case .plan(let report) = self { report } else { nil } }

    /// The time inside, or near each other, that a dwell is about; `nil` for all others.
    fileprivate var dwell: Duration? {
        if case .regionDwelled(_, let dwell) = self { dwell } else { proximity?.dwell }
    }
}
