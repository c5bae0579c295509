import FencepostEngine
import FencepostJSON
import FencepostModel
import FencepostService
import Logging

extension BrokerPublication {
    /// Reads what earlier runs have left at the broker, and publishes a message.
    ///
    /// - Returns: nothing also while another service publishes under the same prefix: it is not known whose the topics are.
    func readKept(before online: MQTTMessage) async -> [MQTTMessage] {
        let filters = ["\(topics.prefix)/#"] + (topics.discovery.map { ["\($0)/+/+/+/config"] } ?? [])
        guard let kept = await publisher.read(filters.reversed(), before: online) else { return [] }
        guard !kept.contains(where: { $0.topic == topics.status && $0.payload == Array("online".utf8) }) else {
            logger.warning(
                "Another service publishes under the same prefix, or did until now; what is out of date at the broker stays.",
                metadata: ["prefix": "\(topics.prefix)"])
            return []
        }
        return kept
    }

    /// Notes topics of this service that its database does not know, such as those of versions without a table of topics:
    /// what is not published any more is cleared then.
    ///
    /// - Throws: when they cannot be stored.
    func adopt(_ kept: [MQTTMessage]) async throws {
        let noted = Set(await retained.topics { _ in true })
        let new = kept.filter { !noted.contains($0.topic) }.compactMap { message in
            topics.kind(of: message).map { (message.topic, $0) }
        }
        guard !new.isEmpty else { return }
        var devices: [String: DeviceID] = [:]
        if new.contains(where: { $0.1 == .alert }) {
            for device in changes(since: 0).devices.map(\.deviceID) {
                for alert in try await lastAlerts(of: device) {
                    for message in alert.messages(topics, name: "") { devices[message.topic] = device }
                    devices[alert.topic(topics, isTaken: true)] = device
                }
            }
        }
        try await retained.note(
            new.map { RetainedTopic(topic: $0.0, deviceID: devices[$0.0], kind: $0.1) })
    }
}

extension MQTTTopics {
    /// What a retained message of these topics is; `nil` for a message of somebody else, and the status.
    func kind(of message: MQTTMessage) -> RetainedTopic.Kind? {
        guard !message.payload.isEmpty else { return nil }
        if isDiscovery(message.topic) {
            guard let payload = try? JSONDocument(parsing: String(decoding: message.payload, as: UTF8.self)).root,
                payload["origin"]?["name"]?.string == "Fencepost", payload["availability_topic"]?.string == status
            else { return nil }
            return payload["state_topic"]?.string?.hasPrefix(prefix + "/alerts/") == true ? .alert : .state
        }
        guard message.topic.hasPrefix(prefix + "/") else { return nil }
        return switch message.topic.dropFirst(prefix.count + 1).prefix(while: { $0 != "/" }) {
        case "devices", "places", "presence", "regions": .state
        case "alerts": .alert
        default: nil
        }
    }
}
