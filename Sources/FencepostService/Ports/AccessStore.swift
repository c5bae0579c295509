public import FencepostModel

/// Finds access tokens.
public protocol TokenSource: Sendable {
    /// The token with a hash; `nil` when there is none.
    func token(hash: [UInt8]) async throws -> AccessToken?
    /// Looks for a token again that `token(hash:)` has not found, in what others have written until now.
    ///
    /// It may take seconds, so callers limit how often they ask. A source that is never behind has nothing to add.
    func lateToken(hash: [UInt8]) async throws -> AccessToken?
}

extension TokenSource {
    /// `nil`: the source is never behind.
    public func lateToken(hash: [UInt8]) async throws -> AccessToken? { nil }
}

/// Stores access tokens and idempotency keys.
public protocol AccessStore: TokenSource {
    /// All tokens.
    func tokens() async throws -> [AccessToken]
    /// The token with an id; `nil` when there is none.
    func token(id: String) async throws -> AccessToken?
    /// Adds a token. Tokens do not change afterwards, except for their last use.
    func save(_ token: AccessToken) async throws
    /// Removes a token.
    ///
    /// - Returns: whether there was one.
    func removeToken(id: String) async throws -> Bool
    /// Stores the times at which tokens were last used, by token id. The caller may be a minute late.
    func noteUse(_ uses: [String: Timestamp]) async throws

    /// Claims an idempotency key for a request (rule A7).
    ///
    /// - Parameters:
    ///   - key: the key, with the token and the route of the request.
    ///   - requestHash: distinguishes a repeated request from another one with the same key.
    ///   - now: the time of the claim; a key expires a day after it.
    /// - Returns: whether to perform the request, or the response to repeat.
    /// - Throws: when the store cannot write; the key is not claimed then.
    func claim(_ key: IdempotencyKey, requestHash: [UInt8], now: Timestamp) async throws -> IdempotencyClaim
    /// Stores the response of a claimed request.
    func complete(_ key: IdempotencyKey, status: Int, headers: [String: String], body: [UInt8]) async throws
    /// Releases a claimed key after a request that failed on the server's side.
    func release(_ key: IdempotencyKey) async throws
}

/// An access token: its permissions, and a hash of its secret. The secret itself is not stored.
public struct AccessToken: Hashable, Sendable, Codable {
    /// A permission of a token.
    public enum Scope: String, Hashable, Sendable, Codable, CaseIterable {
        /// `ingest` permits sending locations, `read` reading, `write` changing regions, apps and endpoints, and
        /// `admin` all this and tokens and the export and erasure of devices (rule A4).
        case ingest, read, write, admin
    }

    /// `tok_…`
    public var id: String
    /// A name for people.
    public var name: String
    /// SHA-256 of the secret.
    public var hash: [UInt8]
    /// What the token permits.
    public var scopes: Set<Scope>
    /// The only device that the token may send for and read; `nil` for every device.
    public var deviceID: DeviceID?
    /// When the token becomes invalid; `nil` for never.
    public var expires: Timestamp?
    /// When the token was created.
    public var createdAt: Timestamp
    /// When the token was last used; `nil` before.
    public var lastUsed: Timestamp?
    /// The key of the device's encrypted OwnTracks payloads (rule I14); 1 to 32 bytes.
    public var encryptionKey: [UInt8]?
    /// Other devices whose last positions the answers to OwnTracks have (rule I16); `nil` for none.
    public var friends: [DeviceID]?
    /// The most regions near the phone that the answers to OwnTracks let it monitor itself (rule I18); `nil` for none.
    public var regions: Int?

    /// The most friends of a token.
    public static let mostFriends = 50
    /// How many regions of a phone a token may ask for: at least one, and a circle around the phone.
    public static let regionRange = 2...20

    /// A token for every device that does not expire.
    public init(id: String, name: String, hash: [UInt8], scopes: Set<Scope>, createdAt: Timestamp) {
        self.id = id
        self.name = name
        self.hash = hash
        self.scopes = scopes
        self.createdAt = createdAt
    }
}

/// Identifies a request that a client may repeat (rule A7).
public struct IdempotencyKey: Hashable, Sendable {
    /// The client's token. Keys of different tokens are independent.
    public var tokenID: String
    /// Method and path.
    public var route: String
    /// The value of the `idempotency-key` header.
    public var key: String

    /// A key of a token's request.
    public init(tokenID: String, route: String, key: String) {
        self.tokenID = tokenID
        self.route = route
        self.key = key
    }
}

/// The result of claiming an idempotency key.
public enum IdempotencyClaim: Hashable, Sendable {
    /// The request is the first with this key; the caller performs it.
    case first
    /// The request was performed; the caller repeats this response.
    case done(status: Int, headers: [String: String], body: [UInt8])
    /// The request is being performed.
    case running
    /// The key belongs to another request.
    case mismatch
}
