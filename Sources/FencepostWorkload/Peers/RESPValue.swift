/// A value of RESP, the protocol of Redis (version 2), which Tile38 speaks.
public indirect enum RESPValue: Hashable, Sendable {
    /// A short answer such as `OK`.
    case simple(String)
    /// An answer that says why a command failed.
    case error(String)
    /// A number.
    case integer(Int)
    /// A text of any length; `nil` for none.
    case bulk(String?)
    /// Several values; `nil` for none.
    case array([RESPValue]?)

    /// The bytes of a command.
    public static func command(_ words: [String]) -> [UInt8] {
        var text = "*\(words.count)\r\n"
        for word in words { text += "$\(word.utf8.count)\r\n\(word)\r\n" }
        return Array(text.utf8)
    }

    /// The text of a simple or a bulk value; `nil` for others.
    public var text: String? {
        switch self {
        case .simple(let text): text
        case .bulk(let text): text
        case .error, .integer, .array: nil
        }
    }
}

/// Takes values of RESP from bytes as they arrive.
public struct RESPReader: Sendable {
    /// Bytes that are not RESP.
    public struct Malformed: Error, Hashable, Sendable {
        /// The first byte of the value.
        public let byte: UInt8
    }

    private var bytes: [UInt8] = []
    private var position = 0

    /// A reader without bytes.
    public init() {}

    /// Adds bytes that have arrived.
    public mutating func append(_ more: some Sequence<UInt8>) {
        if position > 1 << 16 {
            bytes.removeFirst(position)
            position = 0
        }
        bytes.append(contentsOf: more)
    }

    /// The next value; `nil` if it has not arrived whole.
    public mutating func next() throws(Malformed) -> RESPValue? {
        let start = position
        guard let value = try value() else {
            position = start
            return nil
        }
        return value
    }

    private mutating func value() throws(Malformed) -> RESPValue? {
        guard let line = line(), let kind = line.first else { return nil }
        let text = String(decoding: line.dropFirst(), as: UTF8.self)
        switch kind {
        case UInt8(ascii: "+"): return .simple(text)
        case UInt8(ascii: "-"): return .error(text)
        case UInt8(ascii: ":"):
            guard let number = Int(text) else { throw Malformed(byte: kind) }
            return .integer(number)
        case UInt8(ascii: "$"):
            guard let count = Int(text), count >= -1, count <= 1 << 29 else { throw Malformed(byte: kind) }
            guard count >= 0 else { return .bulk(nil) }
            guard bytes.count - position >= count + 2 else { return nil }
            defer { position += count + 2 }
            return .bulk(String(decoding: bytes[position..<position + count], as: UTF8.self))
        case UInt8(ascii: "*"):
            guard let count = Int(text), count >= -1, count <= 1 << 20 else { throw Malformed(byte: kind) }
            guard count >= 0 else { return .array(nil) }
            var values: [RESPValue] = []
            for _ in 0..<count {
                guard let value = try value() else { return nil }
                values.append(value)
            }
            return .array(values)
        default: throw Malformed(byte: kind)
        }
    }

    /// The bytes up to the end of a line, which is taken too; `nil` if it has not arrived.
    private mutating func line() -> ArraySlice<UInt8>? {
        guard let end = bytes[position...].firstIndex(of: UInt8(ascii: "\n")) else { return nil }
        defer { position = end + 1 }
        return bytes[position..<end].dropLast(end > position && bytes[end - 1] == UInt8(ascii: "\r") ? 1 : 0)
    }
}
