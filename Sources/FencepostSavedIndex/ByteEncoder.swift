import FencepostModel

/// Appends numbers and texts to bytes.
struct ByteEncoder {
    private(set) var bytes: [UInt8] = []

    var count: Int { bytes.count }

    mutating func append(_ number: UInt64) { VariableLengthInteger.append(number, to: &bytes) }

    mutating func append(signed number: Int64) { append(VariableLengthInteger.zigzag(number)) }

    mutating func append(_ text: String) {
        append(UInt64(text.utf8.count))
        bytes.append(contentsOf: text.utf8)
    }

    /// All bytes of an integer, the lowest first.
    mutating func append<Number: FixedWidthInteger>(fixed number: Number) {
        withUnsafeBytes(of: number.littleEndian) { bytes.append(contentsOf: $0) }
    }

    /// The number of elements, then the elements.
    mutating func append<Element>(_ list: [Element], _ element: (inout ByteEncoder, Element) -> Void) {
        append(UInt64(list.count))
        for value in list { element(&self, value) }
    }
}
