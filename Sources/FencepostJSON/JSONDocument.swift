internal import CSimdjson

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

/// A parser that reuses its buffers, for many texts.
public struct JSONParser: ~Copyable {
    private let handle: OpaquePointer

    /// A parser without buffers; they grow with the first text.
    public init() {
        guard let handle = fencepost_json_parser_create() else { fatalError("no memory for a JSON parser") }
        self.handle = handle
    }

    deinit {
        fencepost_json_parser_destroy(handle)
    }

    /// Parses one text, like `JSONDocument.init(parsing:maximumDepth:)`.
    public mutating func parse(
        _ bytes: some Collection<UInt8>, maximumDepth: Int = 64
    ) throws(JSONSyntaxError) -> JSONDocument {
        precondition(maximumDepth > 0, "a text is at least one deep")
        if let result = bytes.withContiguousStorageIfAvailable({ parse(buffer: $0, maximumDepth: maximumDepth) }) {
            return try result.get()
        }
        return try Array(bytes).withUnsafeBufferPointer { parse(buffer: $0, maximumDepth: maximumDepth) }.get()
    }

    private func parse(
        buffer: UnsafeBufferPointer<UInt8>, maximumDepth: Int
    ) -> Result<JSONDocument, JSONSyntaxError> {
        let skipped = buffer.starts(with: [0xEF, 0xBB, 0xBF]) ? 3 : 0
        let text = UnsafeBufferPointer(rebasing: buffer[skipped...])
        if let storage = storage(of: text, maximumDepth: maximumDepth) {
            return .success(JSONDocument(storage: storage))
        }
        // simdjson does not report where or why, and rejects integers beyond 64 bits, which JSON allows.
        var scanner = JSONScanner(text, offsetInFile: skipped, maximumDepth: maximumDepth)
        do throws(JSONSyntaxError) {
            try scanner.scan()
        } catch {
            return .failure(error)
        }
        var rewritten = Array(text)
        for end in scanner.endsOfLongIntegers.reversed() {
            rewritten.insert(contentsOf: [UInt8(ascii: "."), UInt8(ascii: "0")], at: end)
        }
        guard let storage = rewritten.withUnsafeBufferPointer({ storage(of: $0, maximumDepth: maximumDepth) }) else {
            return .failure(scanner.error(at: 0, "the text cannot be parsed; it may be too large"))
        }
        return .success(JSONDocument(storage: storage))
    }

    /// `nil` when simdjson rejects the text.
    private func storage(of text: UnsafeBufferPointer<UInt8>, maximumDepth: Int) -> JSONStorage? {
        var parsed = fencepost_json_tape()
        guard fencepost_json_parse(handle, text.baseAddress, text.count, maximumDepth, &parsed) else { return nil }
        // The parser owns the buffers and overwrites them with its next text, so they are copied.
        return JSONStorage(
            tape: Array(UnsafeBufferPointer(start: parsed.tape, count: parsed.tape_count)),
            strings: Array(UnsafeBufferPointer(start: parsed.strings, count: parsed.strings_count)))
    }
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
