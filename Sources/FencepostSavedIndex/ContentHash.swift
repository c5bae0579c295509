import Dispatch
import FencepostModel
import Synchronization

/// A hash of bytes that distinguishes files which were not made to have the same one.
///
/// It is as fast as memory on all processors. Accidents are found as by any hash of 64 bits; against an attacker, who can
/// as well write another hash, it does nothing.
enum ContentHash {
    /// The bytes that one thread takes at a time.
    private static let chunk = 1 << 20

    /// The hash of bytes; that of no bytes is one too.
    static func hash(_ bytes: UnsafeRawBufferPointer) -> UInt64 {
        let count = (bytes.count + chunk - 1) / chunk
        let start = UInt(bitPattern: bytes.baseAddress)
        let total = bytes.count
        let parts = Mutex([UInt64](repeating: 0, count: count))
        DispatchQueue.concurrentPerform(iterations: count) { index in
            let first = index * chunk
            let part = UnsafeRawBufferPointer(
                start: UnsafeRawPointer(bitPattern: start + UInt(first)), count: min(chunk, total - first))
            let hash = hash(chunk: part)
            parts.withLock { $0[index] = hash }
        }
        return parts.withLock { $0.reduce(WordHash.combine(seed, UInt64(total)), WordHash.combine) }
    }

    private static let seed: UInt64 = 0x6A09_E667_F3BC_C908

    /// Four lanes, because a multiplication takes as long as four of them at the same time.
    private static func hash(chunk bytes: UnsafeRawBufferPointer) -> UInt64 {
        var (a, b, c, d) = (seed, seed &+ 1, seed &+ 2, seed &+ 3)
        let stripes = bytes.count / 32
        for stripe in 0..<stripes {
            let offset = stripe * 32
            a = WordHash.combine(a, bytes.loadUnaligned(fromByteOffset: offset, as: UInt64.self))
            b = WordHash.combine(b, bytes.loadUnaligned(fromByteOffset: offset + 8, as: UInt64.self))
            c = WordHash.combine(c, bytes.loadUnaligned(fromByteOffset: offset + 16, as: UInt64.self))
            d = WordHash.combine(d, bytes.loadUnaligned(fromByteOffset: offset + 24, as: UInt64.self))
        }
        for offset in stripes * 32..<bytes.count { a = WordHash.combine(a, UInt64(bytes[offset]) &+ 1) }
        return [b, c, d, UInt64(bytes.count)].reduce(a, WordHash.combine)
    }
}
