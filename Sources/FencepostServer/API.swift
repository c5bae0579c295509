import FencepostFormats
import FencepostModel
import FencepostService
import Logging

/// What the routes work with.
struct API: Sendable {
    let monitoring: any Monitoring
    let store: any HistoryStore & EndpointStore & AccessStore
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
    let tickets: TicketOffice
    let listing = RegionListing()
    let heavyWork = HeavyWork()
    let lines = LineIngest()
    let page: Page
    /// Another one for each run of the service: what versions of the devices belong to.
    let runID: String
    let requestIDs: RequestIDs

    init(_ dependencies: ServerDependencies) {
        monitoring = dependencies.monitoring
        store = dependencies.store
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
        authenticator = Authenticator(store: dependencies.store, clock: dependencies.clock)
        tickets = TicketOffice()
        page = Page(dependencies.settings)
        var generator = dependencies.makeGenerator()
        runID = String(generator.next(), radix: 36)
        requestIDs = RequestIDs(key: generator.next())
    }

    /// Every route.
    var routes: [Route] {
        ingestRoutes + locationRoutes + importRoutes + regionRoutes + eventRoutes + deviceRoutes + appRoutes
            + [listRules] + endpointRoutes + deliveryRoutes + tokenRoutes + streamRoutes + systemRoutes + pageRoutes
    }
}

/// One of the things that `/readyz` looks at (rule A10).
public struct HealthCheck: Hashable, Sendable {
    /// `database`, `diskSpace`, `engine`, `clock`.
    public var name: String
    /// What is wrong, in a few words for an operator; `nil` when all is well.
    public var problem: String?

    public init(_ name: String, problem: String? = nil) {
        self.name = name
        self.problem = problem
    }
}
