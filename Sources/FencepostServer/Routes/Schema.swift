/// JSON Schemas that several routes use, for `/openapi.json`.
enum Schema {
    static func named(_ name: String) -> String { "{\"$ref\":\"#/components/schemas/\(name)\"}" }
    static let string = #"{"type":"string"}"#
    /// A body that is no JSON value, such as lines of JSON.
    static let bytes = #"{"type":"string","format":"binary"}"#
    static let time = #"{"type":"string","format":"date-time"}"#
    static let object = #"{"type":"object"}"#
    static let integer = #"{"type":"integer"}"#
    static let number = #"{"type":"number"}"#
    static let strings = array(of: string)
    static let text = #"{"type":"string","minLength":1,"maxLength":256}"#
    /// A device id, without control characters (rule V5).
    static let deviceID = name(atMost: 128)
    /// User or device of OwnTracks, which together are the device id.
    static let name = name(atMost: 63)

    private static func name(atMost length: Int) -> String {
        #"{"type":"string","minLength":1,"maxLength":\#(length),"pattern":"^[^\\u0000-\\u001F\\u007F-\\u009F]*$"}"#
    }

    /// An object with these members, of which some are always there; others are refused if it is closed.
    static func object(
        required: [String] = [], _ members: [(name: String, schema: String)], isClosed: Bool = false
    ) -> String {
        let names = required.map { "\"\($0)\"" }.joined(separator: ",")
        let properties = members.map { "\"\($0.name)\":\($0.schema)" }.joined(separator: ",")
        let always = required.isEmpty ? "" : "\"required\":[\(names)],"
        let closed = isClosed ? #""additionalProperties":false,"# : ""
        return "{\"type\":\"object\",\(always)\(closed)\"properties\":{\(properties)}}"
    }

    static func array(of schema: String) -> String { #"{"type":"array","items":\#(schema)}"# }

    /// What a schema describes, or null.
    static func optional(_ schema: String) -> String { #"{"anyOf":[\#(schema),{"type":"null"}]}"# }

    /// A text that matches a pattern without a backslash.
    static func text(like pattern: String) -> String { #"{"type":"string","pattern":"\#(pattern)"}"# }

    /// Numbers separated by commas, each given by its pattern.
    static func numbers(_ patterns: String...) -> String {
        #"{"type":"string","pattern":"^\#(patterns.joined(separator: ","))$"}"#
    }

    static let latitude = #"[+-]?(?:[0-8]?[0-9](?:\\.[0-9]{1,17})?|90(?:\\.0{1,17})?)"#
    static let longitude = #"[+-]?(?:(?:[0-9]?[0-9]|1[0-7][0-9])(?:\\.[0-9]{1,17})?|180(?:\\.0{1,17})?)"#

    static func list(of schema: String) -> String {
        #"{"type":"object","required":["data","nextCursor"],"properties":{"data":{"type":"array","items":\#(schema)},"#
            + #""nextCursor":{"type":["string","null"]}}}"#
    }

    /// A page of devices, with `version` when the request has `changedSince`.
    static let devices =
        #"{"type":"object","required":["data","nextCursor"],"properties":{"data":{"type":"array","items":"#
        + named("Device") + #"},"version":{"type":"string"},"nextCursor":{"type":["string","null"]}}}"#

    /// The one value that a member has. Its type is stated, because generators of clients derive none from a constant.
    static func only(_ value: String) -> String { #"{"type":"string","const":"\#(value)"}"# }

    static func words(_ words: some Sequence<String>) -> String {
        #"{"type":"string","enum":[\#(words.map { "\"\($0)\"" }.joined(separator: ","))]}"#
    }
}
