internal import CSimdjson

/// Writes JSON text, compact, commas and colons put in by itself.
///
/// It trusts its caller to open, name and close in an order that makes sense.
public struct JSONWriter: Sendable {
    /// What has been written.
    public private(set) var bytes: [UInt8] = []
    private var needsComma = false

    public init() {}

    /// Forgets what has been written and keeps the memory.
    public mutating func removeAll() {
        bytes.removeAll(keepingCapacity: true)
        needsComma = false
    }

    /// What has been written, which is then forgotten; the next text is expected to be about as long.
    public mutating func takeBytes() -> [UInt8] {
        guard !bytes.isEmpty else { return [] }
        var taken: [UInt8] = []
        taken.reserveCapacity(bytes.count)
        swap(&taken, &bytes)
        needsComma = false
        return taken
    }

    public mutating func beginObject() { open(UInt8(ascii: "{")) }
    public mutating func endObject() { close(UInt8(ascii: "}")) }
    public mutating func beginArray() { open(UInt8(ascii: "[")) }
    public mutating func endArray() { close(UInt8(ascii: "]")) }

    /// The name of the member whose value comes next.
    public mutating func name(_ name: String) {
        separate()
        append(string: name)
        bytes.append(UInt8(ascii: ":"))
        needsComma = false
    }

    public mutating func value(_ string: String) {
        separate()
        append(string: string)
    }

    public mutating func value(_ bool: Bool) {
        separate()
        bytes.append(contentsOf: bool ? "true".utf8 : "false".utf8)
    }

    public mutating func value(_ integer: Int) {
        separate()
        append(integer: Int64(integer))
    }

    public mutating func value(_ integer: Int64) {
        separate()
        append(integer: integer)
    }

    /// A finite number in its shortest form that reads back as the same: `35`, `0.1`, `1e+30`; a negative zero as `0`.
    public mutating func value(_ number: Double) {
        precondition(number.isFinite, "JSON has no number for \(number)")
        separate()
        if let integer = Int64(exactly: number), abs(integer) < 1 << 53 {
            append(integer: integer)
        } else {
            withUnsafeTemporaryAllocation(of: UInt8.self, capacity: 32) { buffer in
                guard let start = buffer.baseAddress else { return }
                let count = fencepost_shortest_decimal(number, start)
                bytes.append(contentsOf: buffer[..<count])
            }
        }
    }

    public mutating func null() {
        separate()
        bytes.append(contentsOf: "null".utf8)
    }

    /// A value that is JSON text already.
    public mutating func raw(_ json: String) {
        separate()
        bytes.append(contentsOf: json.utf8)
    }

    /// A value that is JSON text already.
    public mutating func raw(_ json: some Collection<UInt8>) {
        separate()
        bytes.append(contentsOf: json)
    }

    /// A string that `append` adds in ASCII, none of it to be escaped: a time, an id.
    public mutating func asciiString(_ append: (inout [UInt8]) -> Void) {
        separate()
        bytes.append(UInt8(ascii: "\""))
        append(&bytes)
        bytes.append(UInt8(ascii: "\""))
    }

    /// A value of a document, with all that is in it.
    public mutating func value(_ element: JSONElement) {
        switch element.kind {
        case .null: null()
        case .bool: value(element.bool == true)
        case .number:
            switch element.storage.tag(element.index) {
            case UInt8(ascii: "l"): value(Int64(bitPattern: element.storage.tape[element.index + 1]))
            case UInt8(ascii: "u"): raw(String(element.storage.tape[element.index + 1]))
            default: value(element.double ?? 0)
            }
        case .string: value(element.string ?? "")
        case .array:
            beginArray()
            for element in JSONArray(element) { value(element) }
            endArray()
        case .object:
            beginObject()
            for member in JSONObject(element) {
                name(member.name)
                value(member.value)
            }
            endObject()
        }
    }

    /// Ends a line of NDJSON.
    public mutating func newline() { between("\n") }

    /// Adds what stands between one text and the next.
    public mutating func between(_ text: String) {
        bytes.append(contentsOf: text.utf8)
        needsComma = false
    }

    /// Adds texts that were written elsewhere.
    public mutating func between(_ texts: ArraySlice<UInt8>) {
        bytes.append(contentsOf: texts)
        needsComma = false
    }

    private mutating func separate() {
        if needsComma { bytes.append(UInt8(ascii: ",")) }
        needsComma = true
    }

    private mutating func open(_ bracket: UInt8) {
        separate()
        bytes.append(bracket)
        needsComma = false
    }

    private mutating func close(_ bracket: UInt8) {
        bytes.append(bracket)
        needsComma = true
    }

    private mutating func append(integer: Int64) {
        var magnitude = integer.magnitude
        if integer < 0 { bytes.append(UInt8(ascii: "-")) }
        withUnsafeTemporaryAllocation(of: UInt8.self, capacity: 20) { buffer in
            var start = 20
            repeat {
                start -= 1
                buffer[start] = UInt8(truncatingIfNeeded: 48 + magnitude % 10)
                magnitude /= 10
            } while magnitude > 0
            bytes.append(contentsOf: buffer[start...])
        }
    }

    private mutating func append(string: String) {
        var string = string
        bytes.append(UInt8(ascii: "\""))
        string.withUTF8 { utf8 in
            var written = 0
            for (index, byte) in utf8.enumerated() where byte < 0x20 || byte == 0x22 || byte == 0x5C {
                bytes.append(contentsOf: utf8[written..<index])
                append(escaped: byte)
                written = index + 1
            }
            bytes.append(contentsOf: utf8[written...])
        }
        bytes.append(UInt8(ascii: "\""))
    }

    private mutating func append(escaped byte: UInt8) {
        bytes.append(UInt8(ascii: "\\"))
        switch byte {
        case 0x22, 0x5C: bytes.append(byte)
        case 0x08: bytes.append(UInt8(ascii: "b"))
        case 0x09: bytes.append(UInt8(ascii: "t"))
        case 0x0A: bytes.append(UInt8(ascii: "n"))
        case 0x0C: bytes.append(UInt8(ascii: "f"))
        case 0x0D: bytes.append(UInt8(ascii: "r"))
        default:
            let digits = Array("0123456789abcdef".utf8)
            bytes.append(contentsOf: [UInt8(ascii: "u"), 48, 48, digits[Int(byte >> 4)], digits[Int(byte & 15)]])
        }
    }
}
