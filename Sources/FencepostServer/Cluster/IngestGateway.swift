import FencepostModel
import FencepostService
import HTTPTypes
import Hummingbird
import Logging
import Metrics
import NIOCore

/// Takes locations on a node of a cluster that does not lead: checks the token by the node's copy, decodes the body, and
/// has the leader store what was decoded.
///
/// It answers only requests in which every record is accepted. Any other request, such as one with an unknown token or a
/// rejected record, goes to the leader unchanged. So an answer does not depend on the node.
struct IngestGateway: Sendable {
    /// The request has to be forwarded to the leader.
    private struct LeftToLeader: Error {
        /// Whether the leader has not handled what it was sent, perhaps since it does not know the token any more.
        var wasSent = false
    }

    /// A request whose body was read.
    struct Incoming: Sendable {
        var request: Request
        /// Without the query.
        var path: String
        /// Without the question mark; empty for none.
        var query: Substring
        /// As it was sent, with its content encoding.
        var body: [UInt8]
        var channel: any Channel
        /// The client's address.
        var client: String
    }

    private let table: RouteTable
    private let counters: RequestCounters
    private let authenticator: Authenticator
    private let proxies: TrustedProxies
    private let settings: ServerSettings
    private let requestIDs: RequestIDs
    private let logger: Logger
    private let timer = Metrics.Timer(label: "fencepost_ingest_request_duration_seconds")
    private let decoded = Counter(label: "fencepost_cluster_decoded_requests_total")

    /// - Parameters:
    ///   - settings: limits of bodies.
    ///   - tokens: the tokens of the node's copy.
    ///   - clock: the node's time.
    ///   - logger: logs requests.
    ///   - submit: has the leader store a submission; returns `nil` when the request has to be sent on as a whole.
    init(
        _ settings: ServerSettings, tokens: any TokenSource, clock: ServiceClock, logger: Logger,
        submit: @escaping @Sendable (SubmissionEnvelope.Entry) async -> SubmissionReceipt?
    ) {
        let ingest = IngestAPI(clock: clock) { submission, caller in
            // The leader's answer to a phone with friends has their positions.
            guard submission.reports.isEmpty, submission.quarantined.isEmpty, let token = caller.token,
                token.friends == nil
            else {
                throw LeftToLeader()
            }
            let entry = SubmissionEnvelope.Entry(tokenHash: token.hash, submission: submission)
            guard let receipt = await submit(entry) else { throw LeftToLeader(wasSent: true) }
            return receipt
        }
        table = RouteTable(ingest.routes)
        counters = RequestCounters(table.routes)
        authenticator = Authenticator(tokens, clock: clock)
        proxies = TrustedProxies(settings.trustedProxies)
        self.settings = settings
        self.logger = logger
        var generator = SystemRandomNumberGenerator()
        requestIDs = RequestIDs(key: generator.next())
    }

    /// The response; `nil` when the request has to be sent on to the leader.
    func response(to incoming: Incoming) async -> Response? {
        let started = ContinuousClock.now
        do {
            let (route, call) = try await call(incoming)
            let response: RouteResponse
            if call.body.count <= OffloadQueue.threshold {
                response = try await route.handle(call)
            } else {
                response = try await withTaskExecutorPreference(globalConcurrentExecutor) { [call] in
                    try await route.handle(call)
                }
            }
            guard response.status == .ok else { return nil }
            decoded.increment()
            counters.count(route, response.status)
            let duration = ContinuousClock.now - started
            timer.record(duration: duration)
            if logger.logLevel <= .debug {
                logger.debug(
                    "request",
                    metadata: [
                        "method": "\(route.method.rawValue)", "route": "\(route.path)", "status": "200",
                        "milliseconds": .stringConvertible(duration.milliseconds), "requestId": "\(call.requestID)",
                    ])
            }
            var answer = response
            answer.headers[.requestID] = call.requestID
            return answer.encoded()
        } catch let left as LeftToLeader {
            if left.wasSent { authenticator.tokensDidChange() }
            return nil
        } catch {
            return nil
        }
    }

    private func call(_ incoming: Incoming) async throws -> (Route, Call) {
        let headers = incoming.request.headers
        let (route, parameters) = try table.find(incoming.request.method, incoming.path)
        guard incoming.body.count <= settings.bodyLimit, let query = Query(incoming.query.prefix { $0 != "#" }),
            !route.rejectsOtherParameters || query.items.isEmpty
        else { throw LeftToLeader() }
        var call = Call(
            method: route.method, path: incoming.path, headers: headers, parameters: parameters, query: query,
            contentType: headers[.contentType].flatMap { RequestHandler.mediaType($0) },
            requestID: RequestHandler.requestID(headers) ?? requestIDs.next(), connection: incoming.request.body,
            channel: incoming.channel)
        call.address = incoming.client
        call.caller = try await authenticator.caller(
            call.headers, query, route.credentials, from: proxies.client(call.headers, peer: call.address))
        guard call.caller.has(.ingest) else { throw LeftToLeader() }
        if let body = route.body {
            if let type = call.contentType, !body.accepts(type) { throw LeftToLeader() }
            call.body = incoming.body
            if try BodyReader.isEncoded(headers) {
                call.body = try await BodyReader.decoded(incoming.body, limit: 4 * settings.bodyLimit)
            }
        }
        return (route, call)
    }
}
