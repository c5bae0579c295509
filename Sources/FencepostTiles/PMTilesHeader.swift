/// The first 127 bytes of a PMTiles file.
struct PMTilesHeader {
    enum Compression { case none, gzip }

    static let count = 127

    let rootOffset, rootLength, metadataOffset, metadataLength: UInt64
    let leavesOffset, leavesLength, dataOffset, dataLength: UInt64
    let directoryCompression, tileCompression: Compression
    let format: TileInfo.Format
    let zooms: ClosedRange<Int>

    init(_ bytes: [UInt8], _ path: String) throws {
        guard bytes.count == Self.count, bytes.prefix(7).elementsEqual("PMTiles".utf8) else {
            throw TileError("\(path) is no PMTiles file.")
        }
        guard bytes[7] == 3 else {
            throw TileError("\(path) is a PMTiles file of version \(bytes[7]); only 3 is read.")
        }
        func number(_ offset: Int) -> UInt64 {
            (0..<8).reduce(0) { $0 | UInt64(bytes[offset + $1]) << UInt64(8 * $1) }
        }
        (rootOffset, rootLength, metadataOffset, metadataLength) = (number(8), number(16), number(24), number(32))
        (leavesOffset, leavesLength, dataOffset, dataLength) = (number(40), number(48), number(56), number(64))
        directoryCompression = try Self.compression(bytes[97], path)
        tileCompression = try Self.compression(bytes[98], path)
        switch bytes[99] {
        case 1: format = .vector
        case 2: format = .png
        case 3: format = .jpeg
        case 4: format = .webp
        case 5: format = .avif
        default: throw TileError("\(path) does not say of which format its tiles are.")
        }
        let (low, high) = (Int(bytes[100]), Int(bytes[101]))
        guard low <= high, high <= TileFile.largestZoom else {
            throw TileError("\(path) has impossible zoom levels: \(low) to \(high).")
        }
        zooms = low...high
    }

    private static func compression(_ byte: UInt8, _ path: String) throws -> Compression {
        switch byte {
        case 0, 1: .none
        case 2: .gzip
        default:
            throw TileError("\(path) is compressed with brotli or Zstandard; only gzip and no compression are read.")
        }
    }
}

/// A directory of a PMTiles file: entries sorted by their first tile.
struct PMTilesDirectory: Sendable {
    struct Entry: Sendable {
        var id: UInt64
        /// The number of consecutive tiles with the same image; 0 for a leaf directory.
        var runLength: UInt64 = 0
        var length: UInt64 = 0
        var offset: UInt64 = 0
    }

    private let entries: [Entry]

    init(_ bytes: [UInt8], _ path: String) throws {
        var position = 0
        func number() throws -> UInt64 {
            var value: UInt64 = 0
            for shift in stride(from: UInt64(0), to: 64, by: 7) {
                guard position < bytes.count else { break }
                let byte = bytes[position]
                position += 1
                value |= UInt64(byte & 0x7F) << shift
                if byte < 0x80 { return value }
            }
            throw TileError("\(path) is no valid PMTiles file: a directory is damaged.")
        }
        let count = try number()
        // Each entry has four numbers of at least one byte.
        guard count <= UInt64(bytes.count / 4) else {
            throw TileError("\(path) is no valid PMTiles file: a directory has too many entries.")
        }
        var entries: [Entry] = []
        entries.reserveCapacity(Int(count))
        var id: UInt64 = 0
        for _ in 0..<count {
            id = id &+ (try number())
            entries.append(Entry(id: id))
        }
        for index in entries.indices { entries[index].runLength = try number() }
        for index in entries.indices { entries[index].length = try number() }
        for index in entries.indices {
            let value = try number()
            if value > 0 {
                entries[index].offset = value - 1
            } else if index > 0 {
                entries[index].offset = entries[index - 1].offset &+ entries[index - 1].length
            }
        }
        self.entries = entries
    }

    /// The entry of a tile, or of the leaf directory that has it.
    func entry(for id: UInt64) -> Entry? {
        var (low, high) = (0, entries.count)
        while low < high {
            let middle = (low + high) / 2
            if entries[middle].id <= id { low = middle + 1 } else { high = middle }
        }
        guard low > 0 else { return nil }
        let entry = entries[low - 1]
        return entry.runLength == 0 || id - entry.id < entry.runLength ? entry : nil
    }
}
