import FencepostModel

/// Encodes values in the compact format of `StateBytes`.
///
/// One encoder should encode many values: it keeps the numbers of member names and predicts their order.
package struct StateEncoder {
    private let output = StateOutput()

    package init() {}

    package func encode(_ value: some Encodable) throws -> [UInt8] {
        output.begin()
        try output.write(value)
        return output.finish()
    }
}

/// Encodes one value.
private struct StateValueEncoder: Encoder {
    private let output: StateOutput
    /// Number of open objects and lists around the value.
    private let depth: Int

    init(_ output: StateOutput) {
        self.output = output
        depth = output.depth
    }

    var codingPath: [any CodingKey] { [] }
    var userInfo: [CodingUserInfoKey: Any] { [:] }

    func container<Key: CodingKey>(keyedBy type: Key.Type) -> KeyedEncodingContainer<Key> {
        KeyedEncodingContainer(StateMembers(output, at: depth))
    }

    func unkeyedContainer() -> any UnkeyedEncodingContainer { StateElements(output, at: depth) }
    func singleValueContainer() -> any SingleValueEncodingContainer { StateValue(output: output) }
}

/// The bytes written so far. An object or list is closed when something outside it is written.
private final class StateOutput {
    private var bytes: [UInt8] = []
    private var names = StateNames()
    /// Offsets of the contents of the open objects and lists.
    private var starts: [Int] = []

    var depth: Int { starts.count }

    /// Removes everything but the names. Unfinished bytes come from a value whose encoding threw.
    func begin() {
        bytes.removeAll(keepingCapacity: true)
        starts.removeAll(keepingCapacity: true)
        names.begin()
    }

    func finish() -> [UInt8] {
        close(to: 0)
        var all: [UInt8] = [StateBytes.version]
        all.reserveCapacity(bytes.count + names.used.count * 16 + 32)
        all.append(number: UInt64(names.used.count))
        for number in names.used {
            all.append(number: UInt64(number))
            all.append(text: names.list[number])
        }
        all += bytes
        let sum = all.withUnsafeBytes { StateBytes.sum($0) }
        withUnsafeBytes(of: sum.littleEndian) { all += $0 }
        return all
    }

    // MARK: Objects and lists

    func open(_ kind: StateBytes.Kind, at depth: Int) {
        close(to: depth)
        bytes.append(kind.rawValue)
        for _ in 0..<StateBytes.lengthLength { bytes.append(0) }
        starts.append(bytes.count)
    }

    func close(to depth: Int) {
        while starts.count > depth {
            let start = starts.removeLast()
            let length = UInt32(bytes.count - start)
            for index in 0..<StateBytes.lengthLength {
                bytes[start - StateBytes.lengthLength + index] = UInt8(truncatingIfNeeded: length >> UInt32(8 * index))
            }
        }
    }

    func write(name: String, at depth: Int) {
        if starts.count > depth { close(to: depth) }
        bytes.append(number: UInt64(names.number(of: name)))
    }

    // MARK: Values

    func write(_ value: some Encodable) throws {
        let (depth, start) = (depth, bytes.count)
        try value.encode(to: StateValueEncoder(self))
        if starts.count > depth { close(to: depth) }
        // A value without members writes nothing alone.
        if bytes.count == start { write(.null) }
    }

    func write(_ kind: StateBytes.Kind) { bytes.append(kind.rawValue) }

    func write(signed number: Int64) {
        bytes.append(StateBytes.Kind.signed.rawValue)
        bytes.append(number: UInt64(bitPattern: (number << 1) ^ (number >> 63)))
    }

    func write(unsigned number: UInt64) {
        bytes.append(StateBytes.Kind.unsigned.rawValue)
        bytes.append(number: number)
    }

    func write(_ number: Double) {
        bytes.append(StateBytes.Kind.double.rawValue)
        withUnsafeBytes(of: number.bitPattern.littleEndian) { bytes.append(contentsOf: $0) }
    }

    func write(_ number: Float) {
        bytes.append(StateBytes.Kind.float.rawValue)
        withUnsafeBytes(of: number.bitPattern.littleEndian) { bytes.append(contentsOf: $0) }
    }

    func write(_ text: String) {
        bytes.append(StateBytes.Kind.text.rawValue)
        bytes.append(text: text)
    }
}

/// The numbers of member names, the same for all values of one encoder.
private struct StateNames {
    private(set) var list: [String] = []
    private var numbers: [String: Int] = [:]
    /// By number, the name that followed it last. Members nearly always come in the same order.
    private var followers: [Int] = []
    private var last = -1
    /// The names of the current value.
    private(set) var used: [Int] = []
    /// By number, the value that used the name last.
    private var values: [Int] = []
    private var value = 0

    mutating func begin() {
        used.removeAll(keepingCapacity: true)
        value += 1
        last = -1
    }

    mutating func number(of name: String) -> Int {
        var number = last < 0 ? 0 : followers[last]
        if number >= list.count || list[number] != name {
            if let known = numbers[name] {
                number = known
            } else {
                number = list.count
                list.append(name)
                numbers[name] = number
                followers.append(number + 1)
                values.append(0)
            }
            if last >= 0 { followers[last] = number }
        }
        if values[number] != value {
            values[number] = value
            used.append(number)
        }
        last = number
        return number
    }
}

extension [UInt8] {
    fileprivate mutating func append(number: UInt64) {
        VariableLengthInteger.encode(number) { append($0) }
    }

    fileprivate mutating func append(text: String) {
        append(number: UInt64(text.utf8.count))
        append(contentsOf: text.utf8)
    }
}

private struct StateMembers<Key: CodingKey>: KeyedEncodingContainerProtocol {
    private let output: StateOutput
    private let depth: Int

    init(_ output: StateOutput, at depth: Int) {
        self.output = output
        output.open(.object, at: depth)
        self.depth = depth + 1
    }

    var codingPath: [any CodingKey] { [] }

    /// Writes a member's name; its value follows.
    private func member(_ key: Key) -> StateOutput {
        output.write(name: key.stringValue, at: depth)
        return output
    }

    func encodeNil(forKey key: Key) { member(key).write(.null) }
    func encode(_ value: Bool, forKey key: Key) { member(key).write(value ? .true : .false) }
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
        KeyedEncodingContainer(StateMembers<Nested>(member(key), at: depth))
    }

    func nestedUnkeyedContainer(forKey key: Key) -> any UnkeyedEncodingContainer {
        StateElements(member(key), at: depth)
    }

    func superEncoder() -> any Encoder {
        output.write(name: "super", at: depth)
        return StateValueEncoder(output)
    }

    func superEncoder(forKey key: Key) -> any Encoder { StateValueEncoder(member(key)) }
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

    /// Starts the next element.
    private mutating func element() -> StateOutput {
        output.close(to: depth)
        count += 1
        return output
    }

    mutating func encodeNil() { element().write(.null) }
    mutating func encode(_ value: some Encodable) throws { try element().write(value) }

    mutating func nestedContainer<Nested: CodingKey>(keyedBy type: Nested.Type) -> KeyedEncodingContainer<Nested> {
        KeyedEncodingContainer(StateMembers<Nested>(element(), at: depth))
    }

    mutating func nestedUnkeyedContainer() -> any UnkeyedEncodingContainer { StateElements(element(), at: depth) }
    mutating func superEncoder() -> any Encoder { StateValueEncoder(element()) }
}

private struct StateValue: SingleValueEncodingContainer {
    let output: StateOutput

    var codingPath: [any CodingKey] { [] }

    func encodeNil() { output.write(.null) }
    func encode(_ value: Bool) { output.write(value ? .true : .false) }
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
