import FencepostModel
import FencepostService

/// The JSON Schemas of events: each member is described once, for lists, for the stream and for messages.
enum EventSchema {
    /// Where an event is written.
    private enum Form {
        /// In lists and in the stream (rule E1).
        case event
        /// As `data` of a message, where a part can be left out (rule W4).
        case message
    }

    /// An event.
    static let event = Schema.object(
        required: ["id", "type", "timestamp"],
        EventMember.allCases.map { ($0.rawValue, schema(of: $0, in: .event)) } + [
            ("superseded", Schema.string), ("why", why),
        ])

    /// The member `data` of a message.
    static let message = Schema.object(
        required: ["eventId", "detectedAt", "receivedAt", "test"],
        EventMember.allCases.compactMap { member in
            nameInMessage(of: member).map { ($0, schema(of: member, in: .message)) }
        } + [("test", #"{"type":"boolean"}"#), ("omitted", Schema.strings)])

    static let visit = visit(in: .event)

    /// A decision about a simulated app, which events have in `apps`.
    static let decision = decision(in: .event)

    /// The name of a member in a message; `nil` for what the envelope has, and for what no webhook receives.
    static func nameInMessage(of member: EventMember) -> String? {
        switch member {
        case .id: "eventId"
        case .type, .timestamp, .earliest, .latest, .recipients: nil
        case .sequence, .detectedAt, .receivedAt, .device, .retracts, .retractedType, .endpoint, .delivery, .schedule,
            .report, .region, .visit, .app, .alert, .fence, .proximity, .plan, .location, .confidence, .reason, .dwell,
            .revision,
            .supersedes,
            .apps:
            member.rawValue
        }
    }

    private static func schema(of member: EventMember, in form: Form) -> String {
        switch member {
        case .id, .type, .device, .retracts, .retractedType, .reason, .supersedes: Schema.string
        case .sequence, .revision: Schema.integer
        case .timestamp, .detectedAt, .receivedAt, .earliest, .latest: Schema.time
        case .confidence, .dwell: Schema.number
        case .recipients: Schema.strings
        case .endpoint: texts(["id"], ["description"])
        case .delivery:
            Schema.object(
                required: ["id", "eventId", "eventType", "attempts"],
                [
                    ("id", Schema.string), ("eventId", Schema.string), ("eventType", Schema.string),
                    ("attempts", Schema.integer),
                ])
        case .schedule: texts(["id", "name"], [])
        case .report:
            texts(["kind", "format", "path"], ["from", "to", "timeZone", "firstDate", "lastDate"])
        case .region: region(in: form)
        case .visit: form == .event ? Schema.named("Visit") : visit(in: form)
        case .app: texts(["id"], ["name"])
        case .alert: Schema.named("Alert")
        case .fence: form == .event ? Schema.named("Fence") : Schema.named("SentFence")
        case .proximity: Schema.named("Proximity")
        case .plan: Schema.named("RoundEvent")
        case .location: Schema.named("Location")
        case .apps: Schema.array(of: form == .event ? Schema.named("Delivery") : decision(in: form))
        }
    }

    private static func texts(_ required: [String], _ others: [String]) -> String {
        Schema.object(required: required, (required + others).map { ($0, Schema.string) })
    }

    /// Metadata is any JSON value. Messages have the `externalId` of the metadata as a member of its own.
    private static func region(in form: Form) -> String {
        let members = [("id", Schema.string), ("name", Schema.string), ("tags", Schema.strings), ("metadata", "{}")]
        return Schema.object(
            required: form == .event ? ["id", "tags"] : ["id"],
            members + (form == .event ? [] : [("externalId", #"{"type":["string","number"]}"#)]))
    }

    /// Messages have no position for endpoints without locations, and no regions where the message would be too large.
    private static func visit(in form: Form) -> String {
        let position = ["latitude", "longitude", "horizontalAccuracy", "regions"]
        let bounds = ["arrivalEarliest", "arrivalLatest", "departureEarliest", "departureLatest"]
        let optional = #"{"type":["string","null"]}"#
        return Schema.object(
            required: ["id", "arrival", "departure"] + (form == .event ? position : []),
            [("deviceId", Schema.string), ("id", Schema.string), ("arrival", optional), ("departure", optional)]
                + bounds.map { ($0, Schema.time) }
                + position.map { ($0, $0 == "regions" ? Schema.strings : Schema.number) }
                + [("address", optional)])
    }

    private static let why = Schema.object(
        required: ["rule"],
        [
            ("rule", Schema.string), ("fix", Schema.named("Location")), ("distance", Schema.number),
            ("accuracy", Schema.number), ("probability", Schema.number), ("heldBack", Schema.array(of: Schema.time)),
        ])

    /// Messages that would be too large have no reasons.
    private static func decision(in form: Form) -> String {
        let (text, flag, whole) = (
            #"{"type":["string","null"]}"#, #"{"type":"boolean"}"#, #"{"type":["integer","null"]}"#
        )
        let seconds = #"{"type":["number","null"]}"#
        let settled = Schema.object(
            required: ["step", "delivery", "relaunch", "decidingRule"],
            [
                ("step", Schema.integer), ("delivery", Schema.string), ("relaunch", flag), ("launchedInto", text),
                ("appWoken", flag), ("decidingRule", Schema.string),
            ])
        return Schema.object(
            required: ["service", "kind", "delivery", "relaunch", "decidingRule"]
                + (form == .event ? ["rules", "because"] : []),
            [
                ("service", Schema.string), ("kind", Schema.string), ("identifier", text), ("at", text),
                ("delivery", Schema.string), ("relaunch", flag), ("launchedInto", text), ("appWoken", flag),
                ("decidingRule", Schema.string), ("rules", Schema.strings), ("because", Schema.string),
                ("confidence", Schema.string), ("warnings", Schema.array(of: texts(["rule", "text"], []))),
                ("app", text), ("step", whole),
                ("id", text), ("managersNotified", Schema.integer), ("runtimeSeconds", seconds),
                ("runtimeSecondsRange", Schema.array(of: Schema.number)),
                (
                    "launchOptions",
                    Schema.optional(
                        Schema.object(
                            required: ["location", "deprecated"], [("location", flag), ("deprecated", flag)]))
                ),
                ("latencySeconds", Schema.number), ("monitorProfile", text), ("copies", Schema.integer),
                (
                    "certainty",
                    Schema.object(
                        required: ["percent", "words"], [("percent", whole), ("words", Schema.string)])
                ),
                ("settled", Schema.optional(settled)),
                ("visit", Schema.object([("arrivalDate", text), ("departureDate", text)])),
                ("timeAccuracy", Schema.string), ("spatialAccuracy", Schema.string), ("extensionRuns", flag),
                ("notificationShown", flag),
            ])
    }
}
