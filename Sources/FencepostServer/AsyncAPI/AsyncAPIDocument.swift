import FencepostHTTP
import FencepostJSON

/// The AsyncAPI document: everything that the service sends without being asked (rule A36).
struct AsyncAPIDocument {
    let routes: [Route]
    let version: String

    var json: String {
        let streams = routes.filter { $0.name == "stream" }.map(StreamChannel.channel)
        let channels =
            WebhookChannels.all + streams + BrokerChannels.all + PeopleChannels.all
            + MessageBrokerChannels.all
        var writer = JSONWriter()
        writer.beginObject()
        writer.member("asyncapi", "3.0.0")
        writer.name("info")
        writer.beginObject()
        writer.member("title", "Fencepost")
        writer.member("version", version)
        writer.member("description", Self.introduction)
        writer.member("license", raw: #"{"name":"Apache-2.0"}"#)
        writer.endObject()
        writer.member("defaultContentType", "application/json")
        writer.member("servers", raw: Self.servers)
        writer.name("channels")
        writer.beginObject()
        for channel in channels { write(channel, to: &writer) }
        writer.endObject()
        writer.name("operations")
        writer.beginObject()
        for channel in channels {
            for operation in channel.operations { write(operation, of: channel, to: &writer) }
        }
        writer.endObject()
        components(&writer)
        writer.endObject()
        return String(decoding: writer.bytes, as: UTF8.self)
    }

    private static let introduction = """
        What Fencepost sends without being asked: webhooks, messages for people and for message brokers, server-sent \
        events, and topics of an MQTT broker. What it answers is described by /openapi.json, with the same schemas.
        """

    private static let servers = #"""
        {"receiver":{"host":"{host}","protocol":"https","description":"That of the url of an endpoint.",
        "variables":{"host":{"description":"Host and port of the url."}}},
        "mail":{"host":"{host}","protocol":"smtp","description":"The mail server of an endpoint of the kind email.",
        "variables":{"host":{"description":"Host and port of the url."}}},
        "service":{"host":"{host}","protocol":"http","description":"Fencepost itself.",
        "variables":{"host":{"default":"localhost:8080","description":"server.host and server.port."}},
        "security":[{"$ref":"#/components/securitySchemes/bearer"},{"$ref":"#/components/securitySchemes/session"},
        {"$ref":"#/components/securitySchemes/ticket"}]},
        "broker":{"host":"{host}","protocol":"mqtt","protocolVersion":"3.1.1","description":"mqtt.publishTo, or else mqtt.",
        "variables":{"host":{"default":"localhost:1883","description":"mqtt.host and mqtt.port."}},
        "security":[{"$ref":"#/components/securitySchemes/broker"}],
        "bindings":{"mqtt":{"clientId":"fencepost-publisher","cleanSession":true,"bindingVersion":"0.2.0",
        "lastWill":{"topic":"fencepost/status","qos":1,"message":"offline","retain":true}}}},
        "nats":{"host":"{host}","protocol":"nats","description":"That of an endpoint of the kind nats.",
        "variables":{"host":{"description":"Host and port of the url."}},
        "security":[{"$ref":"#/components/securitySchemes/endpoint"}]},
        "redis":{"host":"{host}","protocol":"redis","description":"That of an endpoint of the kind redis.",
        "variables":{"host":{"description":"Host and port of the url."}},
        "security":[{"$ref":"#/components/securitySchemes/endpoint"}]},
        "amqp":{"host":"{host}","protocol":"amqp","protocolVersion":"0.9.1",
        "description":"That of an endpoint of the kind amqp.",
        "variables":{"host":{"description":"Host and port of the url."}},
        "security":[{"$ref":"#/components/securitySchemes/endpoint"}]},
        "kafka":{"host":"{host}","protocol":"kafka","description":"Those of an endpoint of the kind kafka.",
        "variables":{"host":{"description":"Hosts and ports of the url."}},
        "security":[{"$ref":"#/components/securitySchemes/endpoint"}]}}
        """#.replacing("\n", with: "")

    private static let securitySchemes = #"""
        {"signature":{"type":"httpApiKey","in":"header","name":"webhook-signature",
        "description":"Standard Webhooks: signs webhook-id, webhook-timestamp and the body with each secret of the endpoint."},
        "bearer":{"type":"http","scheme":"bearer","description":"A token, fp_…"},
        "session":{"type":"httpApiKey","in":"cookie","name":"fencepost_session","description":"Set by POST /v1/sessions."},
        "ticket":{"type":"httpApiKey","in":"query","name":"ticket","description":"Of POST /v1/stream/tickets."},
        "broker":{"type":"userPassword","description":"mqtt.username and mqtt.password, where the broker wants them."},
        "endpoint":{"type":"userPassword","description":"username and password of the endpoint, or token for NATS."}}
        """#.replacing("\n", with: "")

    private static let correlationIDs = #"""
        {"webhookId":{"location":"$message.header#/webhook-id","description":"The event; the same in each attempt."},
        "eventId":{"location":"$message.payload#/id","description":"The event."},
        "dataEventId":{"location":"$message.payload#/data/eventId","description":"The event."},
        "binaryEventId":{"location":"$message.payload#/eventId","description":"The event."},
        "messageId":{"location":"$message.header#/message-id","description":"Has the id of the event."}}
        """#.replacing("\n", with: "")

    private func write(_ channel: AsyncAPIChannel, to writer: inout JSONWriter) {
        writer.name(channel.name)
        writer.beginObject()
        writer.name("address")
        if let address = channel.address { writer.value(address) } else { writer.null() }
        writer.member("description", channel.text)
        writer.array("servers", [channel.server.rawValue]) { reference("#/servers/" + $1, to: &$0) }
        if !channel.parameters.isEmpty {
            writer.name("parameters")
            writer.beginObject()
            for parameter in channel.parameters {
                writer.name(parameter.name)
                writer.beginObject()
                writer.member("description", parameter.text)
                writer.member("default", parameter.usual)
                if !parameter.values.isEmpty { writer.list("enum", parameter.values) }
                writer.endObject()
            }
            writer.endObject()
        }
        writer.name("messages")
        writer.beginObject()
        for message in channel.messages {
            writer.name(message.key)
            writer.beginObject()
            writer.member("name", message.name)
            writer.member("summary", message.text)
            writer.member("contentType", message.contentType)
            if let correlation = message.correlation {
                writer.name("correlationId")
                reference("#/components/correlationIds/" + correlation, to: &writer)
            }
            if let headers = message.headers { writer.member("headers", raw: headers) }
            writer.member("payload", raw: message.payload)
            writer.endObject()
        }
        writer.endObject()
        writer.endObject()
    }

    private func write(
        _ operation: AsyncAPIChannel.Operation, of channel: AsyncAPIChannel, to writer: inout JSONWriter
    ) {
        let path = "#/channels/" + channel.name
        writer.name(operation.name)
        writer.beginObject()
        writer.member("action", "send")
        writer.name("channel")
        reference(path, to: &writer)
        writer.member("summary", operation.text)
        if !operation.security.isEmpty {
            writer.array("security", operation.security) { reference("#/components/securitySchemes/" + $1, to: &$0) }
        }
        if let bindings = Self.bindings(operation.binding) { writer.member("bindings", raw: bindings) }
        let messages = operation.messages.isEmpty ? channel.messages.map(\.key) : operation.messages
        writer.array("messages", messages) { reference("\(path)/messages/\($1)", to: &$0) }
        writer.endObject()
    }

    private static func bindings(_ binding: AsyncAPIChannel.Binding) -> String? {
        switch binding {
        case .post: #"{"http":{"method":"POST","bindingVersion":"0.3.0"}}"#
        case .get(let query): #"{"http":{"method":"GET","query":\#(query),"bindingVersion":"0.3.0"}}"#
        case .publish(let isRetained):
            #"{"mqtt":{"qos":1,"retain":\#(isRetained),"bindingVersion":"0.2.0"}}"#
        case .mail, .acknowledged: nil
        case .confirmed: #"{"amqp":{"deliveryMode":2,"mandatory":true,"bindingVersion":"0.3.0"}}"#
        }
    }

    private func reference(_ path: String, to writer: inout JSONWriter) {
        writer.beginObject()
        writer.member("$ref", path)
        writer.endObject()
    }

    /// The schemas of events are those of `/openapi.json`.
    private func components(_ writer: inout JSONWriter) {
        let shared = [
            "Location", "Event", "Alert", "Fence", "SentFence", "Proximity", "RoundEvent", "Visit", "Delivery",
        ]
        writer.name("components")
        writer.beginObject()
        writer.member("securitySchemes", raw: Self.securitySchemes)
        writer.member("correlationIds", raw: Self.correlationIDs)
        writer.name("schemas")
        writer.beginObject()
        let own = WebhookChannels.schemas + BrokerChannels.schemas
        let known = ComponentSchemas.all + FenceSchemas.all + ProximitySchemas.all + [PlanSchemas.roundEvent]
        for (name, schema) in known.filter({ shared.contains($0.name) }) + own {
            writer.member(name, raw: schema)
        }
        writer.endObject()
        writer.endObject()
    }
}
