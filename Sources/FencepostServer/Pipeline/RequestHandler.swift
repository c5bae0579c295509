import FencepostHTTP
import FencepostModel
import FencepostService
import HTTPTypes
import Hummingbird
import Logging
import NIOCore

/// Handles the requests to the API of a server.
struct RequestHandler: Sendable {
    let api: API
    private let record: RecordRequest
    private let pipeline: RequestPipeline
    /// The path by which the routes are found; `nil` for that of each request.
    private let path: String?

    /// - Parameters:
    ///   - api: the API.
    ///   - table: its routes.
    ///   - limit: the rates of requests, which the handlers of a server share.
    ///   - record: the log and the metrics, which they share too.
    ///   - path: the one path that is served, whatever a request asks for, as on the port of OsmAnd (rule I3);
    ///     `nil` for all.
    ///   - isLocal: whether its requests come over the local socket: no tokens and no rate limits.
    ///
    /// More than five parameters, because the handlers of a server differ in the last two and share the others.
    init(
        api: API, table: RouteTable, limit: LimitRate, record: RecordRequest, path: String? = nil, isLocal: Bool = false
    ) {
        (self.api, self.path, self.record) = (api, path, record)
        pipeline = RequestPipeline(
            table, identify: IdentifyCaller(api: api, isLocal: isLocal), limit: limit,
            read: ReadBody(limit: api.settings.bodyLimit, importLimit: api.settings.importLimit),
            run: RunRoute(api: api),
            answer: AnswerRequest(
                refusals: .answer, logger: api.logger,
                position: { request, status in Self.position(of: api, after: request, status) }),
            record: record, tracer: api.services.tracer)
    }

    /// The response to a request.
    ///
    /// - Parameters:
    ///   - request: the request.
    ///   - channel: the client's connection.
    ///   - isInProcess: whether this process made the request from one of the client's.
    /// - Returns: the response, also to a request that fails.
    func respond(to request: Request, on channel: any Channel, isInProcess: Bool = false) async -> Response {
        var exchange = Exchange(
            request, path: path,
            client: Forwarding.client(request.headers, key: api.forwardingKey) ?? channel.remoteAddress?.ipAddress
                ?? "",
            connection: isInProcess ? nil : request.body, channel: channel, requestIDs: api.requestIDs)
        exchange.call.isOfFanOut = FanOutMark.isPresent(in: request.headers, key: api.forwardingKey)
        await pipeline.handle(&exchange)
        let response = exchange.response ?? RouteResponse(Problem.internalError, instance: exchange.call.path)
        return response.encoded(isHead: request.method == .head)
    }

    /// The position of the configuration's log after a request of another node that may have changed something; `nil`
    /// for other requests.
    private static func position(of api: API, after request: Request, _ status: HTTPResponse.Status) -> UInt64? {
        guard api.partition?.part == .configuration, status.code < 500, request.method != .get,
            request.method != .head, Forwarding.client(request.headers, key: api.forwardingKey) != nil
        else { return nil }
        return api.position()
    }

    /// Writes a line for a request that was refused before a route was known.
    var refused: @Sendable (Problem) -> Void {
        { [record] problem in
            record.counters.count(nil, problem.status)
            record.logger.info(
                "request",
                metadata: [
                    "route": "none", "status": .stringConvertible(problem.status.code), "cause": "\(problem.code)",
                ])
        }
    }
}

extension HTTPField.Name {
    static let idempotencyKey = HTTPField.Name(literal: "Idempotency-Key")
    static let idempotentReplayed = HTTPField.Name(literal: "Idempotent-Replayed")
}
