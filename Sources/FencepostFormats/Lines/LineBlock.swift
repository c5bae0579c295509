public import FencepostModel

#if canImport(Darwin)
    internal import Darwin
#else
    internal import Glibc
#endif

/// What a block of lines holds.
public struct LineBlock: Sendable {
    /// In the order of their lines.
    public internal(set) var fixes: [LineFix] = []
    /// The records that are no locations, each with its place among the records; its line counts from the block's first.
    public internal(set) var rejected: [(record: Int, diagnostic: Diagnostic)] = []
    /// The good and the bad.
    public internal(set) var recordCount = 0
    public internal(set) var lineCount = 0
    /// The devices that the decoder met here first: their numbers go on from those before.
    public internal(set) var newDevices: [DeviceID] = []
    private var words: [LineWords] = []

    /// The location that a fix stands for.
    ///
    /// - Parameter device: the one of the fix's number.
    @inline(__always)
    public func location(_ fix: LineFix, of device: DeviceID) -> Location {
        fix.location(of: device, words: fix.words >= 0 ? words[Int(fix.words)] : nil)
    }

    mutating func place(of constants: LineWords) -> Int32 {
        // A stream has few, or hardly any twice.
        if let place = words.suffix(4).lastIndex(of: constants) { return Int32(place) }
        words.append(constants)
        return Int32(words.count - 1)
    }
}

/// Reads blocks of a file of lines, in any order: each block has the lines that begin in its stretch of the file.
///
/// Several readers read one file at the same time; each numbers the devices as it meets them.
public struct LineBlockReader: ~Copyable {
    private var decoder: LineDecoder
    private var context: DecoderContext
    private var buffer: [UInt8] = []
    private var toldDevices = 0

    /// - Parameter rules: which fixes are taken.
    public init(rules: FixRules) {
        decoder = LineDecoder(rules, names: DeviceNames(capacity: .max))
        context = DecoderContext(rules: rules)
    }

    /// Reads the lines that begin in a stretch of a file.
    ///
    /// - Parameter stretch: in bytes of the file, not empty, within its bounds.
    /// - Throws: when the file can no longer be opened or read.
    public mutating func read(_ stretch: Range<Int>, of file: LineFile) throws(ByteSourceError) -> LineBlock {
        let source = try LineFileDescriptor(path: file.name)
        let (descriptor, bounds) = (source.descriptor, file.bounds)
        context.fileName = file.name
        // One byte before tells whether the first line begins here.
        let isStart = stretch.lowerBound == bounds.lowerBound
        let first = isStart ? stretch.lowerBound : stretch.lowerBound - 1
        buffer.removeAll(keepingCapacity: true)
        try fill(from: descriptor, first..<stretch.upperBound)
        var start = 0
        if !isStart {
            guard let end = buffer.firstIndex(of: 0x0A) else { return LineBlock() }
            start = end + 1
        }
        // No line begins here.
        guard start < buffer.count else { return LineBlock() }
        if buffer.last != 0x0A { try fillLine(from: descriptor, stretch.upperBound..<bounds.upperBound) }
        let count = buffer.count - start
        buffer.append(contentsOf: repeatElement(0, count: LineDecoder.padding))
        var block = buffer.withUnsafeBufferPointer { buffer in
            decoder.decode(
                UnsafeBufferPointer(rebasing: buffer[start...]), count: count, isStart: isStart, context: context)
        }
        block.newDevices = Array(decoder.names.devices[toldDevices...])
        toldDevices = decoder.names.devices.count
        return block
    }

    /// Reads on to the end of the last line, or as far as it takes to see that it is too long.
    private mutating func fillLine(from descriptor: Int32, _ rest: Range<Int>) throws(ByteSourceError) {
        let lineStart = buffer.lastIndex(of: 0x0A).map { $0 + 1 } ?? 0
        var next = rest.lowerBound
        // A little more than may be: a byte order mark and a carriage return do not count.
        while next < rest.upperBound, buffer.count - lineStart <= LineSplitter.limit + 4 {
            let before = buffer.count
            let end = min(next + 4096, rest.upperBound)
            try fill(from: descriptor, next..<end)
            if let lineEnd = buffer[before...].firstIndex(of: 0x0A) {
                buffer.removeLast(buffer.count - lineEnd - 1)
                return
            }
            guard buffer.count == before + end - next else { return }
            next = end
        }
    }

    /// Appends a part of the file; less of it where the file has become shorter.
    private mutating func fill(from descriptor: Int32, _ part: Range<Int>) throws(ByteSourceError) {
        let before = buffer.count
        buffer.append(contentsOf: repeatElement(0, count: part.count))
        var done = 0
        while done < part.count {
            let count = buffer.withUnsafeMutableBytes { bytes in
                pread(
                    descriptor, bytes.baseAddress.map { $0 + before + done }, part.count - done, part.lowerBound + done)
            }
            if count < 0, errno == EINTR { continue }
            guard count >= 0 else { throw ByteSourceError(number: errno) }
            if count == 0 { break }
            done += count
        }
        buffer.removeLast(part.count - done)
    }
}
