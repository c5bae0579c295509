public import FencepostFormats
import FencepostJSON
import FencepostModel
import FencepostSimulator

extension EventEncoder {
    /// Writes an event with its deliveries to apps, and its `why` if `explains` is set.
    public mutating func encode(_ emitted: EmittedEvent, explains: Bool) {
        encode(emitted.event, apps: Self.texts(of: emitted), explains: explains)
    }

    /// As `encodePiece`, with the event's deliveries to apps.
    mutating func encodePiece(_ emitted: EmittedEvent, explains: Bool) {
        encodePiece(emitted.event, apps: Self.texts(of: emitted), explains: explains)
    }

    private static func texts(of emitted: EmittedEvent) -> [JSONText] {
        emitted.deliveries.map { delivery in
            var writer = JSONWriter()
            writer.value(delivery)
            return JSONText(String(decoding: writer.bytes, as: UTF8.self))
        }
    }
}
