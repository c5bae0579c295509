import FencepostModel
import FencepostMonitor

/// What raises alerts now: the rules by id, and the regions with a speed limit.
struct AlertRules: Hashable {
    var byID: [String: AlertRule]
    var limited: Set<RegionID>

    /// - Parameters:
    ///   - rules: the rules.
    ///   - regions: the regions that are there, or those of them that are asked for.
    init(_ rules: [AlertRule], _ regions: some Sequence<Region>) {
        byID = Dictionary(rules.map { ($0.id, $0) }) { first, _ in first }
        limited = Set(regions.lazy.filter { $0.speedLimit != nil }.map(\.id))
    }

    /// The topics of what the rules may publish about a device, those of limits of regions left out.
    func topics(of device: DeviceID, _ topics: MQTTTopics) -> Set<String> {
        var names: Set<String> = []
        for rule in byID.values {
            let alert = AlertTopic(rule, of: device)
            for message in alert.messages(topics, name: "") { names.insert(message.topic) }
            names.insert(alert.topic(topics, isTaken: true))
        }
        return names
    }
}
