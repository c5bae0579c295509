import FencepostJSON
import FencepostModel
import FencepostService

/// Encodes the body of a message and its headers.
struct MessageEncoder: Sendable {
    /// A body has fewer bytes than this (rule W4).
    static let limit = 20_000

    /// Name of the deployment, for the attribute `source` of CloudEvents.
    let instance: String

    /// The body and the headers of a message about an event object (rule E1). Members are left out of a body that is
    /// too long. A view for people has notes.
    func encode(
        _ event: EventMessage, as view: MessageView, isTest: Bool = false, notes: MessageData.Notes? = nil
    ) -> (body: String, headers: [String: String]) {
        var data = MessageData(parts: EventParts(event), view: view, isTest: isTest)
        if view.isForPeople { data.notes = notes }
        var bytes = body(data)
        for omission in MessageData.Omission.allCases where bytes.count >= MessageEncoder.limit {
            data.omitted = omission
            bytes = body(data)
        }
        return (String(decoding: bytes, as: UTF8.self), headers(event, as: view))
    }

    private func body(_ data: MessageData) -> [UInt8] {
        var writer = JSONWriter()
        switch data.view.format {
        case .standard:
            writer.beginObject()
            writer.field(.type, of: data.parts)
            writer.field(.timestamp, of: data.parts)
            writer.name("data")
            data.write(to: &writer)
            writer.endObject()
        case .binary: data.write(to: &writer)
        case .structured: writeCloudEvent(data, to: &writer)
        case .batch:
            writer.beginArray()
            writeCloudEvent(data, to: &writer)
            writer.endArray()
        }
        return writer.bytes
    }

    /// The attributes of CloudEvents 1.0 (rule W15).
    private func attributes(_ event: EventMessage) -> [(name: String, value: String)] {
        let all: [(name: String, value: String?)] = [
            ("specversion", "1.0"),
            ("id", event.id),
            ("source", "/fencepost/" + instance),
            ("type", "fencepost." + event.type),
            ("time", event.timestamp.rfc3339),
            ("subject", event.deviceID?.rawValue),
        ]
        return all.compactMap { name, value in value.map { (name, $0) } }
    }

    private func writeCloudEvent(_ data: MessageData, to writer: inout JSONWriter) {
        writer.beginObject()
        for (name, value) in attributes(data.parts.message) {
            writer.name(name)
            writer.value(value)
        }
        writer.name("datacontenttype")
        writer.value("application/json")
        writer.name("data")
        data.write(to: &writer)
        writer.endObject()
    }

    private func headers(_ event: EventMessage, as view: MessageView) -> [String: String] {
        switch view.format {
        case .standard: return ["content-type": "application/json"]
        case .structured: return ["content-type": "application/cloudevents+json"]
        case .batch: return ["content-type": "application/cloudevents-batch+json"]
        case .binary:
            var headers = ["content-type": "application/json"]
            for (name, value) in attributes(event) { headers["ce-" + name] = MessageEncoder.headerValue(value) }
            return headers
        }
    }

    /// Percent-encodes a header value according to the HTTP binding of CloudEvents (3.1.3.2): space, quote, percent and
    /// everything outside printable ASCII.
    static func headerValue(_ text: String) -> String {
        let digits = Array("0123456789ABCDEF".utf8)
        var bytes: [UInt8] = []
        for byte in text.utf8 {
            if byte > 0x20, byte < 0x7F, byte != UInt8(ascii: "\""), byte != UInt8(ascii: "%") {
                bytes.append(byte)
            } else {
                bytes += [UInt8(ascii: "%"), digits[Int(byte >> 4)], digits[Int(byte & 15)]]
            }
        }
        return String(decoding: bytes, as: UTF8.self)
    }
}
