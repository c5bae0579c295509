public import FencepostModel
public import FencepostMonitor
public import Foundation

/// The configuration of Fencepost. Flags override the environment, which overrides the file, which overrides defaults.
public struct Configuration: Sendable {
    /// Region files, folders and patterns. Paths are absolute or relative to the working folder.
    public var regions: [String] = []
    /// The GeoJSON property with a region's id, for files without `id`.
    public var idProperty: String?
    /// Metres around points, and to either side of lines, that have no length of their own; `nil` as in `RegionOptions`.
    public var regionRadius: Double?
    /// The zone of what names none; `nil` where each part of the service has a default of its own.
    public var timeZone: TimeZone?
    /// Settings of the evaluation.
    public var monitor = MonitorSettings()
    /// What sets rules: the path of a file, or the name of a variable; none of a kind when nothing does.
    public var ruleOrigins: [RuleKind: String] = [:]
    /// App files and patterns, paths as in `regions`.
    public var apps: [String] = []
    /// Webhook endpoints.
    public var endpoints: [EndpointFile.Draft] = []
    /// Settings of the dispatcher.
    public var webhooks = WebhookSettings()
    /// Settings of the HTTP API.
    public var server = ServerSettings()
    /// Settings of the database.
    public var storage = StorageSettings()
    /// An MQTT broker to subscribe to; `nil` for none.
    public var mqtt: BrokerSettings?
    /// The broker to publish to; `nil` for the one of `mqtt`.
    public var publishBroker: BrokerSettings?
    /// What names the broker: the path of a file, or the name of a variable; `nil` when nothing does.
    public var brokerOrigin: String?
    /// The service that knows addresses; `nil` for none.
    public var geocoder: GeocoderSettings?
    /// Where users sign in; `nil` for passwords of Fencepost alone.
    public var provider: ProviderSettings?
    /// The units of text output of commands; other output keeps metres and seconds.
    public var units = UnitSystem.metric
    /// Settings of the log.
    public var log = LogSettings()
    /// Where traces are sent; `nil` for none.
    public var tracing: TracingSettings?
    /// The cluster that this node is in; `nil` for a single machine.
    public var cluster: ClusterSettings?

    /// The defaults.
    public init() {}
}

/// Restrictions for sending webhooks.
public struct WebhookSettings: Hashable, Sendable {
    /// Whether endpoints may have `http:` URLs.
    public var allowHTTP = false
    /// Private CIDR ranges to which messages may be sent.
    public var allowedNetworks: [String] = []
    /// A PEM file of certificate authorities to trust in addition to the system's.
    public var caFile: String?
    /// The deployment's name in the `source` of CloudEvents.
    public var instance = "default"

    /// The defaults.
    public init() {}
}

/// Address and limits of the HTTP API.
public struct ServerSettings: Hashable, Sendable {
    /// The address to listen on.
    public var host = "127.0.0.1"
    /// The port to listen on; 0 for any free port.
    public var port = 8080
    /// A second port for OsmAnd's requests at `/`; `nil` for none.
    public var osmandPort: Int?
    /// Requests per minute and token, on ingest routes and on all others; `nil` for no limit.
    public var ingestRate, apiRate: Int?
    /// Largest request body in bytes, as sent.
    public var bodyLimit = 4 << 20
    /// Largest body of an import or of a change of regions, in bytes.
    public var importLimit = 256 << 20
    /// Reverse proxies whose `X-Forwarded-…` headers say where a request comes from.
    public var trustedProxies = ["127.0.0.0/8", "::1"].compactMap(NetworkRange.init)
    /// The tiles of the map, `map.tiles`; `nil` for those of `tileURL`.
    public var mapTiles: MapTiles?
    /// The address of the tiles in configurations without `map.tiles`; `nil` for none.
    public var tileURL: TileAddress?
    /// The attribution that the tiles' license requires.
    public var tileAttribution = ""

    /// The tiles of the map by the two settings.
    public var tiles: MapTiles { mapTiles ?? tileURL.map(MapTiles.address) ?? .none }

    /// The defaults.
    public init() {}
}

/// Settings of the database.
public struct StorageSettings: Hashable, Sendable {
    /// What a 2xx response guarantees.
    public enum Durability: String, Hashable, Sendable, CaseIterable {
        /// The data survives a power cut.
        case full
        /// The data survives a crash of the process. A power cut may lose the last commits.
        case relaxed
    }

    /// Who checkpoints the write-ahead log.
    public enum Checkpointing: String, Hashable, Sendable, CaseIterable {
        /// The store does, while it writes.
        case automatic
        /// Another program, such as Litestream.
        case external
    }

    /// Path of the database file.
    public var path = "fencepost.sqlite"
    /// What a 2xx response guarantees.
    public var durability = Durability.full
    /// Who checkpoints the write-ahead log.
    public var checkpoint = Checkpointing.automatic
    /// How long data is kept.
    public var retention = Retention()

    /// The defaults.
    public init() {}
}

/// An MQTT broker with OwnTracks topics.
public struct BrokerSettings: Hashable, Sendable {
    /// Host name or address.
    public var host: String
    /// Port.
    public var port = 1883
    /// User name; `nil` for none.
    public var username: String?
    /// Password; `nil` for none.
    public var password: String?
    /// Whether the connection is encrypted.
    public var usesTLS = false
    /// A PEM file of certificate authorities; enables TLS.
    public var caFile: String?
    /// Certificates of authorities in PEM, which are trusted in place of those of the system. Only the API sets them, with TLS.
    public var caCertificate: String?
    /// MQTT client id. The broker keeps the session under it while Fencepost is disconnected.
    public var clientID = "fencepost"
    /// Topic filter.
    public var topic = "owntracks/#"
    /// What is published to the broker; `nil` for nothing.
    public var publish: PublishSettings?

    /// A broker on the default port, without TLS.
    public init(host: String) {
        self.host = host
    }
}

/// Settings of the log.
public struct LogSettings: Hashable, Sendable {
    /// The least severe level that is logged.
    public enum Level: String, Hashable, Sendable, CaseIterable { case debug, info, warning, error }
    /// The format of log lines.
    public enum Format: String, Hashable, Sendable, CaseIterable {
        /// One JSON object per line.
        case json
        /// One line for people.
        case text
    }

    /// The least severe level that is logged.
    public var level = Level.info
    /// The format; `nil` for text on a terminal and JSON otherwise.
    public var format: Format?

    /// The defaults.
    public init() {}
}
