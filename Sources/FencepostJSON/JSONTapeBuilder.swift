/// Builds the tape of a text in Swift alone. The text has been scanned, so that nothing is checked again.
struct JSONTapeBuilder {
    private let text: UnsafeBufferPointer<UInt8>
    private var position = 0
    private var tape: [UInt64] = []
    private var strings: [UInt8] = []

    /// - Parameter text: one valid JSON text.
    init(_ text: UnsafeBufferPointer<UInt8>) { self.text = text }

    private struct Container {
        var start: Int
        var count: UInt64
    }

    mutating func build() -> JSONStorage {
        append("r")
        var open: [Container] = []
        while position < text.count {
            let byte = text[position]
            switch byte {
            case 0x20, 0x0A, 0x0D, 0x09, UInt8(ascii: ","), UInt8(ascii: ":"): position += 1
            case UInt8(ascii: "{"), UInt8(ascii: "["):
                count(in: &open)
                open.append(Container(start: tape.count, count: 0))
                append(Unicode.Scalar(byte))
                position += 1
            case UInt8(ascii: "}"), UInt8(ascii: "]"):
                position += 1
                let container = open.removeLast()
                append(Unicode.Scalar(byte), UInt64(container.start))
                // simdjson counts up to 24 bits. The members of an object were counted by name and by value.
                let total = byte == UInt8(ascii: "}") ? container.count / 2 : container.count
                tape[container.start] |= min(total, 0xFF_FFFF) << 32 | UInt64(tape.count)
            case UInt8(ascii: "\""):
                count(in: &open)
                string()
            case UInt8(ascii: "t"), UInt8(ascii: "f"), UInt8(ascii: "n"):
                count(in: &open)
                append(Unicode.Scalar(byte))
                position += byte == UInt8(ascii: "f") ? 5 : 4
            default:
                count(in: &open)
                number()
            }
        }
        tape[0] |= UInt64(tape.count + 1)
        append("r")
        return JSONStorage(tape: tape, strings: strings)
    }

    private mutating func append(_ tag: Unicode.Scalar, _ payload: UInt64 = 0) {
        tape.append(UInt64(tag.value) << 56 | payload)
    }

    private func count(in open: inout [Container]) {
        if !open.isEmpty { open[open.count - 1].count += 1 }
    }

    private mutating func number() {
        let start = position
        var isInteger = true
        scan: while position < text.count {
            switch text[position] {
            case UInt8(ascii: "0")...UInt8(ascii: "9"), UInt8(ascii: "-"), UInt8(ascii: "+"): break
            case UInt8(ascii: "."), UInt8(ascii: "e"), UInt8(ascii: "E"): isInteger = false
            default: break scan
            }
            position += 1
        }
        let digits = UnsafeBufferPointer(rebasing: text[start..<position])
        if isInteger, digits.count <= 20 {
            let text = String(decoding: digits, as: UTF8.self)
            if let integer = Int64(text) {
                append("l")
                tape.append(UInt64(bitPattern: integer))
                return
            }
            if let integer = UInt64(text) {
                append("u")
                tape.append(integer)
                return
            }
        }
        append("d")
        tape.append(SwiftDecimal.value(of: digits).bitPattern)
    }

    private mutating func string() {
        append("\"", UInt64(strings.count))
        let start = strings.count
        strings += [0, 0, 0, 0]
        position += 1
        while text[position] != UInt8(ascii: "\"") {
            if text[position] == UInt8(ascii: "\\") {
                position += 1
                escape()
            } else {
                strings.append(text[position])
                position += 1
            }
        }
        position += 1
        let length = strings.count - start - 4
        for byte in 0..<4 { strings[start + byte] = UInt8(truncatingIfNeeded: length >> (8 * byte)) }
        strings.append(0)
    }

    private mutating func escape() {
        let byte = text[position]
        position += 1
        switch byte {
        case UInt8(ascii: "b"): strings.append(0x08)
        case UInt8(ascii: "f"): strings.append(0x0C)
        case UInt8(ascii: "n"): strings.append(0x0A)
        case UInt8(ascii: "r"): strings.append(0x0D)
        case UInt8(ascii: "t"): strings.append(0x09)
        case UInt8(ascii: "u"):
            var unit = fourDigits()
            if (0xD800..<0xDC00).contains(unit) {
                position += 2
                unit = 0x10000 + (unit - 0xD800) << 10 + (fourDigits() - 0xDC00)
            }
            if let scalar = Unicode.Scalar(unit) { strings += Array(String(Character(scalar)).utf8) }
        default: strings.append(byte)
        }
    }

    private mutating func fourDigits() -> UInt32 {
        var value: UInt32 = 0
        for _ in 0..<4 {
            let byte = UInt32(text[position])
            value = value << 4 | (byte < 58 ? byte - 48 : (byte | 0x20) - 87)
            position += 1
        }
        return value
    }
}

extension JSONDocument {
    /// Parses in Swift alone, with the same results as simdjson.
    static func parse(
        _ text: UnsafeBufferPointer<UInt8>, offsetInFile: Int, maximumDepth: Int
    ) -> Result<JSONDocument, JSONSyntaxError> {
        var scanner = JSONScanner(text, offsetInFile: offsetInFile, maximumDepth: maximumDepth)
        do throws(JSONSyntaxError) {
            try scanner.scan()
        } catch {
            return .failure(error)
        }
        var builder = JSONTapeBuilder(text)
        return .success(JSONDocument(storage: builder.build()))
    }

    /// Parses in Swift alone, with the same results as simdjson: what a build without it does.
    package init(parsingInSwift bytes: [UInt8], maximumDepth: Int = 64) throws(JSONSyntaxError) {
        let skipped = bytes.starts(with: [0xEF, 0xBB, 0xBF]) ? 3 : 0
        self = try bytes.withUnsafeBufferPointer {
            JSONDocument.parse(
                UnsafeBufferPointer(rebasing: $0[skipped...]), offsetInFile: skipped, maximumDepth: maximumDepth)
        }.get()
    }
}
