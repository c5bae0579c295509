import FencepostJSON

/// An object of JSON that was taken apart at one of its arrays, without changing a byte of the array's elements.
struct ArrayMember {
    /// The bytes before the first element, and those after the last.
    let before, after: ArraySlice<UInt8>
    let elements: [ArraySlice<UInt8>]

    /// Takes an object apart that is written as `JSONWriter` writes it: without spaces. `nil` for bytes without an array of
    /// this name.
    init?(_ name: String, of bytes: [UInt8]) {
        let mark = Array("\"\(name)\":[".utf8)
        guard let start = bytes.firstRange(of: mark)?.upperBound else { return nil }
        var elements: [ArraySlice<UInt8>] = []
        var (first, index, depth, isInString) = (start, start, 0, false)
        while index < bytes.count {
            let byte = bytes[index]
            if isInString {
                if byte == UInt8(ascii: "\\") { index += 1 } else if byte == UInt8(ascii: "\"") { isInString = false }
            } else {
                switch byte {
                case UInt8(ascii: "\""): isInString = true
                case UInt8(ascii: "{"), UInt8(ascii: "["): depth += 1
                case UInt8(ascii: "]") where depth == 0:
                    if index > first { elements.append(bytes[first..<index]) }
                    (before, after, self.elements) = (bytes[..<start], bytes[index...], elements)
                    return
                case UInt8(ascii: "}"), UInt8(ascii: "]"): depth -= 1
                case UInt8(ascii: ",") where depth == 0:
                    elements.append(bytes[first..<index])
                    first = index + 1
                default: break
                }
            }
            index += 1
        }
        return nil
    }

    /// The members after the array, as an object.
    var rest: JSONElement? {
        let members = after.dropFirst(2)
        return (try? JSONDocument(parsing: after.count < 3 ? Array("{}".utf8) : [UInt8(ascii: "{")] + members))?.root
    }

    /// The object with other elements.
    func with(_ elements: some Sequence<ArraySlice<UInt8>>) -> [UInt8] {
        Array(before) + Self.list(elements) + Array(after)
    }

    /// Elements with commas between them.
    static func list(_ elements: some Sequence<ArraySlice<UInt8>>) -> [UInt8] {
        Array(elements.joined(separator: [UInt8(ascii: ",")]))
    }
}
