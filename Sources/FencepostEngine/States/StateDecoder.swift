import FencepostModel

/// Decodes the bytes of a `StateEncoder`.
struct StateDecoder: Decoder {
    private let input: StateInput
    /// Start of the value.
    private let offset: Int

    /// - Throws: a `StateError` for bytes that no `StateEncoder` wrote or that are damaged, and a `DecodingError` for bytes
    ///   of another type.
    static func decode<Value: Decodable>(_ type: Value.Type, from bytes: [UInt8]) throws -> Value {
        let input = try StateInput(bytes)
        let value = try type.init(from: StateDecoder(input, input.start))
        guard try input.end(of: input.start) == input.end else { throw StateError("bytes follow it") }
        return value
    }

    fileprivate init(_ input: StateInput, _ offset: Int) {
        (self.input, self.offset) = (input, offset)
    }

    var codingPath: [any CodingKey] { [] }
    var userInfo: [CodingUserInfoKey: Any] { [:] }

    func container<Key: CodingKey>(keyedBy type: Key.Type) throws -> KeyedDecodingContainer<Key> {
        KeyedDecodingContainer(try StateMemberReader(input, offset))
    }

    func unkeyedContainer() throws -> any UnkeyedDecodingContainer { try StateElementReader(input, offset) }

    func singleValueContainer() throws -> any SingleValueDecodingContainer {
        StateValueReader(input: input, offset: offset)
    }
}

/// The bytes, with access to the value at an offset.
private final class StateInput {
    private let bytes: [UInt8]
    /// By number; empty for names that this value does not use.
    private var names: [String] = []
    private(set) var start = 1
    let end: Int

    init(_ bytes: [UInt8]) throws {
        guard let version = bytes.first, bytes.count > StateBytes.sumLength else { throw StateError("it is empty") }
        guard version == StateBytes.version else { throw StateError("its version \(version) is not known here") }
        let end = bytes.count - StateBytes.sumLength
        let sum = bytes.withUnsafeBytes { StateBytes.sum(UnsafeRawBufferPointer(rebasing: $0[..<end])) }
        guard withUnsafeBytes(of: sum.littleEndian, { $0.elementsEqual(bytes[end...]) }) else {
            throw StateError("its checksum is wrong")
        }
        self.bytes = bytes
        self.end = end
        let count = try number(&start)
        for _ in 0..<count {
            let number = try number(&start)
            guard number < 1 << 16 else { throw StateError("there are too many names") }
            while names.count <= Int(number) { names.append("") }
            names[Int(number)] = try text(&start)
        }
    }

    func name(_ number: Int) -> String { names[number] }
    var nameCount: Int { names.count }

    func kind(_ offset: inout Int) throws -> StateBytes.Kind {
        guard offset < end, let kind = StateBytes.Kind(rawValue: bytes[offset]) else {
            throw StateError("a value has an unknown kind")
        }
        offset += 1
        return kind
    }

    func number(_ offset: inout Int) throws -> UInt64 {
        let number = try VariableLengthInteger.decode { () throws(StateError) in
            guard offset < end else { throw StateError("it ends too early") }
            defer { offset += 1 }
            return bytes[offset]
        }
        guard let number else { throw StateError("a number is too large") }
        return number
    }

    func bits(_ offset: inout Int, count: Int) throws -> UInt64 {
        guard end - offset >= count else { throw StateError("it ends too early") }
        var bits: UInt64 = 0
        for index in 0..<count { bits |= UInt64(bytes[offset + index]) << UInt64(8 * index) }
        offset += count
        return bits
    }

    /// Checks the length of a text, a list or an object against the end of the bytes.
    private func length(_ length: UInt64, from offset: Int) throws -> Int {
        guard length <= UInt64(end - offset) else { throw StateError("it ends too early") }
        return Int(length)
    }

    func text(_ offset: inout Int) throws -> String {
        let count = try length(try number(&offset), from: offset)
        defer { offset += count }
        guard let text = String(validating: bytes[offset..<offset + count], as: UTF8.self) else {
            throw StateError("a text is not UTF-8")
        }
        return text
    }

    /// The byte range of the contents of an object or a list.
    func contents(_ wanted: StateBytes.Kind, at offset: Int) throws -> Range<Int> {
        var offset = offset
        let kind = try kind(&offset)
        // An object without members is written as null.
        if kind == .null { return offset..<offset }
        guard kind == wanted else { throw mismatch("\(wanted)", kind) }
        let count = try length(try bits(&offset, count: StateBytes.lengthLength), from: offset)
        return offset..<offset + count
    }

    /// The end of a value.
    func end(of offset: Int) throws -> Int {
        var offset = offset
        switch try kind(&offset) {
        case .null, .false, .true: break
        case .signed, .unsigned: _ = try number(&offset)
        case .double: _ = try bits(&offset, count: 8)
        case .float: _ = try bits(&offset, count: 4)
        case .text: offset += try length(try number(&offset), from: offset)
        case .object, .list:
            offset += try length(try bits(&offset, count: StateBytes.lengthLength), from: offset)
        }
        return offset
    }

    func mismatch(_ wanted: String, _ kind: StateBytes.Kind) -> any Error {
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
        return try text(&offset)
    }

    func double(_ offset: Int) throws -> Double {
        var offset = offset
        let kind = try kind(&offset)
        guard kind == .double else { throw mismatch("a number", kind) }
        return Double(bitPattern: try bits(&offset, count: 8))
    }

    func float(_ offset: Int) throws -> Float {
        var offset = offset
        let kind = try kind(&offset)
        guard kind == .float else { throw mismatch("a short number", kind) }
        return Float(bitPattern: UInt32(try bits(&offset, count: 4)))
    }

    func integer<Number: FixedWidthInteger>(_ offset: Int) throws -> Number {
        var offset = offset
        let kind = try kind(&offset)
        let value: Number?
        switch kind {
        case .signed:
            let bits = try number(&offset)
            value = Number(exactly: Int64(bitPattern: bits >> 1) ^ -Int64(bitPattern: bits & 1))
        case .unsigned: value = Number(exactly: try number(&offset))
        default: throw mismatch("a whole number", kind)
        }
        guard let value else { throw StateError("a number is too large") }
        return value
    }

    func value<Value: Decodable>(_ offset: Int) throws -> Value { try Value(from: StateDecoder(self, offset)) }
}

private struct StateMemberReader<Key: CodingKey>: KeyedDecodingContainerProtocol {
    private let input: StateInput
    private var members: [(name: Int, offset: Int)] = []

    init(_ input: StateInput, _ offset: Int) throws {
        self.input = input
        let contents = try input.contents(.object, at: offset)
        var offset = contents.lowerBound
        while offset < contents.upperBound {
            let name = try input.number(&offset)
            guard name < UInt64(input.nameCount) else { throw StateError("a name is not in the list") }
            members.append((Int(name), offset))
            offset = try input.end(of: offset)
        }
    }

    var codingPath: [any CodingKey] { [] }
    var allKeys: [Key] { members.compactMap { Key(stringValue: input.name($0.name)) } }

    private func find(_ name: String) -> Int? { members.first { input.name($0.name) == name }?.offset }

    private func offset(_ key: Key) throws -> Int {
        guard let offset = find(key.stringValue) else {
            throw DecodingError.keyNotFound(
                key, DecodingError.Context(codingPath: [], debugDescription: "\(key.stringValue) is missing"))
        }
        return offset
    }

    func contains(_ key: Key) -> Bool { find(key.stringValue) != nil }
    func decodeNil(forKey key: Key) throws -> Bool { try input.isNull(try offset(key)) }
    func decode(_ type: Bool.Type, forKey key: Key) throws -> Bool { try input.bool(try offset(key)) }
    func decode(_ type: String.Type, forKey key: Key) throws -> String { try input.string(try offset(key)) }
    func decode(_ type: Double.Type, forKey key: Key) throws -> Double { try input.double(try offset(key)) }
    func decode(_ type: Float.Type, forKey key: Key) throws -> Float { try input.float(try offset(key)) }
    func decode(_ type: Int.Type, forKey key: Key) throws -> Int { try input.integer(try offset(key)) }
    func decode(_ type: Int8.Type, forKey key: Key) throws -> Int8 { try input.integer(try offset(key)) }
    func decode(_ type: Int16.Type, forKey key: Key) throws -> Int16 { try input.integer(try offset(key)) }
    func decode(_ type: Int32.Type, forKey key: Key) throws -> Int32 { try input.integer(try offset(key)) }
    func decode(_ type: Int64.Type, forKey key: Key) throws -> Int64 { try input.integer(try offset(key)) }
    func decode(_ type: UInt.Type, forKey key: Key) throws -> UInt { try input.integer(try offset(key)) }
    func decode(_ type: UInt8.Type, forKey key: Key) throws -> UInt8 { try input.integer(try offset(key)) }
    func decode(_ type: UInt16.Type, forKey key: Key) throws -> UInt16 { try input.integer(try offset(key)) }
    func decode(_ type: UInt32.Type, forKey key: Key) throws -> UInt32 { try input.integer(try offset(key)) }
    func decode(_ type: UInt64.Type, forKey key: Key) throws -> UInt64 { try input.integer(try offset(key)) }

    func decode<Value: Decodable>(_ type: Value.Type, forKey key: Key) throws -> Value {
        try input.value(try offset(key))
    }

    func nestedContainer<Nested: CodingKey>(
        keyedBy type: Nested.Type, forKey key: Key
    ) throws -> KeyedDecodingContainer<Nested> {
        KeyedDecodingContainer(try StateMemberReader<Nested>(input, try offset(key)))
    }

    func nestedUnkeyedContainer(forKey key: Key) throws -> any UnkeyedDecodingContainer {
        try StateElementReader(input, try offset(key))
    }

    func superDecoder() throws -> any Decoder {
        guard let offset = find("super") else { throw StateError("its super is missing") }
        return StateDecoder(input, offset)
    }

    func superDecoder(forKey key: Key) throws -> any Decoder { StateDecoder(input, try offset(key)) }
}

private struct StateElementReader: UnkeyedDecodingContainer {
    private let input: StateInput
    private var offset: Int
    private let end: Int
    private(set) var currentIndex = 0

    init(_ input: StateInput, _ offset: Int) throws {
        self.input = input
        let contents = try input.contents(.list, at: offset)
        (self.offset, end) = (contents.lowerBound, contents.upperBound)
    }

    var codingPath: [any CodingKey] { [] }
    var count: Int? { nil }
    var isAtEnd: Bool { offset >= end }

    /// Moves to the next element, and returns the start of the current one.
    private mutating func element() throws -> Int {
        guard offset < end else { throw StateError("a list ends too early") }
        defer { currentIndex += 1 }
        let start = offset
        offset = try input.end(of: offset)
        return start
    }

    mutating func decodeNil() throws -> Bool {
        guard offset < end, try input.isNull(offset) else { return false }
        _ = try element()
        return true
    }

    mutating func decode<Value: Decodable>(_ type: Value.Type) throws -> Value { try input.value(try element()) }

    mutating func nestedContainer<Nested: CodingKey>(
        keyedBy type: Nested.Type
    ) throws -> KeyedDecodingContainer<Nested> {
        KeyedDecodingContainer(try StateMemberReader<Nested>(input, try element()))
    }

    mutating func nestedUnkeyedContainer() throws -> any UnkeyedDecodingContainer {
        try StateElementReader(input, try element())
    }

    mutating func superDecoder() throws -> any Decoder { StateDecoder(input, try element()) }
}

private struct StateValueReader: SingleValueDecodingContainer {
    let input: StateInput
    let offset: Int

    var codingPath: [any CodingKey] { [] }

    func decodeNil() -> Bool { (try? input.isNull(offset)) ?? false }
    func decode(_ type: Bool.Type) throws -> Bool { try input.bool(offset) }
    func decode(_ type: String.Type) throws -> String { try input.string(offset) }
    func decode(_ type: Double.Type) throws -> Double { try input.double(offset) }
    func decode(_ type: Float.Type) throws -> Float { try input.float(offset) }
    func decode(_ type: Int.Type) throws -> Int { try input.integer(offset) }
    func decode(_ type: Int8.Type) throws -> Int8 { try input.integer(offset) }
    func decode(_ type: Int16.Type) throws -> Int16 { try input.integer(offset) }
    func decode(_ type: Int32.Type) throws -> Int32 { try input.integer(offset) }
    func decode(_ type: Int64.Type) throws -> Int64 { try input.integer(offset) }
    func decode(_ type: UInt.Type) throws -> UInt { try input.integer(offset) }
    func decode(_ type: UInt8.Type) throws -> UInt8 { try input.integer(offset) }
    func decode(_ type: UInt16.Type) throws -> UInt16 { try input.integer(offset) }
    func decode(_ type: UInt32.Type) throws -> UInt32 { try input.integer(offset) }
    func decode(_ type: UInt64.Type) throws -> UInt64 { try input.integer(offset) }
    func decode<Value: Decodable>(_ type: Value.Type) throws -> Value { try input.value(offset) }
}
