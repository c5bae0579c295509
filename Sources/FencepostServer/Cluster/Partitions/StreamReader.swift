/// Takes the text of a partition's event stream apart, in pieces as they come.
struct StreamReader: Sendable {
    /// What a stream has between two empty lines.
    enum Block: Hashable, Sendable {
        /// After which number the stream goes on.
        case start(Int64)
        /// An event with its number; the other lines as they came, with the empty one.
        case event(number: Int64, lines: String)
        /// A report that events are gone, with its lines.
        case gap(lines: String)
    }

    private var buffer: [UInt8] = []

    /// The longest block, in bytes: events are shorter.
    private static let limit = 1 << 22

    /// The blocks that a piece completes. Comments and hints are left out.
    ///
    /// - Returns: `nil` for a text that is no event stream.
    mutating func blocks(in piece: some Sequence<UInt8>) -> [Block]? {
        let searched = max(0, buffer.count - 1)
        buffer.append(contentsOf: piece)
        var (blocks, start, index): ([Block], Int, Int) = ([], 0, searched)
        while index + 1 < buffer.count {
            guard buffer[index] == UInt8(ascii: "\n"), buffer[index + 1] == UInt8(ascii: "\n") else {
                index += 1
                continue
            }
            if let block = Self.block(String(decoding: buffer[start...(index + 1)], as: UTF8.self)) {
                blocks.append(block)
            }
            start = index + 2
            index = start
        }
        buffer.removeFirst(start)
        return buffer.count <= Self.limit ? blocks : nil
    }

    private static func block(_ text: String) -> Block? {
        if text.hasPrefix(": at ") { return Int64(text.dropFirst(5).dropLast(2)).map { .start($0) } }
        if text.hasPrefix("event: gap\n") { return .gap(lines: text) }
        guard text.hasPrefix("id: "), let end = text.firstIndex(of: "\n"),
            let number = Int64(text[..<end].dropFirst(4))
        else { return nil }
        return .event(number: number, lines: String(text[end...].dropFirst()))
    }
}
