/// The decoded parameters of a query or a form, in their order.
///
/// It takes both kinds of text by name: a generic initializer would not be specialized for callers in another module.
package struct Query: Sendable {
    package var items: [(name: String, value: String)] = []

    package init() {}

    /// Parses `a=1&b=2`; `nil` when the text is not percent-encoded UTF-8.
    package init?(_ text: String) { self.init(text[...]) }

    /// Parses `a=1&b=2`; `nil` when the text is not percent-encoded UTF-8.
    package init?(_ text: Substring) {
        for part in text.split(separator: "&") {
            let pair = part.split(separator: "=", maxSplits: 1, omittingEmptySubsequences: false)
            guard let name = String(percentEncoded: pair[0], plusIsSpace: true),
                let value = String(percentEncoded: pair.count > 1 ? pair[1] : "", plusIsSpace: true)
            else { return nil }
            items.append((name, value))
        }
    }

    /// Names whose value is empty.
    package var emptyNames: [String] { items.filter(\.value.isEmpty).map(\.name) }

    /// The first value of a name; `nil` when it is missing or empty.
    package subscript(name: String) -> String? {
        items.first { $0.name == name && !$0.value.isEmpty }?.value
    }

    package func all(_ name: String) -> [String] {
        items.filter { $0.name == name && !$0.value.isEmpty }.map(\.value)
    }
}

extension String {
    /// Decodes a percent-encoded text such as `%41`; `nil` when the result is not UTF-8.
    package init?(percentEncoded text: String) { self.init(percentEncoded: text[...]) }

    /// Decodes a percent-encoded text such as `%41`; `nil` when the result is not UTF-8.
    package init?(percentEncoded text: Substring, plusIsSpace: Bool = false) {
        var bytes: [UInt8] = []
        bytes.reserveCapacity(text.utf8.count)
        var iterator = text.utf8.makeIterator()
        func digit(_ byte: UInt8?) -> UInt8? {
            switch byte {
            case .some(let byte) where (0x30...0x39).contains(byte): byte - 0x30
            case .some(let byte) where (0x41...0x46).contains(byte): byte - 0x37
            case .some(let byte) where (0x61...0x66).contains(byte): byte - 0x57
            default: nil
            }
        }
        while let byte = iterator.next() {
            if byte == UInt8(ascii: "%") {
                guard let high = digit(iterator.next()), let low = digit(iterator.next()) else { return nil }
                bytes.append(high << 4 | low)
            } else {
                bytes.append(plusIsSpace && byte == UInt8(ascii: "+") ? 0x20 : byte)
            }
        }
        guard let decoded = String(validating: bytes, as: UTF8.self) else { return nil }
        self = decoded
    }

    /// The text as a path segment or query value: all but the unreserved characters of RFC 3986 are encoded.
    package var percentEncoded: String {
        var bytes: [UInt8] = []
        let digits = Array("0123456789ABCDEF".utf8)
        for byte in utf8 {
            switch byte {
            case 0x30...0x39, 0x41...0x5A, 0x61...0x7A, 0x2D, 0x2E, 0x5F, 0x7E: bytes.append(byte)
            default: bytes += [UInt8(ascii: "%"), digits[Int(byte >> 4)], digits[Int(byte & 15)]]
            }
        }
        return String(decoding: bytes, as: UTF8.self)
    }
}
