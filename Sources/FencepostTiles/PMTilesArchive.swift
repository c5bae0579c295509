import Foundation
import Synchronization

/// Tiles in one file with an index of their Hilbert numbers (PMTiles 3).
///
/// Source: https://github.com/protomaps/PMTiles/blob/main/spec/v3/spec.md.
final class PMTilesArchive: TileArchive {
    let info: TileInfo
    private let file: ArchiveFile
    private let header: PMTilesHeader
    private let root: PMTilesDirectory
    /// Leaf directories by their offset.
    private let leaves = Mutex<[UInt64: PMTilesDirectory]>([:])
    private static let cachedLeaves = 64
    /// The specification allows directories of directories; writers make one level.
    private static let largestDepth = 4
    private static let largestDirectory = 16 << 20

    init(_ path: String) throws {
        file = try ArchiveFile(path)
        header = try PMTilesHeader(try file.read(0, PMTilesHeader.count), path)
        root = try PMTilesDirectory(
            try Self.section(file, header.rootOffset, header.rootLength, header.directoryCompression), path)
        let metadata = try Self.section(
            file, header.metadataOffset, header.metadataLength, header.directoryCompression)
        let members = (try? JSONSerialization.jsonObject(with: Data(metadata))) as? [String: Any]
        info = TileInfo(
            format: header.format, zooms: header.zooms, attribution: members?["attribution"] as? String ?? "")
    }

    private static func section(
        _ file: ArchiveFile, _ offset: UInt64, _ length: UInt64, _ compression: PMTilesHeader.Compression
    ) throws -> [UInt8] {
        guard length <= UInt64(largestDirectory) else { throw file.damaged("a directory is too long") }
        return try unpack(try file.read(offset, Int(length)), compression, file, limit: largestDirectory)
    }

    private static func unpack(
        _ bytes: [UInt8], _ compression: PMTilesHeader.Compression, _ file: ArchiveFile, limit: Int
    ) throws -> [UInt8] {
        switch compression {
        case .none: return bytes
        case .gzip:
            guard let plain = Gzip.inflate(bytes, limit: limit) else { throw file.damaged("a part cannot be inflated") }
            return plain
        }
    }

    func tile(zoom: Int, column: Int, row: Int) async throws -> [UInt8]? {
        guard TileFile.exists(zoom: zoom, column: column, row: row), info.zooms.contains(zoom) else { return nil }
        let id = HilbertNumber.of(zoom: zoom, column: column, row: row)
        var directory = root
        for _ in 0..<Self.largestDepth {
            guard let entry = directory.entry(for: id) else { return nil }
            guard entry.runLength == 0 else {
                guard entry.length <= UInt64(TileFile.largestTile), entry.length > 0 else {
                    throw file.damaged("a tile is too long")
                }
                guard let end = file.sum(entry.offset, entry.length), end <= header.dataLength,
                    let start = file.sum(header.dataOffset, entry.offset)
                else { throw file.damaged("a tile lies outside the file") }
                return try Self.unpack(
                    try file.read(start, Int(entry.length)), header.tileCompression, file, limit: TileFile.largestTile)
            }
            directory = try leaf(entry)
        }
        throw file.damaged("its directories are nested too deeply")
    }

    private func leaf(_ entry: PMTilesDirectory.Entry) throws -> PMTilesDirectory {
        if let known = leaves.withLock({ $0[entry.offset] }) { return known }
        guard let end = file.sum(entry.offset, entry.length), end <= header.leavesLength,
            let start = file.sum(header.leavesOffset, entry.offset)
        else { throw file.damaged("a directory lies outside the file") }
        let bytes = try Self.section(file, start, entry.length, header.directoryCompression)
        let leaf = try PMTilesDirectory(bytes, file.path)
        leaves.withLock { leaves in
            if leaves.count >= Self.cachedLeaves { leaves.removeAll() }
            leaves[entry.offset] = leaf
        }
        return leaf
    }
}

/// The number of a tile: those of all lower zoom levels come first, then the position on the Hilbert curve.
enum HilbertNumber {
    static func of(zoom: Int, column: Int, row: Int) -> UInt64 {
        var (x, y) = (column, row)
        var number = ((UInt64(1) << UInt64(2 * zoom)) - 1) / 3
        let side = 1 << zoom
        var size = side / 2
        while size > 0 {
            let right = x & size > 0
            let down = y & size > 0
            let quadrant = (right ? 3 : 0) ^ (down ? 1 : 0)
            number += UInt64(size) * UInt64(size) * UInt64(quadrant)
            if !down {
                if right { (x, y) = (side - 1 - x, side - 1 - y) }
                swap(&x, &y)
            }
            size /= 2
        }
        return number
    }
}

/// A file that is open for reading at any position.
final class ArchiveFile: Sendable {
    let path: String
    private let descriptor: Int32
    private let length: UInt64

    init(_ path: String) throws {
        self.path = path
        descriptor = open(path, O_RDONLY | O_CLOEXEC)
        var status = stat()
        guard descriptor >= 0, fstat(descriptor, &status) == 0 else {
            let reason = String(cString: strerror(errno))
            if descriptor >= 0 { close(descriptor) }
            throw TileError("\(path) cannot be opened: \(reason).")
        }
        length = UInt64(max(0, status.st_size))
    }

    deinit {
        close(descriptor)
    }

    func damaged(_ reason: String) -> TileError { TileError("\(path) is no valid PMTiles file: \(reason).") }

    /// The sum of two numbers of a file; `nil` when it is too large.
    func sum(_ a: UInt64, _ b: UInt64) -> UInt64? {
        let (sum, isTooLarge) = a.addingReportingOverflow(b)
        return isTooLarge ? nil : sum
    }

    /// The bytes at an offset.
    ///
    /// - Throws: a `TileError` when the file ends before.
    func read(_ offset: UInt64, _ count: Int) throws -> [UInt8] {
        guard let end = sum(offset, UInt64(count)), end <= length else { throw damaged("it ends too early") }
        var bytes = [UInt8](repeating: 0, count: count)
        var done = 0
        while done < count {
            let start = done
            let result = bytes.withUnsafeMutableBytes { buffer in
                pread(descriptor, buffer.baseAddress.map { $0 + start }, count - start, off_t(offset) + off_t(start))
            }
            guard result > 0 else { throw damaged("it cannot be read") }
            done += result
        }
        return bytes
    }
}
