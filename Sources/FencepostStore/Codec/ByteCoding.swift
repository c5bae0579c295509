/// Bytes do not say what they should.
struct CodecError: Error, Hashable {
    var message: String

    init(_ message: String) {
        self.message = message
    }
}

/// Numbers and text as bytes; small numbers take few.
struct ByteWriter {
    /// What was written, and behind it room for more.
    fileprivate var buffer: [UInt8]
    fileprivate(set) var count = 0

    init(capacity: Int) {
        buffer = Array(repeating: 0, count: max(capacity, 16))
    }

    var bytes: [UInt8] { Array(buffer[..<count]) }

    /// What was written, without a copy.
    func withBytes<Value>(_ body: (UnsafeRawBufferPointer) -> Value) -> Value {
        buffer.withUnsafeBytes { body(UnsafeRawBufferPointer(rebasing: $0[..<count])) }
    }

    fileprivate mutating func reserve(_ more: Int) {
        guard buffer.count - count < more else { return }
        buffer.append(contentsOf: repeatElement(0, count: max(more, buffer.count)))
    }

    mutating func append(byte: UInt8) {
        reserve(1)
        buffer[count] = byte
        count += 1
    }

    /// Seven bits to a byte, the lowest first (LEB128).
    mutating func append(_ number: UInt64) {
        reserve(10)
        count = buffer.withUnsafeMutableBufferPointer { buffer in
            var (rest, end) = (number, count)
            while rest >= 0x80 {
                buffer[end] = UInt8(truncatingIfNeeded: rest) | 0x80
                end += 1
                rest >>= 7
            }
            buffer[end] = UInt8(truncatingIfNeeded: rest)
            return end + 1
        }
    }

    /// Near zero on either side is short.
    mutating func append(signed number: Int64) {
        append(UInt64(bitPattern: (number << 1) ^ (number >> 63)))
    }

    mutating func append(text: String) {
        var text = text
        text.withUTF8 { utf8 in
            append(UInt64(utf8.count))
            reserve(utf8.count)
            buffer.withUnsafeMutableBytes { buffer in
                UnsafeMutableRawBufferPointer(rebasing: buffer[count...]).copyMemory(from: UnsafeRawBufferPointer(utf8))
            }
            count += utf8.count
        }
    }
}

/// Room behind what a `ByteWriter` wrote, made before for several numbers in a row.
struct ByteRoom {
    fileprivate var place: UnsafeMutablePointer<UInt8>
    fileprivate let end: UnsafeMutablePointer<UInt8>

    mutating func append(byte: UInt8) {
        precondition(end - place >= 1, "there is no room for a byte")
        place.pointee = byte
        place += 1
    }

    /// As `ByteWriter.append(_:)`.
    mutating func append(_ number: UInt64) {
        precondition(end - place >= 10, "there is no room for a number")
        var rest = number
        while rest >= 0x80 {
            place.pointee = UInt8(truncatingIfNeeded: rest) | 0x80
            place += 1
            rest >>= 7
        }
        place.pointee = UInt8(truncatingIfNeeded: rest)
        place += 1
    }

    mutating func append(signed number: Int64) {
        append(UInt64(bitPattern: (number << 1) ^ (number >> 63)))
    }

    mutating func append(bits number: Double) {
        precondition(end - place >= 8, "there is no room for a number")
        UnsafeMutableRawPointer(place).storeBytes(of: number.bitPattern.littleEndian, as: UInt64.self)
        place += 8
    }
}

extension ByteWriter {
    /// Writes at most so many bytes.
    mutating func withRoom(_ most: Int, _ body: (inout ByteRoom) -> Void) {
        reserve(most)
        count = buffer.withUnsafeMutableBufferPointer { buffer in
            guard let start = buffer.baseAddress else { return count }
            var room = ByteRoom(place: start + count, end: start + count + most)
            body(&room)
            return room.place - start
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
        let text = bytes.withUnsafeBufferPointer {
            String(validating: UnsafeBufferPointer(rebasing: $0[place..<place + Int(count)]), as: UTF8.self)
        }
        guard let text else {
            throw CodecError("a text is not UTF-8")
        }
        return text
    }
}
