import FencepostModel
import FencepostService
import Foundation
import HTTPTypes
import Hummingbird
import Logging
import Metrics
import NIOCore

/// Handles requests: authentication, rate limits, bodies, idempotency, the route itself, and the log.
struct RequestHandler: Sendable {
    let api: API
    let table: RouteTable
    let limiter = RateLimiter()
    private let counters: RequestCounters
    private let unwritable = UnwritableNumbers()
    private let ingestTimer = Metrics.Timer(label: "fencepost_ingest_request_duration_seconds")
    /// Whether the route of OsmAnd serves every path, as on its own port (rule I3).
    var isOsmAndOnly = false
    /// Whether its requests come over the local socket: no tokens and no rate limits.
    var isLocal = false

    init(api: API, table: RouteTable) {
        self.api = api
        self.table = table
        counters = RequestCounters(table.routes)
    }

    /// A request and what was parsed from it before a route was found.
    private struct Incoming {
        let request: Request
        let path: String
        let query: Substring
        let requestID: String
        let channel: any Channel
        /// The inbound side of the connection; `nil` when the request does not come over one of its own.
        let connection: RequestBody?
    }

    /// The response to a request.
    ///
    /// - Parameters:
    ///   - request: the request.
    ///   - channel: the client's connection.
    ///   - isInProcess: whether this process made the request from one of the client's.
    /// - Returns: the response, also to a request that fails.
    func respond(to request: Request, on channel: any Channel, isInProcess: Bool = false) async -> Response {
        let started = ContinuousClock.now
        let target = request.head.path ?? "/"
        let mark = target.utf8.firstIndex(of: UInt8(ascii: "?")) ?? target.endIndex
        let incoming = Incoming(
            request: request, path: String(target[..<mark]), query: target[mark...].dropFirst(),
            requestID: Self.requestID(request.headers) ?? api.requestIDs.next(), channel: channel,
            connection: isInProcess ? nil : request.body)
        var (route, cause): (Route?, String?)
        var response: RouteResponse
        do {
            let (found, parameters) = try table.find(request.method, isOsmAndOnly ? OsmAndRoute.path : incoming.path)
            route = found
            response = try await self.response(to: incoming, by: found, parameters)
        } catch {
            // The end of a connection cancels its request, sometimes before the reader of the body notices.
            let isCut = error is CancellationError && !channel.isActive && request.method != .get
            let problem = isCut ? Problem.incompleteBody : Problem(unexpected: error)
            cause = problem.code
            response = failure(error, problem, path: incoming.path, incoming.requestID)
        }
        response.headers[.requestID] = incoming.requestID
        if let position = position(after: request, response.status) {
            response.headers[Forwarding.positionName] = String(position)
        }
        let duration = ContinuousClock.now - started
        log(incoming, route, response.status, cause, duration)
        counters.count(route, response.status)
        if response.unwritableNumbers > 0 {
            unwritable.report(response.unwritableNumbers, route: route?.path ?? "none", api.logger)
        }
        if let route, route.traffic == .ingest {
            ingestTimer.record(duration: duration)
        }
        return response.encoded(isHead: request.method == .head)
    }

    private func response(
        to incoming: Incoming, by route: Route, _ parameters: [String: String]
    ) async throws -> RouteResponse {
        let request = incoming.request
        guard let query = Query(incoming.query.prefix { $0 != "#" }) else {
            throw Problem.invalidQuery
        }
        var call = Call(
            method: route.method, path: incoming.path, headers: request.headers, parameters: parameters, query: query,
            contentType: request.headers[.contentType].flatMap { Self.mediaType($0) },
            requestID: incoming.requestID, connection: incoming.connection, channel: incoming.channel)
        call.address =
            Forwarding.client(call.headers, key: api.forwardingKey) ?? call.channel.remoteAddress?.ipAddress ?? ""
        call.isOfFanOut = FanOutMark.isPresent(in: call.headers, key: api.forwardingKey)
        try Self.checkOrigin(of: request, call, route, api.proxies)
        call.caller = try await caller(of: call, route)
        var limits = HTTPFields()
        if !isLocal(call), let policy = policy(route.traffic), let token = call.caller.token {
            limits = try limiter.take(policy, token: token.id, now: api.clock.now())
        }
        if route.rejectsOtherParameters { try Self.checkNames(call.query, route) }
        try Self.checkValues(call.query, route)
        if let body = route.body {
            try Self.checkType(call, body)
            let limit = body.isLarge ? api.settings.importLimit : api.settings.bodyLimit
            call.body = try await BodyReader.read(
                request, limit: body.limit ?? limit,
                inflatedLimit: body.limit ?? (body.isLarge ? limit : 4 * limit))
        }
        if route.traffic == .ingest { await api.untilReady() }
        var response: RouteResponse
        if route.traffic != .api, call.body.count <= OffloadQueue.threshold {
            // The work is short, so it stays on the connection's thread.
            response = try await route.handle(call)
        } else {
            response = try await withTaskExecutorPreference(globalConcurrentExecutor) { [call] in
                if route.isRepeatable, let field = call.headers[.idempotencyKey] {
                    return try await Idempotency(api: api).response(to: call, key: field, by: route)
                }
                guard route.method == .get else { return try await route.handle(call) }
                // What a read computes is of no use without a reader.
                return try await ClientWait.run(while: { await call.channel.hasClient() }) {
                    try await route.handle(call)
                }
            }
        }
        response.headers.append(contentsOf: limits)
        if call.isOfFanOut { response.headers[FanOutMark.device] = call.caller.deviceID?.rawValue.percentEncoded }
        return notModified(response, call) ?? response
    }

    /// A media type in lower case, without its parameters.
    static func mediaType(_ field: String) -> String? {
        // Most are in lower case and have no parameters.
        let isPlain = field.utf8.allSatisfy { byte in
            byte > 0x20 && byte < 0x7F && byte != UInt8(ascii: ";") && !(0x41...0x5A).contains(byte)
        }
        let type = isPlain ? field : field.prefix { $0 != ";" }.lowercased().filter { $0 != " " && $0 != "\t" }
        return type.isEmpty ? nil : type
    }

    /// Refuses a change that another site makes the browser of a signed-in user ask for. The route that signs in is
    /// among them: a stranger must not sign somebody in as himself.
    static func checkOrigin(
        of request: Request, _ call: Call, _ route: Route, _ proxies: TrustedProxies
    ) throws(Problem) {
        guard route.method != .get, route.access == .open || SessionCookie.secret(in: call.headers) != nil else {
            return
        }
        let host = proxies.host(call.headers, peer: call.address, authority: request.head.authority)
        guard CrossOrigin.isForeign(call.headers, host: host) else { return }
        throw .forbidden("cross_origin", "The request comes from the page of another site.")
    }

    /// Whether a call needs no token: a command of this machine, or of the machine of the node that has sent it on.
    private func isLocal(_ call: Call) -> Bool {
        isLocal || Forwarding.client(call.headers, key: api.forwardingKey) == Forwarding.localClient
    }

    private func caller(of call: Call, _ route: Route) async throws -> Caller {
        switch route.access {
        case .open, .share: return .anonymous
        case .caller where isLocal(call), .scope where isLocal(call), .unbound where isLocal(call),
            .ticket where isLocal(call):
            return .local
        case .caller: return try await identified(call, route)
        case .scope(let scope), .unbound(let scope), .ticket(let scope):
            return try await caller(of: call, route, with: scope)
        }
    }

    /// The caller by token or session.
    private func identified(_ call: Call, _ route: Route) async throws -> Caller {
        // A request with both uses the token, as programs do that keep cookies.
        if call.headers[.authorization] == nil, route.credentials == .bearer,
            SessionCookie.secret(in: call.headers) != nil
        {
            guard let caller = try await api.sessions.caller(call.headers) else {
                throw Problem.unauthorized("The session has ended. Sign in again.", mayUseBasic: false)
            }
            return caller
        }
        return try await api.authenticator.caller(
            call.headers, call.query, route.credentials, from: api.proxies.client(call.headers, peer: call.address))
    }

    private func caller(
        of call: Call, _ route: Route, with scope: AccessToken.Scope
    ) async throws -> Caller {
        if case .ticket = route.access, let ticket = call.query["ticket"] {
            // What the caller may do can have ended since the ticket was issued.
            guard let caller = api.tickets.redeem(ticket, now: api.clock.now()), await api.isStillValid(caller) else {
                throw Problem.unauthorized("The ticket is unknown, used or expired.", mayUseBasic: false)
            }
            return caller
        }
        let caller = try await identified(call, route)
        try Self.check(caller, has: scope)
        if case .unbound = route.access, caller.deviceID != nil {
            throw Problem.forbidden("bound_token", "A token that is bound to a device cannot be used for this request.")
        }
        if case .unbound = route.access, caller.isLimited {
            throw Problem.forbidden(
                "limited_user", "The request concerns all devices and regions, and the user sees only some of them.")
        }
        return caller
    }

    /// Refuses a caller without a scope.
    static func check(_ caller: Caller, has scope: AccessToken.Scope) throws(Problem) {
        guard !caller.has(scope) else { return }
        if let user = caller.signedIn?.user {
            throw .forbidden("missing_role", "The role \(user.role.rawValue) does not allow this request.")
        }
        throw .forbidden("missing_scope", "The request needs a token with the scope \"\(scope.rawValue)\".")
    }

    private func policy(_ traffic: Route.Traffic) -> RateLimiter.Policy? {
        let quota: Int? =
            switch traffic {
            case .ingest: api.settings.ingestRate
            case .api: api.settings.apiRate
            case .exempt: nil
            }
        return quota.map { RateLimiter.Policy(name: traffic.rawValue, quota: $0) }
    }

    static func checkNames(_ query: Query, _ route: Route) throws(Problem) {
        guard !query.items.isEmpty else { return }
        let known = route.parameters.filter { $0.source == .query }.map(\.name)
        for item in query.items where !known.contains(item.name) {
            throw .parameter(
                item.name, known.isEmpty ? "the route has none." : "the route has \(known.joined(separator: ", ")).",
                code: "unknown_parameter")
        }
        // An empty cursor would be the first page again, and an empty filter everything (rule A5).
        if let name = query.emptyNames.first {
            throw .parameter(name, "it is empty: leave it out, or give it a value.", code: "empty_parameter")
        }
    }

    /// Refuses a value that is none of a parameter's fixed set: a misspelt filter would give nothing, or everything.
    static func checkValues(_ query: Query, _ route: Route) throws(Problem) {
        guard !query.items.isEmpty else { return }
        for parameter in route.parameters where parameter.source == .query && parameter.values != .any {
            for text in query.all(parameter.name) {
                switch parameter.values {
                case .any: break
                case .words(let words):
                    guard words.contains(text) else {
                        throw .unknownValue(of: parameter.name, text, known: words)
                    }
                case .eventTypes:
                    for type in text.split(separator: ",") {
                        guard let problem = EventTypeFilter.problem(with: String(type)) else { continue }
                        throw .unknownValue(of: parameter.name, problem)
                    }
                }
            }
        }
    }

    static func checkType(_ call: Call, _ body: Route.Body) throws(Problem) {
        guard let type = call.contentType, !body.accepts(type) else { return }
        throw .unsupportedMediaType(body.types)
    }

    /// A `304` response when the caller has the current version (rule A6).
    private func notModified(_ response: RouteResponse, _ call: Call) -> RouteResponse? {
        guard call.method == .get, response.status == .ok, let field = call.headers[.ifNoneMatch],
            let tag = response.headers[.eTag], case .bytes(let bytes) = response.body
        else { return nil }
        let current = EntityTag(of: bytes)
        guard current.description == tag, current.isNamed(in: field, weakly: true) else { return nil }
        return RouteResponse(.notModified, headers: [.eTag: tag])
    }

    private func failure(
        _ error: any Error, _ problem: Problem, path: String, _ requestID: String
    ) -> RouteResponse {
        if problem.status == .internalServerError {
            // The type of the error is enough to find its source. Its text may contain parts of the request.
            api.logger.error(
                "request failed", metadata: ["requestId": "\(requestID)", "error": "\(type(of: error))"])
            api.logger.debug("request failed", metadata: ["requestId": "\(requestID)", "detail": "\(error)"])
        }
        return RouteResponse(problem, instance: path)
    }

    /// The id that a client gave its request; `nil` for none, or one that is not plain.
    static func requestID(_ headers: HTTPFields) -> String? {
        guard let given = headers[.requestID], !given.isEmpty, given.utf8.count <= 64,
            given.utf8.allSatisfy({ (0x21...0x7E).contains($0) })
        else { return nil }
        return given
    }

    // MARK: - Between the nodes of a cluster

    /// The position of the configuration's log after a request of another node that may have changed something; `nil` for
    /// other requests.
    private func position(after request: Request, _ status: HTTPResponse.Status) -> UInt64? {
        guard api.partition?.part == .configuration, status.code < 500, request.method != .get,
            request.method != .head, Forwarding.client(request.headers, key: api.forwardingKey) != nil
        else { return nil }
        return api.position()
    }

    /// Stores what nodes of the cluster have decoded.
    var receiver: EnvelopeReceiver {
        EnvelopeReceiver(
            authenticator: api.authenticator, monitoring: api.monitoring, clock: api.clock, partition: api.partition)
    }

    /// The response to a request that only nodes of the cluster send; `nil` for other requests.
    ///
    /// - Precondition: a node asks for itself.
    func nodeResponse(to request: Request) async -> Response? {
        let target = request.head.path ?? ""
        let path = String(target.prefix { $0 != "?" })
        do {
            switch path {
            case SubmissionEnvelope.path: return try await receiver.response(to: request).encoded()
            case PartPaths.configuration:
                guard let position = Query(target.dropFirst(path.count + 1))?["position"].flatMap({ UInt64($0) })
                else { throw Problem.missingParameter("position") }
                try await api.untilMirrored(position)
                configurationDidChange()
                return RouteResponse.noContent.encoded()
            case PartPaths.session:
                guard let caller = try await api.sessions.caller(request.headers) else {
                    throw Problem.unauthorized("The session has ended. Sign in again.", mayUseBasic: false)
                }
                return SessionReply(caller).response.encoded()
            case PartPaths.endpoint:
                let bytes = try await BodyReader.collect(request, limit: EndpointSwitch.limit)
                try await EndpointSwitch(store: api.store, services: api.endpoints).turnOff(bytes)
                return RouteResponse(bytes: []).encoded()
            default: return nil
            }
        } catch {
            return failure(error, Problem(unexpected: error), path: path, api.requestIDs.next()).encoded()
        }
    }

    /// Exchanges a ticket of the event stream for the credentials that it was issued to; `nil` for another request.
    func exchangedTicket(_ request: Request) async -> Response? {
        guard request.head.path == TicketExchange.path, request.method == .post,
            FanOutMark.isPresent(in: request.headers, key: api.forwardingKey)
        else { return nil }
        do {
            return try await TicketExchange.response(to: request, api).encoded()
        } catch {
            return failure(error, Problem(unexpected: error), path: "/v1/stream", api.requestIDs.next()).encoded()
        }
    }

    /// Forgets what was read of the configuration, whose rows were changed by others than the API.
    func configurationDidChange() {
        api.authenticator.tokensDidChange()
        api.sessions.didChange()
    }

    /// Writes a line for a request that was refused before a route was known.
    var refused: @Sendable (Problem) -> Void {
        { problem in
            counters.count(nil, problem.status)
            api.logger.info(
                "request",
                metadata: [
                    "route": "none", "status": .stringConvertible(problem.status.code), "cause": "\(problem.code)",
                ])
        }
    }

    /// Writes one line per request, without query, device id and body (rule O5).
    private func log(
        _ incoming: Incoming, _ route: Route?, _ status: HTTPResponse.Status, _ cause: String?, _ duration: Duration
    ) {
        // Successful ingest requests and probes come every second: they are logged at a lower level.
        let isRoutine = route.map { $0.traffic != .api } ?? false && status.code < 400
        guard !isRoutine || api.logger.logLevel <= .debug else { return }
        var metadata: Logger.Metadata = [
            "method": "\(incoming.request.method.rawValue.prefix(16))", "route": "\(route?.path ?? "none")",
            "status": .stringConvertible(status.code),
            "milliseconds": .stringConvertible(duration.milliseconds), "requestId": "\(incoming.requestID)",
        ]
        if let cause { metadata["cause"] = "\(cause)" }
        if let trace = TraceParent(incoming.request.headers) { metadata["traceId"] = "\(trace.traceID)" }
        api.logger.log(level: isRoutine ? .debug : .info, "request", metadata: metadata)
    }
}

extension HTTPField.Name {
    static let requestID = HTTPField.Name("X-Request-Id") ?? .via
    static let idempotencyKey = HTTPField.Name("Idempotency-Key") ?? .via
    static let idempotentReplayed = HTTPField.Name("Idempotent-Replayed") ?? .via
    static let referrerPolicy = HTTPField.Name("Referrer-Policy") ?? .via
    static let xFrameOptions = HTTPField.Name("X-Frame-Options") ?? .via
}
