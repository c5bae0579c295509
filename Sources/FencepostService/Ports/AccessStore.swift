public import FencepostModel

/// Tokens and idempotency keys.
public protocol AccessStore: Sendable {
    func tokens() async throws -> [AccessToken]
    func token(hash: [UInt8]) async throws -> AccessToken?
    func save(_ token: AccessToken) async throws
    func removeToken(id: String) async throws -> Bool
    /// Notes when tokens were last used; may be late by a minute.
    func noteUse(_ uses: [String: Timestamp]) async throws

    /// Claims a key for a request (rule A7).
    func claim(_ key: IdempotencyKey, requestHash: [UInt8], now: Timestamp) async throws -> IdempotencyClaim
    func complete(_ key: IdempotencyKey, status: Int, headers: [String: String], body: [UInt8]) async throws
    /// Gives a claimed key back after a request that failed on the server's side.
    func release(_ key: IdempotencyKey) async throws
}

/// What a caller may do, and how it proves who it is; the token itself is not kept.
public struct AccessToken: Hashable, Sendable, Codable {
    public enum Scope: String, Hashable, Sendable, Codable, CaseIterable {
        case ingest, read, write, admin
    }

    /// `tok_…`
    public var id: String
    public var name: String
    /// SHA-256 of the token.
    public var hash: [UInt8]
    public var scopes: Set<Scope>
    /// The only device that it may speak for and read.
    public var deviceID: DeviceID?
    public var expires: Timestamp?
    public var createdAt: Timestamp
    public var lastUsed: Timestamp?
    /// The key that the device's OwnTracks payloads are encrypted with (rule I14); 1 to 32 bytes.
    public var encryptionKey: [UInt8]?

    public init(id: String, name: String, hash: [UInt8], scopes: Set<Scope>, createdAt: Timestamp) {
        self.id = id
        self.name = name
        self.hash = hash
        self.scopes = scopes
        self.createdAt = createdAt
    }
}

public struct IdempotencyKey: Hashable, Sendable {
    public var tokenID: String
    /// Method and path.
    public var route: String
    public var key: String

    public init(tokenID: String, route: String, key: String) {
        self.tokenID = tokenID
        self.route = route
        self.key = key
    }
}

public enum IdempotencyClaim: Hashable, Sendable {
    /// The request is the first with this key: do it.
    case first
    /// It was done: say the same again.
    case done(status: Int, headers: [String: String], body: [UInt8])
    /// It is being done.
    case running
    /// The key was used for another request.
    case mismatch
}
