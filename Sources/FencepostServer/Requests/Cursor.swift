import FencepostModel
import FencepostService
import Foundation

/// An opaque position in a list, at which a page starts (rule A5).
enum Cursor {
    /// The times of rows. A cursor with another one was not made here.
    private static let times = -Timestamp.distantFuture.milliseconds...Timestamp.distantFuture.milliseconds

    static func encode(_ text: String) -> String {
        Data(text.utf8).base64EncodedString().replacing("+", with: "-").replacing("/", with: "_").replacing(
            "=", with: "")
    }

    /// The longest cursor of a list of one database.
    private static let longest = 1024

    static func decode(_ cursor: String, longest: Int = Self.longest) -> String? {
        guard cursor.utf8.count <= longest else { return nil }
        var text = cursor.replacing("-", with: "+").replacing("_", with: "/")
        while text.utf8.count % 4 != 0 { text += "=" }
        return Data(base64Encoded: text).flatMap { String(data: $0, encoding: .utf8) }
    }

    /// Position after a numbered row.
    static func encode(number: Int64) -> String { encode("n\(number)") }

    static func number(_ cursor: String) -> Int64? {
        decode(cursor).flatMap { $0.hasPrefix("n") ? Int64($0.dropFirst()) : nil }.flatMap { $0 >= 0 ? $0 : nil }
    }

    /// Position after a row by time.
    static func encode(_ cursor: TimeCursor) -> String { encode("m\(cursor.timestamp.milliseconds).\(cursor.number)") }

    static func time(_ cursor: String) -> TimeCursor? {
        guard let text = decode(cursor), text.hasPrefix("m") else { return nil }
        let parts = text.dropFirst().split(separator: ".")
        guard parts.count == 2, let time = Int64(parts[0]), let number = Int64(parts[1]), number >= 0,
            Self.times.contains(time)
        else { return nil }
        return TimeCursor(timestamp: Timestamp(milliseconds: time), number: number)
    }

    /// The cursor of the next page; `nil` when there is none.
    ///
    /// `found`: one row more than the page has, if there is one.
    static func next<Row>(_ found: [Row], _ limit: Int, _ position: (Row) -> TimeCursor) -> String? {
        found.count > limit ? encode(position(found[limit - 1])) : nil
    }

    /// Position after an id.
    static func encode(id: String) -> String { encode("i" + id) }

    static func id(_ cursor: String) -> String? {
        decode(cursor).flatMap { $0.hasPrefix("i") ? String($0.dropFirst()) : nil }
    }

    /// Position after a location.
    static func encode(_ cursor: LocationCursor) -> String {
        encode("t\(cursor.timestamp.milliseconds).\(cursor.skip)")
    }

    static func location(_ cursor: String) -> LocationCursor? {
        guard let text = decode(cursor), text.hasPrefix("t") else { return nil }
        let parts = text.dropFirst().split(separator: ".")
        guard parts.count == 2, let time = Int64(parts[0]), let skip = Int(parts[1]), skip >= 0,
            Self.times.contains(time)
        else { return nil }
        return LocationCursor(timestamp: Timestamp(milliseconds: time), skip: skip)
    }
}
