import FencepostHTTP
import HTTPTypes

/// Performs the route of the API: once for requests with the same `Idempotency-Key`, and a read only while somebody
/// waits.
struct RunRoute: RequestStage {
    let api: API

    nonisolated(nonsending) func handle(_ exchange: inout Exchange) async throws {
        guard let traffic = exchange.route?.traffic, let handle = exchange.route?.handle else { return }
        if traffic == .ingest { await api.untilReady() }
        if traffic != .api, exchange.call.body.count <= OffloadQueue.threshold {
            // The work is short, so it stays on the connection's thread.
            exchange.response = try await handle(exchange.call)
        } else if let route = exchange.route {
            exchange.response = try await offloaded(exchange.call, by: route)
        }
    }

    private func offloaded(_ call: Call, by route: Route) async throws -> RouteResponse {
        try await withTaskExecutorPreference(globalConcurrentExecutor) {
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
}
