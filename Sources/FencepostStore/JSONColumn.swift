import FencepostJSON
import Foundation

/// Values in columns of JSON text.
enum JSONColumn {
    static func encode(_ value: some Encodable) throws -> String {
        let encoder = JSONEncoder()
        encoder.outputFormatting = [.sortedKeys, .withoutEscapingSlashes]
        return String(decoding: try encoder.encode(value), as: UTF8.self)
    }

    /// Without Foundation's encoder, since each visit has such a column.
    static func encode(_ texts: [String]) -> String {
        var writer = JSONWriter()
        writer.beginArray()
        for text in texts { writer.value(text) }
        writer.endArray()
        return String(decoding: writer.bytes, as: UTF8.self)
    }

    /// In the order of the names, without Foundation's encoder, since each message has such a column.
    static func encode(_ texts: [String: String]) -> String {
        var writer = JSONWriter()
        writer.beginObject()
        for (name, text) in texts.sorted(by: { $0.key < $1.key }) {
            writer.name(name)
            writer.value(text)
        }
        writer.endObject()
        return String(decoding: writer.bytes, as: UTF8.self)
    }

    static func decode<Value: Decodable>(_ type: Value.Type, _ text: String) throws -> Value {
        do {
            return try JSONDecoder().decode(type, from: Data(text.utf8))
        } catch {
            throw StoreError(.corrupt, "A stored \(type) cannot be read.")
        }
    }
}
