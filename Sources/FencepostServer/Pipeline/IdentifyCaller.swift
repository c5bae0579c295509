import FencepostHTTP
import FencepostService
import HTTPTypes
import Hummingbird

/// Finds out who sends a request to the API, and whether the route is for him: by token, session, ticket, or as a
/// command of this machine.
struct IdentifyCaller: RequestStage {
    let api: API
    /// Whether requests come over the local socket: no tokens and no rate limits.
    let isLocal: Bool

    nonisolated(nonsending) func handle(_ exchange: inout Exchange) async throws {
        guard let access = exchange.route?.access, let credentials = exchange.route?.credentials else { return }
        try CrossOrigin.check(exchange.call, access, exchange.request.head.authority, api.proxies)
        exchange.call.caller = try await caller(of: exchange.call, access, credentials)
    }

    /// Whether a call needs no token: a command of this machine, or of the machine of the node that has sent it on.
    private func isLocal(_ call: Call) -> Bool {
        isLocal || Forwarding.client(call.headers, key: api.forwardingKey) == Forwarding.localClient
    }

    nonisolated(nonsending) private func caller(
        of call: Call, _ access: Access, _ credentials: Route.Credentials
    ) async throws -> Caller {
        switch access {
        case .open, .share: return .anonymous
        case .caller where isLocal(call), .scope where isLocal(call), .unbound where isLocal(call),
            .ticket where isLocal(call):
            return .local
        // A report that another node of the cluster sends. It could read all of it in a copy of the database too.
        case .scope(.read) where Forwarding.isOwn(call.headers, key: api.forwardingKey): return .local
        case .caller: return try await identified(call, credentials)
        case .ticket(let scope):
            if let ticket = call.query["ticket"] { return try await holder(of: ticket) }
            return try await caller(of: call, credentials, with: scope)
        case .scope(let scope): return try await caller(of: call, credentials, with: scope)
        case .unbound(let scope): return try Self.unlimited(try await caller(of: call, credentials, with: scope))
        }
    }

    /// The caller by token or session.
    nonisolated(nonsending) private func identified(
        _ call: Call, _ credentials: Route.Credentials
    ) async throws -> Caller {
        if SessionCookie.identifies(call, credentials) {
            guard let caller = try await api.sessions.caller(call.headers) else { throw Problem.sessionEnded }
            return caller
        }
        return try await api.authenticator.caller(
            call.headers, call.query, credentials, from: api.proxies.client(call.headers, peer: call.address))
    }

    nonisolated(nonsending) private func caller(
        of call: Call, _ credentials: Route.Credentials, with scope: AccessToken.Scope
    ) async throws -> Caller {
        let caller = try await identified(call, credentials)
        try caller.require(scope)
        return caller
    }

    /// The caller to whom a ticket was issued.
    private func holder(of ticket: String) async throws -> Caller {
        // What the caller may do can have ended since the ticket was issued.
        guard let caller = api.tickets.redeem(ticket, now: api.clock.now()), await api.isStillValid(caller) else {
            throw Problem.unauthorized("The ticket is unknown, used or expired.", mayUseBasic: false)
        }
        return caller
    }

    private static func unlimited(_ caller: Caller) throws(Problem) -> Caller {
        if caller.deviceID != nil {
            throw .forbidden("bound_token", "A token that is bound to a device cannot be used for this request.")
        }
        if caller.isLimited {
            throw .forbidden(
                "limited_user", "The request concerns all devices and regions, and the user sees only some of them.")
        }
        return caller
    }
}
