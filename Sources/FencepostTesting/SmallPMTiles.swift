public import Foundation

/// Writes a PMTiles file with one directory and without compression.
public struct SmallPMTiles {
    /// The tiles, by their number on the curve of the format.
    public var tiles: [(number: UInt64, bytes: [UInt8])]
    /// 1 for vector tiles, 2 for PNG.
    public var type: UInt8 = 2
    /// 1 for none, 2 for gzip.
    public var compression: UInt8 = 1

    /// A file of tiles whose numbers rise.
    public init(_ tiles: [(UInt64, [UInt8])]) {
        self.tiles = tiles.map { (number: $0.0, bytes: $0.1) }
    }

    private static func variable(_ value: UInt64) -> [UInt8] {
        var (value, bytes): (UInt64, [UInt8]) = (value, [])
        while value >= 0x80 {
            bytes.append(UInt8(value & 0x7F) | 0x80)
            value >>= 7
        }
        return bytes + [UInt8(value)]
    }

    /// The bytes of the file.
    public var data: Data {
        var directory = Self.variable(UInt64(tiles.count))
        var last: UInt64 = 0
        for tile in tiles {
            directory += Self.variable(tile.number - last)
            last = tile.number
        }
        for _ in tiles { directory += Self.variable(1) }
        for tile in tiles { directory += Self.variable(UInt64(tile.bytes.count)) }
        for index in tiles.indices { directory += Self.variable(index == 0 ? 1 : 0) }
        let content = tiles.flatMap(\.bytes)
        let metadata = Array("{}".utf8)
        var bytes = Array("PMTiles".utf8) + [3]
        let end = UInt64(127 + directory.count + metadata.count)
        let numbers: [UInt64] = [
            127, UInt64(directory.count), UInt64(127 + directory.count), UInt64(metadata.count), end, 0, end,
            UInt64(content.count), UInt64(tiles.count), UInt64(tiles.count), UInt64(tiles.count),
        ]
        for number in numbers { bytes += (0..<8).map { UInt8(truncatingIfNeeded: number >> UInt64(8 * $0)) } }
        bytes += [1, compression, 1, type, 0, 12]
        bytes += [UInt8](repeating: 0, count: 127 - bytes.count)
        return Data(bytes + directory + metadata + content)
    }
}
