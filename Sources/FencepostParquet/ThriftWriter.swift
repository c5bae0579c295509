/// Writes structures in the compact protocol of Thrift, in which the metadata of a Parquet file is.
///
/// Fields of a structure have to be written in the order of their numbers, as the protocol stores differences.
struct ThriftWriter {
    private(set) var bytes: [UInt8] = []
    /// The number of the last field, of each structure that is open.
    private var lastFields: [Int] = [0]

    private enum Kind: UInt8 {
        case isTrue = 1
        case isFalse = 2
        case i16 = 4
        case i32 = 5
        case i64 = 6
        case binary = 8
        case list = 9
        case structure = 12
    }

    /// A whole structure, with its end.
    static func structure(_ write: (inout ThriftWriter) -> Void) -> [UInt8] {
        var writer = ThriftWriter()
        write(&writer)
        writer.bytes.append(0)
        return writer.bytes
    }

    mutating func field(_ number: Int, _ value: Bool) { header(number, value ? .isTrue : .isFalse) }

    mutating func field(_ number: Int, _ value: Int32) {
        header(number, .i32)
        bytes.append(variableLength: zigZag(Int64(value)))
    }

    mutating func field(_ number: Int, _ value: Int16) {
        header(number, .i16)
        bytes.append(variableLength: zigZag(Int64(value)))
    }

    mutating func field(_ number: Int, _ value: Int64) {
        header(number, .i64)
        bytes.append(variableLength: zigZag(value))
    }

    mutating func field(_ number: Int, _ value: [UInt8]) {
        header(number, .binary)
        append(value)
    }

    mutating func field(_ number: Int, _ value: String) { field(number, Array(value.utf8)) }

    mutating func field(_ number: Int, _ write: (inout ThriftWriter) -> Void) {
        header(number, .structure)
        structure(write)
    }

    mutating func list<Element>(_ number: Int, _ elements: [Element], _ write: (inout ThriftWriter, Element) -> Void) {
        listHeader(number, .structure, elements.count)
        for element in elements { structure { write(&$0, element) } }
    }

    mutating func list(_ number: Int, _ elements: [Int32]) {
        listHeader(number, .i32, elements.count)
        for element in elements { bytes.append(variableLength: zigZag(Int64(element))) }
    }

    mutating func list(_ number: Int, _ elements: [String]) {
        listHeader(number, .binary, elements.count)
        for element in elements { append(Array(element.utf8)) }
    }

    private mutating func listHeader(_ number: Int, _ kind: Kind, _ count: Int) {
        header(number, .list)
        if count < 15 {
            bytes.append(UInt8(count) << 4 | kind.rawValue)
        } else {
            bytes.append(0xF0 | kind.rawValue)
            bytes.append(variableLength: UInt64(count))
        }
    }

    private mutating func structure(_ write: (inout ThriftWriter) -> Void) {
        lastFields.append(0)
        write(&self)
        bytes.append(0)
        lastFields.removeLast()
    }

    private mutating func header(_ number: Int, _ kind: Kind) {
        let difference = number - (lastFields.last ?? 0)
        precondition((1...15).contains(difference), "fields are written in the order of their numbers")
        bytes.append(UInt8(difference) << 4 | kind.rawValue)
        lastFields[lastFields.count - 1] = number
    }

    private mutating func append(_ value: [UInt8]) {
        bytes.append(variableLength: UInt64(value.count))
        bytes += value
    }
}

/// Maps numbers near zero, of both signs, to small ones.
func zigZag(_ value: Int64) -> UInt64 { UInt64(bitPattern: value << 1 ^ value >> 63) }

extension [UInt8] {
    /// Appends a number in seven bits a byte, the lowest first.
    mutating func append(variableLength value: UInt64) {
        var rest = value
        while rest >= 0x80 {
            append(UInt8(truncatingIfNeeded: rest) | 0x80)
            rest >>= 7
        }
        append(UInt8(rest))
    }
}
