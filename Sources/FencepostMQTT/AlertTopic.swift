import FencepostJSON
import FencepostModel

/// The topic that says whether an alert lasts, and its entity for Home Assistant: what an event of an alert changes.
struct AlertTopic: Hashable, Sendable {
    /// The type of the event, such as `alert.speed`.
    private let type: String
    private let rule: String
    /// The region whose limit it is, or that the device is expected in or away from; `nil` for other rules.
    private let region: (id: String, name: String)?
    private let device: DeviceID
    private let isOn: Bool

    /// The topic of an event's message; `nil` for other events than those of alerts.
    init?(_ message: JSONElement) {
        guard let type = message["type"]?.string, type.hasPrefix("alert."), let data = message["data"],
            let device = data["deviceId"]?.string, let rule = data["alert"]?["rule"]?.string,
            let state = data["alert"]?["state"]?.string
        else { return nil }
        (self.type, self.rule, self.device) = (type, rule, DeviceID(device))
        region = (data["region"]?["id"]?.string).map { ($0, data["region"]?["name"]?.string ?? $0) }
        isOn = state == "started"
    }

    static func == (a: Self, b: Self) -> Bool {
        a.type == b.type && a.rule == b.rule && a.device == b.device && a.isOn == b.isOn && a.region?.id == b.region?.id
    }

    func hash(into hasher: inout Hasher) {
        hasher.combine(device)
        hasher.combine(rule)
    }

    /// A jump has no end: it is on for a minute, and not again for whom connects later.
    private var isMoment: Bool { type == "alert.jump" }

    /// The messages of the event: discovery, when the topics have it, and the state.
    ///
    /// - Parameters:
    ///   - topics: where to publish.
    ///   - name: the device's name for people.
    /// - Returns: messages in the order in which they are to be published.
    func messages(_ topics: MQTTTopics, name: String) -> [MQTTMessage] {
        let topic = topics.alert(rule, of: device, in: region?.id)
        let state = MQTTMessage(topic: topic, payload: Array((isOn ? "ON" : "OFF").utf8), isRetained: !isMoment)
        let part = "alert_" + MQTTTopics.objectID(([rule] + (region.map { [$0.id] } ?? [])).joined(separator: "_"))
        let found = topics.binarySensor(
            of: device, name: name, part: part, title: title, kind: type == "alert.battery" ? "battery" : "problem",
            topic: topic, offDelay: isMoment ? 60 : nil)
        let discovery = found.map { MQTTMessage(topic: $0.topic, payload: Array($0.payload.utf8), isRetained: true) }
        return [discovery, state].compactMap(\.self)
    }

    /// What the entity is called after its device's name.
    private var title: String {
        let kind = String(type.dropFirst("alert.".count))
        let title =
            switch kind {
            case "speed": "Too fast"
            case "battery": "Battery low"
            case "accuracy": "Position inaccurate"
            case "jump": "Position jumped"
            case "unplugged": "Unplugged"
            case "absent": "Missing"
            case "present": "Still there"
            case "silent": "Silent"
            default: kind
            }
        if let region { return "\(title) in \(region.name)" }
        return rule == kind ? title : "\(title) (\(rule))"
    }
}
