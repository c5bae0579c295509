internal import FencepostModel

/// Reads lines of Fencepost's own locations: by the shapes that it has learnt from lines before, and in the slow way
/// where none fits; both say the same of every line.
struct LineDecoder: ~Copyable {
    /// May be others for the next lines.
    var rules: FixRules
    var names: DeviceNames
    private let parser = FixParser()
    private var shapes: [LineShape] = []
    /// The shape of the last line; shapes take turns in a stream that several programs write.
    private var current = 0
    /// How many lines did not fit. After some only now and then one is learnt from, for the sake of streams of ever new
    /// shapes.
    private(set) var misfits = 0
    private var clock = LineClock()
    /// How many fixes a block is likely to have: about as many as the one before.
    private var expected = 0
    /// Fixes of a run of lines. Kept so that its storage is.
    private var run: [LineFix] = []
    private let numbers = UnsafeMutablePointer<Double>.allocate(capacity: LineShape.Place.numberCount)
    /// A copy of a line behind which nothing can be read.
    private var copy: [UInt8] = []

    private static let mostShapes = 4
    private static let mostLessons = 64
    private static let lessonInterval = 256
    /// How many bytes have to be readable behind a line.
    static let padding = 32

    init(_ rules: FixRules, names: DeviceNames = DeviceNames()) {
        self.rules = rules
        self.names = names
    }

    deinit { numbers.deallocate() }

    /// The location of one line, which is not blank.
    mutating func location(of line: LineSplitter.Line) throws(Rejection) -> Location {
        var found: LineFix?
        if line.readable >= line.bytes.count + Self.padding, let start = line.bytes.baseAddress {
            found = shaped(start, end: start + line.bytes.count)
        } else {
            copy.removeAll(keepingCapacity: true)
            copy.append(contentsOf: line.bytes)
            copy.append(contentsOf: repeatElement(0, count: Self.padding))
            found = copy.withUnsafeBufferPointer { copy in
                copy.baseAddress.flatMap { shaped($0, end: $0 + line.bytes.count) }
            }
        }
        if let found { return location(found) }
        return try slowLocation(of: line)
    }

    /// The location that a fix of the shape that was read last stands for.
    private func location(_ fix: LineFix) -> Location {
        guard let device = fix.device >= 0 ? names.devices[Int(fix.device)] : rules.defaultDevice else {
            preconditionFailure("a fix of no device")
        }
        return fix.location(of: device, words: fix.words >= 0 ? shapes[current].constants : nil)
    }

    /// Reads a line in the slow way, and learns from it.
    mutating func slowLocation(of line: LineSplitter.Line) throws(Rejection) -> Location {
        let location = try rules.location(from: try parser.parse(line, names: &names))
        misfits += 1
        if misfits <= Self.mostLessons || misfits % Self.lessonInterval == 0 { learn(line.bytes, location) }
        return location
    }

    private mutating func learn(_ line: UnsafeBufferPointer<UInt8>, _ location: Location) {
        guard line.count <= 4096, let shape = LineShape(of: line, location: location) else { return }
        let place = shapes.count < Self.mostShapes ? shapes.count : (current + 1) % shapes.count
        let before = shapes
        if place == shapes.count { shapes.append(shape) } else { shapes[place] = shape }
        // The line itself is the first that is read by its shape.
        let copy = Array(line) + Array(repeating: 0, count: Self.padding)
        current = place
        let again = copy.withUnsafeBufferPointer { copy in
            copy.baseAddress.flatMap { read($0, end: $0 + line.count) }.map { self.location($0) }
        }
        if again != location {
            shapes = before
            current = 0
        }
    }

    /// Reads a line by the shape that fits it.
    private mutating func shaped(_ start: UnsafePointer<UInt8>, end: UnsafePointer<UInt8>) -> LineFix? {
        for _ in shapes.indices {
            if let fix = read(start, end: end) { return fix }
            current = (current + 1) % shapes.count
        }
        return nil
    }

    private mutating func read(_ start: UnsafePointer<UInt8>, end: UnsafePointer<UInt8>) -> LineFix? {
        var found: LineFix?
        let words: Int32 = shapes[current].constants.isEmpty ? -1 : 0
        _ = readRun(start, end: end, words: words) { found = $0 }
        return found
    }

    /// Reads line after line by the current shape, as long as they fit it.
    ///
    /// - Parameters:
    ///   - start: the start of a line.
    ///   - end: of the lines; `padding` bytes have to be readable behind it, of which the first is a zero or ends a line.
    ///   - words: what the fixes get for the words that they have.
    ///   - take: gets each fix; its record is not set.
    /// - Returns: the start of the first line that does not fit.
    @inline(__always)
    private mutating func readRun(
        _ start: UnsafePointer<UInt8>, end: UnsafePointer<UInt8>, words: Int32, take: (LineFix) -> Void
    ) -> UnsafePointer<UInt8> {
        let shape = shapes[current]
        guard shape.hasDevice || rules.defaultDevice != nil, shape.hasTime || !rules.requiresTimestamp else {
            return start
        }
        let earliest = shape.hasTime ? rules.earliest : Timestamp(milliseconds: 0)
        let latest = rules.latest
        var values = LineValues(numbers)
        var at = start
        shape.pieces.withUnsafeBufferPointer { pieces in
            shape.words.withUnsafeBufferPointer { literals in
                guard let literals = literals.baseAddress else { return }
                while at < end {
                    guard
                        let behind = LineShape.read(
                            at, pieces: pieces, words: literals, names: &names, clock: &clock, into: &values),
                        let next = Self.nextLine(behind, end: end), behind - at <= LineSplitter.limit,
                        let fix = Self.fix(values, words, earliest, latest)
                    else { return }
                    take(fix)
                    at = next
                }
            }
        }
        return at
    }

    /// - Returns: `nil` where the line goes on.
    @inline(__always)
    private static func nextLine(_ behind: UnsafePointer<UInt8>, end: UnsafePointer<UInt8>) -> UnsafePointer<UInt8>? {
        var next = behind
        if next < end, next.pointee == UInt8(ascii: "\r") { next += 1 }
        // The last line need not end.
        if next >= end { return end }
        return next.pointee == UInt8(ascii: "\n") ? next + 1 : nil
    }

    /// What `FixRules` makes of the values; `nil` for what it rejects, which the slow way says better.
    @inline(__always)
    private static func fix(
        _ values: LineValues, _ words: Int32, _ earliest: Timestamp, _ latest: Timestamp
    ) -> LineFix? {
        let (latitude, longitude) = (values[.latitude], values[.longitude])
        let accuracy = values[.horizontalAccuracy]
        guard abs(latitude) <= 90, abs(longitude) <= 180, !(accuracy < 0), values.time >= earliest,
            values.time <= latest
        else { return nil }
        let (vertical, level, course) = (values[.verticalAccuracy], values[.batteryLevel], values[.course])
        return LineFix(
            device: values.device, record: 0, timestamp: values.time, latitude: latitude, longitude: longitude,
            horizontalAccuracy: accuracy, altitude: values[.altitude],
            verticalAccuracy: vertical >= 0 ? vertical : .nan,
            speed: values[.speed], course: course >= 0 && course <= 360 ? (course == 360 ? 0 : course) : .nan,
            batteryLevel: level >= 0 && level <= 1 ? level : .nan, words: words)
    }
}

// MARK: Blocks of lines

extension LineDecoder {
    /// Reads all lines of a block.
    ///
    /// - Parameters:
    ///   - bytes: whole lines, the last of which need not end, and `padding` zeros.
    ///   - isStart: whether a byte order mark may come first.
    mutating func decode(
        _ bytes: UnsafeBufferPointer<UInt8>, count: Int, isStart: Bool, context: DecoderContext
    ) -> LineBlock {
        precondition(count + Self.padding <= bytes.count, "too little can be read behind the lines")
        var block = LineBlock()
        guard let start = bytes.baseAddress else { return block }
        block.fixes.reserveCapacity(expected)
        defer { expected = block.fixes.count + 16 }
        let end = start + count
        var at = start
        while at < end {
            at = readShaped(at, end: end, into: &block)
            if at < end { at = readOne(at, end: end, isFirst: isStart && at == start, into: &block, context) }
        }
        return block
    }

    /// Reads lines as long as they fit a shape.
    private mutating func readShaped(
        _ start: UnsafePointer<UInt8>, end: UnsafePointer<UInt8>, into block: inout LineBlock
    ) -> UnsafePointer<UInt8> {
        var at = start
        var tries = shapes.count
        while tries > 0, at < end {
            let constants = shapes[current].constants
            let words = constants.isEmpty ? -1 : block.place(of: constants)
            let before = block.fixes.count
            let record = block.recordCount
            at = readRun(at, end: end, words: words) { fix in
                var fix = fix
                fix.record = Int32(truncatingIfNeeded: record &+ block.fixes.count &- before)
                block.fixes.append(fix)
            }
            let count = block.fixes.count - before
            block.recordCount += count
            block.lineCount += count
            tries = count > 0 ? shapes.count : tries - 1
            if at < end { current = (current + 1) % shapes.count }
        }
        return at
    }

    /// Reads a line that fits no shape.
    private mutating func readOne(
        _ start: UnsafePointer<UInt8>, end: UnsafePointer<UInt8>, isFirst: Bool, into block: inout LineBlock,
        _ context: DecoderContext
    ) -> UnsafePointer<UInt8> {
        var next = end
        // Only the first line of a file may have a byte order mark.
        let number = isFirst ? 1 : block.lineCount + 2
        LineSplitter.cut(start, end: end, readable: end - start + Self.padding, number: number) { line, behind in
            next = behind
            block.lineCount += 1
            guard line.isTooLong || !line.isBlank else { return }
            do throws(Rejection) {
                guard !line.isTooLong else { throw Rejection.lineTooLong }
                let location = try slowLocation(of: line)
                let words = LineWords(of: location)
                block.fixes.append(
                    LineFix(
                        location, device: deviceNumber(of: location.deviceID), record: Int32(block.recordCount),
                        words: words.isEmpty ? -1 : block.place(of: words)))
            } catch {
                block.rejected.append((block.recordCount, context.diagnostic(error, at: .line(block.lineCount))))
            }
            block.recordCount += 1
        }
        return next
    }

    private mutating func deviceNumber(of device: DeviceID) -> Int32 {
        if device == rules.defaultDevice { return -1 }
        var name = device.rawValue
        return name.withUTF8 { try? names.number(of: $0) } ?? -1
    }
}

// MARK: Bodies of requests

extension LineDecoder {
    /// Reads the lines of a body, as far as they fit a shape; gives the others, which may be blank.
    ///
    /// The names must have room for all of the body: numbers of devices have to last from a line to the end of its run.
    ///
    /// - Parameters:
    ///   - found: gets the locations of lines that follow on each other.
    ///   - other: gets a line to be read by `location(of:)`.
    mutating func read(
        _ body: UnsafeBufferPointer<UInt8>, found: (consuming [Location]) -> Void,
        other: (LineSplitter.Line, inout LineDecoder) -> Void
    ) {
        guard let start = body.baseAddress else { return }
        let end = start + body.count
        // Lines that end so far before the end that something can be read behind each.
        let safeEnd = start + Self.lastLineEnd(in: body, before: body.count - Self.padding)
        var at = start
        while at < end {
            if at < safeEnd { at = readRuns(at, end: safeEnd, found) }
            guard at < end else { break }
            LineSplitter.cut(at, end: end, readable: end - at, number: at == start ? 1 : 2) { line, next in
                at = next
                other(line, &self)
            }
        }
    }

    private mutating func readRuns(
        _ start: UnsafePointer<UInt8>, end: UnsafePointer<UInt8>, _ found: (consuming [Location]) -> Void
    ) -> UnsafePointer<UInt8> {
        var at = start
        var tries = shapes.count
        while tries > 0, at < end {
            run.removeAll(keepingCapacity: true)
            var fixes: [LineFix] = []
            swap(&fixes, &run)
            at = readRun(at, end: end, words: shapes[current].constants.isEmpty ? -1 : 0) { fixes.append($0) }
            swap(&fixes, &run)
            if run.isEmpty {
                tries -= 1
            } else {
                tries = shapes.count
                found(run.map { location($0) })
            }
            if at < end { current = (current + 1) % shapes.count }
        }
        return at
    }

    /// Where the last line ends that does so before a place, as an offset; 0 where none does.
    private static func lastLineEnd(in body: UnsafeBufferPointer<UInt8>, before place: Int) -> Int {
        var place = place
        while place > 0, body[place - 1] != UInt8(ascii: "\n") { place -= 1 }
        return max(place, 0)
    }
}
