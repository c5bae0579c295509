internal import FencepostModel

/// The shape of the lines of a stream: the byte sequences that all lines share (literals), and the fields between them.
///
/// A program writes all its lines alike: the same members in the same order, with the same names and spaces. A line is
/// checked against the shape, literal by literal, instead of being parsed. A line that fits is valid JSON, because the
/// line that the shape was learned from is, and each field holds one number or one plain string in both.
/// `docs/design/line-decoder.md` describes the design.
final class LineShape: Sendable {
    /// The content of a field. The numbers of a fix come first, in the order of `LineValues`.
    enum Field: UInt8 {
        case latitude, longitude, horizontalAccuracy, altitude, verticalAccuracy, speed, course, batteryLevel
        /// A number or string that is not used.
        case otherNumber, otherText
        case device, timeText, timeNumber
        /// After the last literal.
        case end

        static let numberCount = 9
    }

    /// A literal, and the field after it.
    struct Literal {
        /// The index of its first word, its number of full words, and the number of bytes in its last, partial word.
        var start, fullWords, remainingBytes: Int
        var field: Field
    }

    let literals: [Literal]
    /// The bytes of all literals, each padded with zeros to full words.
    let words: [UInt64]
    let hasDevice, hasTime: Bool
    /// The values within the literals.
    let constants: LineConstants

    /// Learns the shape of a line; `nil` for a line with escapes in names, a member under two names, or another unusual
    /// property.
    ///
    /// `line` is valid JSON of the location, and `location` is that of the line by the full parser.
    init?(of line: UnsafeBufferPointer<UInt8>, location: Location) {
        var literals = LiteralList()
        var scanner = MemberScanner(line)
        var members: Set<String> = []
        var literalStart = 0
        while let member = scanner.next() {
            let known = member.name.utf8.count <= 64 ? Self.members[member.name] : nil
            if member.kind != .null, let known, !members.insert(known).inserted { return nil }
            guard let field = Self.field(of: member, known) else { continue }
            literals.append(line[literalStart..<member.start], field)
            literalStart = member.end
        }
        literals.append(line[literalStart...], .end)
        guard scanner.isComplete, literals.contains(.latitude), literals.contains(.longitude) else { return nil }
        self.literals = literals.list
        words = literals.words
        hasDevice = literals.contains(.device)
        hasTime = literals.contains(.timeText) || literals.contains(.timeNumber)
        constants = LineConstants(of: location)
    }

    /// The field of a member that may differ per line; `nil` for one that must be the same in each line.
    private static func field(of member: MemberScanner.Member, _ known: String?) -> Field? {
        switch (known, member.kind) {
        case ("deviceId"?, .plainText), ("deviceId"?, .text): .device
        case ("timestamp"?, .plainText): .timeText
        case ("timestamp"?, .number): .timeNumber
        case (let known?, .number): numbers[known]
        case (nil, .number): .otherNumber
        case (nil, .plainText): .otherText
        case (_?, .plainText), (_, .text), (_, .null), (_, .other): nil
        }
    }

    private static let members: [String: String] = Dictionary(
        uniqueKeysWithValues: NativeShape.names.flatMap { entry in entry.names.map { ($0, entry.member) } })

    private static let numbers: [String: Field] = [
        "latitude": .latitude, "longitude": .longitude, "horizontalAccuracy": .horizontalAccuracy,
        "altitude": .altitude, "verticalAccuracy": .verticalAccuracy, "speed": .speed, "course": .course,
        "batteryLevel": .batteryLevel,
    ]

    private struct LiteralList {
        var list: [Literal] = []
        var words: [UInt64] = []

        func contains(_ field: Field) -> Bool { list.contains { $0.field == field } }

        mutating func append(_ bytes: Slice<UnsafeBufferPointer<UInt8>>, _ field: Field) {
            list.append(
                Literal(start: words.count, fullWords: bytes.count / 8, remainingBytes: bytes.count % 8, field: field))
            for start in stride(from: bytes.startIndex, to: bytes.endIndex, by: 8) {
                var word: UInt64 = 0
                for offset in 0..<min(8, bytes.endIndex - start) {
                    word |= UInt64(bytes[start + offset]) << UInt64(offset * 8)
                }
                words.append(word)
            }
        }
    }
}

/// Iterates over the top-level members of an object that is known to be valid JSON.
private struct MemberScanner {
    /// Text has no escape; plain text is ASCII.
    enum Kind { case null, number, plainText, text, other }

    struct Member {
        var name: String
        var kind: Kind
        /// The range of the value, without the quotes of a string.
        var start, end: Int
    }

    private let line: UnsafeBufferPointer<UInt8>
    private var index = 0
    /// Whether the whole object was scanned without anything unusual.
    private(set) var isComplete = false

    init(_ line: UnsafeBufferPointer<UInt8>) { self.line = line }

    mutating func next() -> Member? {
        skipSpace()
        guard let before = byte, before == UInt8(ascii: "{") || before == UInt8(ascii: ",") else {
            isComplete = byte == UInt8(ascii: "}")
            return nil
        }
        index += 1
        skipSpace()
        guard byte == UInt8(ascii: "\""), let name = string(), name.kind == .plainText else { return nil }
        let text = String(decoding: line[name.start..<name.end], as: UTF8.self)
        skipSpace()
        guard byte == UInt8(ascii: ":") else { return nil }
        index += 1
        skipSpace()
        let start = index
        switch byte {
        case UInt8(ascii: "\"")?:
            guard let value = string() else { return nil }
            return Member(name: text, kind: value.kind, start: value.start, end: value.end)
        case UInt8(ascii: "{")?, UInt8(ascii: "[")?:
            guard skipContainer() else { return nil }
            return Member(name: text, kind: .other, start: start, end: index)
        case let byte? where byte == UInt8(ascii: "-") || (48...57).contains(byte):
            skipWord()
            return Member(name: text, kind: .number, start: start, end: index)
        case UInt8(ascii: "n")?:
            skipWord()
            return Member(name: text, kind: .null, start: start, end: index)
        default:
            skipWord()
            return Member(name: text, kind: .other, start: start, end: index)
        }
    }

    private var byte: UInt8? { index < line.count ? line[index] : nil }

    private mutating func skipSpace() {
        while let byte, byte == 0x20 || byte == 0x09 || byte == 0x0D { index += 1 }
    }

    private mutating func skipWord() {
        while let byte, byte != UInt8(ascii: ","), byte != UInt8(ascii: "}"), byte > 0x20 { index += 1 }
    }

    private mutating func string() -> (start: Int, end: Int, kind: Kind)? {
        index += 1
        let start = index
        var kind = Kind.plainText
        while let byte {
            if byte == UInt8(ascii: "\"") {
                index += 1
                return (start, index - 1, kind)
            }
            if byte == UInt8(ascii: "\\") {
                kind = .other
                index += 1
            } else if byte >= 0x80, kind == .plainText {
                kind = .text
            }
            index += 1
        }
        return nil
    }

    private mutating func skipContainer() -> Bool {
        var depth = 0
        while let byte {
            switch byte {
            case UInt8(ascii: "\""):
                guard string() != nil else { return false }
                continue
            case UInt8(ascii: "{"), UInt8(ascii: "["): depth += 1
            case UInt8(ascii: "}"), UInt8(ascii: "]"): depth -= 1
            default: break
            }
            index += 1
            if depth == 0 { return true }
        }
        return false
    }
}
