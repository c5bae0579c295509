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

    /// The response of the API; `nil` when it is not attached.
    func response(to request: Request, on channel: any Channel, isOsmAnd: Bool) async -> Response? {
        let handlers = state.withLock { state in
            if state.handlers != nil { state.requests += 1 }
            return state.handlers
        }
        guard let handlers else { return nil }
        if !isOsmAnd, request.head.path == SubmissionEnvelope.path,
            Forwarding.client(request.headers, key: handlers.main.api.forwardingKey) != nil
        {
            defer { leave() }
            return await handlers.main.accept(request)
        }
        if !isOsmAnd, let response = await handlers.main.exchangedTicket(request) {
            leave()
            return response
        }
        var response = await (isOsmAnd ? handlers.osmand : handlers.main).respond(to: request, on: channel)
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

    /// Writes a line for a request that was refused before a route was known.
    func refused(_ problem: Problem) { state.withLock { $0.handlers }?.main.refused(problem) }
}
