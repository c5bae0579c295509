internal import FencepostModel

/// Decodes lines of Fencepost's own locations. It learns how a program writes its lines and parses similar lines by
/// that shape; other lines take the full parser. Both give the same result for every line.
/// `docs/design/line-decoder.md` describes the design.
struct LineDecoder: ~Copyable {
    /// May change between lines.
    var rules: FixRules
    var names: DeviceNames
    private let parser = FixParser()
    private var shapes: [LineShape] = []
    /// The shape of the last line. In a stream from several programs the shapes alternate.
    private var current = 0
    /// The number of lines that fitted no shape. After `lessonLimit` of them only every `lessonInterval`th is learned
    /// from, which bounds the cost of streams whose shape changes all the time.
    private(set) var misfits = 0
    private var clock = LineClock()
    private var dropped = DroppedMembers()
    /// The expected number of fixes in a block: about that of the block before.
    private var expected = 0
    /// The fixes of a run of lines, kept to reuse the storage.
    private var run: [LineFix] = []
    private let numbers = UnsafeMutablePointer<Double>.allocate(capacity: LineShape.Field.numberCount)
    /// A copy of a line that has no readable bytes after it.
    private var copy: [UInt8] = []

    private static let maximumShapes = 4
    private static let lessonLimit = 64
    private static let lessonInterval = 256
    /// The number of bytes that must be readable after a line.
    static let padding = 32

    init(_ rules: FixRules, names: DeviceNames = DeviceNames()) {
        self.rules = rules
        self.names = names
    }

    deinit { numbers.deallocate() }

    /// Whether members were dropped since the last call of `takeDropped`.
    var hasDropped: Bool { !dropped.isEmpty }

    /// Returns the members that were dropped since the last call.
    mutating func takeDropped() -> DroppedMembers {
        defer { dropped = DroppedMembers() }
        return dropped
    }

    /// The location of one line, which is not blank.
    mutating func location(of line: LineSplitter.Line) throws(Rejection) -> Location {
        var found: LineFix?
        if line.readable >= line.bytes.count + Self.padding, let start = line.bytes.baseAddress {
            found = readByShape(start, end: start + line.bytes.count)
        } else {
            copy.removeAll(keepingCapacity: true)
            copy.append(contentsOf: line.bytes)
            copy.append(contentsOf: repeatElement(0, count: Self.padding))
            found = copy.withUnsafeBufferPointer { copy in
                copy.baseAddress.flatMap { readByShape($0, end: $0 + line.bytes.count) }
            }
        }
        if let found { return location(found) }
        return try parsedLocation(of: line)
    }

    /// The location of a fix of the current shape.
    private func location(_ fix: LineFix) -> Location {
        guard let device = fix.device >= 0 ? names.devices[Int(fix.device)] : rules.defaultDevice else {
            preconditionFailure("a fix without a device")
        }
        return fix.location(of: device, constants: fix.constantsIndex >= 0 ? shapes[current].constants : nil)
    }

    /// Decodes a line by the full parser and learns from it.
    mutating func parsedLocation(of line: LineSplitter.Line) throws(Rejection) -> Location {
        var dropped = DroppedMembers()
        let location = try rules.location(from: try parser.parse(line, names: &names), dropping: &dropped)
        misfits += 1
        guard dropped.isEmpty else {
            // Such a line is always parsed in full, since only this counts what is dropped.
            self.dropped.add(dropped)
            return location
        }
        if misfits <= Self.lessonLimit || misfits % Self.lessonInterval == 0 { learn(line.bytes, location) }
        return location
    }

    private mutating func learn(_ line: UnsafeBufferPointer<UInt8>, _ location: Location) {
        guard line.count <= 4096, let shape = LineShape(of: line, location: location) else { return }
        let index = shapes.count < Self.maximumShapes ? shapes.count : (current + 1) % shapes.count
        let before = shapes
        if index == shapes.count { shapes.append(shape) } else { shapes[index] = shape }
        // The shape must give the same location for its own line.
        let copy = Array(line) + Array(repeating: 0, count: Self.padding)
        current = index
        let again = copy.withUnsafeBufferPointer { copy in
            copy.baseAddress.flatMap { read($0, end: $0 + line.count) }.map { self.location($0) }
        }
        if again != location {
            shapes = before
            current = 0
        }
    }

    /// Decodes a line by a shape that fits it.
    private mutating func readByShape(_ start: UnsafePointer<UInt8>, end: UnsafePointer<UInt8>) -> LineFix? {
        for _ in shapes.indices {
            if let fix = read(start, end: end) { return fix }
            current = (current + 1) % shapes.count
        }
        return nil
    }

    private mutating func read(_ start: UnsafePointer<UInt8>, end: UnsafePointer<UInt8>) -> LineFix? {
        var found: LineFix?
        let constantsIndex: Int32 = shapes[current].constants.isEmpty ? -1 : 0
        _ = readRun(start, end: end, constantsIndex: constantsIndex) { found = $0 }
        return found
    }

    /// Decodes consecutive lines by the current shape, as long as they fit.
    ///
    /// - Parameters:
    ///   - start: the start of a line.
    ///   - end: the end of the lines; `padding` bytes must be readable after it, the first a zero or a line ending.
    ///   - constantsIndex: the index of constants for the fixes.
    ///   - take: receives each fix; its record is not set.
    /// - Returns: the start of the first line that does not fit.
    @inline(__always)
    private mutating func readRun(
        _ start: UnsafePointer<UInt8>, end: UnsafePointer<UInt8>, constantsIndex: Int32, take: (LineFix) -> Void
    ) -> UnsafePointer<UInt8> {
        let shape = shapes[current]
        guard shape.hasDevice || rules.defaultDevice != nil, shape.hasTime || !rules.requiresTimestamp else {
            return start
        }
        let earliest = shape.hasTime ? rules.earliest : Timestamp(milliseconds: 0)
        let latest = rules.latest
        var values = LineValues(numbers)
        var cursor = start
        shape.literals.withUnsafeBufferPointer { literals in
            shape.words.withUnsafeBufferPointer { words in
                guard let words = words.baseAddress else { return }
                while cursor < end {
                    guard
                        let lineEnd = LineShape.read(
                            cursor, literals: literals, words: words, names: &names, clock: &clock, into: &values),
                        let next = Self.nextLine(lineEnd, end: end), lineEnd - cursor <= LineSplitter.limit,
                        let fix = Self.fix(values, constantsIndex, earliest, latest)
                    else { return }
                    take(fix)
                    cursor = next
                }
            }
        }
        return cursor
    }

    /// - Returns: `nil` where the line continues.
    @inline(__always)
    private static func nextLine(_ lineEnd: UnsafePointer<UInt8>, end: UnsafePointer<UInt8>) -> UnsafePointer<UInt8>? {
        var next = lineEnd
        if next < end, next.pointee == UInt8(ascii: "\r") { next += 1 }
        // The last line may lack a line ending.
        if next >= end { return end }
        return next.pointee == UInt8(ascii: "\n") ? next + 1 : nil
    }

    /// The fix for the values by `FixRules`; `nil` where they reject it, because the full parser gives the reason.
    @inline(__always)
    private static func fix(
        _ values: LineValues, _ constantsIndex: Int32, _ earliest: Timestamp, _ latest: Timestamp
    ) -> LineFix? {
        let (latitude, longitude) = (values[.latitude], values[.longitude])
        let (accuracy, altitude) = (values[.horizontalAccuracy], values[.altitude])
        let (vertical, level, course) = (values[.verticalAccuracy], values[.batteryLevel], values[.course])
        // An absent number is NaN, which fails every comparison. The full parser names what is dropped.
        guard latitude.magnitude <= 90, longitude.magnitude <= 180, !(accuracy < 0), values.time >= earliest,
            values.time <= latest, !(accuracy > ValueLimits.accuracy.upperBound),
            !(altitude < ValueLimits.altitude.lowerBound), !(altitude > ValueLimits.altitude.upperBound),
            !(vertical > ValueLimits.accuracy.upperBound), !(values[.speed] > ValueLimits.speed.upperBound),
            !(course > ValueLimits.course.upperBound), !(level > ValueLimits.batteryLevel.upperBound)
        else { return nil }
        return LineFix(
            device: values.device, record: 0, timestamp: values.time, latitude: latitude, longitude: longitude,
            horizontalAccuracy: accuracy, altitude: altitude, verticalAccuracy: vertical >= 0 ? vertical : .nan,
            speed: values[.speed], course: course >= 0 ? (course == 360 ? 0 : course) : .nan,
            batteryLevel: level >= 0 ? level : .nan, constantsIndex: constantsIndex)
    }
}

// MARK: Blocks of lines

extension LineDecoder {
    /// An empty block with room for about as many fixes as the one before has.
    func emptyBlock() -> LineBlock {
        var block = LineBlock()
        block.fixes.reserveCapacity(expected)
        return block
    }

    /// Decodes lines that follow those of a block.
    ///
    /// `bytes` are complete lines of `count` bytes and `padding` more, which are zeros if the last line has no line ending.
    /// `isStart` is whether a byte order mark may come first.
    mutating func decode(
        _ bytes: UnsafeBufferPointer<UInt8>, count: Int, isStart: Bool, into block: inout LineBlock,
        context: DecoderContext
    ) {
        precondition(count + Self.padding <= bytes.count, "too few bytes are readable after the lines")
        guard let start = bytes.baseAddress else { return }
        defer { expected = block.fixes.count + 16 }
        let end = start + count
        var cursor = start
        while cursor < end {
            cursor = readFittingLines(cursor, end: end, into: &block)
            if cursor < end {
                cursor = readOtherLine(cursor, end: end, isFirst: isStart && cursor == start, into: &block, context)
            }
        }
    }

    /// Decodes lines as long as they fit a shape.
    private mutating func readFittingLines(
        _ start: UnsafePointer<UInt8>, end: UnsafePointer<UInt8>, into block: inout LineBlock
    ) -> UnsafePointer<UInt8> {
        var cursor = start
        var tries = shapes.count
        while tries > 0, cursor < end {
            let constants = shapes[current].constants
            let constantsIndex = constants.isEmpty ? -1 : block.index(of: constants)
            let before = block.fixes.count
            let record = block.recordCount
            cursor = readRun(cursor, end: end, constantsIndex: constantsIndex) { fix in
                var fix = fix
                fix.record = Int32(truncatingIfNeeded: record &+ block.fixes.count &- before)
                block.fixes.append(fix)
            }
            let count = block.fixes.count - before
            block.recordCount += count
            block.lineCount += count
            tries = count > 0 ? shapes.count : tries - 1
            if cursor < end { current = (current + 1) % shapes.count }
        }
        return cursor
    }

    /// Decodes one line that fits no shape.
    private mutating func readOtherLine(
        _ start: UnsafePointer<UInt8>, end: UnsafePointer<UInt8>, isFirst: Bool, into block: inout LineBlock,
        _ context: DecoderContext
    ) -> UnsafePointer<UInt8> {
        var next = end
        // Only the first line of a file may have a byte order mark.
        let number = isFirst ? 1 : block.lineCount + 2
        LineSplitter.takeLine(start, end: end, readable: end - start + Self.padding, number: number) { line, lineEnd in
            next = lineEnd
            block.lineCount += 1
            guard line.isTooLong || !line.isBlank else { return }
            do throws(Rejection) {
                guard !line.isTooLong else { throw Rejection.lineTooLong }
                let location = try parsedLocation(of: line)
                let constants = LineConstants(of: location)
                block.fixes.append(
                    LineFix(
                        location, device: deviceNumber(of: location.deviceID), record: Int32(block.recordCount),
                        constantsIndex: constants.isEmpty ? -1 : block.index(of: constants)))
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
    /// Decodes the lines of a body that fit a shape, and passes on the others, which may be blank.
    ///
    /// The names must have room for the whole body: a device's number must stay valid until the end of its run. `found`
    /// receives the locations of consecutive lines, and `other` a line for `location(of:)`.
    mutating func read(
        _ body: UnsafeBufferPointer<UInt8>, found: (consuming [Location]) -> Void,
        other: (LineSplitter.Line, inout LineDecoder) -> Void
    ) {
        guard let start = body.baseAddress else { return }
        let end = start + body.count
        // The end of the last line that has `padding` readable bytes after it.
        let safeEnd = start + Self.lastLineEnd(in: body, before: body.count - Self.padding)
        var cursor = start
        while cursor < end {
            if cursor < safeEnd { cursor = readRuns(cursor, end: safeEnd, found) }
            guard cursor < end else { break }
            LineSplitter.takeLine(cursor, end: end, readable: end - cursor, number: cursor == start ? 1 : 2) {
                line, next in
                cursor = next
                other(line, &self)
            }
        }
    }

    private mutating func readRuns(
        _ start: UnsafePointer<UInt8>, end: UnsafePointer<UInt8>, _ found: (consuming [Location]) -> Void
    ) -> UnsafePointer<UInt8> {
        var cursor = start
        var tries = shapes.count
        while tries > 0, cursor < end {
            run.removeAll(keepingCapacity: true)
            var fixes: [LineFix] = []
            swap(&fixes, &run)
            cursor = readRun(cursor, end: end, constantsIndex: shapes[current].constants.isEmpty ? -1 : 0) {
                fixes.append($0)
            }
            swap(&fixes, &run)
            if run.isEmpty {
                tries -= 1
            } else {
                tries = shapes.count
                found(run.map { location($0) })
            }
            if cursor < end { current = (current + 1) % shapes.count }
        }
        return cursor
    }

    /// The offset after the last line ending before an offset; 0 if there is none.
    private static func lastLineEnd(in body: UnsafeBufferPointer<UInt8>, before limit: Int) -> Int {
        var offset = limit
        while offset > 0, body[offset - 1] != UInt8(ascii: "\n") { offset -= 1 }
        return max(offset, 0)
    }
}
