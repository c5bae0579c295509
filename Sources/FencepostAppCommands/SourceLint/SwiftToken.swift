/// One word, number, text or sign of a Swift source.
struct SwiftToken: Hashable, Sendable {
    enum Kind: Hashable, Sendable { case word, number, text, sign }

    var kind: Kind
    var text: String
    /// Both count from 1; the column counts bytes.
    var line, column: Int
}

/// Divides a Swift source into tokens.
///
/// Comments are left out, and both branches of a condition such as `#if DEBUG` are read. What is interpolated in a text is not
/// read. A regular expression between slashes is read as signs and words.
struct SwiftTokenizer {
    private let bytes: [UInt8]
    private var position = 0
    private var line = 1
    private var lineStart = 0
    private var tokens: [SwiftToken] = []
    /// The rules that a comment `fencepost:ignore SVC-24` allows, by the line of the comment.
    private(set) var ignored: [Int: Set<String>] = [:]
    /// The braces and the other brackets that are open.
    private var braces = 0
    private var brackets = 0
    /// The line from which on nothing is read, because brackets or texts are nested too deeply.
    private(set) var endLine: Int?

    /// How deep brackets, and texts in interpolations, may be nested.
    static let depthLimit = 256

    private init(_ text: String) { bytes = Array(text.utf8) }

    /// The tokens of a source, what its comments ask to ignore, and the line where it is nested too deeply.
    static func tokens(of text: String) -> (tokens: [SwiftToken], ignored: [Int: Set<String>], endLine: Int?) {
        var tokenizer = SwiftTokenizer(text)
        while tokenizer.position < tokenizer.bytes.count { tokenizer.step() }
        return (tokenizer.tokens, tokenizer.ignored, tokenizer.endLine)
    }

    /// Reads nothing more.
    private mutating func stop() {
        if endLine == nil { endLine = line }
        position = bytes.count
    }

    private func byte(_ offset: Int = 0) -> UInt8? {
        position + offset < bytes.count ? bytes[position + offset] : nil
    }

    private mutating func advance() {
        if bytes[position] == UInt8(ascii: "\n") {
            line += 1
            lineStart = position + 1
        }
        position += 1
    }

    private static func isWord(_ byte: UInt8) -> Bool {
        (48...57).contains(byte) || (65...90).contains(byte) || (97...122).contains(byte) || byte == 95 || byte >= 0x80
    }

    private mutating func step() {
        guard let first = byte() else { return }
        switch first {
        case 0x20, 0x09, 0x0D, 0x0A: advance()
        case UInt8(ascii: "/") where byte(1) == UInt8(ascii: "/"): skipLineComment()
        case UInt8(ascii: "/") where byte(1) == UInt8(ascii: "*"): skipBlockComment()
        case UInt8(ascii: "\""): readText(hashes: 0)
        case UInt8(ascii: "#"):
            var hashes = 1
            while byte(hashes) == UInt8(ascii: "#") { hashes += 1 }
            if byte(hashes) == UInt8(ascii: "\"") {
                readText(hashes: hashes)
            } else {
                position += hashes - 1
                readDirective()
            }
        case UInt8(ascii: "`"):
            // A name in back ticks is a name.
            advance()
        case UInt8(ascii: "0")...UInt8(ascii: "9"): readNumber()
        case _ where Self.isWord(first): read(.word, while: Self.isWord)
        default:
            switch first {
            case UInt8(ascii: "{"): braces += 1
            case UInt8(ascii: "}"): braces = max(braces - 1, 0)
            case UInt8(ascii: "("), UInt8(ascii: "["): brackets += 1
            case UInt8(ascii: ")"), UInt8(ascii: "]"): brackets = max(brackets - 1, 0)
            default: break
            }
            guard max(braces, brackets) <= Self.depthLimit else { return stop() }
            tokens.append(token(.sign, position, position + 1))
            advance()
        }
    }

    private func token(_ kind: SwiftToken.Kind, _ start: Int, _ end: Int) -> SwiftToken {
        SwiftToken(
            kind: kind, text: String(decoding: bytes[start..<end], as: UTF8.self), line: line,
            column: start - lineStart + 1)
    }

    private mutating func read(_ kind: SwiftToken.Kind, while isPart: (UInt8) -> Bool) {
        let start = position
        while let next = byte(), isPart(next) { position += 1 }
        tokens.append(token(kind, start, position))
    }

    /// A number, with its fraction: `1...3` is a range.
    private mutating func readNumber() {
        let start = position
        while let next = byte() {
            let isFraction = next == UInt8(ascii: ".") && byte(1).map { (48...57).contains($0) } ?? false
            guard Self.isWord(next) || isFraction else { break }
            position += 1
        }
        tokens.append(token(.number, start, position))
    }

    private mutating func skipLineComment() {
        let start = position
        while let next = byte(), next != UInt8(ascii: "\n") { position += 1 }
        let comment = String(decoding: bytes[start..<position], as: UTF8.self)
        guard let mark = comment.firstRange(of: "fencepost:ignore") else { return }
        let rules = comment[mark.upperBound...].split { $0 == " " || $0 == "," }
        ignored[line, default: []].formUnion(rules.map(String.init))
    }

    private mutating func skipBlockComment() {
        var depth = 0
        while let next = byte() {
            if next == UInt8(ascii: "/"), byte(1) == UInt8(ascii: "*") {
                depth += 1
                position += 2
            } else if next == UInt8(ascii: "*"), byte(1) == UInt8(ascii: "/") {
                depth -= 1
                position += 2
                if depth == 0 { return }
            } else {
                advance()
            }
        }
    }

    /// `#if` and its like end with their line; `#selector` and macros are words.
    private mutating func readDirective() {
        let start = position
        position += 1
        while let next = byte(), Self.isWord(next) { position += 1 }
        let name = String(decoding: bytes[start..<position], as: UTF8.self)
        guard ["#if", "#elseif", "#else", "#endif", "#warning", "#error"].contains(name) else {
            tokens.append(token(.word, start, position))
            return
        }
        while let next = byte(), next != UInt8(ascii: "\n") { position += 1 }
    }

    /// A text between quotes, of one line or of several, with hashes around it.
    private mutating func readText(hashes: Int, nesting: Int = 0) {
        let (start, column, first) = (position, position - lineStart + 1, line)
        position += hashes
        let isLong = byte() == 34 && byte(1) == 34 && byte(2) == 34
        let quotes = isLong ? 3 : 1
        position += quotes
        let close = [UInt8](repeating: 34, count: quotes) + [UInt8](repeating: 35, count: hashes)
        while position < bytes.count {
            if bytes[position...].starts(with: close) {
                position += close.count
                break
            }
            if byte() == UInt8(ascii: "\\"), (0..<hashes).allSatisfy({ byte(1 + $0) == 35 }) {
                position += 1 + hashes
                if byte() == UInt8(ascii: "(") {
                    skipInterpolation(nesting: nesting + 1)
                } else if position < bytes.count {
                    advance()
                }
            } else if byte() == UInt8(ascii: "\n"), !isLong {
                break
            } else {
                advance()
            }
        }
        // What is in an interpolation is not read.
        guard nesting == 0 else { return }
        let text = String(decoding: bytes[start..<min(position, bytes.count)], as: UTF8.self)
        tokens.append(SwiftToken(kind: .text, text: text, line: first, column: column))
    }

    private mutating func skipInterpolation(nesting: Int) {
        guard nesting <= Self.depthLimit else { return stop() }
        var depth = 0
        while let next = byte() {
            switch next {
            case UInt8(ascii: "("): depth += 1
            case UInt8(ascii: ")"): depth -= 1
            case UInt8(ascii: "\""):
                readText(hashes: 0, nesting: nesting)
                continue
            default: break
            }
            advance()
            if depth == 0 { return }
        }
    }
}
