/// One value in a document.
public struct JSONElement: Sendable {
    /// The types of JSON values (RFC 8259).
    public enum Kind: String, Hashable, Sendable { case null, bool, number, string, array, object }

    let storage: JSONStorage
    let index: Int

    /// The type of the value.
    public var kind: Kind {
        switch storage.tag(index) {
        case UInt8(ascii: "n"): .null
        case UInt8(ascii: "t"), UInt8(ascii: "f"): .bool
        case UInt8(ascii: "\""): .string
        case UInt8(ascii: "["): .array
        case UInt8(ascii: "{"): .object
        default: .number
        }
    }

    /// Whether the value is `null`.
    public var isNull: Bool { storage.tag(index) == UInt8(ascii: "n") }

    /// The value of `true` or `false`; `nil` for other values.
    public var bool: Bool? {
        switch storage.tag(index) {
        case UInt8(ascii: "t"): true
        case UInt8(ascii: "f"): false
        default: nil
        }
    }

    /// Any number, always finite; an integer beyond 2^53 is rounded.
    public var double: Double? {
        switch storage.tag(index) {
        case UInt8(ascii: "d"): Double(bitPattern: storage.tape[index + 1])
        case UInt8(ascii: "l"): Double(Int64(bitPattern: storage.tape[index + 1]))
        case UInt8(ascii: "u"): Double(storage.tape[index + 1])
        default: nil
        }
    }

    /// A number without a fraction that fits, in any notation: `3`, `3.0` and `3e0` are equal in JSON.
    public var int: Int? {
        switch storage.tag(index) {
        case UInt8(ascii: "d"): Int(exactly: Double(bitPattern: storage.tape[index + 1]))
        case UInt8(ascii: "l"): Int(Int64(bitPattern: storage.tape[index + 1]))
        case UInt8(ascii: "u"): Int(exactly: storage.tape[index + 1])
        default: nil
        }
    }

    /// The text of a string, without escapes; `nil` for other values.
    public var string: String? {
        kind == .string ? storage.string(index) : nil
    }

    /// The UTF-8 bytes of a string, without the cost of a `String`.
    public var utf8: ArraySlice<UInt8>? {
        kind == .string ? storage.strings[storage.stringRange(index)] : nil
    }

    /// The elements of an array; `nil` for other values.
    public var array: JSONArray? {
        kind == .array ? JSONArray(storage: storage, index: index) : nil
    }

    /// The members of an object, in order, including repeated names; `nil` for other values.
    public var object: JSONObject? {
        kind == .object ? JSONObject(storage: storage, index: index) : nil
    }

    /// The first member with this name; `nil` if there is none or this is not an object.
    ///
    /// Names are compared by bytes, as JSON requires; `String` comparison would treat canonically equivalent names as
    /// equal.
    public subscript(name: String) -> JSONElement? {
        object?.first(named: name)
    }

    /// The element at an index; `nil` if there is none or this is not an array. Takes linear time.
    public subscript(position: Int) -> JSONElement? {
        guard position >= 0, let array else { return nil }
        return array.dropFirst(position).first { _ in true }
    }

    /// The number of elements or members; 0 for other values.
    public var count: Int {
        array?.count ?? object?.count ?? 0
    }

    /// The value as compact JSON, with numbers in their shortest form.
    public var text: String {
        var writer = JSONWriter()
        writer.value(self)
        return String(decoding: writer.bytes, as: UTF8.self)
    }
}

extension JSONElement: Equatable {
    /// Whether both are the same value: numbers by value, strings by bytes, members in order.
    public static func == (a: JSONElement, b: JSONElement) -> Bool {
        switch (a.kind, b.kind) {
        case (.null, .null): true
        case (.bool, .bool): a.bool == b.bool
        case (.number, .number):
            // Two integers that are equal only after rounding are different.
            a.int != nil && b.int != nil ? a.int == b.int : a.double == b.double
        case (.string, .string): a.utf8 == b.utf8
        case (.array, .array):
            a.count == b.count && zip(JSONArray(a), JSONArray(b)).allSatisfy { $0 == $1 }
        case (.object, .object):
            a.count == b.count
                && zip(JSONObject(a), JSONObject(b)).allSatisfy { $0.nameUTF8 == $1.nameUTF8 && $0.value == $1.value }
        case (.null, _), (.bool, _), (.number, _), (.string, _), (.array, _), (.object, _): false
        }
    }
}
