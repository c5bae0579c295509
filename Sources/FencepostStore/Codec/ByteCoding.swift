/// Bytes do not say what they should.
struct CodecError: Error, Hashable {
    var message: String

    init(_ message: String) {
        self.message = message
    }
}

/// Numbers and text as bytes; small numbers take few.
struct ByteWriter {
    private(set) var bytes: [UInt8] = []

    init(capacity: Int) {
        bytes.reserveCapacity(capacity)
    }

    mutating func append(byte: UInt8) { bytes.append(byte) }

    /// Seven bits to a byte, the lowest first (LEB128).
    mutating func append(_ number: UInt64) {
        var rest = number
        while rest >= 0x80 {
            bytes.append(UInt8(truncatingIfNeeded: rest) | 0x80)
            rest >>= 7
        }
        bytes.append(UInt8(truncatingIfNeeded: rest))
    }

    /// Near zero on either side is short.
    mutating func append(signed number: Int64) {
        append(UInt64(bitPattern: (number << 1) ^ (number >> 63)))
    }

    mutating func append(bits number: Double) {
        let bits = number.bitPattern
        for shift in stride(from: 0, to: 64, by: 8) { bytes.append(UInt8(truncatingIfNeeded: bits >> UInt64(shift))) }
    }

    mutating func append(text: String) {
        var text = text
        text.withUTF8 { utf8 in
            append(UInt64(utf8.count))
            bytes.append(contentsOf: utf8)
        }
    }
}

/// Reads what `ByteWriter` wrote; bytes that it cannot have written throw.
struct ByteReader {
    private let bytes: [UInt8]
    private var place = 0

    init(_ bytes: [UInt8]) {
        self.bytes = bytes
    }

    var isAtEnd: Bool { place == bytes.count }

    mutating func byte() throws(CodecError) -> UInt8 {
        guard place < bytes.count else { throw CodecError("they end too early") }
        defer { place += 1 }
        return bytes[place]
    }

    mutating func number() throws(CodecError) -> UInt64 {
        var (result, shift) = (UInt64(0), UInt64(0))
        while true {
            let byte = try byte()
            guard shift < 63 || byte < 2 else { throw CodecError("a number is too large") }
            result |= UInt64(byte & 0x7f) << shift
            guard byte & 0x80 != 0 else { return result }
            shift += 7
            guard shift < 64 else { throw CodecError("a number is too long") }
        }
    }

    mutating func signed() throws(CodecError) -> Int64 {
        let bits = try number()
        return Int64(bitPattern: bits >> 1) ^ -Int64(bitPattern: bits & 1)
    }

    mutating func double() throws(CodecError) -> Double {
        guard bytes.count - place >= 8 else { throw CodecError("they end too early") }
        var bits: UInt64 = 0
        for index in 0..<8 { bits |= UInt64(bytes[place + index]) << UInt64(8 * index) }
        place += 8
        let number = Double(bitPattern: bits)
        guard number.isFinite else { throw CodecError("a number is not finite") }
        return number
    }

    mutating func text() throws(CodecError) -> String {
        let count = try number()
        guard count <= UInt64(bytes.count - place) else { throw CodecError("they end too early") }
        defer { place += Int(count) }
        guard let text = String(validating: bytes[place..<place + Int(count)], as: UTF8.self) else {
            throw CodecError("a text is not UTF-8")
        }
        return text
    }
}
