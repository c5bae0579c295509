#if canImport(Darwin)
    internal import Darwin
#else
    internal import Glibc
#endif

/// Cuts a stream of bytes into lines, however the stream was cut into reads.
struct LineSplitter {
    struct Line {
        /// Without its end, and without a byte order mark.
        var bytes: UnsafeBufferPointer<UInt8>
        /// How many bytes can be read from the start of the line, its own among them.
        var readable: Int
        /// From 1.
        var number: Int
        /// Longer than the limit; the bytes are then missing.
        var isTooLong: Bool
    }

    private let limit: Int
    /// The part of a line whose end has not come yet.
    private var carry: [UInt8] = []
    /// Whether the line has outgrown the limit, so that the rest of it is not kept.
    private var isSkipping = false
    private var number = 1

    /// 64 KiB are the most that a line of locations may have.
    init(limit: Int = 65_536) {
        self.limit = limit
    }

    /// Takes the next bytes and gives every line that ends in them.
    mutating func feed(_ chunk: UnsafeBufferPointer<UInt8>, _ body: (Line) -> Void) {
        guard let base = chunk.baseAddress else { return }
        var start = 0
        while start < chunk.count {
            guard let found = memchr(base + start, 0x0A, chunk.count - start) else { break }
            let end = UnsafeRawPointer(found) - UnsafeRawPointer(base)
            let part = UnsafeBufferPointer(rebasing: chunk[start..<end])
            if carry.isEmpty && !isSkipping {
                give(part, readable: chunk.count - start, body)
            } else {
                keep(part)
                giveCarry(body)
            }
            start = end + 1
        }
        keep(UnsafeBufferPointer(rebasing: chunk[start...]))
    }

    /// Gives the last line where it has no end.
    mutating func finish(_ body: (Line) -> Void) {
        if !carry.isEmpty || isSkipping { giveCarry(body) }
    }

    private mutating func keep(_ part: UnsafeBufferPointer<UInt8>) {
        guard !isSkipping else { return }
        // One more for the CR of a line that just fits, three for a byte order mark.
        if carry.count + part.count > limit + 4 {
            isSkipping = true
            carry.removeAll(keepingCapacity: true)
        } else {
            carry.append(contentsOf: part)
        }
    }

    private mutating func giveCarry(_ body: (Line) -> Void) {
        let line = carry
        carry.removeAll(keepingCapacity: true)
        if isSkipping {
            isSkipping = false
            body(Line(bytes: UnsafeBufferPointer(start: nil, count: 0), readable: 0, number: number, isTooLong: true))
            number += 1
        } else {
            line.withUnsafeBufferPointer { give($0, readable: $0.count, body) }
        }
    }

    private mutating func give(_ line: UnsafeBufferPointer<UInt8>, readable: Int, _ body: (Line) -> Void) {
        var (start, end) = (0, line.count)
        if number == 1, line.starts(with: [0xEF, 0xBB, 0xBF]) { start = 3 }
        if end > start, line[end - 1] == 0x0D { end -= 1 }
        let bytes = UnsafeBufferPointer(rebasing: line[start..<end])
        body(Line(bytes: bytes, readable: readable - start, number: number, isTooLong: bytes.count > limit))
        number += 1
    }
}
