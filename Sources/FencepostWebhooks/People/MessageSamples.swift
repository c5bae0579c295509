import FencepostGeometry
import FencepostMessages
public import FencepostModel
public import FencepostService
public import Foundation

/// Messages about sample events, for the preview of templates.
public enum MessageSamples {
    /// The sample events of a preview.
    static let types: [EventType] = [
        .regionEntered, .regionExited, .regionDwelled, .visitArrived, .visitDeparted, .deviceStale,
    ]

    /// What an endpoint would send about each sample event; empty for a webhook.
    ///
    /// - Parameters:
    ///   - endpoint: its templates, names, zone and privacy settings apply.
    ///   - now: the time of the events.
    ///   - regions: the events are about one that the endpoint is about, if there is one.
    ///   - zone: the zone of an endpoint without one; `nil` for the machine's.
    /// - Returns: one message for each type of event that a region or a device has and the endpoint gets.
    public static func previews(
        of endpoint: Endpoint, at now: Timestamp, regions: RegionCatalog = RegionCatalog(), zone: TimeZone? = nil
    ) -> [MessagePreview] {
        guard endpoint.kind.isForPeople else { return [] }
        let (writer, encoder) = (endpoint.writer(zone: zone), MessageEncoder(instance: "preview"))
        let device = endpoint.people.names.keys.min() ?? "jane/phone"
        let region = region(of: endpoint, regions)
        let filter = EndpointFilter(endpoint)
        return types.filter { isSent($0, filter) }.map { type in
            let event = EventMessage(
                .occurrence(event(type, of: DeviceID(device), at: region, now), decisions: []), receivedAt: now)
            let isAtRegion = type != .deviceStale
            let notes = MessageData.Notes(regions: isAtRegion ? [region] : [], isCrossing: true)
            let message = writer.write([encoder.encode(event, as: MessageView(endpoint), notes: notes).body])
            return MessagePreview(type: type.rawValue, title: message.title, body: message.body)
        }
    }

    /// Whether the endpoint gets such an event, and would be sent it: a visit repeats what a crossing has said.
    private static func isSent(_ type: EventType, _ filter: EndpointFilter) -> Bool {
        let crossings: [EventType: EventType] = [.visitArrived: .regionEntered, .visitDeparted: .regionExited]
        return filter.wants(type.rawValue) && crossings[type].map { filter.wants($0.rawValue) } != true
    }

    /// How many regions are looked at for one that an endpoint is about: a preview must not take long.
    private static let mostRegions = 10_000

    /// A home, or else the first region that the endpoint is about.
    private static func region(of endpoint: Endpoint, _ regions: RegionCatalog) -> MessagePlace {
        let patterns = TextPatterns(endpoint.regions)
        var first: MessagePlace?
        for index in 0..<min(regions.handleCount, mostRegions) {
            guard let region = regions[RegionHandle(UInt32(index))], patterns.match(region.id.rawValue) else {
                continue
            }
            let found = MessagePlace(id: region.id.rawValue, name: region.placeName)
            if found.name.isHome { return found }
            first = first ?? found
        }
        return first ?? MessagePlace(id: "home", name: PlaceName(id: RegionID("home"), name: "Home", tags: []))
    }

    private static func event(
        _ type: EventType, of device: DeviceID, at home: MessagePlace, _ now: Timestamp
    ) -> Event {
        let coordinate = Coordinate(latitude: 38.7139, longitude: -9.1394)
        let region = RegionSummary(id: RegionID(home.id), name: home.name.text, tags: [], metadata: nil)
        func visit(arrival: Timestamp, departure: Timestamp?) -> Visit {
            Visit(
                id: "vis_sample", arrival: arrival, departure: departure, coordinate: coordinate,
                horizontalAccuracy: 12, regions: [RegionID(home.id)])
        }
        let occurrence: Occurrence =
            switch type {
            case .regionExited: .regionExited(region, reason: nil)
            case .regionDwelled: .regionDwelled(region, dwell: .seconds(1800))
            case .visitArrived: .visitArrived(visit(arrival: now, departure: nil))
            case .visitDeparted: .visitDeparted(visit(arrival: now - .seconds(7500), departure: now))
            case .deviceStale: .deviceStale
            case .regionEntered, .deviceRecovered, .appRelaunched, .alertSpeed, .alertBattery, .alertAccuracy,
                .alertJump, .alertUnplugged, .alertAbsent, .alertPresent, .alertSilent, .fenceArmed, .fenceBroken,
                .fenceDisarmed, .proximityEntered, .proximityExited, .proximityDwelled, .proximityUnaccompanied,
                .planVisited, .planLate, .planMissed, .planCompleted:
                .regionEntered(region)
            }
        var event = Event(
            id: "evt_sample", sequence: 1, deviceID: device, occurrence: occurrence, timestamp: now, detectedAt: now)
        guard occurrence.visit == nil else { return event }
        var location = Location(
            deviceID: device, timestamp: now, coordinate: coordinate, horizontalAccuracy: 12)
        location.batteryLevel = 0.64
        event.location = location
        return event
    }
}
