/// Writes compact JSON text and inserts commas and colons.
///
/// It does not check that objects and arrays are opened, named and closed in a valid order.
public struct JSONWriter: Sendable {
    /// The written bytes, and spare room behind them, so most additions are stored without a capacity check.
    private var storage: [UInt8] = []
    /// The number of bytes written.
    public private(set) var count = 0
    private var needsComma = false
    /// How many numbers were NaN or infinite, which JSON cannot hold: `null` is in their place. The sender of the text
    /// reports it, because such a number is a fault of the program.
    public private(set) var unwritableNumbers = 0

    /// A writer without memory; it grows with the first value.
    public init() {}

    /// The bytes written.
    public var bytes: [UInt8] { Array(storage[..<count]) }

    /// Calls `body` with the bytes written, without a copy.
    public func withBytes<Result, Failure: Error>(
        _ body: (UnsafeRawBufferPointer) throws(Failure) -> Result
    ) throws(Failure) -> Result {
        try storage.span.bytes.withUnsafeBytes { storage throws(Failure) in
            try body(UnsafeRawBufferPointer(rebasing: storage[..<count]))
        }
    }

    /// Removes what was written and keeps the memory.
    public mutating func removeAll() {
        count = 0
        needsComma = false
        unwritableNumbers = 0
    }

    /// Returns the bytes written and removes them.
    public mutating func takeBytes() -> [UInt8] {
        defer { removeAll() }
        return bytes
    }

    /// Opens an object, as the next value.
    public mutating func beginObject() { open(UInt8(ascii: "{")) }
    /// Closes the innermost object.
    public mutating func endObject() { close(UInt8(ascii: "}")) }
    /// Opens an array, as the next value.
    public mutating func beginArray() { open(UInt8(ascii: "[")) }
    /// Closes the innermost array.
    public mutating func endArray() { close(UInt8(ascii: "]")) }

    /// The name of the member whose value comes next.
    public mutating func name(_ name: String) {
        append(string: name, end: UInt8(ascii: ":"))
        needsComma = false
    }

    /// A member of an object with a string, with the escapes that RFC 8259 requires.
    ///
    /// The name is of ASCII characters that need no escape, here and in the other functions of this name, which write
    /// the member in one step.
    public mutating func field(_ name: StaticString, _ string: String) {
        guard string.utf8.count <= 512 else {
            field(name, most: 0) { _ in 0 }
            needsComma = false
            return append(string: string, end: nil)
        }
        var string = string
        string.withUTF8 { utf8 in
            field(name, most: utf8.count * 6 + 2) { start in
                start[0] = UInt8(ascii: "\"")
                var next = start + 1
                if let base = utf8.baseAddress { next = JSONWriter.escape(base, utf8.count, at: next) }
                next[0] = UInt8(ascii: "\"")
                return next + 1 - start
            }
        }
    }

    /// A member of an object with a number, in the form of `value(_:)`.
    public mutating func field(_ name: StaticString, _ number: Double) {
        if !number.isFinite { unwritableNumbers += 1 }
        field(name, most: 32) { JSONWriter.write(number, at: $0) }
    }

    /// A member of an object with an integer.
    public mutating func field(_ name: StaticString, _ integer: Int) {
        field(name, most: 20) { JSONWriter.write(Int64(integer), at: $0) }
    }

    /// A member of an object with a string of ASCII characters that need no escape.
    ///
    /// - Parameters:
    ///   - name: of ASCII characters that need no escape.
    ///   - most: the largest number of bytes that `write` may write.
    ///   - write: writes the bytes of the string and returns their number.
    public mutating func asciiField(_ name: StaticString, most: Int, _ write: (UnsafeMutablePointer<UInt8>) -> Int) {
        field(name, most: most + 2) { start in
            start[0] = UInt8(ascii: "\"")
            let count = write(start + 1)
            precondition(count <= most, "more was written than there is room for")
            start[count + 1] = UInt8(ascii: "\"")
            return count + 2
        }
    }

    /// Opens an object as the value of a member, whose name is as in `field`.
    public mutating func beginObject(_ name: StaticString) {
        field(name, most: 1) { start in
            start[0] = UInt8(ascii: "{")
            return 1
        }
        needsComma = false
    }

    /// Opens an array as the value of a member, whose name is as in `field`.
    public mutating func beginArray(_ name: StaticString) {
        field(name, most: 1) { start in
            start[0] = UInt8(ascii: "[")
            return 1
        }
        needsComma = false
    }

    @inline(__always)
    private mutating func field(
        _ name: StaticString, most: Int, _ write: (UnsafeMutablePointer<UInt8>) -> Int
    ) {
        let comma = needsComma ? 1 : 0
        append(most: name.utf8CodeUnitCount + 4 + most) { start in
            start[0] = UInt8(ascii: ",")
            var next = start + comma
            next[0] = UInt8(ascii: "\"")
            (next + 1).update(from: name.utf8Start, count: name.utf8CodeUnitCount)
            next += name.utf8CodeUnitCount + 1
            next[0] = UInt8(ascii: "\"")
            next[1] = UInt8(ascii: ":")
            next += 2
            return next - start + write(next)
        }
        needsComma = true
    }

    /// A string, with the escapes that RFC 8259 requires.
    public mutating func value(_ string: String) {
        append(string: string, end: nil)
    }

    /// `true` or `false`.
    public mutating func value(_ bool: Bool) {
        separate()
        append(utf8: bool ? "true" : "false")
    }

    /// An integer in decimal digits.
    public mutating func value(_ integer: Int) {
        separate()
        append(integer: Int64(integer))
    }

    /// An integer in decimal digits; a reader that uses `Double` rounds it beyond 2⁵³.
    public mutating func value(_ integer: Int64) {
        separate()
        append(integer: integer)
    }

    /// A number in its shortest form that reads back as the same: `35`, `0.1`, `1e+30`; a negative zero as `0`; NaN and
    /// infinite numbers as `null`.
    public mutating func value(_ number: Double) {
        if !number.isFinite { unwritableNumbers += 1 }
        separate()
        append(most: 32) { JSONWriter.write(number, at: $0) }
    }

    /// The value `null`.
    public mutating func null() {
        separate()
        append(utf8: "null")
    }

    /// A value that is JSON text already.
    public mutating func raw(_ json: String) {
        separate()
        append(utf8: json)
    }

    /// A value that is JSON text already.
    public mutating func raw(_ json: some Collection<UInt8>) {
        separate()
        append(bytes: json)
    }

    /// A string of ASCII characters that need no escape, such as a time or an id.
    public mutating func asciiString(_ append: (inout [UInt8]) -> Void) {
        var text: [UInt8] = []
        append(&text)
        asciiString(most: text.count) { start in
            UnsafeMutableBufferPointer(start: start, count: text.count).update(fromContentsOf: text)
        }
    }

    /// A string of ASCII characters that need no escape.
    ///
    /// - Parameters:
    ///   - most: the largest number of bytes that `write` may write.
    ///   - write: writes the bytes and returns their number.
    public mutating func asciiString(most: Int, _ write: (UnsafeMutablePointer<UInt8>) -> Int) {
        separate()
        append(most: most + 2) { start in
            start[0] = UInt8(ascii: "\"")
            let count = write(start + 1)
            precondition(count <= most, "more was written than there is room for")
            start[count + 1] = UInt8(ascii: "\"")
            return count + 2
        }
    }

    /// A value of a document with everything in it.
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
    public mutating func newline() {
        append(byte: UInt8(ascii: "\n"))
        needsComma = false
    }

    /// Appends a text between two values.
    public mutating func appendRaw(_ text: String) {
        append(utf8: text)
        needsComma = false
    }

    /// Appends texts that were written elsewhere.
    public mutating func appendRaw(_ texts: ArraySlice<UInt8>) {
        append(bytes: texts)
        needsComma = false
    }

    /// Appends texts that another writer has written: those in a range of its bytes.
    public mutating func appendRaw(_ range: Range<Int>, of other: borrowing JSONWriter) {
        precondition(range.upperBound <= other.count)
        other.storage.withUnsafeBufferPointer { append(bytes: UnsafeBufferPointer(rebasing: $0[range])) }
        needsComma = false
    }

    mutating func separate() {
        if needsComma { append(byte: UInt8(ascii: ",")) }
        needsComma = true
    }

    private mutating func open(_ bracket: UInt8) {
        separate()
        append(byte: bracket)
        needsComma = false
    }

    private mutating func close(_ bracket: UInt8) {
        append(byte: bracket)
        needsComma = true
    }
}

// MARK: Bytes

extension JSONWriter {
    /// Makes room and lets `write` write; it writes at most `most` bytes and returns their number.
    @inline(__always)
    mutating func append(most: Int, _ write: (UnsafeMutablePointer<UInt8>) -> Int) {
        if count + most > storage.count { grow(most) }
        let before = count
        storage.withUnsafeMutableBufferPointer { storage in
            guard let start = storage.baseAddress else { return }
            count = before + write(start + before)
        }
    }

    @inline(never)
    private mutating func grow(_ most: Int) {
        storage.append(contentsOf: repeatElement(0, count: max(most, storage.count, 256)))
    }

    private mutating func append(byte: UInt8) {
        append(most: 1) { start in
            start.pointee = byte
            return 1
        }
    }

    private mutating func append(utf8 text: String) {
        var text = text
        text.withUTF8 { append(bytes: $0) }
    }

    private mutating func append(bytes: some Collection<UInt8>) {
        append(most: bytes.count) { start in
            UnsafeMutableBufferPointer(start: start, count: bytes.count).update(fromContentsOf: bytes)
        }
    }

    private mutating func append(integer: Int64) {
        append(most: 20) { JSONWriter.write(integer, at: $0) }
    }

    /// Writes a comma if needed, a quoted string and its terminator.
    private mutating func append(string: String, end: UInt8?) {
        var string = string
        separate()
        let quote = UInt8(ascii: "\"")
        string.withUTF8 { utf8 in
            // In chunks, because each byte may need six; most strings are one chunk.
            var start = 0
            repeat {
                let length = min(utf8.count - start, 512)
                append(most: length * 6 + 3) { target in
                    var next = target
                    if start == 0 {
                        next.pointee = quote
                        next += 1
                    }
                    if let base = utf8.baseAddress { next = JSONWriter.escape(base + start, length, at: next) }
                    start += length
                    guard start == utf8.count else { return next - target }
                    next.pointee = quote
                    next += 1
                    if let end {
                        next.pointee = end
                        next += 1
                    }
                    return next - target
                }
            } while start < utf8.count
        }
    }

    /// Copies text and escapes where necessary.
    ///
    /// `target` has room for six bytes per byte of the text.
    ///
    /// - Returns: the end of the written bytes.
    static func escape(
        _ text: UnsafePointer<UInt8>, _ count: Int, at target: UnsafeMutablePointer<UInt8>
    ) -> UnsafeMutablePointer<UInt8> {
        var (index, target) = (0, target)
        while index + 8 <= count {
            let word = UnsafeRawPointer(text + index).loadUnaligned(as: UInt64.self)
            guard !JSONWriter.needsEscape(word) else { break }
            UnsafeMutableRawPointer(target).storeBytes(of: word, as: UInt64.self)
            target += 8
            index += 8
        }
        if index < count, index + 8 > count, count >= 8 {
            // What was copied so far is unchanged, so the last eight bytes may overlap it.
            let word = UnsafeRawPointer(text + count - 8).loadUnaligned(as: UInt64.self)
            if !JSONWriter.needsEscape(word) {
                UnsafeMutableRawPointer(target - index + count - 8).storeBytes(of: word, as: UInt64.self)
                return target - index + count
            }
        }
        while index < count {
            let byte = text[index]
            if byte < 0x20 || byte == 0x22 || byte == 0x5C {
                target += escape(byte, at: target)
            } else {
                target.pointee = byte
                target += 1
            }
            index += 1
        }
        return target
    }

    /// Whether one of eight bytes is a quote, a backslash or below a space.
    @inline(__always)
    private static func needsEscape(_ word: UInt64) -> Bool {
        let ones: UInt64 = 0x0101_0101_0101_0101
        let (quote, backslash) = (word ^ (ones &* 0x22), word ^ (ones &* 0x5C))
        // Sets the high bit of each such byte; sometimes also of the byte after it.
        let marks = ((quote &- ones) & ~quote) | ((backslash &- ones) & ~backslash) | ((word &- ones &* 0x20) & ~word)
        return marks & (ones &* 0x80) != 0
    }

    private static func escape(_ byte: UInt8, at target: UnsafeMutablePointer<UInt8>) -> Int {
        target[0] = UInt8(ascii: "\\")
        switch byte {
        case 0x22, 0x5C: target[1] = byte
        case 0x08: target[1] = UInt8(ascii: "b")
        case 0x09: target[1] = UInt8(ascii: "t")
        case 0x0A: target[1] = UInt8(ascii: "n")
        case 0x0C: target[1] = UInt8(ascii: "f")
        case 0x0D: target[1] = UInt8(ascii: "r")
        default:
            func digit(_ value: UInt8) -> UInt8 { value < 10 ? 48 + value : 87 + value }
            target[1] = UInt8(ascii: "u")
            target[2] = 48
            target[3] = 48
            target[4] = digit(byte >> 4)
            target[5] = digit(byte & 15)
            return 6
        }
        return 2
    }
}
