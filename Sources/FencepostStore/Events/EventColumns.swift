import FencepostJSON
import FencepostModel
import FencepostService
import Foundation
import GRDB

/// What the columns of an event say together.
enum EventColumns {
    private static let columns = ["id", "type", "device_id", "region_id", "timestamp", "body", "why", "packed"]
    /// The columns of `event(_:)`, in its order.
    static let content = columns.joined(separator: ", ")
    /// The number of them: a statement's other columns begin there.
    static let count = columns.count

    /// The event of a row that begins with the columns, without what else its row has.
    ///
    /// One whose bytes cannot be read has the JSON of the other columns, so that it does not keep the others from being read.
    static func event(_ row: Row) throws -> NewEvent {
        let (id, type, timestamp) = try (row[0] as String, row[1] as String, Timestamp(milliseconds: row[4]))
        let device = try (row[2] as String?).map { DeviceID($0) }
        let region = try (row[3] as String?).map { RegionID($0) }
        let content: NewEvent.Content
        if let packed = try row[7] as Data? {
            let columns = EventCodec.Columns(
                id: id, type: type, device: device ?? DeviceID(""), region: region, timestamp: timestamp)
            content =
                (try? EventCodec.decode(packed, columns)).map { .message($0) }
                ?? .text(unreadable(columns), why: nil)
        } else {
            content = try .text(row[5], why: row[6])
        }
        return NewEvent(
            id: id, type: type, deviceID: device, regionID: region, timestamp: timestamp, content: content)
    }

    private static func unreadable(_ columns: EventCodec.Columns) -> String {
        var writer = JSONWriter()
        writer.beginObject()
        for (name, text) in [
            ("id", columns.id), ("type", columns.type), ("timestamp", columns.timestamp.rfc3339),
            ("deviceId", columns.device.rawValue),
        ] {
            writer.name(name)
            writer.value(text)
        }
        writer.endObject()
        return String(decoding: writer.bytes, as: UTF8.self)
    }

    /// The sequence number of an event in SQL, from its columns `body` and `packed`; NULL where it has none.
    static let sequence = DatabaseFunction("event_sequence", argumentCount: 2, pure: true) { values in
        if let packed = Data.fromDatabaseValue(values[1]) { return EventCodec.sequence(of: packed) }
        let number = String.fromDatabaseValue(values[0]).flatMap { body in
            (try? JSONDocument(parsing: body))?.root["sequence"]?.int
        }
        return number.map { Int64($0) }
    }

    /// The rule of an alert in SQL, from the columns `body` and `packed`; NULL for other events.
    static let alert = DatabaseFunction("event_alert", argumentCount: 2, pure: true) { values in
        if let packed = Data.fromDatabaseValue(values[1]) { return EventCodec.alertRule(of: packed) }
        return String.fromDatabaseValue(values[0]).flatMap { body in
            (try? JSONDocument(parsing: body))?.root["alert"]?["rule"]?.string
        }
    }
}

extension NewEvent {
    /// The bytes of the column `packed`; `nil` for an event that is stored as text.
    var packed: Data? {
        switch content {
        case .message(let message): EventCodec.encode(message)
        case .text: nil
        }
    }
}
