import Foundation

/// What a write-ahead log contains that SQLite does not apply (rule D8).
///
/// SQLite applies the frames up to the last commit before the first frame whose checksum is wrong, and silently ignores the
/// rest. Frames of an earlier use of the file follow in a sound log too; they have other salts.
///
/// Source: https://sqlite.org/fileformat2.html, section 4.
struct WriteAheadLog: Hashable, Sendable {
    /// Frames that SQLite applies.
    var applied = 0
    /// Frames of this use of the log after the first damaged one, that one included.
    var dropped = 0
    /// Commits among the dropped frames. With durability `full` one of them may be a commit that a power cut interrupted,
    /// which was not acknowledged.
    var droppedCommits = 0
    /// Byte at which the first damaged frame begins; `nil` in a sound log.
    var damage: Int?
    /// Whether the header is damaged, so that nothing is applied.
    var isHeaderDamaged = false

    private static let headerSize = 32
    private static let frameHeaderSize = 24

    /// Reads the log next to a database; `nil` when there is none. To be called before SQLite opens the database, which
    /// empties the log.
    init?(of database: String) {
        let descriptor = open(database + "-wal", O_RDONLY | O_CLOEXEC)
        guard descriptor >= 0 else { return nil }
        defer { close(descriptor) }
        self.init { bytes, offset in pread(descriptor, &bytes, bytes.count, off_t(offset)) }
    }

    /// - Parameter read: fills the buffer with the bytes from an offset on, and returns how many there were.
    init(_ read: (_ buffer: inout [UInt8], _ offset: Int) -> Int) {
        var header = [UInt8](repeating: 0, count: Self.headerSize)
        guard read(&header, 0) == header.count else { return }
        let magic = header.word(at: 0)
        let pageSize = Int(header.word(at: 8))
        let isBigEndian = magic & 1 == 1
        var sum = Checksum(isBigEndian: isBigEndian)
        sum.add(header[0..<24])
        guard magic & ~1 == 0x377F_0682, pageSize >= 512, pageSize <= 65_536, sum.matches(header, at: 24) else {
            // A log that was never used is empty or zero.
            isHeaderDamaged = header.contains { $0 != 0 }
            return
        }
        let salts = header[16..<24]
        var frame = [UInt8](repeating: 0, count: Self.frameHeaderSize + pageSize)
        var (offset, pending) = (Self.headerSize, 0)
        while read(&frame, offset) == frame.count {
            defer { offset += frame.count }
            // A frame of an earlier use.
            guard frame[8..<16] == salts else {
                if damage == nil { break }
                continue
            }
            let isCommit = frame.word(at: 4) != 0
            if damage == nil {
                var next = sum
                next.add(frame[0..<8])
                next.add(frame[Self.frameHeaderSize...])
                if next.matches(frame, at: 16) {
                    sum = next
                    pending += 1
                    if isCommit { (applied, pending) = (applied + pending, 0) }
                    continue
                }
                damage = offset
            }
            dropped += 1
            if isCommit { droppedCommits += 1 }
        }
    }

    /// A sentence for people; `nil` for a sound log.
    var problem: String? {
        if isHeaderDamaged {
            return "The header of the write-ahead log is damaged, so the commits in it are lost. "
                + "Compare with a backup, and run fencepost doctor."
        }
        guard let damage, droppedCommits > 0 else { return nil }
        return "The write-ahead log is damaged at byte \(damage): \(applied) frames before it are applied, and "
            + "\(droppedCommits) commit(s) in \(dropped) frames from there on are lost. After a power cut one unfinished "
            + "commit is normal; otherwise compare with a backup, and run fencepost doctor."
    }

    /// The checksum of the format: two sums over pairs of 32-bit words.
    private struct Checksum {
        let isBigEndian: Bool
        var first: UInt32 = 0
        var second: UInt32 = 0

        mutating func add(_ bytes: ArraySlice<UInt8>) {
            bytes.withUnsafeBytes { bytes in
                for offset in stride(from: 0, to: bytes.count - 7, by: 8) {
                    let a = bytes.loadUnaligned(fromByteOffset: offset, as: UInt32.self)
                    let b = bytes.loadUnaligned(fromByteOffset: offset + 4, as: UInt32.self)
                    first = first &+ (isBigEndian ? UInt32(bigEndian: a) : UInt32(littleEndian: a)) &+ second
                    second = second &+ (isBigEndian ? UInt32(bigEndian: b) : UInt32(littleEndian: b)) &+ first
                }
            }
        }

        func matches(_ bytes: [UInt8], at offset: Int) -> Bool {
            bytes.word(at: offset) == first && bytes.word(at: offset + 4) == second
        }
    }
}

extension [UInt8] {
    /// A big-endian 32-bit number.
    fileprivate func word(at offset: Int) -> UInt32 {
        self[offset..<offset + 4].reduce(0) { $0 << 8 | UInt32($1) }
    }
}
