import FencepostModel
import FencepostService

/// The topics for which the broker keeps messages of this service, also those of earlier runs.
///
/// A topic is noted before its message is published, and forgotten when the broker has cleared it. So what is to go, such as that
/// of an erased device, goes when the broker is there next.
actor RetainedTopics {
    private let store: (any RetainedTopicStore)?
    private let broker: String
    /// `nil` before the noted topics were read.
    private var known: [String: RetainedTopic]?

    /// - Parameters:
    ///   - store: has the topics; `nil` keeps them in memory.
    ///   - broker: which broker keeps the messages.
    init(_ store: (any RetainedTopicStore)?, at broker: String) {
        (self.store, self.broker) = (store, broker)
    }

    /// Reads the noted topics.
    ///
    /// - Throws: when the store does not answer.
    func load() async throws {
        guard known == nil else { return }
        let noted = try await store?.retainedTopics(at: broker) ?? []
        known = Dictionary(noted.map { ($0.topic, $0) }) { first, _ in first }
    }

    /// Notes topics of which messages are about to be published.
    ///
    /// - Throws: when they cannot be stored; nothing may be published then.
    func note(_ topics: [RetainedTopic]) async throws {
        try await load()
        let new = topics.filter { known?[$0.topic] != $0 }
        guard !new.isEmpty else { return }
        try await store?.note(new, at: broker)
        for topic in new { known?[topic.topic] = topic }
    }

    /// Forgets topics that the broker has cleared. Those that stay noted are cleared once more.
    func forget(_ topics: [String]) async {
        let noted = topics.filter { known?[$0] != nil }
        guard !noted.isEmpty, (try? await store?.forget(noted, at: broker)) != nil || store == nil else { return }
        for topic in noted { known?[topic] = nil }
    }

    /// The noted topics for which a closure is true, sorted.
    func topics(where isIncluded: @Sendable (RetainedTopic) -> Bool) -> [String] {
        (known ?? [:]).values.filter(isIncluded).map(\.topic).sorted()
    }

    /// The device of a noted topic; `nil` for none.
    func device(of topic: String) -> DeviceID? { known?[topic]?.deviceID }

    /// The topics of alerts by device, those that are published.
    func alertTopics() -> [DeviceID: Set<String>] {
        (known ?? [:]).values.reduce(into: [:]) { found, topic in
            guard topic.kind == .alert, let device = topic.deviceID else { return }
            found[device, default: []].insert(topic.topic)
        }
    }
}
