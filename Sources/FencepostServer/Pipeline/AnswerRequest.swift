import FencepostHTTP
import FencepostModel
import HTTPTypes
import Hummingbird
import Logging

/// Completes the response of the route, or makes that of a failure.
struct AnswerRequest: RequestStage {
    /// Who answers a request that does not succeed.
    enum Refusals: Hashable, Sendable {
        /// It is answered with its problem.
        case answer
        /// It is left without a response, since another node answers it. So is one that succeeds with another status
        /// than 200.
        case forward
    }

    let refusals: Refusals
    let logger: Logger
    /// The position of the cluster's configuration that a response names; `nil` for none.
    var position: @Sendable (Request, HTTPResponse.Status) -> UInt64? = { _, _ in nil }

    var takesFailures: Bool { true }

    func handle(_ exchange: inout Exchange) {
        switch refusals {
        case .answer:
            if let error = exchange.failure { refuse(&exchange, error) } else { complete(&exchange) }
        case .forward:
            if exchange.failure != nil || exchange.response?.status != .ok { exchange.response = nil }
        }
        exchange.response?.headers[.requestID] = exchange.call.requestID
        if let status = exchange.response?.status, let position = position(exchange.request, status) {
            exchange.response?.headers[Forwarding.positionName] = String(position)
        }
    }

    private func complete(_ exchange: inout Exchange) {
        exchange.response?.headers.append(contentsOf: exchange.limits)
        if exchange.call.isOfFanOut {
            exchange.response?.headers[FanOutMark.device] = exchange.call.caller.deviceID?.rawValue.percentEncoded
        }
        if exchange.call.method == .get, let response = exchange.response?.notModified(exchange.call.headers) {
            exchange.response = response
        }
    }

    private func refuse(_ exchange: inout Exchange, _ error: any Error) {
        // The end of a connection cancels its request, sometimes before the reader of the body notices.
        let isCut =
            error is CancellationError && !exchange.call.channel.isActive && exchange.request.method != .get
        let problem = isCut ? Problem.incompleteBody : Problem(unexpected: error)
        exchange.cause = problem.code
        problem.log(error, exchange.call.requestID, logger)
        exchange.response = RouteResponse(problem, instance: exchange.call.path)
    }
}

extension Problem {
    /// Logs an error that is the service's own.
    func log(_ error: any Error, _ requestID: String, _ logger: Logger) {
        guard status == .internalServerError else { return }
        // The type of the error is enough to find its source. Its text may contain parts of the request.
        logger.error("request failed", metadata: ["requestId": "\(requestID)", "error": "\(type(of: error))"])
        logger.debug("request failed", metadata: ["requestId": "\(requestID)", "detail": "\(error)"])
    }
}

extension RouteResponse {
    /// A `304` response when the caller has the current version (rule A6).
    fileprivate func notModified(_ request: HTTPFields) -> RouteResponse? {
        guard status == .ok, let field = request[.ifNoneMatch], let tag = headers[.eTag], case .bytes(let bytes) = body
        else { return nil }
        let current = EntityTag(of: bytes)
        guard current.description == tag, current.isNamed(in: field, weakly: true) else { return nil }
        return RouteResponse(.notModified, headers: [.eTag: tag])
    }
}
