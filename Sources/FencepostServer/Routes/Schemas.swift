import HTTPTypes

/// JSON Schemas that several routes name, for `/openapi.json`.
enum Schema {
    static func named(_ name: String) -> String { "{\"$ref\":\"#/components/schemas/\(name)\"}" }
    static let string = #"{"type":"string"}"#
    static let time = #"{"type":"string","format":"date-time"}"#
    static let object = #"{"type":"object"}"#
    static let text = #"{"type":"string","minLength":1,"maxLength":256}"#
    /// The id of a device: no control characters (rule V5).
    static let deviceID = name(atMost: 128)
    /// One of the two parts that OwnTracks makes an id of.
    static let name = name(atMost: 63)

    private static func name(atMost length: Int) -> String {
        #"{"type":"string","minLength":1,"maxLength":\#(length),"pattern":"^[^\\u0000-\\u001F\\u007F-\\u009F]*$"}"#
    }

    /// Numbers with commas between them, each the pattern of one.
    static func numbers(_ patterns: String...) -> String {
        #"{"type":"string","pattern":"^\#(patterns.joined(separator: ","))$"}"#
    }

    static let latitude = #"[+-]?(?:[0-8]?[0-9](?:\\.[0-9]{1,17})?|90(?:\\.0{1,17})?)"#
    static let longitude = #"[+-]?(?:(?:[0-9]?[0-9]|1[0-7][0-9])(?:\\.[0-9]{1,17})?|180(?:\\.0{1,17})?)"#

    static func list(of schema: String) -> String {
        #"{"type":"object","required":["data","nextCursor"],"properties":{"data":{"type":"array","items":\#(schema)},"#
            + #""nextCursor":{"type":["string","null"]}}}"#
    }

    /// A page of devices, with the version of the board where it was asked for.
    static let devices =
        #"{"type":"object","required":["data","nextCursor"],"properties":{"data":{"type":"array","items":"#
        + named("Device") + #"},"version":{"type":"string"},"nextCursor":{"type":["string","null"]}}}"#

    static func words(_ words: some Sequence<String>) -> String {
        #"{"type":"string","enum":[\#(words.map { "\"\($0)\"" }.joined(separator: ","))]}"#
    }
}

extension Route.Parameter {
    static func id(_ what: String, _ name: String = "id") -> Self {
        Self(
            name: name, place: .path, isRequired: true, schema: #"{"type":"string","minLength":1}"#,
            text: "The id of the \(what), percent-encoded: a slash in it is %2F.")
    }

    static let limit = Self(
        name: "limit", schema: #"{"type":"integer","minimum":1,"maximum":500,"default":50}"#,
        text: "How many a page holds at most.")
    static let cursor = Self(
        name: "cursor", schema: #"{"type":"string","maxLength":1024,"pattern":"^[A-Za-z0-9_-]+$"}"#,
        text: "nextCursor of the page before.")
    static let paging = [limit, cursor]
    static let deviceID = Self(
        name: "deviceId", schema: Schema.deviceID, text: "Only of this device.")
    static let regionID = Self(name: "regionId", schema: Schema.string, text: "Only of this region.")
    static let type = Self(
        name: "type", schema: #"{"type":"string","pattern":"^[a-z0-9_.*?,]*$"}"#,
        text: "Only events of these types: names or patterns such as region.*, with commas between them.")
    static let from = Self(name: "from", schema: Schema.time, text: "From this time on.")
    static let to = Self(name: "to", schema: Schema.time, text: "Before this time.")
    static let filters = [deviceID, regionID, type, from, to]
    static let explain = Self(
        name: "explain", schema: #"{"type":"boolean"}"#, text: "Adds why each event was told.")

    static func flag(_ name: String, _ text: String) -> Self {
        Self(name: name, schema: #"{"type":"boolean"}"#, text: text)
    }
}

extension Route.Success {
    static func json(_ schema: String, _ text: String, example: String? = nil) -> Self {
        Self(status: .ok, type: Answer.json, schema: schema, example: example, text: text)
    }

    static func created(_ schema: String, _ text: String) -> Self {
        Self(status: .created, type: Answer.json, schema: schema, text: text)
    }

    static func noContent(_ text: String) -> Self { Self(status: .noContent, text: text) }
}
