public import FencepostFormats
import FencepostJSON
import FencepostModel
import FencepostSimulator

extension EventEncoder {
    /// Writes an event with what becomes of it in each app.
    ///
    /// - Parameter explains: whether it says why it was told.
    public mutating func encode(_ told: AppRoster.Told, explains: Bool) {
        encode(Self.event(told, explains), apps: Self.texts(of: told))
    }

    /// As `encodePiece`, with what becomes of the event in each app.
    mutating func encodePiece(_ told: AppRoster.Told, explains: Bool) {
        encodePiece(Self.event(told, explains), apps: Self.texts(of: told))
    }

    private static func event(_ told: AppRoster.Told, _ explains: Bool) -> Event {
        guard !explains, told.event.why != nil else { return told.event }
        var event = told.event
        event.why = nil
        return event
    }

    private static func texts(of told: AppRoster.Told) -> [JSONText] {
        told.deliveries.map { delivery in
            var writer = JSONWriter()
            writer.value(delivery)
            return JSONText(String(decoding: writer.bytes, as: UTF8.self))
        }
    }
}
