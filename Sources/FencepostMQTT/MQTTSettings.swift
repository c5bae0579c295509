public import FencepostService

/// Address of the broker, credentials and subscription.
public struct MQTTSettings: Hashable, Sendable {
    /// Host name or address.
    public var host: String
    /// Port.
    public var port: Int
    /// Whether the connection is encrypted.
    public var usesTLS: Bool
    /// A PEM file of certificate authorities for the broker's certificate; `nil` for those of the system.
    public var certificateFile: String?
    /// Certificates of authorities in PEM, in place of such a file; `nil` for none.
    public var certificate: String?
    /// Credentials; `nil` for none.
    public var username, password: String?
    /// MQTT client id. The broker queues messages under it while the client is disconnected, so each service needs its own,
    /// constant one.
    public var clientID: String
    /// Topic filter. The levels before its first wildcard are not part of the device id.
    public var topic: String
    /// Interval of pings on an idle connection, at least 5 s.
    public var keepAlive: Duration
    /// Largest payload in bytes. Larger ones are quarantined.
    public var payloadLimit: Int
    /// Whether the broker keeps the subscription and queues messages while the client is disconnected.
    public var keepsSession = true

    /// Settings with defaults for everything but the host.
    public init(
        host: String, port: Int? = nil, usesTLS: Bool = false, certificateFile: String? = nil,
        username: String? = nil, password: String? = nil, clientID: String = "fencepost",
        topic: String = "owntracks/#", keepAlive: Duration = .seconds(60), payloadLimit: Int = 1 << 20
    ) {
        self.host = host
        self.port = port ?? (usesTLS ? 8883 : 1883)
        self.usesTLS = usesTLS
        self.certificateFile = certificateFile
        self.username = username
        self.password = password
        self.clientID = clientID
        self.topic = topic
        self.keepAlive = keepAlive
        self.payloadLimit = payloadLimit
    }
}

/// A message from the broker.
public struct MQTTMessage: Hashable, Sendable {
    /// Its topic.
    public var topic: String
    /// Its bytes.
    public var payload: [UInt8]
    /// Whether it is the topic's retained message, which the client may have received before.
    public var isRetained: Bool

    /// A message.
    public init(topic: String, payload: [UInt8], isRetained: Bool = false) {
        self.topic = topic
        self.payload = payload
        self.isRetained = isRetained
    }
}

/// A failure of the connection to the broker.
public enum MQTTError: Error, Hashable, Sendable, CustomStringConvertible {
    /// Settings that cannot work, such as an invalid topic filter or certificate file.
    case invalidSettings(String)
    /// The connection cannot be established or was lost, or the broker refuses it or the subscription.
    case failed(BrokerFailure)

    /// The failure, as routes show it.
    public var failure: BrokerFailure {
        switch self {
        case .invalidSettings(let reason): BrokerFailure(.invalid, reason)
        case .failed(let failure): failure
        }
    }

    /// A sentence for people.
    public var description: String {
        switch self {
        case .invalidSettings(let reason): reason
        case .failed(let failure): failure.description
        }
    }
}
