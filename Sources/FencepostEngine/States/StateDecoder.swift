import FencepostModel

/// Decodes the bytes of a `StateEncoder`.
///
/// One decoder should decode many values: it keeps the lists of member names that they start with, and predicts the order
/// in which members are asked for. It is for one thread at a time.
package struct StateDecoder {
    private let known = StateKnownNames()

    package init() {}

    /// Decodes the only value of some bytes.
    ///
    /// - Parameters:
    ///   - type: the type of the value.
    ///   - bytes: what a `StateEncoder` wrote.
    /// - Returns: the value.
    /// - Throws: a `StateError` for bytes that no `StateEncoder` wrote or that are damaged, and a `DecodingError` for bytes
    ///   of another type.
    package func decode<Value: Decodable>(_ type: Value.Type, from bytes: [UInt8]) throws -> Value {
        var input = try StateInput(bytes, known)
        return try withUnsafeMutablePointer(to: &input) { input in
            let value = try type.init(from: StateValueDecoder(input, input.pointee.start))
            if let failure = input.pointee.failure { throw failure }
            guard try input.pointee.end(of: input.pointee.start) == input.pointee.end else {
                throw StateError("bytes follow it")
            }
            return value
        }
    }
}

/// Where the containers find their input. They are valid while `StateDecoder.decode` runs; no type keeps them.
///
/// A class would cost more: each call of a container copies it, and counting the references takes a third of the time.
private typealias InputPointer = UnsafeMutablePointer<StateInput>

/// Decodes one value.
private struct StateValueDecoder: Decoder {
    private let input: InputPointer
    /// Start of the value.
    private let offset: Int

    init(_ input: InputPointer, _ offset: Int) {
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

extension InputPointer {
    fileprivate func value<Value: Decodable>(_ offset: Int) throws -> Value {
        // The types of most values. Their own `init(from:)` reads the same by way of two containers.
        if Value.self == Timestamp.self {
            return unsafeBitCast(Timestamp(milliseconds: try pointee.integer(offset)), to: Value.self)
        }
        if Value.self == Float.self { return unsafeBitCast(try pointee.float(offset), to: Value.self) }
        return try Value(from: StateValueDecoder(self, offset))
    }
}

private struct StateMemberReader<Key: CodingKey>: KeyedDecodingContainerProtocol {
    private let input: InputPointer
    /// The byte range of the members.
    private let object: Range<Int>

    init(_ input: InputPointer, _ offset: Int) throws {
        self.input = input
        object = try input.pointee.contents(.object, at: offset)
    }

    var codingPath: [any CodingKey] { [] }

    var allKeys: [Key] {
        do {
            return try input.pointee.memberNames(of: object).compactMap { Key(stringValue: $0) }
        } catch {
            input.pointee.fail(error)
            return []
        }
    }

    private func offset(_ key: Key) throws -> Int {
        guard let offset = try input.pointee.find(key.stringValue, in: object) else {
            throw DecodingError.keyNotFound(
                key, DecodingError.Context(codingPath: [], debugDescription: "\(key.stringValue) is missing"))
        }
        return offset
    }

    /// The offset of a value that may be missing or null.
    private func present(_ key: Key) throws -> Int? {
        guard let offset = try input.pointee.find(key.stringValue, in: object), try !input.pointee.isNull(offset) else {
            return nil
        }
        return offset
    }

    func contains(_ key: Key) -> Bool {
        do {
            return try input.pointee.find(key.stringValue, in: object) != nil
        } catch {
            input.pointee.fail(error)
            return false
        }
    }

    func decodeNil(forKey key: Key) throws -> Bool { try input.pointee.isNull(try offset(key)) }
    func decode(_ type: Bool.Type, forKey key: Key) throws -> Bool { try input.pointee.bool(try offset(key)) }
    func decode(_ type: String.Type, forKey key: Key) throws -> String { try input.pointee.string(try offset(key)) }
    func decode(_ type: Double.Type, forKey key: Key) throws -> Double { try input.pointee.double(try offset(key)) }
    func decode(_ type: Float.Type, forKey key: Key) throws -> Float { try input.pointee.float(try offset(key)) }
    func decode(_ type: Int.Type, forKey key: Key) throws -> Int { try input.pointee.integer(try offset(key)) }
    func decode(_ type: Int8.Type, forKey key: Key) throws -> Int8 { try input.pointee.integer(try offset(key)) }
    func decode(_ type: Int16.Type, forKey key: Key) throws -> Int16 { try input.pointee.integer(try offset(key)) }
    func decode(_ type: Int32.Type, forKey key: Key) throws -> Int32 { try input.pointee.integer(try offset(key)) }
    func decode(_ type: Int64.Type, forKey key: Key) throws -> Int64 { try input.pointee.integer(try offset(key)) }
    func decode(_ type: UInt.Type, forKey key: Key) throws -> UInt { try input.pointee.integer(try offset(key)) }
    func decode(_ type: UInt8.Type, forKey key: Key) throws -> UInt8 { try input.pointee.integer(try offset(key)) }
    func decode(_ type: UInt16.Type, forKey key: Key) throws -> UInt16 { try input.pointee.integer(try offset(key)) }
    func decode(_ type: UInt32.Type, forKey key: Key) throws -> UInt32 { try input.pointee.integer(try offset(key)) }
    func decode(_ type: UInt64.Type, forKey key: Key) throws -> UInt64 { try input.pointee.integer(try offset(key)) }

    func decode<Value: Decodable>(_ type: Value.Type, forKey key: Key) throws -> Value {
        try input.value(try offset(key))
    }

    // One search instead of the three of the default.
    func decodeIfPresent(_ type: Bool.Type, forKey key: Key) throws -> Bool? {
        try present(key).map { try input.pointee.bool($0) }
    }
    func decodeIfPresent(_ type: String.Type, forKey key: Key) throws -> String? {
        try present(key).map { try input.pointee.string($0) }
    }
    func decodeIfPresent(_ type: Double.Type, forKey key: Key) throws -> Double? {
        try present(key).map { try input.pointee.double($0) }
    }
    func decodeIfPresent(_ type: Float.Type, forKey key: Key) throws -> Float? {
        try present(key).map { try input.pointee.float($0) }
    }
    func decodeIfPresent(_ type: Int.Type, forKey key: Key) throws -> Int? {
        try present(key).map { try input.pointee.integer($0) }
    }
    func decodeIfPresent(_ type: Int8.Type, forKey key: Key) throws -> Int8? {
        try present(key).map { try input.pointee.integer($0) }
    }
    func decodeIfPresent(_ type: Int16.Type, forKey key: Key) throws -> Int16? {
        try present(key).map { try input.pointee.integer($0) }
    }
    func decodeIfPresent(_ type: Int32.Type, forKey key: Key) throws -> Int32? {
        try present(key).map { try input.pointee.integer($0) }
    }
    func decodeIfPresent(_ type: Int64.Type, forKey key: Key) throws -> Int64? {
        try present(key).map { try input.pointee.integer($0) }
    }
    func decodeIfPresent(_ type: UInt.Type, forKey key: Key) throws -> UInt? {
        try present(key).map { try input.pointee.integer($0) }
    }
    func decodeIfPresent(_ type: UInt8.Type, forKey key: Key) throws -> UInt8? {
        try present(key).map { try input.pointee.integer($0) }
    }
    func decodeIfPresent(_ type: UInt16.Type, forKey key: Key) throws -> UInt16? {
        try present(key).map { try input.pointee.integer($0) }
    }
    func decodeIfPresent(_ type: UInt32.Type, forKey key: Key) throws -> UInt32? {
        try present(key).map { try input.pointee.integer($0) }
    }
    func decodeIfPresent(_ type: UInt64.Type, forKey key: Key) throws -> UInt64? {
        try present(key).map { try input.pointee.integer($0) }
    }
    func decodeIfPresent<Value: Decodable>(_ type: Value.Type, forKey key: Key) throws -> Value? {
        guard let offset = try present(key) else { return nil }
        return try input.value(offset) as Value
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
        guard let offset = try input.pointee.find("super", in: object) else { throw StateError("its super is missing") }
        return StateValueDecoder(input, offset)
    }

    func superDecoder(forKey key: Key) throws -> any Decoder { StateValueDecoder(input, try offset(key)) }
}

private struct StateElementReader: UnkeyedDecodingContainer {
    private let input: InputPointer
    private var offset: Int
    private let end: Int
    private(set) var currentIndex = 0

    init(_ input: InputPointer, _ offset: Int) throws {
        self.input = input
        let contents = try input.pointee.contents(.list, at: offset)
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
        offset = try input.pointee.end(of: offset)
        return start
    }

    mutating func decodeNil() throws -> Bool {
        guard offset < end, try input.pointee.isNull(offset) else { return false }
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

    mutating func superDecoder() throws -> any Decoder { StateValueDecoder(input, try element()) }
}

private struct StateValueReader: SingleValueDecodingContainer {
    let input: InputPointer
    let offset: Int

    var codingPath: [any CodingKey] { [] }

    func decodeNil() -> Bool { (try? input.pointee.isNull(offset)) ?? false }
    func decode(_ type: Bool.Type) throws -> Bool { try input.pointee.bool(offset) }
    func decode(_ type: String.Type) throws -> String { try input.pointee.string(offset) }
    func decode(_ type: Double.Type) throws -> Double { try input.pointee.double(offset) }
    func decode(_ type: Float.Type) throws -> Float { try input.pointee.float(offset) }
    func decode(_ type: Int.Type) throws -> Int { try input.pointee.integer(offset) }
    func decode(_ type: Int8.Type) throws -> Int8 { try input.pointee.integer(offset) }
    func decode(_ type: Int16.Type) throws -> Int16 { try input.pointee.integer(offset) }
    func decode(_ type: Int32.Type) throws -> Int32 { try input.pointee.integer(offset) }
    func decode(_ type: Int64.Type) throws -> Int64 { try input.pointee.integer(offset) }
    func decode(_ type: UInt.Type) throws -> UInt { try input.pointee.integer(offset) }
    func decode(_ type: UInt8.Type) throws -> UInt8 { try input.pointee.integer(offset) }
    func decode(_ type: UInt16.Type) throws -> UInt16 { try input.pointee.integer(offset) }
    func decode(_ type: UInt32.Type) throws -> UInt32 { try input.pointee.integer(offset) }
    func decode(_ type: UInt64.Type) throws -> UInt64 { try input.pointee.integer(offset) }
    func decode<Value: Decodable>(_ type: Value.Type) throws -> Value { try input.value(offset) }
}
