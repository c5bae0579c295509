/// Where the broker is, and what is wanted of it.
public struct MQTTSettings: Hashable, Sendable {
    public var host: String
    public var port: Int
    public var usesTLS: Bool
    /// The certificates that the broker's is checked against, as PEM; `nil` is those of the system.
    public var certificateFile: String?
    public var username, password: String?
    /// Under which name the broker keeps what comes while nobody listens: one for each service, and always the same.
    public var clientID: String
    /// The filter of the topics; what stands in it before the first wildcard is cut off to find the device.
    public var topic: String
    /// After how long a silent connection is asked whether it is still there; at least 5 s.
    public var keepAlive: Duration
    /// Bytes of a payload; a larger one is not decoded.
    public var payloadLimit: Int

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

/// A message as the broker hands it over.
public struct MQTTMessage: Hashable, Sendable {
    public var topic: String
    public var payload: [UInt8]
    /// A copy that the broker kept for whoever subscribes later; it may have come before.
    public var isRetained: Bool

    public init(topic: String, payload: [UInt8], isRetained: Bool = false) {
        self.topic = topic
        self.payload = payload
        self.isRetained = isRetained
    }
}

/// Why there is no connection to the broker.
public enum MQTTError: Error, Hashable, Sendable {
    /// What cannot work: a topic filter or a file of certificates that is none.
    case invalidSettings(String)
    /// The broker does not want it, in the words of libmosquitto.
    case refused(String)
    /// The connection could not be made, or is gone, in the words of libmosquitto.
    case disconnected(String)
}
