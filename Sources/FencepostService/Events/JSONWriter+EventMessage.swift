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
        for member in EventMember.allCases { field(member, of: message) }
        endObject()
    }

    /// Writes a member of an event, with its name, if the event has it.
    public mutating func field(_ member: EventMember, of message: EventMessage) {
        let (event, notice) = (message.event, message.notice)
        switch member {
        case .id: field(member, message.id) { $0.value($1) }
        case .sequence: field(member, message.sequence) { $0.value($1) }
        case .type: field(member, message.type) { $0.value($1) }
        case .timestamp: field(member, message.timestamp) { $0.value($1) }
        case .detectedAt: field(member, message.detectedAt) { $0.value($1) }
        case .receivedAt: field(member, message.receivedAt) { $0.value($1) }
        case .earliest: field(member, event?.earliest) { $0.value($1) }
        case .latest: field(member, event?.latest) { $0.value($1) }
        case .device: field(member, message.deviceID?.rawValue) { $0.value($1) }
        case .retracts: field(member, message.retraction?.retracts) { $0.value($1) }
        case .retractedType: field(member, message.retractedType) { $0.value($1) }
        case .endpoint: field(member, notice?.endpoint) { $0.value($1) }
        case .delivery: field(member, notice?.delivery) { $0.value($1) }
        case .schedule: field(member, notice?.schedule) { $0.value($1) }
        case .report: field(member, notice?.report) { $0.value($1) }
        case .recipients: field(member, notice?.recipients) { $0.array($1) }
        case .region: field(member, message.region) { $0.value($1) }
        case .visit: field(member, message.visit) { $0.value($1) }
        case .app: field(member, event?.occurrence.app) { $0.value($1) }
        case .alert: field(member, event?.occurrence.alert) { $0.value($1) }
        case .fence: field(member, event?.occurrence.fence) { $0.value($1) }
        case .plan: field(member, event?.occurrence.plan) { $0.value($1) }
        case .location: field(member, event?.location) { $0.value($1) }
        case .confidence:
            field(member, event?.confidence.flatMap { $0.isFinite ? $0 : nil }) {
                $0.value(($1 * 1000).rounded() / 1000)
            }
        case .reason: field(member, message.reason) { $0.value($1) }
        case .dwell: field(member, event?.occurrence.dwell) { $0.value($1.seconds) }
        case .revision: field(member, message.correction?.revision) { $0.value($1) }
        case .supersedes: field(member, message.correction?.supersedes) { $0.value($1) }
        case .apps: field(member, message.decisions) { $0.array($1) }
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

    /// What happened in a round; `nil` for all others.
    fileprivate var plan: PlanReport? { if case .plan(let report) = self { report } else { nil } }

    /// The time inside that a dwell is about; `nil` for all others.
    fileprivate var dwell: Duration? { if case .regionDwelled(_, let dwell) = self { dwell } else { nil } }
}
