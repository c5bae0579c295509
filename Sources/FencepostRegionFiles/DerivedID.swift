package import FencepostGeometry
import FencepostJSON
import Foundation

/// Ids of regions that have none in their file (rule R3): they follow from the name and the shape, not from the order.
package enum DerivedID {
    private static let limit = 64

    /// An id of a name: its letters and digits in lower case, with a hyphen for each run of other characters.
    ///
    /// - Returns: `nil` for a name without letters and digits.
    package static func id(name: String) -> String? {
        var id = ""
        for character in name.precomposedStringWithCanonicalMapping.lowercased() {
            if character.isLetter || character.isNumber {
                id.append(character)
            } else if !id.isEmpty, id.last != "-" {
                id.append("-")
            }
            if id.count >= limit { break }
        }
        while id.last == "-" { id.removeLast() }
        return id.isEmpty ? nil : id
    }

    /// Eight hexadecimal digits of a shape: FNV-1a of its GeoJSON.
    package static func mark(of shape: Shape) -> String {
        var writer = JSONWriter()
        writer.value(geometryOf: shape)
        return mark(of: writer.bytes)
    }

    /// Eight hexadecimal digits of bytes: FNV-1a.
    package static func mark(of bytes: [UInt8]) -> String {
        var hash: UInt64 = 0xCBF2_9CE4_8422_2325
        for byte in bytes { hash = (hash ^ UInt64(byte)) &* 0x100_0000_01B3 }
        let digits = String(UInt32(truncatingIfNeeded: hash ^ hash >> 32), radix: 16)
        return String(repeating: "0", count: max(0, 8 - digits.count)) + digits
    }
}
