import FencepostEngine
import FencepostFormats
import FencepostJSON
import FencepostModel
import FencepostSimulator

/// An event as it is stored, and the decisions about apps that go with it.
struct EventRecord {
    let event: NewEvent
    let decisions: [NewDecision]

    init(_ told: AppRoster.Told, _ writer: inout JSONWriter) {
        var event = told.event
        let apps = told.deliveries.map { delivery in
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
        writer.value(event, apps: apps)
        let body = String(decoding: writer.bytes, as: UTF8.self)
        self.event = NewEvent(
            id: event.id, type: event.occurrence.type.rawValue, deviceID: event.deviceID,
            regionID: event.occurrence.regionID, timestamp: event.timestamp, body: body, why: why,
            visit: EventRecord.visit(of: event, &writer))
        decisions = zip(told.deliveries, apps).compactMap { delivery, text in
            delivery.app.map {
                NewDecision(
                    appID: $0, eventID: event.id, deviceID: event.deviceID, timestamp: event.timestamp,
                    body: text.rawValue)
            }
        }
    }

    private static func visit(of event: Event, _ writer: inout JSONWriter) -> NewVisit? {
        let visit: Visit
        switch event.occurrence {
        case .visitArrived(let arrived): visit = arrived
        case .visitDeparted(let departed): visit = departed
        case .regionEntered, .regionExited, .regionDwelled, .deviceStale, .deviceRecovered, .appRelaunched: return nil
        }
        writer.removeAll()
        writer.value(visit)
        // The object of the event, with the device in front.
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

extension Occurrence {
    /// The region that it is about.
    var regionID: RegionID? {
        switch self {
        case .regionEntered(let region), .regionExited(let region, _), .regionDwelled(let region, _): region.id
        case .visitArrived, .visitDeparted, .deviceStale, .deviceRecovered, .appRelaunched: nil
        }
    }
}
