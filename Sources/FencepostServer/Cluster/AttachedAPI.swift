import FencepostHTTP
import Hummingbird
import NIOCore
import Synchronization

/// The API behind the ports of a node: there while the node leads, and detached when no request uses it any more.
final class AttachedAPI: Sendable {
    private struct State {
        var handlers: (main: RequestHandler, osmand: RequestHandler)?
        /// Requests that are handled, and event streams and files that are written.
        var requests = 0
        var waiting: CheckedContinuation<Void, Never>?
    }

    private let state = Mutex(State())

    /// Whether requests are handled here.
    var isAttached: Bool { state.withLock { $0.handlers != nil } }

    func attach(_ main: RequestHandler, osmand: RequestHandler) {
        state.withLock { $0.handlers = (main, osmand) }
    }

    /// Takes no more requests. Returns when those that are under way have ended, or after a time.
    func detach(within time: Duration) async {
        state.withLock { $0.handlers = nil }
        let timer = Task { [self] in
            try? await Task.sleep(for: time)
            finish()
        }
        defer { timer.cancel() }
        await withCheckedContinuation { continuation in
            let isIdle = state.withLock { state in
                if state.requests > 0 { state.waiting = continuation }
                return state.requests == 0
            }
            if isIdle { continuation.resume() }
        }
    }

    private func finish() {
        let waiting = state.withLock { state in
            defer { state.waiting = nil }
            return state.waiting
        }
        waiting?.resume()
    }

    /// Begins a request; `nil` when the API is not attached.
    private func enter() -> (main: RequestHandler, osmand: RequestHandler)? {
        state.withLock { state in
            if state.handlers != nil { state.requests += 1 }
            return state.handlers
        }
    }

    /// Stores submissions of this process; `nil` when the API is not attached, or nothing of them was handled.
    func outcomes(of envelope: SubmissionEnvelope) async -> [SubmissionEnvelope.Outcome]? {
        guard let handlers = enter() else { return nil }
        defer { leave() }
        return try? await handlers.main.receiver.outcomes(of: envelope)
    }

    /// Turns an endpoint off in the configuration of this process; false when the API is not attached.
    func turnOff(_ endpoint: [UInt8]) async throws -> Bool {
        guard let handlers = enter() else { return false }
        defer { leave() }
        let api = handlers.main.api
        try await EndpointSwitch(store: api.store, services: api.endpoints).turnOff(endpoint)
        return true
    }

    /// The response of the API.
    ///
    /// - Parameters:
    ///   - request: the request.
    ///   - channel: the client's connection.
    ///   - isOsmAnd: whether it came to the port of OsmAnd.
    ///   - isInProcess: whether this process made the request from one of the client's.
    /// - Returns: the response; `nil` when the API is not attached.
    func response(
        to request: Request, on channel: any Channel, isOsmAnd: Bool, isInProcess: Bool = false
    ) async -> Response? {
        guard let handlers = enter() else { return nil }
        if !isOsmAnd, request.head.path?.hasPrefix("/v1/cluster/") == true,
            Forwarding.isOwn(request.headers, key: handlers.main.api.forwardingKey),
            let response = await handlers.main.nodeResponse(to: request)
        {
            leave()
            return response
        }
        if !isOsmAnd, let response = await handlers.main.exchangedTicket(request) {
            leave()
            return response
        }
        var response = await (isOsmAnd ? handlers.osmand : handlers.main)
            .respond(to: request, on: channel, isInProcess: isInProcess)
        guard response.body.contentLength == nil else {
            leave()
            return response
        }
        // An event stream or a file reads the store while it is written.
        let body = response.body
        response.body = ResponseBody { [self] writer in
            defer { leave() }
            try await body.write(writer)
        }
        return response
    }

    private func leave() {
        let isLast = state.withLock { state in
            state.requests -= 1
            return state.requests == 0
        }
        if isLast { finish() }
    }

    /// Forgets what the API has read of the configuration, whose rows were changed by others than the API.
    func configurationDidChange() { state.withLock { $0.handlers }?.main.configurationDidChange() }

    /// Writes a line for a request that was refused before a route was known.
    func refused(_ problem: Problem) { state.withLock { $0.handlers }?.main.refused(problem) }
}
