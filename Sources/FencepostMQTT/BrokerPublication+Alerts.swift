import FencepostModel
import FencepostRegions
import FencepostService

extension BrokerPublication {
    /// What the messages about alerts depend on besides the alerts: when it changes, they are published again.
    struct AlertOccasion: Hashable {
        var connection: Int
        var names: [String: String]
        var regions: Set<RegionID>
        /// `nil` where they are not known.
        var rules: AlertRules?
    }

    /// How often the alerts of a device are read again at most, while they change.
    private static let readings = 5

    /// Publishes what an event says about an alert.
    ///
    /// - Returns: whether the broker has it.
    func publish(_ alert: AlertTopic) async -> MQTTPublisher.Outcome {
        guard (try? await retained.load()) != nil else { return .disconnected }
        let messages = alert.messages(topics, name: name(of: alert.device), isTaken: await isTaken(alert))
        let region = alert.region.map { self.region(RegionID($0.id)) }
        // Without an answer it is published: what is gone is cleared at the next look.
        let rules = ((try? await rules()) ?? nil).map { AlertRules($0, [region ?? nil].compactMap(\.self)) }
        if region == .some(nil) || rules.map({ !alert.isOf($0) }) ?? false {
            await clear(messages.filter(\.isRetained).map(\.topic))
            return .acknowledged
        }
        let kept = messages.filter(\.isRetained).map {
            RetainedTopic(topic: $0.topic, deviceID: alert.device, kind: .alert)
        }
        // Without the note nothing would clear it. It is tried again as for a broker that is away.
        guard (try? await retained.note(kept)) != nil else { return .disconnected }
        for message in messages {
            let outcome = await publisher.publish(message)
            guard outcome == .acknowledged else { return outcome }
        }
        return .acknowledged
    }

    /// Publishes again what was published about alerts, and clears what is about regions and rules that are gone.
    ///
    /// - Throws: when the alerts cannot be read.
    func publishAlerts(for occasion: AlertOccasion) async throws {
        for (device, all) in await retained.alertTopics() where monitor.device(device) != nil {
            let noted = await clearGone(all, of: device, occasion.rules)
            var published: [AlertTopic]?
            for _ in 0..<Self.readings {
                let alerts = try await lastAlerts(of: device)
                // An event that came while they were published may have been overtaken.
                if alerts == published { break }
                published = alerts
                for alert in alerts { await publishAgain(alert, noted, occasion) }
            }
        }
    }

    /// Clears the topics of rules that are gone, also where no event of them is stored any more.
    ///
    /// - Returns: the topics that stay.
    private func clearGone(_ noted: Set<String>, of device: DeviceID, _ rules: AlertRules?) async -> Set<String> {
        guard let rules else { return noted }
        let wanted = rules.topics(of: device, topics)
        let limits = topics.alert(Alert.regionRule, of: device, in: nil) + "/"
        let gone = noted.filter { topic in
            !wanted.contains(topic) && !topic.hasPrefix(limits) && !topic.contains("/alert_\(Alert.regionRule)_")
        }
        if !gone.isEmpty { await clear(gone.sorted()) }
        return noted.subtracting(gone)
    }

    private func publishAgain(_ alert: AlertTopic, _ noted: Set<String>, _ occasion: AlertOccasion) async {
        let isTaken = noted.contains(alert.topic(topics, isTaken: true))
        let messages = alert.messages(topics, name: name(of: alert.device), isTaken: isTaken).filter {
            $0.isRetained && noted.contains($0.topic)
        }
        let isGone = alert.region.map { !occasion.regions.contains(RegionID($0.id)) } ?? false
        if isGone || occasion.rules.map({ !alert.isOf($0) }) ?? false {
            await clear(messages.map(\.topic))
        } else {
            for message in messages {
                publisher.retain(message.topic, String(decoding: message.payload, as: UTF8.self))
            }
        }
    }

    /// The last alerts of a device, which are read again only if it has a new event: what replaces or retracts one is an event too.
    func lastAlerts(of device: DeviceID) async throws -> [AlertTopic] {
        let newest = try await newestEvent(device)
        if let newest, let known = alerts.alerts(of: device, asOf: newest) { return known }
        let read = AlertTopic.last(of: try await alertEvents(device))
        if let newest { alerts.set(read, of: device, asOf: newest) }
        return read
    }

    /// Whether the topic of an alert is that of another device.
    private func isTaken(_ alert: AlertTopic) async -> Bool {
        // It stays where it is when the other device is gone.
        if await retained.device(of: alert.topic(topics, isTaken: true)) == alert.device { return true }
        let owner = await retained.device(of: alert.topic(topics))
        return owner != nil && owner != alert.device
    }

    /// A region that is there now; `nil` for none.
    private func region(_ id: RegionID) -> Region? {
        let catalog = monitor.regions().catalog
        return catalog.handle(for: id).flatMap { catalog[$0] }
    }

    private func name(of device: DeviceID) -> String { names.value[device.rawValue] ?? device.rawValue }
}
