internal import FencepostModel

/// How the lines of a stream are written: the bytes that are the same in each of them, and what stands between.
///
/// Programs write their lines alike: the same members in the same order under the same names, spaced alike. A line is
/// then checked against the shape, piece by piece, instead of being searched for what it holds. Where it fits it is
/// JSON, for the line that the shape was learnt from was, and each place between holds one number or one plain string
/// here as there.
final class LineShape: Sendable {
    /// What a place between holds. The numbers of a fix come first, in the order of their places in `LineValues`.
    enum Place: UInt8 {
        case latitude, longitude, horizontalAccuracy, altitude, verticalAccuracy, speed, course, batteryLevel
        /// A number, or a string, that nobody asks for.
        case otherNumber, otherText
        case device, timeText, timeNumber
        /// Behind the last piece.
        case end

        static let numberCount = 9
    }

    /// Bytes that are the same in every line, and what comes behind them.
    struct Piece {
        /// Where they begin among `words`, how many whole words they fill, and how many bytes are left over.
        var start, wholeWords, leftOver: Int
        var place: Place
    }

    let pieces: [Piece]
    /// The bytes of all pieces, each filled up with zeros to whole words.
    let words: [UInt64]
    let hasDevice, hasTime: Bool
    /// What stands in the bytes that are the same.
    let constants: LineWords

    /// Learns the shape of a line.
    ///
    /// - Parameters:
    ///   - line: valid JSON that stands for the location.
    ///   - location: what the line says, found out in another way.
    /// - Returns: `nil` where the line has escapes in its names, a member under two names, or is unusual otherwise.
    init?(of line: UnsafeBufferPointer<UInt8>, location: Location) {
        var pieces = Pieces()
        var scanner = MemberScanner(line)
        var members: Set<String> = []
        var pieceStart = 0
        while let member = scanner.next() {
            let known = Self.members[member.name]
            if member.kind != .null, let known, !members.insert(known).inserted { return nil }
            guard let place = Self.place(of: member, known) else { continue }
            pieces.append(line[pieceStart..<member.start], place)
            pieceStart = member.end
        }
        pieces.append(line[pieceStart...], .end)
        guard scanner.isComplete, pieces.has(.latitude), pieces.has(.longitude) else { return nil }
        self.pieces = pieces.list
        words = pieces.words
        hasDevice = pieces.has(.device)
        hasTime = pieces.has(.timeText) || pieces.has(.timeNumber)
        constants = LineWords(of: location)
    }

    /// What is read anew in each line; `nil` for what has to be the same.
    private static func place(of member: MemberScanner.Member, _ known: String?) -> Place? {
        switch (known, member.kind) {
        case ("deviceId"?, .plainText), ("deviceId"?, .text): .device
        case ("timestamp"?, .plainText): .timeText
        case ("timestamp"?, .number): .timeNumber
        case (let known?, .number): numbers[known]
        case (nil, .number): .otherNumber
        case (nil, .plainText): .otherText
        default: nil
        }
    }

    private static let members: [String: String] = Dictionary(
        uniqueKeysWithValues: NativeShape.names.flatMap { entry in entry.names.map { ($0, entry.member) } })

    private static let numbers: [String: Place] = [
        "latitude": .latitude, "longitude": .longitude, "horizontalAccuracy": .horizontalAccuracy,
        "altitude": .altitude, "verticalAccuracy": .verticalAccuracy, "speed": .speed, "course": .course,
        "batteryLevel": .batteryLevel,
    ]

    private struct Pieces {
        var list: [Piece] = []
        var words: [UInt64] = []

        func has(_ place: Place) -> Bool { list.contains { $0.place == place } }

        mutating func append(_ bytes: Slice<UnsafeBufferPointer<UInt8>>, _ place: Place) {
            list.append(
                Piece(start: words.count, wholeWords: bytes.count / 8, leftOver: bytes.count % 8, place: place))
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

/// Walks over the outermost members of an object that is known to be JSON.
private struct MemberScanner {
    /// Text has no escape in it; where it is plain, nothing beyond ASCII either.
    enum Kind { case null, number, plainText, text, other }

    struct Member {
        var name: String
        var kind: Kind
        /// Of the value, without the quotes of a string.
        var start, end: Int
    }

    private let line: UnsafeBufferPointer<UInt8>
    private var index = 0
    /// Whether the object was walked over to its end and nothing was unusual.
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
