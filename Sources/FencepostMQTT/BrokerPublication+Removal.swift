public import FencepostService

extension BrokerPublication {
    /// How many messages that clear a topic wait for the broker's answer at once.
    private static let atOnce = 50
    /// Between two looks whether the connection is there.
    private static let look = Duration.milliseconds(20)

    /// How many messages the broker has taken.
    public var count: Int { publisher.count }

    /// Whether the broker takes messages.
    public var isConnected: Bool { publisher.isConnected }

    /// Clears everything that the broker keeps of this service, in place of `leave`. To be called once, after `work`.
    ///
    /// - Parameter limit: how long to wait for the connection, and then for each part of the topics.
    /// - Returns: the number of topics that stay, since the broker cannot be reached.
    public func remove(within limit: Duration = .seconds(3)) async -> Int {
        let left = await Self.clear(retained, topics, with: publisher, within: limit, sleep)
        publisher.stop()
        return left
    }

    /// Clears everything that a broker keeps, over a connection that is made for it.
    ///
    /// - Parameters:
    ///   - settings: address and credentials.
    ///   - topics: what was published there.
    ///   - store: has the topics.
    ///   - limit: as in `remove`.
    ///   - sleep: waits for the connection.
    /// - Returns: the number of topics that stay.
    public static func clear(
        at settings: MQTTSettings, _ topics: MQTTTopics, noted store: any RetainedTopicStore,
        within limit: Duration = .seconds(3),
        sleep: @escaping @Sendable (Duration) async throws -> Void = { try await Task.sleep(for: $0) }
    ) async -> Int {
        let retained = RetainedTopics(store, at: "\(settings.host):\(settings.port)")
        guard let publisher = try? MQTTPublisher(settings, will: topics.status) else {
            try? await retained.load()
            return await retained.topics { _ in true }.count
        }
        publisher.start()
        let left = await clear(retained, topics, with: publisher, within: limit, sleep)
        publisher.stop()
        return left
    }

    private static func clear(
        _ retained: RetainedTopics, _ topics: MQTTTopics, with publisher: MQTTPublisher, within limit: Duration,
        _ sleep: (Duration) async throws -> Void
    ) async -> Int {
        try? await retained.load()
        var waited = Duration.zero
        while !publisher.isConnected, waited < limit, await !retained.topics(where: { _ in true }).isEmpty {
            try? await sleep(look)
            waited += look
        }
        // What says that the service is there goes last.
        let names = await retained.topics { $0.topic != topics.status }
        // Home Assistant reads what is empty as a state, unless the discovery has gone before.
        for part in [names.filter(topics.isDiscovery), names.filter { !topics.isDiscovery($0) }] {
            var rest = part[...]
            while !rest.isEmpty, publisher.isConnected {
                let some = rest.prefix(atOnce)
                rest = rest.dropFirst(atOnce)
                let cleared = await withTaskGroup(of: String?.self) { group in
                    for topic in some {
                        group.addTask {
                            let message = MQTTMessage(topic: topic, payload: [], isRetained: true)
                            return await publisher.publish(message, within: limit) == .acknowledged ? topic : nil
                        }
                    }
                    return await group.reduce(into: [String]()) { found, topic in if let topic { found.append(topic) } }
                }
                await retained.forget(cleared)
                if cleared.count < some.count { break }
            }
        }
        let left = await retained.topics { $0.topic != topics.status }.count
        let word = left == 0 ? "" : "offline"
        let status = MQTTMessage(topic: topics.status, payload: Array(word.utf8), isRetained: true)
        if await publisher.publish(status, within: .seconds(1)) == .acknowledged, left == 0 {
            await retained.forget([topics.status])
        }
        return await retained.topics { _ in true }.count
    }
}
