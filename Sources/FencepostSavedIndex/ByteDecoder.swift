import FencepostModel

/// Takes numbers and texts from bytes that may have any content.
///
/// After the first value that is not there all others are missing too.
struct ByteDecoder {
    private let buffer: UnsafeRawBufferPointer
    private var position = 0
    private var hasFailed = false

    /// - Parameter bytes: valid as long as the decoder.
    init(_ bytes: UnsafeRawBufferPointer) { buffer = bytes }

    /// Whether all bytes were taken, and each was what was asked for.
    var isAtEnd: Bool { !hasFailed && position == buffer.count }

    /// Notes that a value is not what it has to be.
    mutating func fail<Value>() -> Value? {
        hasFailed = true
        position = buffer.count
        return nil
    }

    mutating func number() -> UInt64? {
        var (result, shift): (UInt64, UInt64) = (0, 0)
        while position < buffer.count, shift < 64 {
            let byte = buffer[position]
            position += 1
            guard shift < 63 || byte < 2 else { return fail() }
            result |= UInt64(byte & 0x7F) << shift
            if byte < 0x80 { return result }
            shift += 7
        }
        return fail()
    }

    mutating func signed(within limit: Int64) -> Int64? {
        guard let number = number().map({ VariableLengthInteger.signed(zigzag: $0) }), number >= -limit, number <= limit
        else { return fail() }
        return number
    }

    mutating func fixed<Number: FixedWidthInteger & BitwiseCopyable>(_ type: Number.Type) -> Number? {
        guard MemoryLayout<Number>.size <= buffer.count - position else { return fail() }
        defer { position += MemoryLayout<Number>.size }
        return Number(littleEndian: buffer.loadUnaligned(fromByteOffset: position, as: Number.self))
    }

    /// The bytes of a text.
    mutating func textBytes() -> UnsafeRawBufferPointer? {
        guard let count = number(), count <= UInt64(buffer.count - position) else { return fail() }
        defer { position += Int(count) }
        return UnsafeRawBufferPointer(rebasing: buffer[position..<position + Int(count)])
    }

    mutating func text() -> String? { textBytes().map { String(decoding: $0, as: UTF8.self) } }

    mutating func list<Element>(_ element: (inout ByteDecoder) -> Element?) -> [Element] {
        // Each element takes at least a byte.
        guard let count = number(), count <= UInt64(buffer.count - position) else {
            let none: Element? = fail()
            return none.map { [$0] } ?? []
        }
        var list: [Element] = []
        for _ in 0..<count {
            guard let value = element(&self) else {
                let none: Element? = fail()
                return none.map { [$0] } ?? []
            }
            list.append(value)
        }
        return list
    }
}
