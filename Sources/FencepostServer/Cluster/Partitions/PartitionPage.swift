import FencepostJSON

/// A part's answer with rows: an object of JSON with an array of them.
///
/// Rows are found and compared as values, and handed on as the bytes in which the part wrote them, so that a client
/// gets the same bytes from a single node and from several.
struct PartitionPage: Sendable {
    struct Row: Sendable {
        let value: JSONElement
        let bytes: ArraySlice<UInt8>
    }

    /// The whole object.
    let root: JSONElement
    let rows: [Row]
    private let bytes: [UInt8]
    /// The bytes between the brackets of the array.
    private let inside: Range<Int>

    /// An answer with its rows in the member `name`; `nil` for one that is no object with such an array.
    init?(_ bytes: [UInt8], rows name: String = "data") {
        guard let root = (try? JSONDocument(parsing: bytes))?.root, let members = root.object,
            let index = members.enumerated().first(where: { $0.element.name == name })?.offset,
            let values = root[name]?.array, let start = bytes.firstIndex(of: UInt8(ascii: "{"))
        else { return nil }
        let array = Self.values(in: bytes, at: start)[index]
        let ranges = Self.values(in: bytes, at: array.lowerBound)
        rows = zip(values, ranges).map { Row(value: $0, bytes: bytes[$1]) }
        inside = array.lowerBound + 1..<array.upperBound - 1
        (self.root, self.bytes) = (root, bytes)
    }

    /// The ranges of an array's elements, or of the values of an object's members, in JSON that was parsed before. It
    /// starts at the opening bracket.
    private static func values(in bytes: [UInt8], at start: Int) -> [Range<Int>] {
        var ranges: [Range<Int>] = []
        var (index, depth, isInString) = (start + 1, 0, false)
        // Of the value that is being read.
        var (first, end): (Int?, Int) = (nil, 0)
        while index < bytes.count {
            let byte = bytes[index]
            let isOutside = depth == 0 && !isInString
            if isOutside, byte == UInt8(ascii: ":") {
                // What was read was a name.
                first = nil
            } else if isOutside, [UInt8(ascii: ","), UInt8(ascii: "]"), UInt8(ascii: "}")].contains(byte) {
                if let first { ranges.append(first..<end) }
                if byte != UInt8(ascii: ",") { return ranges }
                first = nil
            } else if isInString || ![0x20, 0x09, 0x0A, 0x0D].contains(byte) {
                if first == nil { first = index }
                switch byte {
                case UInt8(ascii: "\\"): index += 1
                case UInt8(ascii: "\""): isInString.toggle()
                case UInt8(ascii: "{"), UInt8(ascii: "["): depth += isInString ? 0 : 1
                case UInt8(ascii: "}"), UInt8(ascii: "]"): depth -= isInString ? 0 : 1
                default: break
                }
                end = index + 1
            }
            index += 1
        }
        return ranges
    }

    /// The answer with other rows in the place of its own.
    func with(_ rows: some Sequence<ArraySlice<UInt8>>) -> [UInt8] {
        Array(bytes[..<inside.lowerBound]) + Array(rows.joined(separator: [UInt8(ascii: ",")]))
            + Array(bytes[inside.upperBound...])
    }
}
