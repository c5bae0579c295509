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
        var event = emitted.event
        let apps = emitted.deliveries.map { delivery in
            writer.removeAll()
            writer.value(delivery)
            return JSONText(String(decoding: writer.bytes, as: UTF8.self))
        }
        var why: String?
        if let reason = event.why {
            writer.removeAll()
            writer.value(reason)
            why = String(decoding: writer.bytes, as: UTF8.self)
            event.why = nil
        }
        writer.removeAll()
        writer.value(event, apps: apps, receivedAt: receivedAt, correction: correction)
        let body = String(decoding: writer.bytes, as: UTF8.self)
        var record = NewEvent(
            id: event.id, type: event.occurrence.type.rawValue, deviceID: event.deviceID,
            regionID: event.occurrence.region?.id, timestamp: event.timestamp, body: body, why: why,
            visit: EventRecord.visit(of: event, &writer))
        record.detectedAt = event.detectedAt
        self.event = record
        decisions = zip(emitted.deliveries, apps).compactMap { delivery, text in
            delivery.app.map {
                NewDecision(
                    appID: $0, eventID: event.id, deviceID: event.deviceID, timestamp: event.timestamp,
                    body: text.rawValue)
            }
        }
    }

    private static func visit(of event: Event, _ writer: inout JSONWriter) -> NewVisit? {
        guard let visit = event.occurrence.visit else { return nil }
        writer.removeAll()
        writer.value(visit)
        // The `visit` object of the event, with `deviceId` as its first member.
        var body = JSONWriter()
        body.value(event.deviceID.rawValue)
        let text =
            "{\"deviceId\":" + String(decoding: body.bytes, as: UTF8.self) + ","
            + String(decoding: writer.bytes.dropFirst(), as: UTF8.self)
        return NewVisit(
            id: visit.id, start: visit.arrival ?? visit.arrivalEarliest ?? event.timestamp, end: visit.departure,
            regionIDs: visit.regions, body: text)
    }
}
