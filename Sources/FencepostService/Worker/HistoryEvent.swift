import FencepostEngine
import FencepostFormats
import FencepostJSON
import FencepostModel

/// An event that an evaluation of history stores: a new one, a correction, or a retraction.
enum HistoryEvent {
    /// - former: the last stored event with the same cause, which holds no more.
    case addition(EventComparison.Addition, _ former: HeldEvent?)
    case withdrawal(HeldEvent, EvaluationTask.Cause)

    /// The event as it is stored, and the one that holds no more because of it.
    func stored(
        sequence: Int, receivedAt: Timestamp, _ writer: inout JSONWriter
    ) -> (event: NewEvent, replaced: HeldEvent?) {
        switch self {
        case .addition(let addition, let former):
            Self.stored(addition, former, sequence: sequence, receivedAt: receivedAt, &writer)
        case .withdrawal(let event, let cause):
            (Self.retraction(of: event, because: cause, sequence: sequence, receivedAt: receivedAt), event)
        }
    }

    private static func stored(
        _ addition: EventComparison.Addition, _ former: HeldEvent?, sequence: Int, receivedAt: Timestamp,
        _ writer: inout JSONWriter
    ) -> (event: NewEvent, replaced: HeldEvent?) {
        var event = addition.event
        let cause = event.id
        let before = [addition.replaced, former].compactMap { $0 }
        let revision = (before.map(\.revision).max() ?? 0) + 1
        // The id is that of the cause, unless an event that holds no more has it.
        if before.contains(where: { $0.cause == cause }) {
            var identity = Identity()
            identity.add(cause)
            identity.add("revision")
            identity.add(Int64(revision))
            event.id = identity.text(prefix: "evt_")
        }
        event.sequence = sequence
        var correction: EventCorrection?
        if revision > 1, let replaced = before.first {
            correction = EventCorrection(revision: revision, supersedes: replaced.id)
        }
        var record = EventRecord(
            EmittedEvent(event: event, deliveries: []), receivedAt: receivedAt, correction: correction, &writer
        ).event
        record.origin = correction == nil ? .history : .correction
        record.revision = revision
        record.cause = event.id == cause ? nil : cause
        return (record, addition.replaced)
    }

    private static func retraction(
        of event: HeldEvent, because cause: EvaluationTask.Cause, sequence: Int, receivedAt: Timestamp
    ) -> NewEvent {
        var identity = Identity()
        identity.add("event.retracted")
        identity.add(event.id)
        let id = identity.text(prefix: "evt_")
        let document = try? JSONDocument(parsing: event.body)
        var writer = JSONWriter()
        writer.beginObject()
        func member(_ name: String, _ text: String) {
            writer.name(name)
            writer.value(text)
        }
        member("id", id)
        writer.name("sequence")
        writer.value(sequence)
        member("type", "event.retracted")
        member("timestamp", event.timestamp.rfc3339)
        member("detectedAt", event.detectedAt.rfc3339)
        member("receivedAt", receivedAt.rfc3339)
        let device = document?.root["deviceId"]?.string ?? ""
        member("deviceId", device)
        member("retracts", event.id)
        member("retractedType", event.type)
        for name in ["region", "visit"] {
            guard let value = document?.root[name] else { continue }
            writer.name(name)
            writer.value(value)
        }
        member("reason", cause.rawValue)
        writer.name("apps")
        writer.beginArray()
        writer.endArray()
        writer.endObject()
        var record = NewEvent(
            id: id, type: "event.retracted", deviceID: DeviceID(device), regionID: event.regionID,
            timestamp: event.timestamp, body: String(decoding: writer.bytes, as: UTF8.self))
        record.detectedAt = event.detectedAt
        record.origin = .retraction
        return record
    }
}

extension EventContent {
    /// The id of the visit that an event is about.
    static func visitID(of body: String) -> String? {
        (try? JSONDocument(parsing: body))?.root["visit"]?["id"]?.string
    }
}
