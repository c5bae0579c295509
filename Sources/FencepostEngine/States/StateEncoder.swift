import FencepostModel

/// Encodes values in the compact format of `StateBytes`.
///
/// One encoder should encode many values: it keeps the numbers of member names and predicts their order.
package struct StateEncoder {
    private final class Storage {
        var output = StateOutput()
    }

    private let storage = Storage()

    package init() {}

    package func encode(_ value: some Encodable) throws -> [UInt8] {
        try withUnsafeMutablePointer(to: &storage.output) { output in
            output.pointee.begin()
            try output.write(value)
            return output.pointee.finish()
        }
    }
}

/// Encodes one value.
private struct StateValueEncoder: Encoder {
    private let output: OutputPointer
    /// Number of open objects and lists around the value.
    private let depth: Int

    init(_ output: OutputPointer) {
        self.output = output
        depth = output.pointee.depth
    }

    var codingPath: [any CodingKey] { [] }
    var userInfo: [CodingUserInfoKey: Any] { [:] }

    func container<Key: CodingKey>(keyedBy type: Key.Type) -> KeyedEncodingContainer<Key> {
        KeyedEncodingContainer(StateMembers(output, at: depth))
    }

    func unkeyedContainer() -> any UnkeyedEncodingContainer { StateElements(output, at: depth) }
    func singleValueContainer() -> any SingleValueEncodingContainer { StateValue(output: output) }
}

/// Where the containers find their output. They are valid while `StateEncoder.encode` runs; no type keeps them.
///
/// References to an object would cost more: they are counted, and its variables are checked for overlapping access.
private typealias OutputPointer = UnsafeMutablePointer<StateOutput>

extension OutputPointer {
    fileprivate func write(_ value: some Encodable) throws {
        let (depth, start) = (pointee.depth, pointee.count)
        try value.encode(to: StateValueEncoder(self))
        pointee.close(to: depth)
        // A value without members writes nothing alone.
        if pointee.count == start { pointee.write(.null) }
    }
}

/// The bytes written so far. An object or list is closed when something outside it is written.
private struct StateOutput: ~Copyable {
    private var bytes: [UInt8] = []
    /// The same for all values of one encoder.
    private var names = StateNames()
    /// The names of the current value.
    private var used: [Int] = []
    /// By number, the value that used the name last.
    private var users: [Int] = []
    /// The version and the list of names of the last value, and the numbers of these names. Most values have the same.
    private var header: [UInt8] = []
    private var headerNames: [Int]?
    /// The number of the current value.
    private var value = 0
    /// Offsets of the contents of the open objects and lists.
    private var starts: [Int] = []

    var depth: Int { starts.count }
    var count: Int { bytes.count }

    /// Removes everything but the names. Unfinished bytes come from a value whose encoding threw.
    mutating func begin() {
        bytes.removeAll(keepingCapacity: true)
        starts.removeAll(keepingCapacity: true)
        used.removeAll(keepingCapacity: true)
        value += 1
        names.begin()
    }

    mutating func finish() -> [UInt8] {
        close(to: 0)
        if headerNames != used {
            header = [StateBytes.version]
            header.append(number: UInt64(used.count))
            for number in used {
                header.append(number: UInt64(number))
                header.append(text: names.list[number])
            }
            headerNames = used
        }
        var all: [UInt8] = []
        all.reserveCapacity(header.count + bytes.count + StateBytes.sumLength)
        all += header
        all += bytes
        let sum = all.withUnsafeBytes { StateBytes.sum($0) }
        withUnsafeBytes(of: sum.littleEndian) { all += $0 }
        return all
    }

    // MARK: Objects and lists

    mutating func open(_ kind: StateBytes.Kind, at depth: Int) {
        close(to: depth)
        bytes.append(kind.rawValue)
        for _ in 0..<StateBytes.lengthLength { bytes.append(0) }
        starts.append(bytes.count)
    }

    mutating func close(to depth: Int) {
        while starts.count > depth {
            let start = starts.removeLast()
            let length = UInt32(bytes.count - start)
            for index in 0..<StateBytes.lengthLength {
                bytes[start - StateBytes.lengthLength + index] = UInt8(truncatingIfNeeded: length >> UInt32(8 * index))
            }
        }
    }

    mutating func write(name: String, at depth: Int) {
        if starts.count > depth { close(to: depth) }
        let number = names.number(of: name)
        while users.count <= number { users.append(0) }
        if users[number] != value {
            users[number] = value
            used.append(number)
        }
        bytes.append(number: UInt64(number))
    }

    // MARK: Values

    mutating func write(_ kind: StateBytes.Kind) { bytes.append(kind.rawValue) }

    mutating func write(signed number: Int64) {
        bytes.append(StateBytes.Kind.signed.rawValue)
        bytes.append(number: UInt64(bitPattern: (number << 1) ^ (number >> 63)))
    }

    mutating func write(unsigned number: UInt64) {
        bytes.append(StateBytes.Kind.unsigned.rawValue)
        bytes.append(number: number)
    }

    mutating func write(_ number: Double) {
        bytes.append(StateBytes.Kind.double.rawValue)
        withUnsafeBytes(of: number.bitPattern.littleEndian) { bytes.append(contentsOf: $0) }
    }

    mutating func write(_ number: Float) {
        bytes.append(StateBytes.Kind.float.rawValue)
        withUnsafeBytes(of: number.bitPattern.littleEndian) { bytes.append(contentsOf: $0) }
    }

    mutating func write(_ text: String) {
        bytes.append(StateBytes.Kind.text.rawValue)
        bytes.append(text: text)
    }
}

extension [UInt8] {
    fileprivate mutating func append(number: UInt64) { VariableLengthInteger.append(number, to: &self) }

    fileprivate mutating func append(text: String) {
        append(number: UInt64(text.utf8.count))
        append(contentsOf: text.utf8)
    }
}

private struct StateMembers<Key: CodingKey>: KeyedEncodingContainerProtocol {
    private let output: OutputPointer
    private let depth: Int

    init(_ output: OutputPointer, at depth: Int) {
        self.output = output
        output.pointee.open(.object, at: depth)
        self.depth = depth + 1
    }

    var codingPath: [any CodingKey] { [] }

    /// Writes a member's name; its value follows.
    private func member(_ key: Key) -> OutputPointer {
        output.pointee.write(name: key.stringValue, at: depth)
        return output
    }

    func encodeNil(forKey key: Key) { member(key).pointee.write(.null) }
    func encode(_ value: Bool, forKey key: Key) { member(key).pointee.write(value ? .true : .false) }
    func encode(_ value: String, forKey key: Key) { member(key).pointee.write(value) }
    func encode(_ value: Double, forKey key: Key) { member(key).pointee.write(value) }
    func encode(_ value: Float, forKey key: Key) { member(key).pointee.write(value) }
    func encode(_ value: Int, forKey key: Key) { member(key).pointee.write(signed: Int64(value)) }
    func encode(_ value: Int8, forKey key: Key) { member(key).pointee.write(signed: Int64(value)) }
    func encode(_ value: Int16, forKey key: Key) { member(key).pointee.write(signed: Int64(value)) }
    func encode(_ value: Int32, forKey key: Key) { member(key).pointee.write(signed: Int64(value)) }
    func encode(_ value: Int64, forKey key: Key) { member(key).pointee.write(signed: value) }
    func encode(_ value: UInt, forKey key: Key) { member(key).pointee.write(unsigned: UInt64(value)) }
    func encode(_ value: UInt8, forKey key: Key) { member(key).pointee.write(unsigned: UInt64(value)) }
    func encode(_ value: UInt16, forKey key: Key) { member(key).pointee.write(unsigned: UInt64(value)) }
    func encode(_ value: UInt32, forKey key: Key) { member(key).pointee.write(unsigned: UInt64(value)) }
    func encode(_ value: UInt64, forKey key: Key) { member(key).pointee.write(unsigned: value) }
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
        output.pointee.write(name: "super", at: depth)
        return StateValueEncoder(output)
    }

    func superEncoder(forKey key: Key) -> any Encoder { StateValueEncoder(member(key)) }
}

private struct StateElements: UnkeyedEncodingContainer {
    private let output: OutputPointer
    private let depth: Int
    private(set) var count = 0

    init(_ output: OutputPointer, at depth: Int) {
        self.output = output
        output.pointee.open(.list, at: depth)
        self.depth = depth + 1
    }

    var codingPath: [any CodingKey] { [] }

    /// Starts the next element.
    private mutating func element() -> OutputPointer {
        output.pointee.close(to: depth)
        count += 1
        return output
    }

    mutating func encodeNil() { element().pointee.write(.null) }
    mutating func encode(_ value: some Encodable) throws { try element().write(value) }

    mutating func nestedContainer<Nested: CodingKey>(keyedBy type: Nested.Type) -> KeyedEncodingContainer<Nested> {
        KeyedEncodingContainer(StateMembers<Nested>(element(), at: depth))
    }

    mutating func nestedUnkeyedContainer() -> any UnkeyedEncodingContainer { StateElements(element(), at: depth) }
    mutating func superEncoder() -> any Encoder { StateValueEncoder(element()) }
}

private struct StateValue: SingleValueEncodingContainer {
    let output: OutputPointer

    var codingPath: [any CodingKey] { [] }

    func encodeNil() { output.pointee.write(.null) }
    func encode(_ value: Bool) { output.pointee.write(value ? .true : .false) }
    func encode(_ value: String) { output.pointee.write(value) }
    func encode(_ value: Double) { output.pointee.write(value) }
    func encode(_ value: Float) { output.pointee.write(value) }
    func encode(_ value: Int) { output.pointee.write(signed: Int64(value)) }
    func encode(_ value: Int8) { output.pointee.write(signed: Int64(value)) }
    func encode(_ value: Int16) { output.pointee.write(signed: Int64(value)) }
    func encode(_ value: Int32) { output.pointee.write(signed: Int64(value)) }
    func encode(_ value: Int64) { output.pointee.write(signed: value) }
    func encode(_ value: UInt) { output.pointee.write(unsigned: UInt64(value)) }
    func encode(_ value: UInt8) { output.pointee.write(unsigned: UInt64(value)) }
    func encode(_ value: UInt16) { output.pointee.write(unsigned: UInt64(value)) }
    func encode(_ value: UInt32) { output.pointee.write(unsigned: UInt64(value)) }
    func encode(_ value: UInt64) { output.pointee.write(unsigned: value) }
    func encode(_ value: some Encodable) throws { try output.write(value) }
}
