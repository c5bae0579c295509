import FencepostModel
import FencepostService
import Foundation

/// Where a page begins, in a form that callers hand back as it is (rule A5).
enum Cursor {
    static func encode(_ text: String) -> String {
        Data(text.utf8).base64EncodedString().replacing("+", with: "-").replacing("/", with: "_").replacing(
            "=", with: "")
    }

    static func decode(_ cursor: String) -> String? {
        guard cursor.utf8.count <= 1024 else { return nil }
        var text = cursor.replacing("-", with: "+").replacing("_", with: "/")
        while text.utf8.count % 4 != 0 { text += "=" }
        return Data(base64Encoded: text).flatMap { String(data: $0, encoding: .utf8) }
    }

    /// Behind a numbered row.
    static func encode(number: Int64) -> String { encode("n\(number)") }

    static func number(_ cursor: String) -> Int64? {
        decode(cursor).flatMap { $0.hasPrefix("n") ? Int64($0.dropFirst()) : nil }.flatMap { $0 >= 0 ? $0 : nil }
    }

    /// Behind an id.
    static func encode(id: String) -> String { encode("i" + id) }

    static func id(_ cursor: String) -> String? {
        decode(cursor).flatMap { $0.hasPrefix("i") ? String($0.dropFirst()) : nil }
    }

    /// Behind a fix.
    static func encode(_ place: LocationCursor) -> String {
        encode("t\(place.timestamp.milliseconds).\(place.skip)")
    }

    static func location(_ cursor: String) -> LocationCursor? {
        guard let text = decode(cursor), text.hasPrefix("t") else { return nil }
        let parts = text.dropFirst().split(separator: ".")
        guard parts.count == 2, let time = Int64(parts[0]), let skip = Int(parts[1]), skip >= 0,
            abs(time) < Timestamp.distantFuture.milliseconds
        else { return nil }
        return LocationCursor(timestamp: Timestamp(milliseconds: time), skip: skip)
    }
}
