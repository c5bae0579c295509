import FencepostCrypto
import FencepostHTTP
import FencepostModel
import FencepostService
import HTTPTypes
import Synchronization

/// Identifies the user of a request by the session in its cookie, and the share link of a request by its secret.
final class SessionAuthenticator: Sendable {
    /// Time between two writes of a session's last use.
    static let useInterval = Duration.seconds(3600)
    private static let capacity = 10_000

    private struct State {
        var callers: [[UInt8]: Caller] = [:]
        /// Rises with each change of users, sessions and groups.
        var generation = 0
    }

    private let store: any UserStore & AccessStore
    private let clock: ServiceClock
    private let state = Mutex(State())

    init(store: any UserStore & AccessStore, clock: ServiceClock) {
        self.store = store
        self.clock = clock
    }

    /// The caller by the cookie of a request; `nil` without a session that is valid now.
    func caller(_ headers: HTTPFields) async throws -> Caller? {
        guard let secret = SessionCookie.secret(in: headers) else { return nil }
        return try await caller(secret)
    }

    private func caller(_ secret: String) async throws -> Caller? {
        guard TokenText.isWellFormed(secret, prefix: SessionCookie.prefix) else { return nil }
        let hash = TokenText.hash(secret)
        var caller = state.withLock { $0.callers[hash] }
        if caller == nil { caller = try await read(hash, secret) }
        guard let caller, let session = caller.signedIn?.session else { return nil }
        let now = clock.now()
        guard session.expires > now else { return nil }
        guard now - session.lastUsed >= Self.useInterval else { return caller }
        return try await extend(caller, hash, at: now)
    }

    private func read(_ hash: [UInt8], _ secret: String) async throws -> Caller? {
        let generation = state.withLock { $0.generation }
        guard let (session, user) = try await store.session(hash: hash), ConstantTime.areEqual(session.hash, hash)
        else {
            return nil
        }
        let caller = Caller(SignedIn(session: session, user: user), try await visibility(of: user), secret: secret)
        insert(caller, hash, since: generation)
        return caller
    }

    /// Caches a caller, unless something changed since it was read.
    private func insert(_ caller: Caller, _ hash: [UInt8], since generation: Int) {
        state.withLock { state in
            guard state.generation == generation else { return }
            if state.callers.count >= Self.capacity { state.callers.removeAll() }
            state.callers[hash] = caller
        }
    }

    private func extend(_ caller: Caller, _ hash: [UInt8], at now: Timestamp) async throws -> Caller {
        guard var signedIn = caller.signedIn else { return caller }
        let generation = state.withLock { $0.generation }
        signedIn.session.lastUsed = now
        signedIn.session.expires = now + UserSession.lifetime
        try await store.update(signedIn.session)
        let extended = Caller(signedIn, caller.visibility, secret: caller.secret)
        insert(extended, hash, since: generation)
        return extended
    }

    /// What a user sees: the devices and the groups that are named, or everything without such a limit.
    private func visibility(of user: User) async throws -> Visibility {
        guard user.role != .admin, user.devices != nil || user.tags != nil else { return .all }
        var devices = user.devices ?? []
        if let tags = user.tags {
            devices += try await store.groups().filter { tags.contains($0.tag) }.flatMap(\.devices)
        }
        return Visibility(devices: devices, tags: user.tags)
    }

    /// Clears the cache after users, sessions or groups were changed.
    func didChange() {
        state.withLock { state in
            state.callers.removeAll()
            state.generation += 1
        }
    }

    /// Whether a caller may go on with what it began, such as the event stream, with the same view.
    func isStillValid(_ caller: Caller) async -> Bool {
        // When the store does not answer, the stream ends, and the browser connects again.
        guard let now = try? await self.caller(caller.secret) else { return false }
        return now.visibility == caller.visibility && now.signedIn?.user.role == caller.signedIn?.user.role
    }

    // MARK: Share links

    static let sharePrefix = "fpl_"

    /// The share link of `Authorization: Bearer fpl_…`.
    ///
    /// - Throws: a `Problem` without a link that is valid now, or whose maker may no longer show its devices.
    func share(_ headers: HTTPFields) async throws -> Share {
        let text = headers[.authorization].flatMap { $0.hasPrefix("Bearer ") ? String($0.dropFirst(7)) : nil } ?? ""
        guard TokenText.isWellFormed(text, prefix: Self.sharePrefix),
            let share = try await store.share(hash: TokenText.hash(text)), share.expires > clock.now(),
            try await isAllowed(share)
        else { throw Problem.unauthorized("The link is unknown, has ended or was revoked.", mayUseBasic: false) }
        return share
    }

    /// Whether the maker of a share link may still make it: exists, may write, and sees all its devices. A link shows no more
    /// than its maker could.
    func isAllowed(_ share: Share) async throws -> Bool {
        guard let owner = share.ownerID else { return true }
        let maker: Caller
        if let user = try await store.user(id: owner) {
            let session = UserSession(id: "", hash: [], userID: user.id, createdAt: user.createdAt)
            maker = Caller(SignedIn(session: session, user: user), try await visibility(of: user), secret: "")
        } else if let token = try await store.token(id: owner), token.expires.map({ $0 > clock.now() }) ?? true {
            maker = Caller(token: token, secret: "")
        } else {
            return false
        }
        return maker.has(.write) && share.devices.allSatisfy(maker.maySee)
    }
}
