import FencepostJSON
import FencepostMessages
public import FencepostModel
public import FencepostService
public import Foundation

/// Messages about sample events, for the preview of templates.
public enum MessageSamples {
    /// The sample events of a preview.
    static let types = [
        "region.entered", "region.exited", "region.dwelled", "visit.arrived", "visit.departed", "device.stale",
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
        return types.filter { isSent($0, filter) }.compactMap { type in
            guard let document = try? JSONDocument(parsing: event(type, of: device, at: region, now)) else {
                return nil
            }
            let isAtRegion = type != EventType.deviceStale.rawValue
            let notes = MessageData.Notes(regions: isAtRegion ? [region] : [], isCrossing: true)
            let message = writer.write([encoder.encode(document.root, as: MessageView(endpoint), notes: notes).body])
            return MessagePreview(type: type, title: message.title, body: message.body)
        }
    }

    /// Whether the endpoint gets such an event, and would be sent it: a visit repeats what a crossing has said.
    private static func isSent(_ type: String, _ filter: EndpointFilter) -> Bool {
        let crossings = ["visit.arrived": "region.entered", "visit.departed": "region.exited"]
        return filter.wants(type) && crossings[type].map(filter.wants) != true
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

    private static func event(_ type: String, of device: String, at region: MessagePlace, _ now: Timestamp) -> [UInt8] {
        var writer = JSONWriter()
        writer.beginObject()
        for (name, text) in [
            ("id", "evt_sample"), ("type", type), ("timestamp", now.rfc3339), ("detectedAt", now.rfc3339),
            ("deviceId", device),
        ] {
            writer.name(name)
            writer.value(text)
        }
        func position() {
            for (name, number) in [("latitude", 38.7139), ("longitude", -9.1394), ("horizontalAccuracy", 12)] {
                writer.name(name)
                writer.value(number)
            }
        }
        if type.hasPrefix("visit.") {
            writer.name("visit")
            writer.beginObject()
            writer.name("arrival")
            writer.value((type == "visit.departed" ? now - .seconds(7500) : now).rfc3339)
            writer.name("departure")
            if type == "visit.departed" { writer.value(now.rfc3339) } else { writer.null() }
            position()
            writer.name("regions")
            writer.beginArray()
            writer.value(region.id)
            writer.endArray()
            writer.endObject()
        } else {
            writer.name("location")
            writer.beginObject()
            position()
            writer.name("batteryLevel")
            writer.value(0.64)
            writer.endObject()
        }
        if type.hasPrefix("region.") {
            writer.name("region")
            writer.beginObject()
            writer.name("id")
            writer.value(region.id)
            writer.name("name")
            writer.value(region.name.text)
            writer.endObject()
        }
        if type == "region.dwelled" {
            writer.name("dwell")
            writer.value(1800)
        }
        writer.endObject()
        return writer.bytes
    }
}
