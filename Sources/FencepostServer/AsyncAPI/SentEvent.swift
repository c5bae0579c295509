import FencepostModel
import FencepostService

/// A type of event, with the members that each event of this type has: each message of an event names its type.
struct SentEvent: Sendable {
    /// The type on the wire.
    var type: String
    /// What happened, in a sentence.
    var text: String
    /// What the event is about, besides its id and its times.
    var members: [EventMember]
    /// Whether it is about a device.
    var isOfDevice = true

    /// Every type of event.
    static let all =
        EventType.allCases.map(SentEvent.init) + [retracted] + ServiceEventType.allCases.map(SentEvent.init)

    private static let retracted = SentEvent(
        type: Retraction.type, text: "Another event did not happen, as late data shows.",
        members: [.sequence, .device, .retracts, .retractedType, .reason])

    private init(type: String, text: String, members: [EventMember], isOfDevice: Bool = true) {
        (self.type, self.text, self.members, self.isOfDevice) = (type, text, members, isOfDevice)
    }

    private init(_ type: EventType) {
        let (text, members): (String, [EventMember]) =
            switch type {
            case .regionEntered: ("A device has entered a region.", [.region])
            case .regionExited: ("A device has left a region.", [.region])
            case .regionDwelled: ("A device has been in a region for one of its dwell times.", [.region, .dwell])
            case .visitArrived: ("A device has begun a visit.", [.visit])
            case .visitDeparted: ("A device has ended a visit.", [.visit])
            case .deviceStale: ("A device has sent nothing for long.", [])
            case .deviceRecovered: ("A device sends again.", [])
            case .appRelaunched: ("The system would have launched an app for the event before.", [.app])
            case .alertSpeed: ("A device is faster than a limit, or no longer.", [.alert])
            case .alertBattery: ("A battery is low, or no longer.", [.alert])
            case .alertAccuracy: ("Positions are inaccurate for long, or no longer.", [.alert])
            case .alertJump: ("A position has jumped.", [.alert])
            case .alertUnplugged: ("A device runs on its battery, or no longer.", [.alert])
            case .alertAbsent: ("A device is not in a region at a time of day, or has come.", [.alert])
            case .alertPresent: ("A device is still in a region at a time of day, or has left.", [.alert])
            case .alertSilent: ("A device has sent no location for long, or sends again.", [.alert])
            case .fenceArmed: ("A fence was armed about where a device stands.", [.fence])
            case .fenceBroken: ("A device has left its fence.", [.fence])
            case .fenceDisarmed: ("A fence was disarmed.", [.fence, .reason])
            case .proximityEntered: ("Two devices are near each other.", [.proximity])
            case .proximityExited: ("Two devices are apart again.", [.proximity])
            case .proximityDwelled: ("Two devices have been near each other for long.", [.proximity, .dwell])
            case .proximityUnaccompanied: ("A device has moved away from another one.", [.proximity])
            case .planVisited: ("A place of a round was visited within its window.", [.region, .plan, .confidence])
            case .planLate: ("A place of a round was visited after its window.", [.region, .plan, .confidence])
            case .planMissed: ("A place of a round was not visited within its window.", [.region, .plan, .confidence])
            case .planCompleted: ("A round is over.", [.plan])
            }
        self.init(type: type.rawValue, text: text, members: [.sequence, .device] + members)
    }

    private init(_ type: ServiceEventType) {
        let (text, members): (String, [EventMember]) =
            switch type {
            case .endpointDisabled: ("The service has disabled an endpoint.", [.endpoint, .reason])
            case .deliveryExhausted: ("The last attempt of a delivery has failed.", [.endpoint, .delivery])
            case .webhookTest: ("A test of the endpoint that gets it.", [.endpoint])
            case .reportReady: ("The report of a schedule is ready.", [.schedule, .report])
            }
        self.init(type: type.rawValue, text: text, members: members, isOfDevice: false)
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
