import FencepostJSON
import FencepostModel
import FencepostMonitor

/// The topic that says whether an alert lasts, and its entity for Home Assistant: what an event of an alert changes.
struct AlertTopic: Hashable, Sendable {
    /// The type of the event, such as `alert.speed`.
    private let type: String
    let rule: String
    /// The region whose limit it is, or that the device is expected in or away from; `nil` for other rules.
    let region: (id: String, name: String)?
    let device: DeviceID
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

    /// The topic of an event; `nil` for other events than those of alerts.
    init?(_ event: Event) {
        guard case .alert(let alert) = event.occurrence else { return nil }
        (type, rule, device) = (event.occurrence.type.rawValue, alert.rule, event.deviceID)
        region = alert.region.map { ($0.id.rawValue, $0.name ?? $0.id.rawValue) }
        isOn = alert.state == .started
    }

    /// What an event of a rule of the configuration or of the API would change.
    init(_ rule: AlertRule, of device: DeviceID) {
        (type, self.rule, self.device) = ("alert." + rule.condition.kind.rawValue, rule.id, device)
        region = Self.region(of: rule).map { ($0, $0) }
        isOn = false
    }

    private static func region(of rule: AlertRule) -> String? {
        switch rule.condition {
        case .absent(let region, _), .present(let region, _): region.rawValue
        case .speed, .battery, .accuracy, .jump, .unplugged, .silent: rule.region?.rawValue
        }
    }

    /// Whether one of the rules watches what the alert is about. A changed rule ends its alerts without an event if it does not.
    func isOf(_ rules: AlertRules) -> Bool {
        if rule == Alert.regionRule { return region.map { rules.limited.contains(RegionID($0.id)) } ?? false }
        guard let found = rules.byID[rule] else { return false }
        return type == "alert." + found.condition.kind.rawValue && region?.id == Self.region(of: found)
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

    /// The last of the alerts of each topic.
    ///
    /// - Parameter events: events of a device, in their order; others than alerts are left out.
    /// - Returns: one alert for each topic, in the order of the topics.
    static func last(of events: [Event]) -> [AlertTopic] {
        var last: [String: AlertTopic] = [:]
        for event in events {
            guard let alert = AlertTopic(event) else { continue }
            last[alert.topic(MQTTTopics())] = alert
        }
        return last.sorted { $0.key < $1.key }.map(\.value)
    }

    /// The topic of the state; another one where a device has that topic whose id has a slash.
    func topic(_ topics: MQTTTopics, isTaken: Bool = false) -> String {
        let topic = topics.alert(rule, of: device, in: region?.id)
        return isTaken ? MQTTTopics.alternative(to: topic) : topic
    }

    /// The messages of the event: discovery, when the topics have it, and the state.
    ///
    /// - Parameters:
    ///   - topics: where to publish.
    ///   - name: the device's name for people.
    ///   - isTaken: whether another device has the topic of the state.
    /// - Returns: messages in the order in which they are to be published.
    func messages(_ topics: MQTTTopics, name: String, isTaken: Bool = false) -> [MQTTMessage] {
        let topic = topic(topics, isTaken: isTaken)
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
        if let region { return "\(title) in \(region.name.shortened(to: MQTTTopics.longestName))" }
        return rule == kind ? title : "\(title) (\(rule))"
    }
}
