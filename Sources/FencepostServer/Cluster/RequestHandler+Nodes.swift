import FencepostHTTP
import FencepostService
import HTTPTypes
import Hummingbird

/// Requests that only nodes of the cluster send. They are no routes of the API.
extension RequestHandler {
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
            case PartitionPaths.configuration:
                guard let position = Query(target.dropFirst(path.count + 1))?["position"].flatMap({ UInt64($0) })
                else { throw Problem.missingParameter("position") }
                try await api.untilMirrored(position)
                configurationDidChange()
                return RouteResponse.noContent.encoded()
            case PartitionPaths.session:
                guard let caller = try await api.sessions.caller(request.headers) else {
                    throw Problem.sessionEnded
                }
                return SessionReply(caller).response.encoded()
            case PartitionPaths.endpoint:
                let bytes = try await BodyReader.collect(request, limit: EndpointSwitch.limit)
                try await EndpointSwitch(store: api.store, services: api.endpoints).turnOff(bytes)
                return RouteResponse(bytes: []).encoded()
            default: return nil
            }
        } catch {
            return failure(error, path)
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
            return failure(error, "/v1/stream")
        }
    }

    /// Forgets what was read of the configuration, whose rows were changed by others than the API.
    func configurationDidChange() {
        api.authenticator.tokensDidChange()
        api.sessions.didChange()
    }

    private func failure(_ error: any Error, _ path: String) -> Response {
        let problem = Problem(unexpected: error)
        problem.log(error, api.requestIDs.next(), api.logger)
        return RouteResponse(problem, instance: path).encoded()
    }
}
