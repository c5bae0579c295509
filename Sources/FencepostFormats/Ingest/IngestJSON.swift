internal import CSimdjson
internal import FencepostJSON
internal import FencepostModel

/// Parses JSON bodies for the ingest routes.
enum IngestJSON {
    /// - Throws: `invalid_json`, with line and column.
    static func parse(_ body: some Collection<UInt8>) throws(Rejection) -> JSONElement {
        do throws(JSONSyntaxError) {
            return try JSONDocument(parsing: body).root
        } catch {
            // `1e999` is valid JSON: only this one number is wrong, not the whole request.
            if let corrected = quotingHugeNumbers(in: body), let document = try? JSONDocument(parsing: corrected) {
                return document.root
            }
            throw Rejection(.invalidJSON, "line \(error.line), column \(error.column): \(error.message)")
        }
    }

    /// The rejection of a body that is JSON but no object, and no array where one is accepted.
    static let notAnObject = Rejection(.invalidJSON, "the body is not a JSON object")

    /// The text with every number beyond the range of `Double` as a string, which is then rejected where a number is
    /// needed.
    ///
    /// - Returns: `nil` if there is no such number.
    static func quotingHugeNumbers(in body: some Collection<UInt8>) -> [UInt8]? {
        let body = Array(body)
        var result: [UInt8] = []
        var copied = 0
        var index = 0
        while index < body.count {
            switch body[index] {
            case UInt8(ascii: "\""):
                index += 1
                while index < body.count, body[index] != UInt8(ascii: "\"") {
                    index += body[index] == UInt8(ascii: "\\") ? 2 : 1
                }
                index += 1
            case UInt8(ascii: "-"), UInt8(ascii: "0")...UInt8(ascii: "9"):
                let start = index
                while index < body.count, isInNumber(body[index]) { index += 1 }
                guard isHuge(body[start..<index]) else { continue }
                result += body[copied..<start]
                result.append(UInt8(ascii: "\""))
                result += body[start..<index]
                result.append(UInt8(ascii: "\""))
                copied = index
            default: index += 1
            }
        }
        return copied == 0 ? nil : result + body[copied...]
    }

    private static func isInNumber(_ byte: UInt8) -> Bool {
        switch byte {
        case UInt8(ascii: "0")...UInt8(ascii: "9"), UInt8(ascii: "-"), UInt8(ascii: "+"), UInt8(ascii: "."),
            UInt8(ascii: "e"), UInt8(ascii: "E"):
            true
        default: false
        }
    }

    private static func isHuge(_ text: ArraySlice<UInt8>) -> Bool {
        // Without an exponent it takes 309 digits.
        guard text.count > 308 || text.contains(where: { $0 | 0x20 == UInt8(ascii: "e") }) else { return false }
        return text.withUnsafeBufferPointer { bytes in
            bytes.baseAddress.map { fencepost_parse_decimal($0, bytes.count).isInfinite } ?? false
        }
    }
}

/// A value of a request, from JSON or from the text of a parameter.
enum IngestValue {
    case number(Double)
    /// Not empty, without surrounding white space.
    case text(String)
    case bool(Bool)
    /// An array or an object.
    case other

    /// `nil` for `null` and for blank text: apps send empty parameters for unknown values.
    init?(_ element: JSONElement?) {
        guard let element, !element.isNull else { return nil }
        if let number = element.double {
            self = .number(number)
        } else if let bool = element.bool {
            self = .bool(bool)
        } else if let text = element.utf8 {
            self.init(text: text)
        } else {
            self = .other
        }
    }

    init?(text: some Collection<UInt8>) {
        let text = text.trimmed
        guard !text.isEmpty else { return nil }
        self = .text(String(decoding: text, as: UTF8.self))
    }

    /// A number, or text that is a number by rule I33; `nil` for anything else.
    var number: Double? {
        switch self {
        case .number(let number): number
        case .text(let text): DecimalNumber.parse(text)
        case .bool, .other: nil
        }
    }

    /// - Throws: `invalid_number`, with the name of the member.
    func number(_ name: String) throws(Rejection) -> Double {
        guard let number else { throw NativeShape.notANumber(name) }
        return number
    }

    var bool: Bool? {
        switch self {
        case .bool(let bool): bool
        case .number(let number): number == 1 ? true : number == 0 ? false : nil
        case .text(let text):
            switch text.lowercased() {
            case "true", "1", "yes": true
            case "false", "0", "no": false
            default: nil
            }
        case .other: nil
        }
    }

    var string: String? {
        if case .text(let text) = self { return text }
        return nil
    }

    /// Whether it is the hardware address of a network interface (EUI-48 or EUI-64), such as `a4:83:e7:00:11:22`.
    ///
    /// Phones make them up per network, and nobody recognises a device by one. So any other name goes before it.
    var isHardwareAddress: Bool {
        guard case .text(let text) = self else { return false }
        let parts = text.split(omittingEmptySubsequences: false) { $0 == ":" || $0 == "-" }
        return (parts.count == 6 || parts.count == 8)
            && parts.allSatisfy { $0.count == 2 && $0.allSatisfy(\.isHexDigit) }
    }

    /// The name of a device: text, or an integer.
    func device(_ names: inout DeviceNames) throws(Rejection) -> DeviceID {
        switch self {
        case .text(let text): return try names.device(named: text.utf8)
        case .number(let number):
            if let integer = Int64(exactly: number), integer.magnitude < 1 << 53 {
                return try names.device(named: "\(integer)".utf8)
            }
        case .bool, .other: break
        }
        throw Rejection(.invalidDeviceID, "the device's name is not a string")
    }

    /// Seconds or milliseconds since 1970, RFC 3339, or `2026-03-01 08:30:00` in UTC.
    var time: RawTime {
        switch self {
        case .number(let number): return RawTime(epoch: number)
        case .text(let text):
            let time = RawTime(text: text.utf8)
            guard case .invalid = time else { return time }
            // An unescaped plus sign of an offset in a query arrives as a space.
            let bytes = Array(text.utf8)
            guard let space = bytes.lastIndex(of: 0x20), space > 15, bytes.count - space <= 6 else { return time }
            let corrected = RawTime(text: bytes[..<space] + [UInt8(ascii: "+")] + bytes[(space + 1)...])
            if case .at = corrected { return corrected }
            return time
        case .bool, .other: return .invalid(NativeShape.otherValue)
        }
    }
}

extension JSONElement {
    /// Refuses a record with an object that has one name twice: readers differ in which of the values they take
    /// (RFC 8259, section 4).
    func checkNames() throws(Rejection) {
        if let object {
            if let repeated = object.firstRepeatedName {
                throw Rejection(.invalidShape, "the member \(repeated.prefix(64)) occurs twice: keep one of them")
            }
            for member in object { try member.value.checkNames() }
        } else if let array {
            for element in array { try element.checkNames() }
        }
    }

    /// The value of the first of these members that has one.
    func value(_ names: String...) -> IngestValue? {
        for name in names {
            if let value = IngestValue(self[name]) { return value }
        }
        return nil
    }

    /// - Throws: `invalid_number` for a value that is not a number.
    func number(_ name: String) throws(Rejection) -> Double? {
        guard let value = value(name) else { return nil }
        return try value.number(name)
    }
}

extension Double {
    /// `nil` for a negative number, which apps use for an unknown value.
    var ifKnown: Double? { self < 0 ? nil : self }
}
