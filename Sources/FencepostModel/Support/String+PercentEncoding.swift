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
