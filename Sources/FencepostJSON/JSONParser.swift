#if NativeLibraries && os(Linux)
    internal import CSimdjson
#endif

/// A parser that reuses its buffers, for many texts.
public struct JSONParser: ~Copyable {
    #if NativeLibraries && os(Linux)
        private let handle: OpaquePointer

        /// A parser without buffers; they grow with the first text.
        public init() {
            guard let handle = fencepost_json_parser_create() else { fatalError("no memory for a JSON parser") }
            self.handle = handle
        }

        deinit {
            fencepost_json_parser_destroy(handle)
        }
    #else
        /// A parser without buffers; it needs none.
        public init() {}
    #endif

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
        #if NativeLibraries && os(Linux)
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
            guard let storage = rewritten.withUnsafeBufferPointer({ storage(of: $0, maximumDepth: maximumDepth) })
            else {
                return .failure(scanner.error(at: 0, "the text cannot be parsed; it may be too large"))
            }
            return .success(JSONDocument(storage: storage))
        #else
            return JSONDocument.parse(text, offsetInFile: skipped, maximumDepth: maximumDepth)
        #endif
    }

    #if NativeLibraries && os(Linux)
        /// `nil` when simdjson rejects the text.
        private func storage(of text: UnsafeBufferPointer<UInt8>, maximumDepth: Int) -> JSONStorage? {
            var parsed = fencepost_json_tape()
            guard fencepost_json_parse(handle, text.baseAddress, text.count, maximumDepth, &parsed) else { return nil }
            // The parser owns the buffers and overwrites them with its next text, so they are copied.
            return JSONStorage(
                tape: Array(UnsafeBufferPointer(start: parsed.tape, count: parsed.tape_count)),
                strings: Array(UnsafeBufferPointer(start: parsed.strings, count: parsed.strings_count)))
        }
    #endif
}
