/// Reads single files out of an `.ipa`, which is a zip archive, in Swift alone.
///
/// It reads what Xcode and stores write: stored and deflated files, without encryption, below 4 GiB.
struct AppArchive {
    private let bytes: [UInt8]
    private let entries: [Entry]

    private static let entryLimit = 10_000

    /// What is wrong with an archive, as a sentence.
    struct Corrupt: Error {
        let message: String
    }

    private struct Entry {
        var name: String
        var flags, method: Int
        var crc: UInt32
        var packed, size, header: Int
    }

    /// Reads the directory of an archive, which is at its end.
    init(_ bytes: [UInt8]) throws(Corrupt) {
        self.bytes = bytes
        // The record at the end has 22 bytes, and a comment behind them.
        let first = max(0, bytes.count - 22 - 0xFFFF)
        guard bytes.count >= 22,
            let end = (first...bytes.count - 22).last(where: { Self.number(bytes, $0, 4) == 0x0605_4b50 })
        else { throw Corrupt(message: "the archive is corrupt or incomplete: it has no directory at its end") }
        let count = Self.number(bytes, end + 10, 2) ?? 0
        guard count <= Self.entryLimit else {
            throw Corrupt(message: "the archive has more than \(Self.entryLimit) entries")
        }
        var position = Self.number(bytes, end + 16, 4) ?? 0
        var entries: [Entry] = []
        for _ in 0..<count {
            guard Self.number(bytes, position, 4) == 0x0201_4b50, let flags = Self.number(bytes, position + 8, 2),
                let method = Self.number(bytes, position + 10, 2), let crc = Self.number(bytes, position + 16, 4),
                let packed = Self.number(bytes, position + 20, 4), let size = Self.number(bytes, position + 24, 4),
                let nameLength = Self.number(bytes, position + 28, 2),
                let extra = Self.number(bytes, position + 30, 2), let comment = Self.number(bytes, position + 32, 2),
                let header = Self.number(bytes, position + 42, 4), position + 46 + nameLength <= bytes.count
            else { throw Corrupt(message: "the archive is corrupt or incomplete: its directory ends too early") }
            let name = String(decoding: bytes[(position + 46)..<(position + 46 + nameLength)], as: UTF8.self)
            entries.append(
                Entry(
                    name: name, flags: flags, method: method, crc: UInt32(crc), packed: packed, size: size,
                    header: header))
            position += 46 + nameLength + extra + comment
        }
        self.entries = entries
    }

    /// The files whose names a filter accepts, in the order of the archive.
    ///
    /// - Parameters:
    ///   - maximumSize: the most bytes that a file may have; beyond 16 MiB it may be 200 times as large as the archive.
    ///   - accepts: chooses files by their names.
    /// - Returns: names and contents.
    /// - Throws: what is wrong with the archive or a file, as for a file above the size.
    func members(
        maximumSize: Int, where accepts: (String) -> Bool
    ) throws(Corrupt) -> [(name: String, bytes: [UInt8])] {
        let limit = min(maximumSize, max(1 << 24, 200 * bytes.count))
        var members: [(name: String, bytes: [UInt8])] = []
        for entry in entries where accepts(entry.name) {
            members.append((entry.name, try contents(of: entry, limit: limit)))
        }
        return members
    }

    private func contents(of entry: Entry, limit: Int) throws(Corrupt) -> [UInt8] {
        guard entry.flags & 1 == 0 else { throw Corrupt(message: "\(entry.name) in the archive is encrypted") }
        guard entry.size <= limit else {
            throw Corrupt(message: "\(entry.name) in the archive has more than \(limit) bytes")
        }
        let corrupt = Corrupt(message: "\(entry.name) in the archive is corrupt")
        guard Self.number(bytes, entry.header, 4) == 0x0403_4b50,
            let nameLength = Self.number(bytes, entry.header + 26, 2),
            let extra = Self.number(bytes, entry.header + 28, 2)
        else { throw corrupt }
        let start = entry.header + 30 + nameLength + extra
        guard start + entry.packed <= bytes.count else { throw corrupt }
        let packed = bytes[start..<(start + entry.packed)]
        let contents: [UInt8]
        switch entry.method {
        case 0: contents = Array(packed)
        case 8:
            guard let inflated = Inflate.contents(of: packed, size: entry.size) else { throw corrupt }
            contents = inflated
        default: throw Corrupt(message: "\(entry.name) in the archive is packed by method \(entry.method)")
        }
        guard contents.count == entry.size, Self.checksum(contents) == entry.crc else { throw corrupt }
        return contents
    }

    /// A number with its lowest byte first; `nil` behind the end.
    private static func number(_ bytes: [UInt8], _ start: Int, _ count: Int) -> Int? {
        guard start >= 0, start + count <= bytes.count else { return nil }
        return (0..<count).reduce(0) { $0 | Int(bytes[start + $1]) << (8 * $1) }
    }

    private static let table: [UInt32] = (0..<256).map { index in
        (0..<8).reduce(UInt32(index)) { value, _ in value & 1 == 1 ? value >> 1 ^ 0xEDB8_8320 : value >> 1 }
    }

    /// The CRC-32 of ISO 3309.
    private static func checksum(_ bytes: [UInt8]) -> UInt32 {
        ~bytes.reduce(~0) { table[Int(truncatingIfNeeded: ($0 ^ UInt32($1)) & 0xFF)] ^ $0 >> 8 }
    }
}
