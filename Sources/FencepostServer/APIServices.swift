import FencepostFormats
import FencepostHTTP
import FencepostModel
import FencepostService
import FencepostTracing
import Logging

/// What the routes use.
final class APIServices: Sendable {
    typealias Store = HistoryStore & EndpointStore & AccessStore & UserStore & NetworkStore & MapStore & ProfileStore
        & StayCorrectionStore & RuleStore & PlanStore & ReportStore & BrokerStore

    let monitoring: any Monitoring
    let store: any Store
    let history: (any HistoryServices)?
    let endpoints: any EndpointServices
    let signal: EventSignal
    let clock: ServiceClock
    let settings: ServerSettings
    let version: String
    let metricsText: @Sendable () -> String
    let checks: @Sendable () async -> [HealthCheck]
    let sleep: @Sendable (Duration) async throws -> Void
    let makeGenerator: @Sendable () -> any RandomNumberGenerator & Sendable
    let logger: Logger
    let authenticator: Authenticator
    let sessions: SessionAuthenticator
    let passwords: PasswordChecker
    let signInLimiter = SignInLimiter()
    let proxies: TrustedProxies
    let tickets: StreamTickets
    let slots: StreamLimit
    let listing = RegionListing()
    let ingest: IngestAPI
    /// For files of locations and regions: they never keep live locations waiting.
    let importQueue = OffloadQueue("import")
    /// The page, and the tiles below it.
    let map: MapSource
    let geocoder: (any Geocoder)?
    let provider: (any SignInProvider)?
    /// Requests in the names of clients.
    let inner = InnerRequests()
    /// Random id of this run of the service. Versions of the device list are valid for one run.
    let runID: String
    /// Returns when the configuration's files are applied.
    let untilReady: @Sendable () async -> Void
    let didErase: @Sendable () async throws -> Void
    /// Raised when the server ends, which ends event streams.
    let closing = EventSignal()
    /// The cluster's name, and what is known of it; `nil` on a single node.
    let cluster: (name: String, report: @Sendable () async -> ClusterReport?)?
    var clusterName: String? { cluster?.name }
    /// The key of the cluster whose nodes send requests on to this one; `nil` on a single node.
    let forwardingKey: String?
    /// How the cluster divides its devices, and the part that this service has; `nil` for everything.
    let partition: (partitioning: Partitioning, part: ClusterPartition)?
    let position: @Sendable () -> UInt64?
    let untilMirrored: @Sendable (UInt64) async throws -> Void
    let requestIDs: RequestIDs
    /// `nil` where no traces are recorded.
    let tracer: Tracer?
    let ruleOrigins: [RuleKind: String]
    let brokers: (any BrokerServices)?
    /// The zone of what names none.
    let zone: ServiceZone

    init(_ dependencies: ServerDependencies) {
        monitoring = dependencies.monitoring
        partition = dependencies.partition
        position = dependencies.position
        untilMirrored = dependencies.untilMirrored
        var ingest = IngestAPI(clock: dependencies.clock) { [monitoring, partition] submission, _ in
            // The router sends what belongs here. Anything else would be in two partitions.
            if let partition, !submission.isAll(of: partition.part, in: partition.partitioning) {
                throw Problem.otherPartition
            }
            return try await monitoring.submit(submission)
        }
        // A partition has some of the devices only.
        if partition == nil {
            ingest.friends = Friends(monitoring, dependencies.store, dependencies.clock)
            ingest.regionsOfPhones = RegionsOfPhones(monitoring, dependencies.clock)
        }
        self.ingest = ingest
        store = dependencies.store
        history = dependencies.history
        endpoints = dependencies.endpoints
        signal = dependencies.signal
        clock = dependencies.clock
        settings = dependencies.settings
        version = dependencies.version
        metricsText = dependencies.metricsText
        checks = dependencies.checks
        sleep = dependencies.sleep
        makeGenerator = dependencies.makeGenerator
        logger = dependencies.logger
        authenticator = Authenticator(dependencies.store, clock: dependencies.clock)
        sessions = SessionAuthenticator(store: dependencies.store, clock: dependencies.clock)
        proxies = TrustedProxies(dependencies.settings.trustedProxies)
        passwords = PasswordChecker(dependencies.passwordHashing)
        tickets = StreamTickets()
        slots = StreamLimit(limit: dependencies.limits.streams, ownerLimit: dependencies.limits.streamsPerToken)
        geocoder = dependencies.geocoder
        provider = dependencies.provider
        ruleOrigins = dependencies.ruleOrigins
        brokers = dependencies.brokers
        zone = dependencies.zone
        map = MapSource(
            dependencies.settings, configured: dependencies.tiles,
            files: dependencies.mapFiles.map(MapFiles.init(besides:)), geocoder: dependencies.geocoder?.attribution,
            folder: dependencies.page)
        var generator = dependencies.makeGenerator()
        runID = String(generator.next(), radix: 36)
        requestIDs = RequestIDs(key: generator.next())
        cluster = dependencies.cluster
        tracer = dependencies.tracer
        untilReady = dependencies.untilReady
        didErase = dependencies.didErase
        forwardingKey = dependencies.router?.key
    }
}
