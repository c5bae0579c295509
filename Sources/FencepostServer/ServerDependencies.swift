public import FencepostHTTP
public import FencepostModel
public import FencepostPage
public import FencepostService
public import FencepostTiles
public import FencepostTracing
public import Logging

/// The parts of the service that the HTTP API uses, and its settings.
public struct ServerDependencies: Sendable {
    /// Takes locations and answers questions about devices and regions.
    public var monitoring: any Monitoring
    /// Stored history, endpoints, tokens and users.
    public var store:
        any HistoryStore & EndpointStore & AccessStore & UserStore & NetworkStore & MapStore & ProfileStore
            & StayCorrectionStore & RuleStore & PlanStore & ReportStore & BrokerStore
    /// Imports and evaluations of history; `nil` refuses them.
    public var history: (any HistoryServices)?
    /// Checks and tests webhook endpoints.
    public var endpoints: any EndpointServices
    /// Raised when events were stored; wakes `/v1/stream`.
    public var signal: EventSignal
    /// Steady time for timestamps, and wall time.
    public var clock: ServiceClock
    /// The `server` settings of the configuration.
    public var settings: ServerSettings
    /// Path of a Unix socket that serves the API to commands of this machine, without tokens; `nil` for none. Its file
    /// belongs to the user of the process alone.
    public var localSocket: String?
    /// The file of the settings' tiles; `nil` when the settings name none.
    public var tiles: (any TileArchive)?
    /// The prefix of the paths of files that administrators upload for the map; `nil` accepts none.
    public var mapFiles: String?
    /// Files of the map page that are read at each request, instead of those of the program; `nil` for none.
    public var page: PageFolder?
    /// Finds addresses; `nil` when the configuration has none.
    public var geocoder: (any Geocoder)?
    /// Signs users in; `nil` when the configuration has no provider of identities.
    public var provider: (any SignInProvider)?
    /// The cluster's node through whose ports this server receives requests; `nil` when it opens its own ports.
    public var router: PartitionAttachment?
    /// The zone of what names none.
    public var zone = ServiceZone()
    /// What sets the rules of the configuration: the path of its file, or a variable; none of a kind when nothing does.
    public var ruleOrigins: [RuleKind: String] = [:]
    /// How the cluster divides its devices, and the part of its data that this server has; `nil` for all of it.
    public var partition: (partitioning: Partitioning, part: ClusterPartition)?
    /// Reports that the service sends, which this server answers; `nil` for none.
    public var reports: ReportDownloads?
    /// The connections to MQTT brokers; `nil` where another server has them.
    public var brokers: (any BrokerServices)?
    /// The position of the part's log after its newest commit; `nil` without a log.
    public var position: @Sendable () -> UInt64? = { nil }
    /// Returns when the service of a partition has the configuration as of a position of the configuration's log. Throws when
    /// it can no longer have it, for example since it ends.
    public var untilMirrored: @Sendable (_ position: UInt64) async throws -> Void = { _ in }
    /// Raised when tokens, users, sessions or groups were changed in the store by somebody else.
    public var accessChanges: AccessChanges?
    /// The cluster's name, and what is known of it (`nil` while that cannot be read); not set on a single node.
    public var cluster: (name: String, report: @Sendable () async -> ClusterReport?)?
    /// Returns when the regions, apps and endpoints of the configuration are there. Locations that came before would be
    /// evaluated without them, so they wait, as all requests do behind a node's router.
    public var untilReady: @Sendable () async -> Void = {}
    /// Erases in the copies of a cluster what was erased from the store.
    public var didErase: @Sendable () async throws -> Void = {}
    /// Records traces of requests that take locations; `nil` for none.
    public var tracer: Tracer?
    /// Timeouts and limits of connections.
    public var limits = ConnectionLimits()
    /// Fencepost's version, for `GET /v1/version` and `openapi.json`.
    public var version: String
    /// Logs requests and errors.
    public var logger: Logger
    /// The body of `GET /metrics`, in Prometheus' text format.
    public var metricsText: @Sendable () -> String = { "" }
    /// Checks of `/readyz` besides those of the store and the monitor.
    public var checks: @Sendable () async -> [HealthCheck] = { [] }
    /// Waits between heartbeats of the event stream.
    public var sleep: @Sendable (Duration) async throws -> Void = { try await Task.sleep(for: $0) }
    /// Creates the random source of tokens and tickets. Only tests replace it.
    public var makeGenerator: @Sendable () -> any RandomNumberGenerator & Sendable = { SystemRandomNumberGenerator() }
    /// Hashes passwords. Only tests replace it.
    public var passwordHashing = PasswordHashing.argon2id
    /// Called with the bound port, and with that of OsmAnd where the settings have one, when all ports listen.
    public var onListening: @Sendable (_ port: Int, _ osmandPort: Int?) async -> Void = { _, _ in }

    /// The required dependencies. The others have defaults and can be set afterwards.
    ///
    /// More than five parameters, because each is another part of the service and none has a default.
    public init(
        monitoring: any Monitoring,
        store: any HistoryStore & EndpointStore & AccessStore & UserStore & NetworkStore & MapStore & ProfileStore
            & StayCorrectionStore & RuleStore & PlanStore & ReportStore & BrokerStore,
        endpoints: any EndpointServices, signal: EventSignal, clock: ServiceClock, settings: ServerSettings,
        version: String, logger: Logger
    ) {
        self.monitoring = monitoring
        self.store = store
        self.endpoints = endpoints
        self.signal = signal
        self.clock = clock
        self.settings = settings
        self.version = version
        self.logger = logger
    }
}
