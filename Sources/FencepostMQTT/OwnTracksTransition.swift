import FencepostJSON
import FencepostModel

/// OwnTracks' messages about entries and exits, which its apps show.
enum OwnTracksTransition {
    /// A member by which Fencepost knows its own messages again, since it subscribes to the same topics.
    static let mark = #""_publisher":"fencepost""#

    /// The payload for an entry or an exit; `nil` for other events, and without a position.
    static func payload(of message: JSONElement) -> String? {
        let type = message["type"]?.string
        guard type == "region.entered" || type == "region.exited", let data = message["data"],
            let region = data["region"], let id = region["id"]?.string,
            let latitude = data["location"]?["latitude"]?.double,
            let longitude = data["location"]?["longitude"]?.double,
            let time = message["timestamp"]?.string.flatMap({ Timestamp(rfc3339: $0) })
        else { return nil }
        var writer = JSONWriter()
        writer.beginObject()
        writer.put("_type", "transition")
        writer.put("_publisher", "fencepost")
        writer.put("event", type == "region.entered" ? "enter" : "leave")
        writer.put("desc", region["name"]?.string ?? id)
        writer.put("rid", id)
        writer.put("t", "c")
        writer.put("tid", String((data["deviceId"]?.string ?? "").suffix(2)))
        for name in ["tst", "wtst"] { writer.put(name, Double(time.milliseconds / 1000)) }
        writer.put("lat", latitude)
        writer.put("lon", longitude)
        if let accuracy = data["location"]?["horizontalAccuracy"]?.double { writer.put("acc", accuracy.rounded()) }
        writer.endObject()
        return String(decoding: writer.bytes, as: UTF8.self)
    }

    /// Whether Fencepost itself published a message.
    static func isOwn(_ payload: [UInt8]) -> Bool {
        payload.count < 2048 && String(decoding: payload, as: UTF8.self).contains(mark)
    }
}
