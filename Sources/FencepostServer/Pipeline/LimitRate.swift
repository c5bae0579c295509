import FencepostService

/// Limits the rate of requests per token (rule A8). Commands of this machine have no limit.
struct LimitRate: RequestStage {
    /// Requests per minute; `nil` for no limit.
    let ingest, api: Int?
    let clock: ServiceClock
    private let limiter = RateLimiter()

    init(ingest: Int?, api: Int?, clock: ServiceClock) {
        (self.ingest, self.api, self.clock) = (ingest, api, clock)
    }

    func handle(_ exchange: inout Exchange) throws {
        guard let traffic = exchange.route?.traffic, let quota = quota(traffic),
            let token = exchange.call.caller.token, !exchange.call.caller.isLocal
        else { return }
        let policy = RateLimiter.Policy(name: traffic.rawValue, quota: quota)
        exchange.limits = try limiter.take(policy, token: token.id, now: clock.now())
    }

    private func quota(_ traffic: Route.Traffic) -> Int? {
        switch traffic {
        case .ingest: ingest
        case .api: api
        case .exempt: nil
        }
    }
}
