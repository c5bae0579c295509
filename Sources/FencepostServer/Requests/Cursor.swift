import FencepostFormats
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

    /// Position after a row by time. A cursor of one order is none of the other.
    static func encode(_ cursor: TimeCursor, _ order: HistoryOrder = .ascending) -> String {
        encode("\(mark(ofTime: order))\(cursor.timestamp.milliseconds).\(cursor.number)")
    }

    private static func mark(ofTime order: HistoryOrder) -> String {
        switch order {
        case .ascending: "m"
        case .descending: "w"
        }
    }

    static func time(_ cursor: String, _ order: HistoryOrder = .ascending) -> TimeCursor? {
        guard let parts = parts(of: cursor, mark: mark(ofTime: order)), parts.rest == nil else { return nil }
        return TimeCursor(timestamp: parts.time, number: parts.number)
    }

    /// What follows a mark: a time, a number from 0, and a text if there is another point.
    private static func parts(
        of cursor: String, mark: String
    ) -> (time: Timestamp, number: Int64, rest: Substring?)? {
        guard let text = decode(cursor), text.hasPrefix(mark) else { return nil }
        let parts = text.dropFirst(mark.count).split(separator: ".", maxSplits: 2)
        guard parts.count >= 2, let time = Int64(parts[0]), let number = Int64(parts[1]), number >= 0,
            Self.times.contains(time)
        else { return nil }
        return (Timestamp(milliseconds: time), number, parts.count > 2 ? parts[2] : nil)
    }

    /// The cursor of the next page; `nil` when there is none.
    ///
    /// `found`: one row more than the page has, if there is one.
    static func next<Row>(
        _ found: [Row], _ limit: Int, _ order: HistoryOrder, _ position: (Row) -> TimeCursor
    ) -> String? {
        found.count > limit ? encode(position(found[limit - 1]), order) : nil
    }

    /// Position after an id.
    static func encode(id: String) -> String { encode("i" + id) }

    static func id(_ cursor: String) -> String? {
        decode(cursor).flatMap { $0.hasPrefix("i") ? String($0.dropFirst()) : nil }
    }

    /// Position after a location.
    static func encode(_ cursor: LocationCursor, _ order: HistoryOrder = .ascending) -> String {
        encode("\(mark(ofLocation: order))\(cursor.timestamp.milliseconds).\(cursor.skip)")
    }

    private static func mark(ofLocation order: HistoryOrder) -> String {
        switch order {
        case .ascending: "t"
        case .descending: "u"
        }
    }

    /// Position after a location in a list of several devices.
    static func encode(_ device: DeviceID, _ cursor: LocationCursor, _ order: HistoryOrder) -> String {
        encode("d\(mark(ofLocation: order))\(cursor.timestamp.milliseconds).\(cursor.skip).\(device.rawValue)")
    }

    static func deviceLocation(
        _ cursor: String, _ order: HistoryOrder
    ) -> (device: DeviceID, cursor: LocationCursor)? {
        guard let parts = parts(of: cursor, mark: "d" + mark(ofLocation: order)), let name = parts.rest,
            let device = try? DeviceID(validating: String(name)), let skip = Int(exactly: parts.number)
        else { return nil }
        return (device, LocationCursor(timestamp: parts.time, skip: skip))
    }

    static func location(_ cursor: String, _ order: HistoryOrder = .ascending) -> LocationCursor? {
        guard let parts = parts(of: cursor, mark: mark(ofLocation: order)), parts.rest == nil,
            let skip = Int(exactly: parts.number)
        else { return nil }
        return LocationCursor(timestamp: parts.time, skip: skip)
    }
}
