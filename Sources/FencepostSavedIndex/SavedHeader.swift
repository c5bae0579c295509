import FencepostFiles

/// The first bytes of a saved index: what it is, and where its sections are.
///
/// 64 bytes, then 32 bytes for each section. All numbers are in the byte order of the computer that wrote them, as the
/// sections are.
struct SavedHeader {
    /// One section of a file.
    struct Entry {
        var id: UInt32
        var offset, byteCount: UInt64
        var hash: UInt64
    }

    /// `fpindex` and a byte that text has not.
    static let magic: UInt64 = 0x00_7865_646E_6970_66
    /// Rises with every change of the format.
    static let format: UInt32 = 1
    static let byteOrder: UInt32 = 0x0102_0304
    private static let fixedSize = 64
    private static let entrySize = 32
    /// More sections than any version has.
    private static let mostSections = 256

    var entries: [Entry]
    /// The size of the whole file.
    var fileSize: UInt64

    /// The size of a header of that many sections in bytes.
    static func byteCount(sections: Int) -> Int { fixedSize + entrySize * sections }

    /// The bytes of the header.
    var bytes: [UInt8] {
        var table: [UInt64] = []
        for entry in entries { table += [UInt64(entry.id), entry.offset, entry.byteCount, entry.hash] }
        let hash = table.withUnsafeBytes { ContentHash.hash($0) }
        let versions = UInt64(Self.byteOrder) | UInt64(Self.format) << 32
        // Swapped as a whole on a computer with another byte order.
        let words = [Self.magic.littleEndian, versions, fileSize, UInt64(entries.count), hash, 0, 0, 0] + table
        return words.withUnsafeBytes { Array($0) }
    }

    /// Reads the header of a file.
    init(_ file: MappedFile, name: String) throws(SavedIndexError) {
        guard let start = file.part(at: 0, byteCount: UInt64(Self.fixedSize))?.bytes.bindMemory(to: UInt64.self),
            UInt64(littleEndian: start[0]) == Self.magic
        else { throw SavedIndexError(.noIndex, "\(name) is no index that \"fencepost index\" has written.") }
        let (byteOrder, format) = (UInt32(truncatingIfNeeded: start[1]), UInt32(start[1] >> 32))
        guard byteOrder == Self.byteOrder else {
            if UInt32(truncatingIfNeeded: start[1].byteSwapped) == Self.byteOrder {
                throw SavedIndexError(
                    .otherByteOrder, "\(name) was written on a computer with another byte order: write it again here.")
            }
            throw Self.damaged(name)
        }
        guard format == Self.format else { throw Self.otherVersion(name) }
        guard start[2] == UInt64(file.byteCount), start[3] <= UInt64(Self.mostSections),
            let table = file.part(at: UInt64(Self.fixedSize), byteCount: start[3] * UInt64(Self.entrySize)),
            ContentHash.hash(table.bytes) == start[4]
        else { throw Self.damaged(name) }
        fileSize = start[2]
        let words = table.bytes.bindMemory(to: UInt64.self)
        entries = stride(from: 0, to: words.count, by: 4).map {
            Entry(
                id: UInt32(truncatingIfNeeded: words[$0]), offset: words[$0 + 1], byteCount: words[$0 + 2],
                hash: words[$0 + 3])
        }
    }

    init(entries: [Entry], fileSize: UInt64) { (self.entries, self.fileSize) = (entries, fileSize) }

    /// A file with the hashes that fit its content, so that tests get past them with content that nobody wrote.
    ///
    /// Bytes without a header are returned unchanged.
    static func withHashes(_ file: [UInt8]) -> [UInt8] {
        var file = file
        func word(_ offset: Int) -> UInt64 {
            file.withUnsafeBytes { $0.loadUnaligned(fromByteOffset: offset, as: UInt64.self) }
        }
        func set(_ offset: Int, _ word: UInt64) {
            withUnsafeBytes(of: word) { for (index, byte) in $0.enumerated() { file[offset + index] = byte } }
        }
        guard file.count >= fixedSize else { return file }
        set(16, UInt64(file.count))
        let count = Int(min(word(24), UInt64(mostSections)))
        guard file.count >= byteCount(sections: count) else { return file }
        for entry in stride(from: fixedSize, to: byteCount(sections: count), by: entrySize) {
            let (offset, size) = (word(entry + 8), word(entry + 16))
            guard offset <= UInt64(file.count), size <= UInt64(file.count) - offset else { continue }
            set(
                entry + 24,
                file.withUnsafeBytes {
                    ContentHash.hash(UnsafeRawBufferPointer(rebasing: $0[Int(offset)..<Int(offset + size)]))
                })
        }
        let table = file.withUnsafeBytes {
            ContentHash.hash(UnsafeRawBufferPointer(rebasing: $0[fixedSize..<byteCount(sections: count)]))
        }
        set(32, table)
        return file
    }

    static func damaged(_ name: String) -> SavedIndexError {
        SavedIndexError(.damaged, "\(name) is damaged: write it again with \"fencepost index\".")
    }

    static func otherVersion(_ name: String) -> SavedIndexError {
        SavedIndexError(
            .otherVersion, "\(name) was written by another version of Fencepost: write it again with this one.")
    }
}
