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

    /// The most bytes that a line of locations may have: 64 KiB.
    static let limit = 65_536

    private let limit: Int
    /// The part of a line whose end has not come yet.
    private var carry: [UInt8] = []
    /// Whether the line has outgrown the limit, so that the rest of it is not kept.
    private var isSkipping = false
    private var number = 1

    init(limit: Int = LineSplitter.limit) {
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
        body(Line(line, readable: readable, number: number, limit: limit))
        number += 1
    }

    /// Gives the line that begins at a place, and where the next one does.
    ///
    /// - Parameters:
    ///   - end: of all lines.
    ///   - readable: how many bytes can be read from the start.
    static func cut(
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
    /// - Parameter line: without its line feed.
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
