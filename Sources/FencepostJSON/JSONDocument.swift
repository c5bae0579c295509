/// One parsed JSON text (RFC 8259). It is immutable, so tasks may share it.
public struct JSONDocument: Sendable {
    let storage: JSONStorage

    /// Parses one text in UTF-8.
    ///
    /// - Parameters:
    ///   - bytes: the text, with or without a byte order mark.
    ///   - maximumDepth: the maximum nesting of arrays and objects; a deeper text is an error.
    /// - Throws: the first position that is not JSON, with the reason. A number outside the range of `Double` and an
    ///   unpaired surrogate, which RFC 8259 leaves to parsers, are errors too.
    public init(parsing bytes: some Collection<UInt8>, maximumDepth: Int = 64) throws(JSONSyntaxError) {
        var parser = JSONParser()
        self = try parser.parse(bytes, maximumDepth: maximumDepth)
    }

    /// Parses the UTF-8 bytes of a text, like `init(parsing:maximumDepth:)` for bytes.
    public init(parsing text: String, maximumDepth: Int = 64) throws(JSONSyntaxError) {
        self = try JSONDocument(parsing: text.utf8, maximumDepth: maximumDepth)
    }

    init(storage: JSONStorage) {
        self.storage = storage
    }

    /// The outermost value.
    public var root: JSONElement { JSONElement(storage: storage, index: 1) }
}

/// The tape of simdjson: one word per value, two for a number, with the strings in a separate buffer.
final class JSONStorage: Sendable {
    let tape: [UInt64]
    let strings: [UInt8]

    init(tape: [UInt64], strings: [UInt8]) {
        self.tape = tape
        self.strings = strings
    }

    /// The kind of the word, an ASCII letter.
    func tag(_ index: Int) -> UInt8 { UInt8(truncatingIfNeeded: tape[index] >> 56) }

    func payload(_ index: Int) -> UInt64 { tape[index] & 0x00FF_FFFF_FFFF_FFFF }

    /// The index of the value after this one.
    func next(after index: Int) -> Int {
        switch tag(index) {
        case UInt8(ascii: "["), UInt8(ascii: "{"): Int(truncatingIfNeeded: payload(index) & 0xFFFF_FFFF)
        case UInt8(ascii: "l"), UInt8(ascii: "u"), UInt8(ascii: "d"): index + 2
        default: index + 1
        }
    }

    /// The range of bytes of the string at an index of the tape.
    func stringRange(_ index: Int) -> Range<Int> {
        let start = Int(payload(index))
        var length = 0
        for byte in 0..<4 { length |= Int(strings[start + byte]) << (8 * byte) }
        return start + 4..<start + 4 + length
    }

    func string(_ index: Int) -> String {
        String(decoding: strings[stringRange(index)], as: UTF8.self)
    }
}
