/// Writes a value as a few compact bytes, as `StateBytes` says.
struct StateEncoder: Encoder {
    private let output: StateOutput
    /// How many objects and lists are open around the value.
    private let depth: Int

    static func encode(_ value: some Encodable) throws -> [UInt8] {
        let output = StateOutput()
        try output.write(value)
        return output.finish()
    }

    fileprivate init(_ output: StateOutput) {
        self.output = output
        depth = output.depth
    }

    var codingPath: [any CodingKey] { [] }
    var userInfo: [CodingUserInfoKey: Any] { [:] }

    func container<Key: CodingKey>(keyedBy type: Key.Type) -> KeyedEncodingContainer<Key> {
        KeyedEncodingContainer(StateMembers(output, .object, at: depth))
    }

    func unkeyedContainer() -> any UnkeyedEncodingContainer { StateElements(output, at: depth) }
    func singleValueContainer() -> any SingleValueEncodingContainer { StateValue(output: output) }
}

/// What was written so far. Objects and lists are closed when something is written around them.
private final class StateOutput {
    private var bytes: [UInt8] = []
    private var names: [String] = []
    private var numbers: [String: Int] = [:]
    /// The name that followed on the last one before, for members come in the same order again and again.
    private var next = 0
    /// Where the contents of the objects and lists begin that are open.
    private var starts: [Int] = []

    init() { bytes.reserveCapacity(1024) }

    var depth: Int { starts.count }

    func finish() -> [UInt8] {
        close(to: 0)
        var all: [UInt8] = [StateBytes.version]
        all.reserveCapacity(bytes.count + names.count * 16 + 32)
        Self.append(UInt64(names.count), to: &all)
        for name in names { Self.append(name, to: &all) }
        all += bytes
        let sum = all.withUnsafeBytes { StateBytes.sum($0) }
        withUnsafeBytes(of: sum.littleEndian) { all += $0 }
        return all
    }

    // MARK: Objects and lists

    func open(_ kind: StateBytes.Kind, at depth: Int) {
        close(to: depth)
        bytes.append(kind.rawValue)
        bytes.append(contentsOf: repeatElement(0, count: StateBytes.lengthLength))
        starts.append(bytes.count)
    }

    func close(to depth: Int) {
        while starts.count > depth {
            let start = starts.removeLast()
            let length = UInt32(bytes.count - start)
            for place in 0..<StateBytes.lengthLength {
                bytes[start - StateBytes.lengthLength + place] = UInt8(truncatingIfNeeded: length >> UInt32(8 * place))
            }
        }
    }

    func write(name: String, at depth: Int) {
        close(to: depth)
        if next >= names.count || names[next] != name {
            if let number = numbers[name] {
                next = number
            } else {
                next = names.count
                names.append(name)
                numbers[name] = next
            }
        }
        Self.append(UInt64(next), to: &bytes)
        next += 1
    }

    // MARK: Values

    func write(_ value: some Encodable) throws {
        let (depth, place) = (depth, bytes.count)
        try value.encode(to: StateEncoder(self))
        close(to: depth)
        // A value of no members says nothing of itself.
        if bytes.count == place { write(.null) }
    }

    func write(_ kind: StateBytes.Kind) { bytes.append(kind.rawValue) }

    func write(signed number: Int64) {
        write(.signed)
        Self.append(UInt64(bitPattern: (number << 1) ^ (number >> 63)), to: &bytes)
    }

    func write(unsigned number: UInt64) {
        write(.unsigned)
        Self.append(number, to: &bytes)
    }

    func write(_ number: Double) {
        write(.double)
        withUnsafeBytes(of: number.bitPattern.littleEndian) { bytes.append(contentsOf: $0) }
    }

    func write(_ number: Float) {
        write(.float)
        withUnsafeBytes(of: number.bitPattern.littleEndian) { bytes.append(contentsOf: $0) }
    }

    func write(_ text: String) {
        write(.text)
        Self.append(text, to: &bytes)
    }

    private static func append(_ number: UInt64, to bytes: inout [UInt8]) {
        var rest = number
        while rest >= 0x80 {
            bytes.append(UInt8(truncatingIfNeeded: rest) | 0x80)
            rest >>= 7
        }
        bytes.append(UInt8(truncatingIfNeeded: rest))
    }

    private static func append(_ text: String, to bytes: inout [UInt8]) {
        append(UInt64(text.utf8.count), to: &bytes)
        bytes.append(contentsOf: text.utf8)
    }
}

private struct StateMembers<Key: CodingKey>: KeyedEncodingContainerProtocol {
    private let output: StateOutput
    private let depth: Int

    init(_ output: StateOutput, _ kind: StateBytes.Kind, at depth: Int) {
        self.output = output
        output.open(kind, at: depth)
        self.depth = depth + 1
    }

    var codingPath: [any CodingKey] { [] }

    /// Where the value of a member is written.
    private func member(_ key: Key) -> StateOutput {
        output.write(name: key.stringValue, at: depth)
        return output
    }

    func encodeNil(forKey key: Key) { member(key).write(.null) }
    func encode(_ value: Bool, forKey key: Key) { member(key).write(value ? .yes : .no) }
    func encode(_ value: String, forKey key: Key) { member(key).write(value) }
    func encode(_ value: Double, forKey key: Key) { member(key).write(value) }
    func encode(_ value: Float, forKey key: Key) { member(key).write(value) }
    func encode(_ value: Int, forKey key: Key) { member(key).write(signed: Int64(value)) }
    func encode(_ value: Int8, forKey key: Key) { member(key).write(signed: Int64(value)) }
    func encode(_ value: Int16, forKey key: Key) { member(key).write(signed: Int64(value)) }
    func encode(_ value: Int32, forKey key: Key) { member(key).write(signed: Int64(value)) }
    func encode(_ value: Int64, forKey key: Key) { member(key).write(signed: value) }
    func encode(_ value: UInt, forKey key: Key) { member(key).write(unsigned: UInt64(value)) }
    func encode(_ value: UInt8, forKey key: Key) { member(key).write(unsigned: UInt64(value)) }
    func encode(_ value: UInt16, forKey key: Key) { member(key).write(unsigned: UInt64(value)) }
    func encode(_ value: UInt32, forKey key: Key) { member(key).write(unsigned: UInt64(value)) }
    func encode(_ value: UInt64, forKey key: Key) { member(key).write(unsigned: value) }
    func encode(_ value: some Encodable, forKey key: Key) throws { try member(key).write(value) }

    func nestedContainer<Nested: CodingKey>(
        keyedBy type: Nested.Type, forKey key: Key
    ) -> KeyedEncodingContainer<Nested> {
        KeyedEncodingContainer(StateMembers<Nested>(member(key), .object, at: depth))
    }

    func nestedUnkeyedContainer(forKey key: Key) -> any UnkeyedEncodingContainer {
        StateElements(member(key), at: depth)
    }

    func superEncoder() -> any Encoder {
        output.write(name: "super", at: depth)
        return StateEncoder(output)
    }

    func superEncoder(forKey key: Key) -> any Encoder { StateEncoder(member(key)) }
}

private struct StateElements: UnkeyedEncodingContainer {
    private let output: StateOutput
    private let depth: Int
    private(set) var count = 0

    init(_ output: StateOutput, at depth: Int) {
        self.output = output
        output.open(.list, at: depth)
        self.depth = depth + 1
    }

    var codingPath: [any CodingKey] { [] }

    /// Where the next element is written.
    private mutating func element() -> StateOutput {
        output.close(to: depth)
        count += 1
        return output
    }

    mutating func encodeNil() { element().write(.null) }
    mutating func encode(_ value: some Encodable) throws { try element().write(value) }

    mutating func nestedContainer<Nested: CodingKey>(keyedBy type: Nested.Type) -> KeyedEncodingContainer<Nested> {
        KeyedEncodingContainer(StateMembers<Nested>(element(), .object, at: depth))
    }

    mutating func nestedUnkeyedContainer() -> any UnkeyedEncodingContainer { StateElements(element(), at: depth) }
    mutating func superEncoder() -> any Encoder { StateEncoder(element()) }
}

private struct StateValue: SingleValueEncodingContainer {
    let output: StateOutput

    var codingPath: [any CodingKey] { [] }

    func encodeNil() { output.write(.null) }
    func encode(_ value: Bool) { output.write(value ? .yes : .no) }
    func encode(_ value: String) { output.write(value) }
    func encode(_ value: Double) { output.write(value) }
    func encode(_ value: Float) { output.write(value) }
    func encode(_ value: Int) { output.write(signed: Int64(value)) }
    func encode(_ value: Int8) { output.write(signed: Int64(value)) }
    func encode(_ value: Int16) { output.write(signed: Int64(value)) }
    func encode(_ value: Int32) { output.write(signed: Int64(value)) }
    func encode(_ value: Int64) { output.write(signed: value) }
    func encode(_ value: UInt) { output.write(unsigned: UInt64(value)) }
    func encode(_ value: UInt8) { output.write(unsigned: UInt64(value)) }
    func encode(_ value: UInt16) { output.write(unsigned: UInt64(value)) }
    func encode(_ value: UInt32) { output.write(unsigned: UInt64(value)) }
    func encode(_ value: UInt64) { output.write(unsigned: value) }
    func encode(_ value: some Encodable) throws { try output.write(value) }
}
