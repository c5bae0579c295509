import FencepostHTTP
import FencepostModel
import FencepostService
import Logging

/// The routes of the HTTP API.
///
/// A route is declared once, in one of the files under `Routes`. Only its handler uses services, so a node of a
/// cluster knows the routes before it leads a part.
struct API: Sendable {
    /// `nil` for the API that only describes its routes.
    private let attached: APIServices?

    init(_ dependencies: ServerDependencies) { attached = APIServices(dependencies) }

    private init() { attached = nil }

    /// The routes of every server, as they are declared. Their handlers must not be called.
    static let outline: RouteTable = {
        let api = API()
        return RouteTable(api.routes + api.documentRoutes(openAPI: "", asyncAPI: ""))
    }()

    /// What the handlers of the routes use.
    ///
    /// - Precondition: the API is one of a server.
    var services: APIServices {
        guard let attached else { preconditionFailure("the outline of the API handles no request") }
        return attached
    }

    /// All routes but those of the documents which describe them.
    var routes: [Route] {
        let ingest = attached?.ingest ?? IngestAPI.outline
        return ingest.routes + locationRoutes + importRoutes + evaluationRoutes + setAsideRoutes + regionRoutes
            + eventRoutes + historyRoutes + exportRoutes + placeRoutes + geocodeRoutes + deviceRoutes
            + stayCorrectionRoutes + fenceRoutes + planRoutes
            + profileRoutes + appRoutes
            + [listRules] + alertRuleRoutes + proximityRuleRoutes + endpointRoutes + deliveryRoutes + reportRoutes
            + tokenRoutes
            + sessionRoutes + providerRoutes + userRoutes
            + modelContextRoutes + networkRoutes + brokerRoutes + shareRoutes + tileRoutes + mapRoutes + streamRoutes
            + systemRoutes
            + clusterRoutes
            + pageRoutes
    }

    /// Whether a caller may go on with what it began, with the same rights. Long answers ask before each page, and at
    /// least every 15 seconds.
    func isStillValid(_ caller: Caller) async -> Bool {
        guard let token = caller.token, !caller.isLocal else { return true }
        return caller.signedIn == nil ? await authenticator.isStillValid(token) : await sessions.isStillValid(caller)
    }
}

/// The services, under the names by which handlers call them.
extension API {
    var monitoring: any Monitoring { services.monitoring }
    var store: any APIServices.Store { services.store }
    var history: (any HistoryServices)? { services.history }
    var endpoints: any EndpointServices { services.endpoints }
    var signal: EventSignal { services.signal }
    var clock: ServiceClock { services.clock }
    var settings: ServerSettings { services.settings }
    var ruleOrigins: [RuleKind: String] { services.ruleOrigins }
    var brokers: (any BrokerServices)? { services.brokers }
    var version: String { services.version }
    var metricsText: @Sendable () -> String { services.metricsText }
    var checks: @Sendable () async -> [HealthCheck] { services.checks }
    var sleep: @Sendable (Duration) async throws -> Void { services.sleep }
    var makeGenerator: @Sendable () -> any RandomNumberGenerator & Sendable { services.makeGenerator }
    var logger: Logger { services.logger }
    var authenticator: Authenticator { services.authenticator }
    var sessions: SessionAuthenticator { services.sessions }
    var passwords: PasswordChecker { services.passwords }
    var signInLimiter: SignInLimiter { services.signInLimiter }
    var proxies: TrustedProxies { services.proxies }
    var tickets: StreamTickets { services.tickets }
    var slots: StreamLimit { services.slots }
    var listing: RegionListing { services.listing }
    var ingest: IngestAPI { services.ingest }
    var importQueue: OffloadQueue { services.importQueue }
    var map: MapSource { services.map }
    var geocoder: (any Geocoder)? { services.geocoder }
    var provider: (any SignInProvider)? { services.provider }
    var runID: String { services.runID }
    var untilReady: @Sendable () async -> Void { services.untilReady }
    var didErase: @Sendable () async throws -> Void { services.didErase }
    var closing: EventSignal { services.closing }
    var cluster: (name: String, report: @Sendable () async -> ClusterReport?)? { services.cluster }
    var forwardingKey: String? { services.forwardingKey }
    var partition: (partitioning: Partitioning, part: ClusterPartition)? { services.partition }
    var position: @Sendable () -> UInt64? { services.position }
    var untilMirrored: @Sendable (UInt64) async throws -> Void { services.untilMirrored }
    var requestIDs: RequestIDs { services.requestIDs }
    var clusterName: String? { services.clusterName }
}
