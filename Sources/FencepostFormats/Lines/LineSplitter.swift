#if canImport(Darwin)
    internal import Darwin
#else
    internal import Glibc
#endif

/// Splits a stream of bytes into lines, independent of how the stream is divided into reads.
struct LineSplitter {
    struct Line {
        /// Without its line ending and without a byte order mark.
        var bytes: UnsafeBufferPointer<UInt8>
        /// The number of readable bytes from the start of the line, including its own.
        var readable: Int
        /// From 1.
        var number: Int
        /// Longer than the limit; the bytes are then empty.
        var isTooLong: Bool
    }

    /// The maximum length of a line of locations in bytes: 64 KiB.
    static let limit = 65_536

    private let limit: Int
    /// The start of a line whose end has not arrived.
    private var carry: [UInt8] = []
    /// Whether the line has exceeded the limit, so the rest is discarded.
    private var isSkipping = false
    private var number = 1

    init(limit: Int = LineSplitter.limit) {
        self.limit = limit
    }

    /// Takes the next bytes and passes on every line that ends in them.
    mutating func feed(_ chunk: UnsafeBufferPointer<UInt8>, _ body: (Line) -> Void) {
        guard let base = chunk.baseAddress else { return }
        var start = 0
        while start < chunk.count {
            guard let found = memchr(base + start, 0x0A, chunk.count - start) else { break }
            let end = UnsafeRawPointer(found) - UnsafeRawPointer(base)
            let part = UnsafeBufferPointer(rebasing: chunk[start..<end])
            if carry.isEmpty && !isSkipping {
                emit(part, readable: chunk.count - start, body)
            } else {
                keep(part)
                emitCarry(body)
            }
            start = end + 1
        }
        keep(UnsafeBufferPointer(rebasing: chunk[start...]))
    }

    /// Passes on the last line if it has no line ending.
    mutating func finish(_ body: (Line) -> Void) {
        if !carry.isEmpty || isSkipping { emitCarry(body) }
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

    private mutating func emitCarry(_ body: (Line) -> Void) {
        let line = carry
        carry.removeAll(keepingCapacity: true)
        if isSkipping {
            isSkipping = false
            body(Line(bytes: UnsafeBufferPointer(start: nil, count: 0), readable: 0, number: number, isTooLong: true))
            number += 1
        } else {
            line.withUnsafeBufferPointer { emit($0, readable: $0.count, body) }
        }
    }

    private mutating func emit(_ line: UnsafeBufferPointer<UInt8>, readable: Int, _ body: (Line) -> Void) {
        body(Line(line, readable: readable, number: number, limit: limit))
        number += 1
    }

    /// Passes on the line at `start`, and the start of the next line.
    ///
    /// `end` is the end of all lines, and `readable` is the number of readable bytes from the start.
    static func takeLine(
        _ start: UnsafePointer<UInt8>, end: UnsafePointer<UInt8>, readable: Int, number: Int,
        _ body: (Line, _ next: UnsafePointer<UInt8>) -> Void
    ) {
        let found = memchr(start, 0x0A, end - start)
        let count = found.map { UnsafeRawPointer($0) - UnsafeRawPointer(start) } ?? end - start
        let line = UnsafeBufferPointer(start: start, count: count)
        body(Line(line, readable: readable, number: number, limit: limit), found == nil ? end : start + count + 1)
    }
}

extension LineSplitter.Line {
    /// The content of a line that is given without its line feed.
    fileprivate init(_ line: UnsafeBufferPointer<UInt8>, readable: Int, number: Int, limit: Int) {
        var (start, end) = (0, line.count)
        if number == 1, line.starts(with: [0xEF, 0xBB, 0xBF]) { start = 3 }
        if end > start, line[end - 1] == 0x0D { end -= 1 }
        bytes = UnsafeBufferPointer(rebasing: line[start..<end])
        self.readable = readable - start
        self.number = number
        isTooLong = bytes.count > limit
    }
}
