import FencepostGeometry
import FencepostModel

/// The bytes of one value, with access to the value at an offset.
struct StateInput: ~Copyable {
    private let bytes: [UInt8]
    private let names: StateNameList
    private let known: StateKnownNames
    let start: Int
    let end: Int
    /// By the low bits of the start of an object, where a reader of it was last. Readers cannot change themselves.
    private var cursors: [Cursor]
    /// What a reader found in a method that cannot throw.
    private(set) var failure: (any Error)?

    /// The start of an object, and that of one of its members.
    private struct Cursor {
        var object, member: Int
    }

    /// Cursors that are kept; a power of two, and more than the objects that are open at the same time.
    private static let cursorCount = 32

    init(_ bytes: [UInt8], _ known: StateKnownNames) throws {
        guard let version = bytes.first, bytes.count > StateBytes.sumLength else { throw StateError("it is empty") }
        guard version == StateBytes.version else { throw StateError("its version \(version) is not known here") }
        let end = bytes.count - StateBytes.sumLength
        let sum = bytes.withUnsafeBytes { StateBytes.sum(UnsafeRawBufferPointer(rebasing: $0[..<end])) }
        guard withUnsafeBytes(of: sum.littleEndian, { $0.elementsEqual(bytes[end...]) }) else {
            throw StateError("its checksum is wrong")
        }
        (names, start) = try known.names(of: bytes, end: end)
        self.bytes = bytes
        self.end = end
        self.known = known
        cursors = Array(repeating: Cursor(object: -1, member: 0), count: Self.cursorCount)
    }

    // MARK: Members

    /// The offset of the value with a name in an object; `nil` without it.
    ///
    /// The search starts at the last member that was asked for, because members are mostly read in the order in which they
    /// were written.
    mutating func find(_ name: String, in object: Range<Int>) throws -> Int? {
        guard let number = names.number(known.names.number(of: name)), !object.isEmpty else { return nil }
        let slot = object.lowerBound & (Self.cursorCount - 1)
        let cursor = cursors[slot]
        let first = cursor.object == object.lowerBound ? cursor.member : object.lowerBound
        guard
            let found = try find(number, from: first, to: object.upperBound)
                ?? find(number, from: object.lowerBound, to: first)
        else { return nil }
        cursors[slot] = Cursor(object: object.lowerBound, member: found.member)
        return found.value
    }

    private func find(_ number: Int, from start: Int, to end: Int) throws -> (member: Int, value: Int)? {
        var offset = start
        while offset < end {
            let member = offset
            if try self.name(&offset) == number { return (member, offset) }
            offset = try self.end(of: offset)
        }
        return nil
    }

    /// The names of the members of an object.
    func memberNames(of object: Range<Int>) throws -> [String] {
        var found: [String] = []
        var offset = object.lowerBound
        while offset < object.upperBound {
            found.append(known.names.list[names.names[try name(&offset)]])
            offset = try end(of: offset)
        }
        return found
    }

    /// The number of a name, which is in the list.
    private func name(_ offset: inout Int) throws -> Int {
        let number = try number(&offset)
        guard number < UInt64(names.names.count), names.names[Int(number)] >= 0 else {
            throw StateError("a name is not in the list")
        }
        return Int(number)
    }

    /// Notes an error for a method that cannot throw it. The first one fails the whole value in the end.
    mutating func fail(_ error: any Error) {
        if failure == nil { failure = error }
    }

    // MARK: Parts of values

    private func kind(_ offset: inout Int) throws -> StateBytes.Kind {
        guard offset < end, let kind = StateBytes.Kind(rawValue: bytes[offset]) else {
            throw StateError("a value has an unknown kind")
        }
        offset += 1
        return kind
    }

    private func number(_ offset: inout Int) throws -> UInt64 {
        // Most numbers are short.
        if offset < end, bytes[offset] < 0x80 {
            defer { offset += 1 }
            return UInt64(bytes[offset])
        }
        return try bytes.number(&offset, end: end)
    }

    private func bits<Bits: FixedWidthInteger & BitwiseCopyable>(_ offset: inout Int, as type: Bits.Type) throws -> Bits
    {
        let count = MemoryLayout<Bits>.size
        guard end - offset >= count else { throw StateError("it ends too early") }
        defer { offset += count }
        return Bits(littleEndian: bytes.withUnsafeBytes { $0.loadUnaligned(fromByteOffset: offset, as: type) })
    }

    /// The length of an object or a list in bytes.
    private func length(_ offset: inout Int) throws -> Int {
        let length = Int(try bits(&offset, as: UInt32.self))
        guard length <= end - offset else { throw StateError("it ends too early") }
        return length
    }

    /// The byte range of the contents of an object or a list.
    func contents(_ wanted: StateBytes.Kind, at offset: Int) throws -> Range<Int> {
        var offset = offset
        let kind = try kind(&offset)
        // An object without members is written as null.
        if kind == .null { return offset..<offset }
        guard kind == wanted else { throw mismatch("\(wanted)", kind) }
        let count = try length(&offset)
        return offset..<offset + count
    }

    /// The end of a value.
    func end(of offset: Int) throws -> Int {
        var offset = offset
        switch try kind(&offset) {
        case .null, .false, .true: break
        case .signed, .unsigned: _ = try number(&offset)
        case .double: _ = try bits(&offset, as: UInt64.self)
        case .float: _ = try bits(&offset, as: UInt32.self)
        case .text:
            let count = try number(&offset)
            guard count <= UInt64(end - offset) else { throw StateError("it ends too early") }
            offset += Int(count)
        case .object, .list:
            let count = try length(&offset)
            offset += count
        }
        return offset
    }

    private func mismatch(_ wanted: String, _ kind: StateBytes.Kind) -> any Error {
        DecodingError.dataCorrupted(
            DecodingError.Context(codingPath: [], debugDescription: "\(wanted) was expected, not \(kind)"))
    }

    // MARK: Values

    func isNull(_ offset: Int) throws -> Bool {
        var offset = offset
        return try kind(&offset) == .null
    }

    func bool(_ offset: Int) throws -> Bool {
        var offset = offset
        switch try kind(&offset) {
        case .true: return true
        case .false: return false
        case let kind: throw mismatch("true or false", kind)
        }
    }

    func string(_ offset: Int) throws -> String {
        var offset = offset
        let kind = try kind(&offset)
        guard kind == .text else { throw mismatch("a text", kind) }
        return try bytes.text(&offset, end: end)
    }

    /// No state of a device has a larger number. Earlier versions stored infinite ones and NaN after fixes with
    /// impossible accuracies; every later result would be NaN.
    private static let largestNumber = 1e15

    func double(_ offset: Int) throws -> Double {
        var offset = offset
        let kind = try kind(&offset)
        guard kind == .double else { throw mismatch("a number", kind) }
        return Double(bitPattern: try bits(&offset, as: UInt64.self)).bounded(by: Self.largestNumber)
    }

    func float(_ offset: Int) throws -> Float {
        var offset = offset
        let kind = try kind(&offset)
        guard kind == .float else { throw mismatch("a short number", kind) }
        return Float(bitPattern: try bits(&offset, as: UInt32.self)).bounded(by: Float(Self.largestNumber))
    }

    func integer<Number: FixedWidthInteger>(_ offset: Int) throws -> Number {
        var offset = offset
        let kind = try kind(&offset)
        let value: Number?
        switch kind {
        case .signed: value = Number(exactly: VariableLengthInteger.signed(zigzag: try number(&offset)))
        case .unsigned: value = Number(exactly: try number(&offset))
        case .null, .false, .true, .float, .double, .text, .list, .object: throw mismatch("a whole number", kind)
        }
        guard let value else { throw StateError("a number is too large") }
        return value
    }
}

/// The names that a decoder has met, with the lists of names that values start with.
///
/// The values of one encoder have few lists, and a list is about half of a value. The variables are not checked for
/// overlapping access: nothing here calls foreign code while one changes.
final class StateKnownNames {
    /// Of all lists and of all members that were asked for.
    @exclusivity(unchecked) var names = StateNames()
    @exclusivity(unchecked) private var lists: [StateNameList] = []
    /// The list that is replaced next.
    @exclusivity(unchecked) private var oldest = 0

    /// Lists that are kept.
    private static let listCount = 16

    /// The list of names at the start of a value's bytes, and where the list ends.
    func names(of bytes: [UInt8], end: Int) throws -> (StateNameList, end: Int) {
        names.begin()
        // The bytes of a list say where it ends, so nothing after it matters.
        if let list = lists.first(where: { $0.starts(bytes, end: end) }) { return (list, list.bytes.count) }
        let list = try StateNameList(bytes, end: end, &names)
        if lists.count < Self.listCount {
            lists.append(list)
        } else {
            lists[oldest] = list
            oldest = (oldest + 1) % Self.listCount
        }
        return (list, list.bytes.count)
    }
}

/// The list of names that a value starts with.
final class StateNameList {
    /// From the version to the end of the list.
    let bytes: [UInt8]
    /// Known names by their number in this list; -1 for numbers that it does not use.
    let names: [Int]
    /// The numbers in this list by known name; -1 for others.
    private let numbers: [Int]

    fileprivate init(_ bytes: [UInt8], end: Int, _ known: inout StateNames) throws {
        var names: [Int] = []
        var offset = 1
        let count = try bytes.number(&offset, end: end)
        for _ in 0..<count {
            let number = try bytes.number(&offset, end: end)
            guard number < 1 << 16 else { throw StateError("there are too many names") }
            while names.count <= Int(number) { names.append(-1) }
            names[Int(number)] = known.known(try bytes.text(&offset, end: end))
        }
        var numbers = [Int](repeating: -1, count: known.list.count)
        for (number, name) in names.enumerated() where name >= 0 { numbers[name] = number }
        (self.bytes, self.names, self.numbers) = (Array(bytes[..<offset]), names, numbers)
    }

    /// The number of a known name in this list; `nil` if no member has the name.
    func number(_ name: Int) -> Int? { name < numbers.count && numbers[name] >= 0 ? numbers[name] : nil }

    fileprivate func starts(_ other: [UInt8], end: Int) -> Bool {
        bytes.count <= end && other[..<bytes.count].elementsEqual(bytes)
    }
}

extension [UInt8] {
    @inline(__always)
    fileprivate func number(_ offset: inout Int, end: Int) throws -> UInt64 {
        // As `VariableLengthInteger.decode`, without a call for each byte.
        var (result, shift) = (UInt64(0), UInt64(0))
        while offset < end {
            let byte = self[offset]
            offset += 1
            guard shift < 63 || byte < 2 else { throw StateError("a number is too large") }
            result |= UInt64(byte & 0x7F) << shift
            if byte < 0x80 { return result }
            shift += 7
        }
        throw StateError("it ends too early")
    }

    fileprivate func text(_ offset: inout Int, end: Int) throws -> String {
        let count = try number(&offset, end: end)
        guard count <= UInt64(end - offset) else { throw StateError("it ends too early") }
        defer { offset += Int(count) }
        guard let text = String(validating: self[offset..<offset + Int(count)], as: UTF8.self) else {
            throw StateError("a text is not UTF-8")
        }
        return text
    }
}
