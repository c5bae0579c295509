import FencepostHTTP
import FencepostService
import HTTPTypes

extension Route.Parameter {
    static func id(_ resource: String, _ name: String = "id") -> Self {
        Self(
            name: name, source: .path, isRequired: true, schema: #"{"type":"string","minLength":1}"#,
            text: "The id of the \(resource), percent-encoded: a slash is %2F.")
    }

    static let limit = Self(
        name: "limit", schema: #"{"type":"integer","minimum":1,"maximum":500,"default":50}"#,
        text: "Maximum number of elements per page.")
    static let cursor = Self(
        name: "cursor", schema: #"{"type":"string","maxLength":16384,"pattern":"^[A-Za-z0-9_-]+$"}"#,
        text: "nextCursor of the previous page.")
    static let paging = [limit, cursor]
    static let order = Self(
        name: "order", words: HistoryOrder.self, text: "asc, the default, for the oldest first; desc for the newest.")
    static let deviceID = Self(
        name: "deviceId", schema: Schema.deviceID,
        text: "Only entries of this device, or of the devices that a pattern such as vans/* matches.")
    static let regionID = Self(name: "regionId", schema: Schema.string, text: "Only entries of this region.")
    static let type = Self(
        name: "type", schema: #"{"type":"string","pattern":"^[a-z0-9_.*?,]*$"}"#, values: .eventTypes,
        text: "Only events of these types: names or patterns such as region.*, separated by commas.")
    static let from = Self(name: "from", schema: Schema.time, text: "Start time, inclusive.")
    static let to = Self(name: "to", schema: Schema.time, text: "End time, exclusive.")
    static let filters = [deviceID, regionID, type, from, to]
    static let explain = Self(
        name: "explain", schema: #"{"type":"boolean"}"#, text: "Includes the reason for each event.")

    static func flag(_ name: String, _ text: String) -> Self {
        Self(name: name, schema: #"{"type":"boolean"}"#, text: text)
    }
}

extension Route.Parameter {
    /// A parameter with a fixed set of values.
    init<Word: RawRepresentable & CaseIterable>(
        name: String, words: Word.Type, text: String
    ) where Word.RawValue == String {
        let known = Word.allCases.map(\.rawValue)
        self.init(name: name, schema: Schema.words(known), values: .words(known), text: text)
    }
}

extension Route.Success {
    static func json(_ schema: String, _ text: String, example: String? = nil) -> Self {
        Self(status: .ok, type: RouteResponse.json, schema: schema, example: example, text: text)
    }

    static func created(_ schema: String, _ text: String) -> Self {
        Self(status: .created, type: RouteResponse.json, schema: schema, text: text)
    }

    static func noContent(_ text: String) -> Self { Self(status: .noContent, text: text) }
}
