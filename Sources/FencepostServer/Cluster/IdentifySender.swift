import FencepostHTTP
import FencepostService
import HTTPTypes
import Hummingbird

/// Finds out on a node of a cluster who sends locations, by the tokens of its copy of the configuration.
struct IdentifySender: RequestStage {
    let authenticator: Authenticator
    let proxies: TrustedProxies
    /// Asks the leader of the configuration whose session it is: only there it is known.
    let session: @Sendable (_ call: Call, _ authority: String?) async throws -> Caller

    func handle(_ exchange: inout Exchange) async throws {
        guard let access = exchange.route?.access, let credentials = exchange.route?.credentials else { return }
        let authority = exchange.request.head.authority
        try CrossOrigin.check(exchange.call, access, authority, proxies)
        exchange.call.caller = try await caller(of: exchange.call, credentials, authority)
    }

    /// The caller by token or session, who may send locations.
    func caller(of call: Call, _ credentials: Route.Credentials, _ authority: String?) async throws -> Caller {
        let caller =
            if SessionCookie.identifies(call, credentials) {
                try await session(call, authority)
            } else {
                try await authenticator.caller(
                    call.headers, call.query, credentials, from: proxies.client(call.headers, peer: call.address))
            }
        try caller.require(.ingest)
        return caller
    }
}
