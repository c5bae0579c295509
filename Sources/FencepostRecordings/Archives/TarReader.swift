/// Reads chosen files out of a tar archive (POSIX ustar and pax, GNU long names) that arrives piece by piece.
///
/// Nothing is written: names from the archive never become paths.
struct TarReader {
    /// The most bytes of one file, and of all chosen files together.
    static let sizeLimit = 1 << 29

    private enum State {
        case header
        /// The bytes of a chosen file, or of a name for the next file.
        case contents(name: String, isName: Bool, rest: Int, padding: Int)
        case skipping(Int)
        case ended
    }

    private let accepts: (String) -> Bool
    private let limit: Int
    private var state = State.header
    private var buffer: [UInt8] = []
    private var longName: String?
    private var total = 0
    /// The chosen files.
    private(set) var files: [(name: String, bytes: [UInt8])] = []
    /// Names of files above the limit.
    private(set) var tooLarge: [String] = []

    /// Makes a reader. `accepts` chooses files by name; `limit` is the most bytes of them together.
    init(limit: Int = TarReader.sizeLimit, _ accepts: @escaping (String) -> Bool) {
        (self.limit, self.accepts) = (limit, accepts)
    }

    /// Whether the archive has ended, or is no tar archive.
    var isAtEnd: Bool { if case .ended = state { true } else { false } }

    /// Takes the next piece.
    mutating func take(_ piece: ArraySlice<UInt8>) {
        var piece = piece
        while !piece.isEmpty {
            switch state {
            case .ended: return
            case .skipping(let rest):
                let count = min(rest, piece.count)
                piece = piece.dropFirst(count)
                state = count == rest ? .header : .skipping(rest - count)
            case .header:
                let count = min(512 - buffer.count, piece.count)
                buffer += piece.prefix(count)
                piece = piece.dropFirst(count)
                guard buffer.count == 512 else { return }
                readHeader()
            case .contents(let name, let isName, let rest, let padding):
                let count = min(rest, piece.count)
                buffer += piece.prefix(count)
                piece = piece.dropFirst(count)
                guard count == rest else {
                    state = .contents(name: name, isName: isName, rest: rest - count, padding: padding)
                    return
                }
                close(name, isName: isName, padding)
            }
        }
    }

    private mutating func readHeader() {
        let header = buffer
        buffer = []
        guard header[257..<262].elementsEqual("ustar".utf8), let size = Self.number(header[124..<136]) else {
            state = .ended
            return
        }
        let padding = (512 - size % 512) % 512
        let short = Self.text(header[0..<100])
        let prefix = Self.text(header[345..<500])
        switch header[156] {
        case UInt8(ascii: "L"), UInt8(ascii: "x"):
            begin(header[156] == UInt8(ascii: "L") ? "L" : "x", isName: true, size, padding)
        case UInt8(ascii: "0"), 0:
            let name = longName ?? (prefix.isEmpty ? short : prefix + "/" + short)
            longName = nil
            if accepts(name), size > 0 { begin(name, isName: false, size, padding) } else { skip(size + padding) }
        default:
            longName = nil
            skip(size + padding)
        }
    }

    private mutating func begin(_ name: String, isName: Bool, _ size: Int, _ padding: Int) {
        guard size <= (isName ? 1 << 20 : limit - total) else {
            if !isName { tooLarge.append(name) }
            return skip(size + padding)
        }
        state = size == 0 ? .header : .contents(name: name, isName: isName, rest: size, padding: padding)
    }

    private mutating func skip(_ count: Int) { state = count == 0 ? .header : .skipping(count) }

    private mutating func close(_ name: String, isName: Bool, _ padding: Int) {
        if !isName {
            total += buffer.count
            files.append((name, buffer))
        } else if name == "L" {
            longName = Self.text(buffer[...])
        } else {
            longName = Self.path(buffer) ?? longName
        }
        buffer = []
        skip(padding)
    }

    /// The value of `path` in a pax header, whose records are `LENGTH KEY=VALUE` with a line feed.
    private static func path(_ bytes: [UInt8]) -> String? {
        for record in bytes.split(separator: UInt8(ascii: "\n")) {
            let text = String(decoding: record, as: UTF8.self)
            if let range = text.firstRange(of: " path=") { return String(text[range.upperBound...]) }
        }
        return nil
    }

    private static func text(_ field: ArraySlice<UInt8>) -> String {
        String(decoding: field.prefix { $0 != 0 }, as: UTF8.self)
    }

    /// An octal number; `nil` for anything else, also for the base-256 form of files above 8 GiB.
    private static func number(_ field: ArraySlice<UInt8>) -> Int? {
        let digits = field.filter { $0 != 0 && $0 != UInt8(ascii: " ") }
        guard !digits.isEmpty, digits.count <= 12 else { return nil }
        var number = 0
        for digit in digits {
            guard (UInt8(ascii: "0")...UInt8(ascii: "7")).contains(digit) else { return nil }
            number = number * 8 + Int(digit - UInt8(ascii: "0"))
        }
        return number
    }
}
