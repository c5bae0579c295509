import FencepostEngine
import FencepostFormats
import FencepostJSON
import FencepostModel
import FencepostSimulator

/// The stored form of an emitted event: the event and the decisions about apps.
struct EventRecord {
    let event: NewEvent
    let decisions: [NewDecision]

    /// `receivedAt`: arrival of what settled the event.
    /// `correction`: what the event replaces; `nil` for nothing.
    init(
        _ emitted: EmittedEvent, receivedAt: Timestamp, correction: EventCorrection? = nil,
        _ writer: inout JSONWriter
    ) {
        let event = emitted.event
        let decided = emitted.deliveries.map { delivery in
            writer.removeAll()
            writer.value(delivery)
            return AppDecision(delivery, text: JSONText(String(decoding: writer.bytes, as: UTF8.self)))
        }
        self.event = NewEvent(
            EventMessage(.occurrence(event, decisions: decided), receivedAt: receivedAt, correction: correction),
            visit: event.occurrence.visit.map { NewVisit($0, of: event.deviceID, at: event.timestamp) })
        decisions = decided.compactMap { decision in
            decision.app.map {
                NewDecision(
                    appID: $0, eventID: event.id, deviceID: event.deviceID, timestamp: event.timestamp,
                    body: decision.text.rawValue)
            }
        }
    }
}
