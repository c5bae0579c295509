import FencepostJSON
import FencepostMessages
public import FencepostModel
public import FencepostService

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
    /// - Returns: one message for each type of event that a region or a device has.
    public static func previews(of endpoint: Endpoint, at now: Timestamp) -> [MessagePreview] {
        guard endpoint.kind.isForPeople else { return [] }
        let (writer, encoder) = (endpoint.writer, MessageEncoder(instance: "preview"))
        let device = endpoint.people.names.keys.min() ?? "jane/phone"
        return types.compactMap { type in
            guard let document = try? JSONDocument(parsing: event(type, of: device, at: now)) else { return nil }
            let message = writer.write([encoder.encode(document.root, as: MessageView(endpoint)).body])
            return MessagePreview(type: type, title: message.title, body: message.body)
        }
    }

    private static func event(_ type: String, of device: String, at now: Timestamp) -> [UInt8] {
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
            writer.value("office")
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
            writer.value("home")
            writer.name("name")
            writer.value("Home")
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
