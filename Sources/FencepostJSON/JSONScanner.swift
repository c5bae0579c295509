/// Scans a text strictly by RFC 8259 to find its first error. Where there is simdjson, it is used only after that has
/// rejected the text.
struct JSONScanner {
    private let bytes: UnsafeBufferPointer<UInt8>
    private let offsetInFile: Int
    private let maximumDepth: Int
    private var position = 0
    /// The ends of integers that do not fit in 64 bits.
    private(set) var endsOfLongIntegers: [Int] = []

    init(_ bytes: UnsafeBufferPointer<UInt8>, offsetInFile: Int, maximumDepth: Int) {
        self.bytes = bytes
        self.offsetInFile = offsetInFile
        self.maximumDepth = maximumDepth
    }

    /// Scans the whole text.
    mutating func scan() throws(JSONSyntaxError) {
        skipSpace()
        if position == bytes.count { throw error(at: position, "the text is empty") }
        var open: [UInt8] = []
        value: while true {
            try scanValueStart(&open)
            // After a complete value: what may follow, until another value begins.
            while true {
                skipSpace()
                guard let container = open.last else {
                    if position < bytes.count {
                        throw error(at: position, "\(found) follows the JSON value, where the text should end")
                    }
                    return
                }
                let isObject = container == UInt8(ascii: "{")
                switch current {
                case UInt8(ascii: ","):
                    position += 1
                    skipSpace()
                    if isObject { try scanName() }
                    continue value
                case isObject ? UInt8(ascii: "}") : UInt8(ascii: "]"):
                    position += 1
                    open.removeLast()
                default:
                    let (end, kind) = isObject ? ("}", "object") : ("]", "array")
                    throw error(at: position, "a comma or \(end) is missing in the \(kind): found \(found)")
                }
            }
        }
    }

    func error(at position: Int, _ message: String) -> JSONSyntaxError {
        let before = bytes[..<position]
        let lineStart = before.lastIndex(of: UInt8(ascii: "\n")).map { $0 + 1 } ?? 0
        let line = before.reduce(1) { $0 + ($1 == UInt8(ascii: "\n") ? 1 : 0) }
        return JSONSyntaxError(
            offset: offsetInFile + position, line: line, column: position - lineStart + 1, message: message)
    }

    private var current: UInt8? { position < bytes.count ? bytes[position] : nil }

    /// The byte at the position, for a message.
    private var found: String {
        switch current {
        case nil: "the end of the text"
        case .some(let byte) where (0x21...0x7E).contains(byte): "'\(Character(Unicode.Scalar(byte)))'"
        case .some(let byte): "the byte 0x\(String(byte >> 4, radix: 16))\(String(byte & 15, radix: 16))"
        }
    }

    private mutating func skipSpace() {
        while let byte = current, byte == 0x20 || byte == 0x0A || byte == 0x0D || byte == 0x09 { position += 1 }
    }

    /// Scans a scalar or an empty container, or opens containers down to the first scalar in them.
    private mutating func scanValueStart(_ open: inout [UInt8]) throws(JSONSyntaxError) {
        while true {
            skipSpace()
            switch current {
            case UInt8(ascii: "{"), UInt8(ascii: "["):
                let opening = bytes[position]
                guard open.count < maximumDepth else {
                    throw error(at: position, "arrays and objects are nested deeper than \(maximumDepth) levels")
                }
                position += 1
                skipSpace()
                if current == (opening == UInt8(ascii: "{") ? UInt8(ascii: "}") : UInt8(ascii: "]")) {
                    position += 1
                    return
                }
                open.append(opening)
                if opening == UInt8(ascii: "{") { try scanName() }
            case UInt8(ascii: "\""): return try scanString()
            case UInt8(ascii: "t"): return try scanWord("true")
            case UInt8(ascii: "f"): return try scanWord("false")
            case UInt8(ascii: "n"): return try scanWord("null")
            case .some(UInt8(ascii: "-")), .some(UInt8(ascii: "0")...UInt8(ascii: "9")): return try scanNumber()
            default: throw error(at: position, "a value is missing: found \(found)")
            }
        }
    }

    private mutating func scanName() throws(JSONSyntaxError) {
        guard current == UInt8(ascii: "\"") else {
            throw error(at: position, "the name of a member is missing, in double quotes: found \(found)")
        }
        try scanString()
        skipSpace()
        guard current == UInt8(ascii: ":") else {
            throw error(at: position, "a colon is missing after the name of a member: found \(found)")
        }
        position += 1
    }

    private mutating func scanWord(_ word: String) throws(JSONSyntaxError) {
        let start = position
        for letter in word.utf8 {
            guard current == letter else {
                throw error(at: start, "a word begins here that is not true, false or null")
            }
            position += 1
        }
        if let byte = current, isLetterOrDigit(byte) {
            throw error(at: start, "a word begins here that is not true, false or null")
        }
    }

    private mutating func scanNumber() throws(JSONSyntaxError) {
        let start = position
        var isInteger = true
        if current == UInt8(ascii: "-") { position += 1 }
        let first = position
        guard skipDigits() else { throw error(at: start, "a number has no digit after its minus") }
        if bytes[first] == UInt8(ascii: "0"), position > first + 1 {
            throw error(at: start, "a number begins with a redundant zero")
        }
        if current == UInt8(ascii: ".") {
            isInteger = false
            position += 1
            guard skipDigits() else { throw error(at: start, "a number has no digit after its decimal point") }
        }
        if current == UInt8(ascii: "e") || current == UInt8(ascii: "E") {
            isInteger = false
            position += 1
            if current == UInt8(ascii: "+") || current == UInt8(ascii: "-") { position += 1 }
            guard skipDigits() else { throw error(at: start, "a number has no digit in its exponent") }
        }
        if let byte = current, isLetterOrDigit(byte) || byte == UInt8(ascii: ".") || byte == UInt8(ascii: "+") {
            throw error(at: start, "a number contains \(found)")
        }
        let digits = bytes[start..<position]
        guard Decimal.value(of: UnsafeBufferPointer(rebasing: digits)).isFinite else {
            throw error(at: start, "a number is too large: beyond about 1.8e308")
        }
        if isInteger, digits.count > 18 {
            let text = String(decoding: digits, as: UTF8.self)
            if Int64(text) == nil, UInt64(text) == nil { endsOfLongIntegers.append(position) }
        }
    }

    private mutating func skipDigits() -> Bool {
        let start = position
        while let byte = current, (48...57).contains(byte) { position += 1 }
        return position > start
    }

    private func isLetterOrDigit(_ byte: UInt8) -> Bool {
        (48...57).contains(byte) || (65...90).contains(byte) || (97...122).contains(byte) || byte == 95
    }

    private mutating func scanString() throws(JSONSyntaxError) {
        let start = position
        position += 1
        while let byte = current {
            switch byte {
            case UInt8(ascii: "\""):
                position += 1
                return
            case UInt8(ascii: "\\"): try scanEscape()
            case 0x00..<0x20:
                throw error(at: position, "a string contains \(found): control characters must be escaped")
            case 0x20..<0x80: position += 1
            default: try scanUTF8()
            }
        }
        throw error(at: start, "a string is not terminated")
    }

    private mutating func scanEscape() throws(JSONSyntaxError) {
        let start = position
        position += 1
        switch current {
        case UInt8(ascii: "\""), UInt8(ascii: "\\"), UInt8(ascii: "/"), UInt8(ascii: "b"), UInt8(ascii: "f"),
            UInt8(ascii: "n"), UInt8(ascii: "r"), UInt8(ascii: "t"):
            position += 1
        case UInt8(ascii: "u"):
            let unit = try scanFourDigits(of: start)
            if (0xDC00...0xDFFF).contains(unit) {
                throw error(at: start, "a string contains the second half of a surrogate pair without the first")
            }
            if (0xD800...0xDBFF).contains(unit) {
                guard current == UInt8(ascii: "\\"), position + 1 < bytes.count,
                    bytes[position + 1] == UInt8(ascii: "u")
                else {
                    throw error(at: start, "a string contains the first half of a surrogate pair without the second")
                }
                position += 1
                guard (0xDC00...0xDFFF).contains(try scanFourDigits(of: start)) else {
                    throw error(at: start, "a string contains the first half of a surrogate pair without the second")
                }
            }
        default:
            throw error(at: start, "a string contains an escape that JSON does not have: a backslash and \(found)")
        }
    }

    /// Scans `u` and four hexadecimal digits.
    private mutating func scanFourDigits(of escape: Int) throws(JSONSyntaxError) -> Int {
        position += 1
        var value = 0
        for _ in 0..<4 {
            guard let byte = current, byte < 0x80, let digit = Character(Unicode.Scalar(byte)).hexDigitValue else {
                throw error(at: escape, "a string contains \\u without four hexadecimal digits after it")
            }
            value = value * 16 + digit
            position += 1
        }
        return value
    }

    /// Scans one character beyond ASCII, by table 3-7 of the Unicode Standard.
    private mutating func scanUTF8() throws(JSONSyntaxError) {
        let (count, second): (Int, ClosedRange<UInt8>) =
            switch bytes[position] {
            case 0xC2...0xDF: (2, 0x80...0xBF)
            case 0xE0: (3, 0xA0...0xBF)
            case 0xE1...0xEC, 0xEE...0xEF: (3, 0x80...0xBF)
            case 0xED: (3, 0x80...0x9F)
            case 0xF0: (4, 0x90...0xBF)
            case 0xF1...0xF3: (4, 0x80...0xBF)
            case 0xF4: (4, 0x80...0x8F)
            default: (0, 0...0)
            }
        let isValid =
            count > 0 && position + count <= bytes.count && second.contains(bytes[position + 1])
            && bytes[(position + 2)..<(position + count)].allSatisfy { (0x80...0xBF).contains($0) }
        guard isValid else { throw error(at: position, "a string is not valid UTF-8: found \(found)") }
        position += count
    }
}
