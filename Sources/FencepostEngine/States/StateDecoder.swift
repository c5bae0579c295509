/// Reads what `StateEncoder` wrote.
struct StateDecoder: Decoder {
    private let input: StateInput
    /// Where the value begins.
    private let place: Int

    /// - Throws: a `StateError` for bytes that `StateEncoder` did not write or that were changed since, and a
    ///   `DecodingError` where they are another value.
    static func decode<Value: Decodable>(_ type: Value.Type, from bytes: [UInt8]) throws -> Value {
        let input = try StateInput(bytes)
        let value = try type.init(from: StateDecoder(input, input.start))
        guard try input.end(of: input.start) == input.end else { throw StateError("something follows on it") }
        return value
    }

    fileprivate init(_ input: StateInput, _ place: Int) {
        (self.input, self.place) = (input, place)
    }

    var codingPath: [any CodingKey] { [] }
    var userInfo: [CodingUserInfoKey: Any] { [:] }

    func container<Key: CodingKey>(keyedBy type: Key.Type) throws -> KeyedDecodingContainer<Key> {
        KeyedDecodingContainer(try StateMemberReader(input, place))
    }

    func unkeyedContainer() throws -> any UnkeyedDecodingContainer { try StateElementReader(input, place) }

    func singleValueContainer() throws -> any SingleValueDecodingContainer {
        StateValueReader(input: input, place: place)
    }
}

/// The bytes, and what can be asked of a place in them.
private final class StateInput {
    private let bytes: [UInt8]
    /// By number; empty ones are of other values.
    private var names: [String] = []
    private(set) var start = 1
    let end: Int

    init(_ bytes: [UInt8]) throws {
        guard let version = bytes.first, bytes.count > StateBytes.sumLength else { throw StateError("it is empty") }
        guard version == StateBytes.version else { throw StateError("its version \(version) is not known here") }
        let end = bytes.count - StateBytes.sumLength
        let sum = bytes.withUnsafeBytes { StateBytes.sum(UnsafeRawBufferPointer(rebasing: $0[..<end])) }
        guard withUnsafeBytes(of: sum.littleEndian, { $0.elementsEqual(bytes[end...]) }) else {
            throw StateError("it is damaged")
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

    func kind(_ place: inout Int) throws -> StateBytes.Kind {
        guard place < end, let kind = StateBytes.Kind(rawValue: bytes[place]) else {
            throw StateError("a value is of no kind")
        }
        place += 1
        return kind
    }

    func number(_ place: inout Int) throws -> UInt64 {
        var result: UInt64 = 0
        for shift in stride(from: UInt64(0), to: 64, by: 7) {
            guard place < end else { throw StateError("it ends too early") }
            let byte = bytes[place]
            place += 1
            guard shift < 63 || byte < 2 else { break }
            result |= UInt64(byte & 0x7f) << shift
            if byte < 0x80 { return result }
        }
        throw StateError("a number is too large")
    }

    func bits(_ place: inout Int, count: Int) throws -> UInt64 {
        guard end - place >= count else { throw StateError("it ends too early") }
        var bits: UInt64 = 0
        for index in 0..<count { bits |= UInt64(bytes[place + index]) << UInt64(8 * index) }
        place += count
        return bits
    }

    /// The length of a text, a list or an object, which ends before the bytes do.
    private func length(_ length: UInt64, from place: Int) throws -> Int {
        guard length <= UInt64(end - place) else { throw StateError("it ends too early") }
        return Int(length)
    }

    func text(_ place: inout Int) throws -> String {
        let count = try length(try number(&place), from: place)
        defer { place += count }
        guard let text = String(validating: bytes[place..<place + count], as: UTF8.self) else {
            throw StateError("a text is not UTF-8")
        }
        return text
    }

    /// What is in an object or a list.
    func contents(_ wanted: StateBytes.Kind, at place: Int) throws -> Range<Int> {
        var place = place
        let kind = try kind(&place)
        // An object of no members says nothing of itself.
        if kind == .null { return place..<place }
        guard kind == wanted else { throw mismatch("\(wanted)", kind) }
        let count = try length(try bits(&place, count: StateBytes.lengthLength), from: place)
        return place..<place + count
    }

    /// Where the value at a place ends.
    func end(of place: Int) throws -> Int {
        var place = place
        switch try kind(&place) {
        case .null, .no, .yes: break
        case .signed, .unsigned: _ = try number(&place)
        case .double: _ = try bits(&place, count: 8)
        case .float: _ = try bits(&place, count: 4)
        case .text: place += try length(try number(&place), from: place)
        case .object, .list:
            place += try length(try bits(&place, count: StateBytes.lengthLength), from: place)
        }
        return place
    }

    func mismatch(_ wanted: String, _ kind: StateBytes.Kind) -> any Error {
        DecodingError.dataCorrupted(
            DecodingError.Context(codingPath: [], debugDescription: "\(wanted) was expected, and not \(kind)"))
    }

    // MARK: Values

    func isNull(_ place: Int) throws -> Bool {
        var place = place
        return try kind(&place) == .null
    }

    func bool(_ place: Int) throws -> Bool {
        var place = place
        switch try kind(&place) {
        case .yes: return true
        case .no: return false
        case let kind: throw mismatch("true or false", kind)
        }
    }

    func string(_ place: Int) throws -> String {
        var place = place
        let kind = try kind(&place)
        guard kind == .text else { throw mismatch("a text", kind) }
        return try text(&place)
    }

    func double(_ place: Int) throws -> Double {
        var place = place
        let kind = try kind(&place)
        guard kind == .double else { throw mismatch("a number", kind) }
        return Double(bitPattern: try bits(&place, count: 8))
    }

    func float(_ place: Int) throws -> Float {
        var place = place
        let kind = try kind(&place)
        guard kind == .float else { throw mismatch("a short number", kind) }
        return Float(bitPattern: UInt32(try bits(&place, count: 4)))
    }

    func integer<Number: FixedWidthInteger>(_ place: Int) throws -> Number {
        var place = place
        let kind = try kind(&place)
        let value: Number?
        switch kind {
        case .signed:
            let bits = try number(&place)
            value = Number(exactly: Int64(bitPattern: bits >> 1) ^ -Int64(bitPattern: bits & 1))
        case .unsigned: value = Number(exactly: try number(&place))
        default: throw mismatch("a whole number", kind)
        }
        guard let value else { throw StateError("a number is too large") }
        return value
    }

    func value<Value: Decodable>(_ place: Int) throws -> Value { try Value(from: StateDecoder(self, place)) }
}

private struct StateMemberReader<Key: CodingKey>: KeyedDecodingContainerProtocol {
    private let input: StateInput
    private var members: [(name: Int, place: Int)] = []

    init(_ input: StateInput, _ place: Int) throws {
        self.input = input
        let contents = try input.contents(.object, at: place)
        var place = contents.lowerBound
        while place < contents.upperBound {
            let name = try input.number(&place)
            guard name < UInt64(input.nameCount) else { throw StateError("a name is not in the list") }
            members.append((Int(name), place))
            place = try input.end(of: place)
        }
    }

    var codingPath: [any CodingKey] { [] }
    var allKeys: [Key] { members.compactMap { Key(stringValue: input.name($0.name)) } }

    private func find(_ name: String) -> Int? { members.first { input.name($0.name) == name }?.place }

    private func place(_ key: Key) throws -> Int {
        guard let place = find(key.stringValue) else {
            throw DecodingError.keyNotFound(
                key, DecodingError.Context(codingPath: [], debugDescription: "\(key.stringValue) is missing"))
        }
        return place
    }

    func contains(_ key: Key) -> Bool { find(key.stringValue) != nil }
    func decodeNil(forKey key: Key) throws -> Bool { try input.isNull(try place(key)) }
    func decode(_ type: Bool.Type, forKey key: Key) throws -> Bool { try input.bool(try place(key)) }
    func decode(_ type: String.Type, forKey key: Key) throws -> String { try input.string(try place(key)) }
    func decode(_ type: Double.Type, forKey key: Key) throws -> Double { try input.double(try place(key)) }
    func decode(_ type: Float.Type, forKey key: Key) throws -> Float { try input.float(try place(key)) }
    func decode(_ type: Int.Type, forKey key: Key) throws -> Int { try input.integer(try place(key)) }
    func decode(_ type: Int8.Type, forKey key: Key) throws -> Int8 { try input.integer(try place(key)) }
    func decode(_ type: Int16.Type, forKey key: Key) throws -> Int16 { try input.integer(try place(key)) }
    func decode(_ type: Int32.Type, forKey key: Key) throws -> Int32 { try input.integer(try place(key)) }
    func decode(_ type: Int64.Type, forKey key: Key) throws -> Int64 { try input.integer(try place(key)) }
    func decode(_ type: UInt.Type, forKey key: Key) throws -> UInt { try input.integer(try place(key)) }
    func decode(_ type: UInt8.Type, forKey key: Key) throws -> UInt8 { try input.integer(try place(key)) }
    func decode(_ type: UInt16.Type, forKey key: Key) throws -> UInt16 { try input.integer(try place(key)) }
    func decode(_ type: UInt32.Type, forKey key: Key) throws -> UInt32 { try input.integer(try place(key)) }
    func decode(_ type: UInt64.Type, forKey key: Key) throws -> UInt64 { try input.integer(try place(key)) }

    func decode<Value: Decodable>(_ type: Value.Type, forKey key: Key) throws -> Value {
        try input.value(try place(key))
    }

    func nestedContainer<Nested: CodingKey>(
        keyedBy type: Nested.Type, forKey key: Key
    ) throws -> KeyedDecodingContainer<Nested> {
        KeyedDecodingContainer(try StateMemberReader<Nested>(input, try place(key)))
    }

    func nestedUnkeyedContainer(forKey key: Key) throws -> any UnkeyedDecodingContainer {
        try StateElementReader(input, try place(key))
    }

    func superDecoder() throws -> any Decoder {
        guard let place = find("super") else { throw StateError("its super is missing") }
        return StateDecoder(input, place)
    }

    func superDecoder(forKey key: Key) throws -> any Decoder { StateDecoder(input, try place(key)) }
}

private struct StateElementReader: UnkeyedDecodingContainer {
    private let input: StateInput
    private var place: Int
    private let end: Int
    private(set) var currentIndex = 0

    init(_ input: StateInput, _ place: Int) throws {
        self.input = input
        let contents = try input.contents(.list, at: place)
        (self.place, end) = (contents.lowerBound, contents.upperBound)
    }

    var codingPath: [any CodingKey] { [] }
    var count: Int? { nil }
    var isAtEnd: Bool { place >= end }

    /// Goes on to the next element, and says where the one before it is.
    private mutating func element() throws -> Int {
        guard place < end else { throw StateError("a list ends too early") }
        defer { currentIndex += 1 }
        let start = place
        place = try input.end(of: place)
        return start
    }

    mutating func decodeNil() throws -> Bool {
        guard place < end, try input.isNull(place) else { return false }
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
    let place: Int

    var codingPath: [any CodingKey] { [] }

    func decodeNil() -> Bool { (try? input.isNull(place)) ?? false }
    func decode(_ type: Bool.Type) throws -> Bool { try input.bool(place) }
    func decode(_ type: String.Type) throws -> String { try input.string(place) }
    func decode(_ type: Double.Type) throws -> Double { try input.double(place) }
    func decode(_ type: Float.Type) throws -> Float { try input.float(place) }
    func decode(_ type: Int.Type) throws -> Int { try input.integer(place) }
    func decode(_ type: Int8.Type) throws -> Int8 { try input.integer(place) }
    func decode(_ type: Int16.Type) throws -> Int16 { try input.integer(place) }
    func decode(_ type: Int32.Type) throws -> Int32 { try input.integer(place) }
    func decode(_ type: Int64.Type) throws -> Int64 { try input.integer(place) }
    func decode(_ type: UInt.Type) throws -> UInt { try input.integer(place) }
    func decode(_ type: UInt8.Type) throws -> UInt8 { try input.integer(place) }
    func decode(_ type: UInt16.Type) throws -> UInt16 { try input.integer(place) }
    func decode(_ type: UInt32.Type) throws -> UInt32 { try input.integer(place) }
    func decode(_ type: UInt64.Type) throws -> UInt64 { try input.integer(place) }
    func decode<Value: Decodable>(_ type: Value.Type) throws -> Value { try input.value(place) }
}
