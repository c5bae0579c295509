import FencepostCrypto
import FencepostHTTP
import FencepostModel
import FencepostService
import Foundation
import HTTPTypes
import Synchronization

/// Identifies the caller of a request by its token (rule A4).
final class Authenticator: Sendable {
    private struct State {
        /// Cache of tokens by their hash. Tokens that are revoked over the API are removed at once.
        var tokens: [[UInt8]: AccessToken] = [:]
        /// Times of last use that are not stored yet, by token id.
        var uses: [String: Timestamp] = [:]
        /// Rises with each change of tokens, so that nothing is cached that was read before it.
        var generation = 0
    }

    private let source: any TokenSource
    private let clock: ServiceClock
    private let state = Mutex(State())
    private let failures = FailureLimiter()
    /// Maximum number of cached tokens. Above it the cache is cleared.
    private static let capacity = 100_000

    init(_ source: any TokenSource, clock: ServiceClock) {
        self.source = source
        self.clock = clock
    }

    /// The caller by the credentials of a request. `style` names those that the route accepts besides
    /// `Authorization: Bearer`, and `client` is the network address of the sender, behind trusted proxies that of their
    /// client, which may try unknown tokens only so often.
    ///
    /// - Throws: a `Problem` without a token, with one that is unknown or has expired, or after too many unknown ones.
    nonisolated(nonsending) func caller(
        _ headers: HTTPFields, _ query: Query, _ style: Route.Credentials, from client: @autoclosure () -> String
    ) async throws -> Caller {
        let mayUseBasic = style != .bearer
        guard let text = token(in: headers, query, style) else {
            throw Problem.unauthorized(
                "The request needs a token: Authorization: Bearer fp_….", mayUseBasic: mayUseBasic)
        }
        guard let token = try await find(text, from: client) else {
            throw Problem.unauthorized("The token is unknown.", mayUseBasic: mayUseBasic)
        }
        let now = clock.now()
        if let expires = token.expires, expires <= now {
            throw Problem.unauthorized("The token has expired.", mayUseBasic: mayUseBasic)
        }
        state.withLock { $0.uses[token.id] = now }
        return Caller(token: token, secret: text)
    }

    private func token(in headers: HTTPFields, _ query: Query, _ style: Route.Credentials) -> String? {
        if let field = headers[.authorization] {
            if field.hasPrefix("Bearer fp_") { return String(field.dropFirst(7)) }
            let parts = field.split(separator: " ", maxSplits: 1)
            guard parts.count == 2 else { return nil }
            switch parts[0].lowercased() {
            case "bearer": return String(parts[1].drop { $0 == " " })
            case "basic" where style != .bearer:
                guard let data = Data(base64Encoded: String(parts[1])), let text = String(data: data, encoding: .utf8),
                    let colon = text.firstIndex(of: ":")
                else { return nil }
                return String(text[text.index(after: colon)...])
            default: return nil
            }
        }
        return style == .basicOrQuery ? query["token"] : nil
    }

    /// The token with a hash, whose text another node of the cluster has checked.
    ///
    /// - Returns: `nil` when it is unknown or has expired.
    func token(hash: [UInt8]) async throws -> AccessToken? {
        let now = clock.now()
        guard let found = try await known(hash), found.expires.map({ $0 > now }) ?? true else { return nil }
        state.withLock { $0.uses[found.id] = now }
        return found
    }

    /// Whether a caller may go on with what it began with a token, such as the event stream.
    func isStillValid(_ token: AccessToken) async -> Bool {
        // When the store does not answer, the stream ends, and the client connects again.
        guard let now = try? await self.token(hash: token.hash) else { return false }
        return now.scopes == token.scopes && now.deviceID == token.deviceID
    }

    /// The token with a hash, from the cache or the source.
    nonisolated(nonsending) private func known(_ hash: [UInt8]) async throws -> AccessToken? {
        let (known, generation) = state.withLock { ($0.tokens[hash], $0.generation) }
        if let known { return known }
        return remember(try await source.token(hash: hash), hash, since: generation)
    }

    /// Caches a token, unless tokens have changed since it was read: it may be one that was revoked meanwhile.
    ///
    /// - Returns: the token; `nil` without one that has the hash.
    private func remember(_ found: AccessToken?, _ hash: [UInt8], since generation: Int) -> AccessToken? {
        guard let found, ConstantTime.areEqual(found.hash, hash) else { return nil }
        state.withLock { state in
            guard state.generation == generation else { return }
            if state.tokens.count >= Authenticator.capacity { state.tokens.removeAll() }
            state.tokens[found.hash] = found
        }
        return found
    }

    /// Looks a token up before anything is limited: a token that exists is never refused for those that do not, also after
    /// the cache was cleared. The lookup is by an index, and costs less than the request itself.
    nonisolated(nonsending) private func find(
        _ text: String, from client: () -> String
    ) async throws -> AccessToken? {
        let hash = TokenText.hash(text)
        if let cached = state.withLock({ $0.tokens[hash] }) { return cached }
        guard TokenText.isWellFormed(text) else { return nil }
        if let known = try await known(hash) { return known }
        let client = client()
        try failures.take(client, now: clock.now())
        let generation = state.withLock { $0.generation }
        guard let late = remember(try await source.lateToken(hash: hash), hash, since: generation) else { return nil }
        failures.giveBack(client)
        return late
    }

    /// Clears the cache after tokens were changed.
    func tokensDidChange() {
        state.withLock { state in
            state.tokens.removeAll()
            state.generation += 1
        }
    }

    /// Stores the times at which tokens were last used.
    func storeUses(in store: any AccessStore) async throws {
        let uses = state.withLock { state in
            defer { state.uses.removeAll() }
            return state.uses
        }
        if !uses.isEmpty { try await store.noteUse(uses) }
    }
}
