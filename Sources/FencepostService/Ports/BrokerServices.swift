public import FencepostModel

/// The connections to MQTT brokers, as routes use them.
public protocol BrokerServices: Sendable {
    /// The brokers of the configuration, and what names them; `nil` where the configuration names none, so that administrators set
    /// them.
    var configured: (choice: BrokerChoice, origin: String?)? { get }
    /// Whether events and states can be published: not in a cluster of several partitions, whose leaders would replace each other's.
    var mayPublish: Bool { get }
    /// Takes over the stored broker: connections to a former one end, and what it keeps is cleared where it can be reached.
    /// On return the connections to the new one are being made.
    func brokerDidChange() async throws
    /// What the connections do.
    func status() async -> BrokerStatus
    /// Connects with settings that need not be stored, for at most ten seconds.
    func test(_ choice: BrokerChoice) async -> BrokerTest
}

/// What the connections to brokers do.
public struct BrokerStatus: Sendable {
    /// One connection.
    public struct Link: Sendable {
        /// Since when it lasts; `nil` while it does not.
        public var connectedSince: Timestamp?
        /// Messages that were received, or that the broker has taken, since the service runs with these settings.
        public var messages = 0
        /// Why the last connection failed, and when; it stays after the next one.
        public var lastFailure: (failure: BrokerFailure, at: Timestamp)?

        /// Before the first connection.
        public init() {}
    }

    /// The subscription to the phones' messages; `nil` without a broker.
    public var receiving: Link?
    /// What is published; `nil` for nothing.
    public var publishing: Link?
    /// How many topics brokers keep that are not to be published to any more, by host and port: they could not be reached.
    public var uncleared: [String: Int] = [:]

    /// Of a service without brokers.
    public init() {}
}

/// Why a broker cannot be used.
public struct BrokerFailure: Error, Hashable, Sendable, CustomStringConvertible {
    /// In one word, for programs and for the languages of the page.
    public enum Reason: String, Hashable, Sendable, CaseIterable {
        /// Looking the name up finds nothing.
        case noSuchHost = "no_such_host"
        /// Nothing listens at host and port, or no way leads there.
        case unreachable
        /// It did not answer in time.
        case timeout
        /// No encrypted connection can be made.
        case tls
        /// What answers is no broker, or it wants TLS.
        case noBroker = "no_broker"
        /// Name or password are wrong, or the client may not connect.
        case refused
        /// The subscription is not allowed.
        case subscriptionRefused = "subscription_refused"
        /// The connection has ended.
        case lost
        /// The settings cannot work.
        case invalid
        /// Received messages cannot be stored at present; the broker keeps them.
        case notStored = "not_stored"
    }

    /// What has happened.
    public var reason: Reason
    /// The words of the library or the system about it; empty for none.
    public var detail: String

    /// A failure.
    public init(_ reason: Reason, _ detail: String = "") { (self.reason, self.detail) = (reason, detail) }

    /// A sentence for people, with the cure.
    public var description: String {
        let sentence =
            switch reason {
            case .noSuchHost: "No machine has this name. Check the host."
            case .unreachable: "Nothing answers at this host and port. Check both, and whether the broker runs."
            case .timeout: "The broker has not answered in time. Check host, port and firewall."
            case .tls:
                "The encrypted connection failed. Check that the port is the one for TLS (usually 8883), that the broker's "
                    + "certificate is for this host, and that this machine trusts its authority or the settings have its "
                    + "certificate."
            case .noBroker: "What answers at this port is no MQTT broker, or it wants an encrypted connection (TLS)."
            case .refused: "The broker refuses the connection. Check user name and password."
            case .subscriptionRefused: "The broker does not allow this user to read the topic of the phones."
            case .lost: "The connection was lost."
            case .invalid: "These settings cannot work."
            case .notStored: "Messages cannot be stored at present; the broker keeps them."
            }
        return detail.isEmpty ? sentence : "\(sentence) (\(detail))"
    }
}

/// What a test of settings has found.
public struct BrokerTest: Sendable {
    /// Why it failed; `nil` when the broker has accepted connection and subscription.
    public var failure: BrokerFailure?
    /// Whether it is about the broker to publish to, and not the one with the phones' messages.
    public var isOfPublishBroker = false
    /// How long it took.
    public var duration: Duration
    /// What Home Assistant shows with these settings: devices and their entities; `nil` without discovery.
    public var homeAssistant: (devices: Int, entities: Int)?

    /// A result.
    public init(failure: BrokerFailure? = nil, duration: Duration) {
        (self.failure, self.duration) = (failure, duration)
    }
}
