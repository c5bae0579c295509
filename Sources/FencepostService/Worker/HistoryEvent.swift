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
        let retraction = Retraction(of: event, sequence: sequence, reason: cause)
        var record = NewEvent(EventMessage(.retraction(retraction), receivedAt: receivedAt))
        record.origin = .retraction
        record.regionID = event.regionID
        return record
    }
}
