import FencepostCrypto

/// A strong validator (RFC 9110, 8.8.3): equal tags mean equal bytes.
package struct EntityTag: Hashable, Sendable, CustomStringConvertible {
    /// The tag including its quotation marks.
    package let description: String

    package init(of bytes: some Sequence<UInt8>) {
        let digest = SHA256.hash(Array(bytes))
        let digits = Array("0123456789abcdef".utf8)
        let hex = digest.prefix(16).flatMap { [digits[Int($0 >> 4)], digits[Int($0 & 15)]] }
        description = "\"" + String(decoding: hex, as: UTF8.self) + "\""
    }

    /// Whether the value of `If-Match` or `If-None-Match` contains the tag, or is `*`. The comparison is weak, as for
    /// `If-None-Match`, if `weakly` is set.
    package func isNamed(in field: String, weakly: Bool) -> Bool {
        field.split(separator: ",").contains { part in
            var part = part.drop { $0 == " " || $0 == "\t" }
            while part.last == " " || part.last == "\t" { part.removeLast() }
            if weakly, part.hasPrefix("W/") { part = part.dropFirst(2) }
            return part == "*" || part == description
        }
    }
}
