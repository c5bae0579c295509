public import FencepostFormats
import FencepostJSON
import FencepostModel
import FencepostSimulator

extension EventEncoder {
    /// Writes an event with its deliveries to apps, and its `why` if `explains` is set.
    public mutating func encode(_ emitted: EmittedEvent, explains: Bool) {
        encode(Self.event(emitted, explains), apps: Self.texts(of: emitted))
    }

    /// As `encodePiece`, with the event's deliveries to apps.
    mutating func encodePiece(_ emitted: EmittedEvent, explains: Bool) {
        encodePiece(Self.event(emitted, explains), apps: Self.texts(of: emitted))
    }

    private static func event(_ emitted: EmittedEvent, _ explains: Bool) -> Event {
        guard !explains, emitted.event.why != nil else { return emitted.event }
        var event = emitted.event
        event.why = nil
        return event
    }

    private static func texts(of emitted: EmittedEvent) -> [JSONText] {
        emitted.deliveries.map { delivery in
            var writer = JSONWriter()
            writer.value(delivery)
            return JSONText(String(decoding: writer.bytes, as: UTF8.self))
        }
    }
}
