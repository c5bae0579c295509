public import FencepostModel

/// A topic for which an MQTT broker keeps a message of this service.
public struct RetainedTopic: Hashable, Sendable {
    /// What the message is.
    public enum Kind: String, Hashable, Sendable, CaseIterable {
        /// The present: statuses, presence, occupants and their discovery. What is not present is cleared.
        case state
        /// Whether an alert lasts, and its discovery. It is cleared with its device.
        case alert
        /// An OwnTracks card, with a name and a picture.
        case card
    }

    /// The topic.
    public var topic: String
    /// The device that the message is about; `nil` for none.
    public var deviceID: DeviceID?
    /// What the message is.
    public var kind: Kind

    /// Creates a value.
    public init(topic: String, deviceID: DeviceID?, kind: Kind) {
        (self.topic, self.deviceID, self.kind) = (topic, deviceID, kind)
    }
}

/// Stores which topics brokers keep messages for, so that they are cleared also after a restart.
public protocol RetainedTopicStore: Sendable {
    /// The topics of a broker, sorted.
    func retainedTopics(at broker: String) async throws -> [RetainedTopic]
    /// How many topics are noted of each broker, by host and port.
    func retainedTopicCounts() async throws -> [String: Int]
    /// Notes topics of a broker. To be called before a message is published.
    func note(_ topics: [RetainedTopic], at broker: String) async throws
    /// Forgets topics of a broker. To be called when it has cleared them.
    func forget(_ topics: [String], at broker: String) async throws
}
