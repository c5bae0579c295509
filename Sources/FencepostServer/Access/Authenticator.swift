import FencepostCrypto
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
    /// `Authorization: Bearer`, and `address` is the network address of the sender, which may try unknown tokens only so
    /// often.
    ///
    /// - Throws: a `Problem` without a token, with one that is unknown or has expired, or after too many unknown ones.
    func caller(
        _ headers: HTTPFields, _ query: Query, _ style: Route.Credentials, from address: String
    ) async throws -> Caller {
        let mayUseBasic = style != .bearer
        guard let text = token(in: headers, query, style) else {
            throw Problem.unauthorized(
                "The request needs a token: Authorization: Bearer fp_….", mayUseBasic: mayUseBasic)
        }
        guard let token = try await find(text, from: address) else {
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
        let known = state.withLock { $0.tokens[hash] }
        let found = if let known { known } else { try await source.token(hash: hash) }
        let now = clock.now()
        guard let found, ConstantTime.areEqual(found.hash, hash), found.expires.map({ $0 > now }) ?? true else {
            return nil
        }
        remember(found)
        state.withLock { $0.uses[found.id] = now }
        return found
    }

    private func remember(_ token: AccessToken) {
        state.withLock { state in
            if state.tokens.count >= Authenticator.capacity { state.tokens.removeAll() }
            state.tokens[token.hash] = token
        }
    }

    private func find(_ text: String, from address: String) async throws -> AccessToken? {
        let hash = TokenText.hash(text)
        if let known = state.withLock({ $0.tokens[hash] }) { return known }
        guard TokenText.isWellFormed(text) else { return nil }
        try failures.take(address, now: clock.now())
        guard let found = try await source.token(hash: hash), ConstantTime.areEqual(found.hash, hash) else {
            return nil
        }
        failures.giveBack(address)
        remember(found)
        return found
    }

    /// Clears the cache after tokens were changed.
    func tokensDidChange() {
        state.withLock { $0.tokens.removeAll() }
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
