import FencepostFormats
import FencepostModel
import FencepostService
import HTTPTypes
import Hummingbird
import Logging
import Metrics
import NIOCore

/// Takes locations on a node of a cluster of several partitions, whichever parts it leads: checks the token, decodes the
/// body, and has the leaders of the devices' partitions store what was decoded.
///
/// It answers all requests itself, also those that fail, as the API of a single node.
struct PartIngest: Sendable {
    /// A request whose body was read.
    struct Incoming: Sendable {
        var request: Request
        /// The path by which the route is found.
        var path: String
        /// The path as it was sent.
        var instance: String
        /// Without the question mark; empty for none.
        var query: Substring
        /// As it was sent, with its content encoding.
        var body: [UInt8]
        var channel: any Channel
        /// The client's address.
        var client: String
    }

    /// Between attempts after a leader did not know a token that the configuration has.
    private static let pause = Duration.milliseconds(100)

    let submitter: PartSubmitter
    private let settings: ServerSettings
    private let holdTime: Duration
    private let clock: ServiceClock
    private let table: RouteTable
    private let counters: RequestCounters
    private let authenticator: Authenticator
    private let limiter = RateLimiter()
    private let proxies: TrustedProxies
    private let requestIDs: RequestIDs
    /// One for all attempts of all requests.
    private let quarantineBudget = QuarantineBudget()
    private let logger: Logger
    private let timer = Metrics.Timer(label: "fencepost_ingest_request_duration_seconds")
    private let decoded = Counter(label: "fencepost_cluster_decoded_requests_total")

    /// - Parameters:
    ///   - front: the ports of this node.
    ///   - tokens: the tokens of the configuration.
    ///   - clock: the node's time.
    init(_ front: NodeFront, tokens: any TokenSource, clock: ServiceClock) {
        submitter = PartSubmitter(front, now: { clock.now() })
        (settings, holdTime, self.clock, logger) = (front.settings, front.holdTime, clock, front.listeners.logger)
        table = Self.table(clock, submitter, clockLead: 0, besides: [:], quarantineBudget)
        counters = RequestCounters(table.routes)
        authenticator = Authenticator(tokens, clock: clock)
        proxies = TrustedProxies(settings.trustedProxies)
        var generator = SystemRandomNumberGenerator()
        requestIDs = RequestIDs(key: generator.next())
    }

    private static func table(
        _ clock: ServiceClock, _ submitter: PartSubmitter, clockLead: Int64,
        besides stored: [ClusterPart: SubmissionReceipt], _ budget: QuarantineBudget
    ) -> RouteTable {
        var ingest = IngestAPI(clock: clock) { submission, caller in
            // Of a session only the leader of the configuration knows the secret, and it was asked.
            try await submitter.submit(
                submission, as: caller.signedIn == nil ? caller.token?.hash : nil, clockLead: clockLead,
                besides: stored)
        }
        ingest.quarantineBudget = budget
        return RouteTable(ingest.routes)
    }

    /// Forgets the tokens that were read.
    func tokensDidChange() { authenticator.tokensDidChange() }

    /// The device that the token of a request is bound to; `nil` for none, or without a token that is known.
    func boundDevice(_ headers: HTTPFields) async -> DeviceID? {
        guard let field = headers[.authorization], field.lowercased().hasPrefix("bearer ") else { return nil }
        let text = String(field.dropFirst(7).drop { $0 == " " })
        guard TokenText.isWellFormed(text) else { return nil }
        return (try? await authenticator.token(hash: TokenText.hash(text)))?.deviceID
    }

    /// The response to a request.
    ///
    /// - Parameters:
    ///   - incoming: the request.
    ///   - caller: asks the leader of the configuration whose session it is.
    /// - Returns: the response, also to a request that fails.
    func response(to incoming: Incoming, _ caller: FrontCaller) async -> Response {
        let started = ContinuousClock.now
        let request = incoming.request
        let requestID = RequestHandler.requestID(request.headers) ?? requestIDs.next()
        var (route, cause): (Route?, String?)
        var response: RouteResponse
        do {
            let (found, parameters) = try table.find(request.method, incoming.path)
            route = found
            response = try await self.response(to: incoming, by: found, parameters, requestID, caller)
            decoded.increment()
        } catch {
            let problem = Problem(unexpected: error)
            cause = problem.code
            if problem.status == .internalServerError {
                logger.error(
                    "request failed", metadata: ["requestId": "\(requestID)", "error": "\(type(of: error))"])
            }
            response = RouteResponse(problem, instance: incoming.instance)
        }
        response.headers[.requestID] = requestID
        let duration = ContinuousClock.now - started
        counters.count(route, response.status)
        timer.record(duration: duration)
        log(request, route, response, cause, duration)
        return response.encoded(isHead: request.method == .head)
    }

    private func response(
        to incoming: Incoming, by route: Route, _ parameters: [String: String], _ requestID: String,
        _ caller: FrontCaller
    ) async throws -> RouteResponse {
        let headers = incoming.request.headers
        guard let query = Query(incoming.query.prefix { $0 != "#" }) else { throw Problem.invalidQuery }
        var call = Call(
            method: route.method, path: incoming.instance, headers: headers, parameters: parameters, query: query,
            contentType: headers[.contentType].flatMap { RequestHandler.mediaType($0) }, requestID: requestID,
            connection: nil, channel: incoming.channel)
        call.address = incoming.client
        try RequestHandler.checkOrigin(of: incoming.request, call, route, proxies)
        call.caller = try await self.caller(of: call, route, caller)
        var limits = HTTPFields()
        if let quota = settings.ingestRate, let token = call.caller.token {
            let policy = RateLimiter.Policy(name: route.traffic.rawValue, quota: quota)
            limits = try limiter.take(policy, token: token.id, now: clock.now())
        }
        if route.rejectsOtherParameters { try RequestHandler.checkNames(query, route) }
        if let body = route.body {
            try RequestHandler.checkType(call, body)
            let isEncoded = try BodyReader.isEncoded(headers)
            guard incoming.body.count <= settings.bodyLimit else { throw Problem.tooLarge(settings.bodyLimit) }
            call.body = incoming.body
            if isEncoded { call.body = try await BodyReader.decoded(incoming.body, limit: 4 * settings.bodyLimit) }
        }
        var response = try await handle(call, by: route, incoming.path, caller)
        response.headers.append(contentsOf: limits)
        return response
    }

    /// The caller by token or session.
    private func caller(of call: Call, _ route: Route, _ front: FrontCaller) async throws -> Caller {
        let hasSession =
            call.headers[.authorization] == nil && route.credentials == .bearer
            && SessionCookie.secret(in: call.headers) != nil
        let caller =
            if hasSession {
                try await session(of: call, front)
            } else {
                try await authenticator.caller(
                    call.headers, call.query, route.credentials,
                    from: proxies.client(call.headers, peer: call.address))
            }
        try RequestHandler.check(caller, has: .ingest)
        return caller
    }

    private func session(of call: Call, _ front: FrontCaller) async throws -> Caller {
        var headers = HTTPFields()
        for value in call.headers[values: .cookie] { headers.append(HTTPField(name: .cookie, value: value)) }
        let question = PartRequest(
            method: .get, target: PartPaths.session, headers: headers, client: Forwarding.ownClient,
            isRepeatable: true)
        let answer = try await front.answer(to: question, from: front.front.partitions.configuration)
        guard answer.status != .unauthorized else {
            throw Problem.unauthorized("The session has ended. Sign in again.", mayUseBasic: false)
        }
        guard answer.status == .ok, let bytes = try? await answer.body.collected(limit: 1 << 20),
            let reply = try? SessionReply(decoding: bytes)
        else { throw Problem.notLeading("The leader of the configuration does not answer.") }
        return reply.caller
    }

    /// Decodes and stores a request, again where a leader's clock differs, by that clock.
    private func handle(
        _ call: Call, by route: Route, _ path: String, _ front: FrontCaller
    ) async throws -> RouteResponse {
        let end = ContinuousClock.now + holdTime
        var (call, route) = (call, route)
        var (clock, clockLead) = (clock, Int64(0))
        while true {
            do {
                return try await Self.run(route, call)
            } catch let incomplete as PartSubmitter.Incomplete {
                guard ContinuousClock.now < end else {
                    throw Problem.notLeading("The leader of a partition does not store locations at the moment.")
                }
                switch incomplete.reason {
                case .refused:
                    // It was revoked, or the partition does not have it yet.
                    authenticator.tokensDidChange()
                    call.caller = try await caller(of: call, route, front)
                    try await Task.sleep(for: Self.pause)
                case .clockDiffers(let lead):
                    let time = self.clock.now() + .milliseconds(lead)
                    (clock, clockLead) = (ServiceClock(steady: { .zero }, wall: { time }), lead)
                }
                let table = Self.table(
                    clock, submitter, clockLead: clockLead, besides: incomplete.stored,
                    quarantineBudget)
                (route, _) = try table.find(route.method, path)
            }
        }
    }

    private static func run(_ route: Route, _ call: Call) async throws -> RouteResponse {
        if call.body.count <= OffloadQueue.threshold { return try await route.handle(call) }
        return try await withTaskExecutorPreference(globalConcurrentExecutor) { try await route.handle(call) }
    }

    /// Writes one line per request, without query, device id and body (rule O5).
    private func log(
        _ request: Request, _ route: Route?, _ response: RouteResponse, _ cause: String?, _ duration: Duration
    ) {
        let status = response.status
        let isRoutine = route != nil && status.code < 400
        guard !isRoutine || logger.logLevel <= .debug else { return }
        var metadata: Logger.Metadata = [
            "method": "\(request.method.rawValue.prefix(16))", "route": "\(route?.path ?? "none")",
            "status": .stringConvertible(status.code), "milliseconds": .stringConvertible(duration.milliseconds),
            "requestId": "\(response.headers[.requestID] ?? "")",
        ]
        if let cause { metadata["cause"] = "\(cause)" }
        if let trace = TraceParent(request.headers) { metadata["traceId"] = "\(trace.traceID)" }
        logger.log(level: isRoutine ? .debug : .info, "request", metadata: metadata)
    }
}
