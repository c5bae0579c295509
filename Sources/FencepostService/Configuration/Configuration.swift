import FencepostModel
public import FencepostMonitor

/// What Fencepost is told to do: the defaults, under the config file, under the environment, under flags.
public struct Configuration: Sendable {
    /// Region files, folders and patterns; paths are absolute or relative to the working folder.
    public var regions: [String] = []
    /// The property that names a region, where the files do not say `id`.
    public var idProperty: String?
    public var monitor = MonitorSettings()
    /// App files and patterns, paths as in `regions`.
    public var apps: [String] = []
    public var endpoints: [EndpointFile.Draft] = []
    public var webhooks = WebhookSettings()
    public var server = ServerSettings()
    public var storage = StorageSettings()
    /// Where fixes come from beside HTTP; `nil` is nowhere.
    public var mqtt: BrokerSettings?
    public var log = LogSettings()
    /// A NATS server to share the work over; `nil` is one machine.
    public var cluster: String?

    public init() {}
}

/// How webhooks may be sent.
public struct WebhookSettings: Hashable, Sendable {
    /// Whether `http:` is good enough.
    public var allowHTTP = false
    /// CIDR ranges that may be called although they are private.
    public var allowedNetworks: [String] = []
    /// A PEM file of certificate authorities to trust beside the system's.
    public var caFile: String?
    /// The deployment's name in the `source` of CloudEvents.
    public var instance = "default"

    public init() {}
}

/// Where the HTTP API listens, and its limits.
public struct ServerSettings: Hashable, Sendable {
    public var host = "127.0.0.1"
    /// 0 takes a free one.
    public var port = 8080
    /// A second port that takes OsmAnd's form at `/`; `nil` is none.
    public var osmandPort: Int?
    /// Requests a minute for each token, on ingest routes and on all others; `nil` is no limit.
    public var ingestRate, apiRate: Int?
    /// Bytes of a request's body, as sent.
    public var bodyLimit = 4 << 20
    /// Bytes of a file or of regions that come in one call.
    public var importLimit = 256 << 20
    /// What the map page draws beneath everything instead of coastlines and borders; `nil` asks nobody.
    public var tileURL: TileAddress?
    /// Whom the tiles are from, as their makers want it shown.
    public var tileAttribution = ""

    public init() {}
}

/// Where the embedded engine keeps what it must not lose.
public struct StorageSettings: Hashable, Sendable {
    public enum Durability: String, Hashable, Sendable, CaseIterable {
        /// A 2xx outlives a power cut.
        case full
        /// A 2xx outlives the process; the last commits may not outlive a power cut.
        case relaxed
    }

    public enum Checkpointing: String, Hashable, Sendable, CaseIterable {
        case automatic
        /// Another program, such as Litestream, moves the write-ahead log into the database.
        case external
    }

    public var path = "fencepost.sqlite"
    public var durability = Durability.full
    public var checkpoint = Checkpointing.automatic
    public var retention = Retention()

    public init() {}
}

/// A broker whose OwnTracks topics are subscribed to.
public struct BrokerSettings: Hashable, Sendable {
    public var host: String
    public var port = 1883
    public var username: String?
    public var password: String?
    public var usesTLS = false
    /// A PEM file of certificate authorities; turns TLS on.
    public var caFile: String?
    /// Names the session that the broker keeps while Fencepost is away.
    public var clientID = "fencepost"
    public var topic = "owntracks/#"

    public init(host: String) {
        self.host = host
    }
}

/// What is logged, and how.
public struct LogSettings: Hashable, Sendable {
    public enum Level: String, Hashable, Sendable, CaseIterable { case debug, info, warning, error }
    public enum Format: String, Hashable, Sendable, CaseIterable {
        /// One object a line.
        case json
        case text
    }

    public var level = Level.info
    /// `nil` is text on a terminal, else JSON.
    public var format: Format?

    public init() {}
}
