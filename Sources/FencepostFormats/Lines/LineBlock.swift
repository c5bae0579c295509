public import FencepostModel

#if canImport(Darwin)
    internal import Darwin
#else
    internal import Glibc
#endif

/// The content of a block of lines.
public struct LineBlock: Sendable {
    /// In the order of their lines.
    public internal(set) var fixes: [LineFix] = []
    /// The invalid records, each with its index among the records. Line numbers count from the start of the block.
    public internal(set) var rejected: [(record: Int, diagnostic: Diagnostic)] = []
    /// The members beyond their ranges, which the fixes are without (rule L10).
    public internal(set) var dropped = DroppedMembers()
    /// Valid and invalid records.
    public internal(set) var recordCount = 0
    /// All lines, blank ones included.
    public internal(set) var lineCount = 0
    /// The devices that the decoder met first in this block; their numbers continue the previous ones.
    public internal(set) var newDevices: [DeviceID] = []
    private var constants: [LineConstants] = []

    /// The location of a fix of this block; the device is the one with the fix's number.
    @inline(__always)
    public func location(_ fix: LineFix, of device: DeviceID) -> Location {
        fix.location(of: device, constants: fix.constantsIndex >= 0 ? constants[Int(fix.constantsIndex)] : nil)
    }

    /// The index of constants in the block, which are added if they are not among the last four.
    mutating func index(of new: LineConstants) -> Int32 {
        // A stream has few distinct ones, or almost all are distinct.
        if let index = constants.suffix(4).lastIndex(of: new) { return Int32(index) }
        constants.append(new)
        return Int32(constants.count - 1)
    }
}

/// Reads blocks of a file of lines, in any order. A block consists of the lines that begin in its byte range.
///
/// Several readers can read one file at the same time; each numbers devices in the order in which it meets them.
public struct LineBlockReader: ~Copyable {
    private var decoder: LineDecoder
    private var context: DecoderContext
    /// What was read last, and earlier bytes beyond `filled`: zeros each time would take longer.
    private var buffer: [UInt8] = []
    private var filled = 0
    private var reportedDevices = 0

    /// - Parameter rules: which fixes are accepted.
    public init(rules: FixRules) {
        decoder = LineDecoder(rules, names: DeviceNames(capacity: .max))
        context = DecoderContext(rules: rules)
    }

    /// Reads the lines that begin in a byte range of a file.
    ///
    /// - Parameters:
    ///   - byteRange: not empty, within the file's bounds.
    ///   - file: the file; it is opened and closed again.
    /// - Returns: the lines, each of them complete; empty if none begins in the range.
    /// - Throws: if the file can no longer be opened or read.
    public mutating func read(_ byteRange: Range<Int>, of file: LineFile) throws(ByteSourceError) -> LineBlock {
        let source = try LineFileDescriptor(path: file.name)
        let (descriptor, bounds) = (source.descriptor, file.bounds)
        context.fileName = file.name
        // The preceding byte tells whether the first line begins here.
        var isStart = byteRange.lowerBound == bounds.lowerBound
        var skipsLine = !isStart
        var next = isStart ? byteRange.lowerBound : byteRange.lowerBound - 1
        var block = decoder.emptyBlock()
        filled = 0
        while next < byteRange.upperBound {
            let end = min(next + Self.portion, byteRange.upperBound)
            try fill(from: descriptor, next..<end)
            next = end
            var start = 0
            if skipsLine {
                guard let lineEnd = buffer[..<filled].firstIndex(of: 0x0A) else {
                    filled = 0
                    continue
                }
                start = lineEnd + 1
                skipsLine = false
            }
            if next == byteRange.upperBound, start < filled, buffer[filled - 1] != 0x0A {
                try fillLine(from: descriptor, byteRange.upperBound..<bounds.upperBound)
            }
            let lineEnd: Int
            if next == byteRange.upperBound {
                lineEnd = filled
            } else if let last = buffer[start..<filled].lastIndex(of: 0x0A) {
                lineEnd = last + 1
            } else {
                lineEnd = start
            }
            if start < lineEnd {
                makeRoom(for: LineDecoder.padding)
                if lineEnd == filled { for offset in 0..<LineDecoder.padding { buffer[filled + offset] = 0 } }
                buffer.withUnsafeBufferPointer { buffer in
                    decoder.decode(
                        UnsafeBufferPointer(rebasing: buffer[start..<lineEnd + LineDecoder.padding]),
                        count: lineEnd - start, isStart: isStart, into: &block, context: context)
                }
                isStart = false
            }
            // The beginning of the next line, which the next portion continues.
            if lineEnd > 0 { for offset in lineEnd..<filled { buffer[offset - lineEnd] = buffer[offset] } }
            filled -= lineEnd
        }
        block.dropped = decoder.takeDropped()
        block.newDevices = Array(decoder.names.devices[reportedDevices...])
        reportedDevices = decoder.names.devices.count
        return block
    }

    /// Bytes that are read and decoded at a time: few enough to stay in the cache of a core.
    private static let portion = 1 << 18

    /// Reads to the end of the last line, or until it is known to be too long.
    private mutating func fillLine(from descriptor: Int32, _ rest: Range<Int>) throws(ByteSourceError) {
        let lineStart = buffer[..<filled].lastIndex(of: 0x0A).map { $0 + 1 } ?? 0
        var next = rest.lowerBound
        // A little more than the limit, because a byte order mark and a carriage return do not count.
        while next < rest.upperBound, filled - lineStart <= LineSplitter.limit + 4 {
            let before = filled
            let end = min(next + 4096, rest.upperBound)
            try fill(from: descriptor, next..<end)
            if let lineEnd = buffer[before..<filled].firstIndex(of: 0x0A) {
                filled = lineEnd + 1
                return
            }
            guard filled == before + end - next else { return }
            next = end
        }
    }

    /// Appends a range of the file; less of it if the file was truncated.
    private mutating func fill(from descriptor: Int32, _ part: Range<Int>) throws(ByteSourceError) {
        makeRoom(for: part.count)
        var done = 0
        while done < part.count {
            let end = filled
            let count = buffer.withUnsafeMutableBytes { bytes in
                pread(descriptor, bytes.baseAddress.map { $0 + end }, part.count - done, part.lowerBound + done)
            }
            if count < 0, errno == EINTR { continue }
            guard count >= 0 else { throw ByteSourceError(number: errno) }
            if count == 0 { break }
            done += count
            filled += count
        }
    }

    private mutating func makeRoom(for count: Int) {
        let missing = filled + count - buffer.count
        if missing > 0 { buffer.append(contentsOf: repeatElement(0, count: missing)) }
    }
}
