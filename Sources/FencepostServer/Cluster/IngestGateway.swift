import FencepostHTTP
import FencepostModel
import FencepostService
import FencepostTracing
import HTTPTypes
import Hummingbird
import Logging
import NIOCore

/// Takes locations on a node of a cluster, whether or not it leads: checks the token by the node's copy of the
/// configuration, decodes the body, and has the leaders store what was decoded.
///
/// In a cluster of one part it answers only requests in which every record is accepted. Any other request, such as
/// one with an unknown token or a rejected record, goes to the leader unchanged. So an answer does not depend on the
/// node. In a cluster of several parts no node has all of the answer, and it answers all requests itself, as the API
/// of a single node.
struct IngestGateway: Sendable {
    /// A request whose body was read.
    struct Incoming: Sendable {
        var request: Request
        /// The path by which the route is found; `nil` for that of the request.
        var path: String?
        /// As it was sent, with its content encoding.
        var body: [UInt8]
        var channel: any Channel
        /// The client's address.
        var client: String
    }

    /// Has the leaders of several parts store submissions; `nil` in a cluster of one.
    let submitter: PartitionSubmitter?
    private let pipeline: RequestPipeline
    private let authenticator: Authenticator
    private let requestIDs: RequestIDs

    /// A gateway that leaves to the leader what does not succeed. More than five parameters, because each is of another part of the
    /// node.
    ///
    /// - Parameters:
    ///   - settings: limits of bodies.
    ///   - tokens: the tokens of the node's copy.
    ///   - clock: the node's time.
    ///   - logger: logs requests.
    ///   - tracer: records traces of requests; `nil` for none.
    ///   - submit: has the leader store a submission; returns `nil` when the request has to be sent on as a whole.
    init(
        _ settings: ServerSettings, tokens: any TokenSource, clock: ServiceClock, logger: Logger, tracer: Tracer?,
        submit: @escaping @Sendable (SubmissionEnvelope.Entry) async -> SubmissionReceipt?
    ) {
        let ingest = IngestAPI(clock: clock) { submission, caller in
            // The leader's answer has the positions of a phone's friends and the regions near it.
            guard submission.reports.isEmpty, submission.quarantined.isEmpty, let token = caller.token,
                token.friends == nil, token.regions == nil
            else {
                throw LeftToLeader()
            }
            let entry = SubmissionEnvelope.Entry(tokenHash: token.hash, submission: submission)
            guard let receipt = await submit(entry) else { throw LeftToLeader(wasSent: true) }
            return receipt
        }
        let table = RouteTable(ingest.routes)
        let sender = IdentifySender(
            authenticator: Authenticator(tokens, clock: clock), proxies: TrustedProxies(settings.trustedProxies),
            session: { _, _ in throw LeftToLeader() })
        self.init(
            nil, sender, table: table, settings, clock: clock,
            run: StoreElsewhere(sender, clock: clock, holdTime: .zero, table: { _, _, _ in table }),
            AnswerRequest(refusals: .forward, logger: logger), tracer)
    }

    /// A gateway of a cluster of several parts.
    ///
    /// - Parameters:
    ///   - router: the ports of this node.
    ///   - tokens: the tokens of the configuration.
    ///   - clock: the node's time.
    ///   - tracer: records traces of requests; `nil` for none.
    init(_ router: NodeRouter, tokens: any TokenSource, clock: ServiceClock, tracer: Tracer?) {
        let submitter = PartitionSubmitter(router, now: { clock.now() })
        // One for all attempts of all requests.
        let budget = QuarantineBudget()
        let table: StoreElsewhere.Table = { clock, clockLead, stored in
            var ingest = IngestAPI(clock: clock) { submission, caller in
                // Of a session only the leader of the configuration knows the secret, and it was asked.
                try await submitter.submit(
                    submission, as: caller.signedIn == nil ? caller.token?.hash : nil, clockLead: clockLead,
                    besides: stored)
            }
            ingest.quarantineBudget = budget
            return RouteTable(ingest.routes)
        }
        let sender = IdentifySender(
            authenticator: Authenticator(tokens, clock: clock),
            proxies: TrustedProxies(router.settings.trustedProxies),
            session: { call, authority in
                try await Self.session(
                    of: call, RouterCaller(router: router, channel: call.channel, authority: authority))
            })
        self.init(
            submitter, sender, table: table(clock, 0, [:]), router.settings, clock: clock,
            run: StoreElsewhere(sender, clock: clock, holdTime: router.holdTime, table: table),
            AnswerRequest(refusals: .answer, logger: router.listeners.logger), tracer)
    }

    /// More than five parameters, because both kinds have these parts, and differ in each.
    private init(
        _ submitter: PartitionSubmitter?, _ sender: IdentifySender, table: RouteTable, _ settings: ServerSettings,
        clock: ServiceClock, run: StoreElsewhere, _ answer: AnswerRequest, _ tracer: Tracer?
    ) {
        self.submitter = submitter
        authenticator = sender.authenticator
        pipeline = RequestPipeline(
            table, identify: sender, limit: LimitRate(ingest: settings.ingestRate, api: nil, clock: clock),
            read: ReadBody(limit: settings.bodyLimit, importLimit: settings.importLimit), run: run, answer: answer,
            record: RecordRequest(RequestCounters(table.routes), answer.logger), tracer: tracer)
        var generator = SystemRandomNumberGenerator()
        requestIDs = RequestIDs(key: generator.next())
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

    /// The response; `nil` when the request has to be sent on to the leader, which only a cluster of one part does.
    func response(to incoming: Incoming) async -> Response? {
        var exchange = Exchange(
            incoming.request, path: incoming.path, client: incoming.client, held: incoming.body, connection: nil,
            channel: incoming.channel, requestIDs: requestIDs)
        await pipeline.handle(&exchange)
        return exchange.response?.encoded(isHead: incoming.request.method == .head)
    }

    private static func session(of call: Call, _ router: RouterCaller) async throws -> Caller {
        var headers = HTTPFields()
        for value in call.headers[values: .cookie] { headers.append(HTTPField(name: .cookie, value: value)) }
        let question = PartitionRequest(
            method: .get, target: PartitionPaths.session, headers: headers, client: Forwarding.ownClient,
            isRepeatable: true)
        let answer = try await router.answer(to: question, from: router.router.partitions.configuration)
        guard answer.status != .unauthorized else { throw Problem.sessionEnded }
        guard answer.status == .ok, let bytes = try? await answer.body.collected(limit: 1 << 20),
            let reply = try? SessionReply(decoding: bytes)
        else { throw Problem.notLeading("The leader of the configuration does not answer.") }
        return reply.caller
    }
}
