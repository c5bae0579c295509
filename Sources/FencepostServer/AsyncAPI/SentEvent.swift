import FencepostModel
import FencepostService

/// A type of event, with the members that each event of this type has: each message of an event names its type.
struct SentEvent: Sendable {
    /// The type on the wire.
    var type: String
    /// What the event is about, besides its id and its times.
    var members: [EventMember]
    /// Whether it is about a device.
    var isOfDevice = true
    /// Whether it is about the past: only who asks for corrections gets it.
    var isCorrection = false

    /// Every type of event.
    static let all =
        EventType.allCases.map { SentEvent(type: $0.rawValue, members: [.sequence, .device] + members(of: $0)) }
        + [
            SentEvent(
                type: Retraction.type, members: [.sequence, .device, .retracts, .retractedType, .reason],
                isCorrection: true)
        ]
        + ServiceEventType.allCases.map {
            SentEvent(type: $0.rawValue, members: members(of: $0), isOfDevice: false)
        }

    private static func members(of type: EventType) -> [EventMember] {
        switch type {
        case .regionEntered, .regionExited: [.region]
        case .regionDwelled: [.region, .dwell]
        case .visitArrived, .visitDeparted: [.visit]
        case .deviceStale, .deviceRecovered: []
        case .appRelaunched: [.app]
        case .alertSpeed, .alertBattery, .alertAccuracy, .alertJump, .alertUnplugged, .alertAbsent, .alertPresent,
            .alertSilent:
            [.alert]
        }
    }

    private static func members(of type: ServiceEventType) -> [EventMember] {
        switch type {
        case .endpointDisabled: [.endpoint, .reason]
        case .deliveryExhausted: [.endpoint, .delivery]
        case .webhookTest: [.endpoint]
        case .reportReady: [.schedule, .report]
        }
    }

    /// The schema of this type among those of a component: the type is this one, and the members are there.
    ///
    /// - Parameters:
    ///   - component: describes events of all types.
    ///   - type: the value of its `type`; `nil` for a component without.
    ///   - names: the names of the members.
    ///   - data: the member that has them; `nil` for the object itself.
    /// - Returns: JSON Schema.
    static func schema(_ component: String, type: String?, names: [String], in data: String? = nil) -> String {
        let required = "\"required\":[\(names.map { "\"\($0)\"" }.joined(separator: ","))]"
        let properties = [
            type.map { "\"type\":\(Schema.only($0))" }, data.map { "\"\($0)\":{\(required)}" },
        ].compactMap(\.self).joined(separator: ",")
        let own = [data == nil ? required : nil, properties.isEmpty ? nil : "\"properties\":{\(properties)}"]
        return "{\"allOf\":[\(Schema.named(component)),{\(own.compactMap(\.self).joined(separator: ","))}]}"
    }

    /// The schema of `data` in a message, or of a message that has it.
    func message(_ component: String, type: String?, in data: String?) -> String {
        Self.schema(component, type: type, names: members.compactMap(EventSchema.nameInMessage), in: data)
    }
}
