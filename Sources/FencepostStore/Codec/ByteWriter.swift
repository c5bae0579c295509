import FencepostModel

/// Bytes that cannot be decoded.
struct CodecError: Error, Hashable {
    var message: String

    init(_ message: String) {
        self.message = message
    }
}

/// Encodes numbers and text; small numbers take few bytes.
struct ByteWriter {
    /// The written bytes, then spare capacity.
    fileprivate var buffer: [UInt8]
    fileprivate(set) var count = 0

    init(capacity: Int) {
        buffer = Array(repeating: 0, count: max(capacity, 16))
    }

    var bytes: [UInt8] { Array(buffer[..<count]) }

    /// The written bytes, without a copy.
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

    /// Appends a number as LEB128.
    mutating func append(_ number: UInt64) {
        reserve(VariableLengthInteger.maximumLength)
        count = buffer.withUnsafeMutableBufferPointer { buffer in
            var end = count
            VariableLengthInteger.encode(number) { byte in
                buffer[end] = byte
                end += 1
            }
            return end
        }
    }

    /// Appends a signed number as zigzag varint.
    mutating func append(signed number: Int64) {
        append(VariableLengthInteger.zigzag(number))
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

/// Reserved capacity of a `ByteWriter`, for several numbers without a capacity check each.
struct ReservedBytes {
    fileprivate var next: UnsafeMutablePointer<UInt8>
    fileprivate let end: UnsafeMutablePointer<UInt8>

    mutating func append(byte: UInt8) {
        precondition(end - next >= 1, "there is no capacity for a byte")
        next.pointee = byte
        next += 1
    }

    /// As `ByteWriter.append(_:)`.
    mutating func append(_ number: UInt64) {
        precondition(end - next >= 10, "there is no capacity for a number")
        VariableLengthInteger.encode(number) { byte in
            next.pointee = byte
            next += 1
        }
    }

    mutating func append(signed number: Int64) {
        append(VariableLengthInteger.zigzag(number))
    }

    mutating func append(bits number: Double) {
        precondition(end - next >= 8, "there is no capacity for a number")
        UnsafeMutableRawPointer(next).storeBytes(of: number.bitPattern.littleEndian, as: UInt64.self)
        next += 8
    }
}

extension ByteWriter {
    /// Reserves capacity for some bytes and writes at most as many.
    mutating func withReserved(_ most: Int, _ body: (inout ReservedBytes) -> Void) {
        reserve(most)
        count = buffer.withUnsafeMutableBufferPointer { buffer in
            guard let start = buffer.baseAddress else { return count }
            var reserved = ReservedBytes(next: start + count, end: start + count + most)
            body(&reserved)
            return reserved.next - start
        }
    }
}

/// Decodes the bytes of a `ByteWriter`. Throws for bytes that it cannot have written.
struct ByteReader {
    private let bytes: [UInt8]
    private var offset = 0

    init(_ bytes: [UInt8]) {
        self.bytes = bytes
    }

    var isAtEnd: Bool { offset == bytes.count }

    /// What has not been read.
    var rest: ArraySlice<UInt8> { bytes[offset...] }

    mutating func byte() throws(CodecError) -> UInt8 {
        guard offset < bytes.count else { throw CodecError("they end too early") }
        defer { offset += 1 }
        return bytes[offset]
    }

    mutating func number() throws(CodecError) -> UInt64 {
        let number = try VariableLengthInteger.decode { () throws(CodecError) in try byte() }
        guard let number else { throw CodecError("a number is too large") }
        return number
    }

    mutating func signed() throws(CodecError) -> Int64 {
        return VariableLengthInteger.signed(zigzag: try number())
    }

    mutating func double() throws(CodecError) -> Double {
        guard bytes.count - offset >= 8 else { throw CodecError("they end too early") }
        var bits: UInt64 = 0
        for index in 0..<8 { bits |= UInt64(bytes[offset + index]) << UInt64(8 * index) }
        offset += 8
        let number = Double(bitPattern: bits)
        guard number.isFinite else { throw CodecError("a number is not finite") }
        return number
    }

    mutating func text() throws(CodecError) -> String {
        let count = try number()
        guard count <= UInt64(bytes.count - offset) else { throw CodecError("they end too early") }
        defer { offset += Int(count) }
        let text = bytes.withUnsafeBufferPointer {
            String(validating: UnsafeBufferPointer(rebasing: $0[offset..<offset + Int(count)]), as: UTF8.self)
        }
        guard let text else {
            throw CodecError("a text is not UTF-8")
        }
        return text
    }
}
