public import FencepostModel

/// Stores users, their sessions, groups of devices, and share links.
///
/// Between the reading of a row and the writing of its change others may change it. So nothing writes a whole row that it
/// has read before: a change names the row that it was made from, and is refused when the stored one differs.
public protocol UserStore: Sendable {
    /// All users.
    func users() async throws -> [User]
    /// The user with a name, in any case of its letters; `nil` when there is none.
    func user(named name: String) async throws -> User?
    /// The user with an id; `nil` when there is none.
    func user(id: String) async throws -> User?
    /// The user whom a provider of identities knows under an id; `nil` when there is none.
    func user(ofProvider issuer: String, subject: String) async throws -> User?
    /// Adds a user.
    ///
    /// - Returns: `false` when another user has the name; nothing is stored then.
    func add(_ user: User) async throws -> Bool
    /// Replaces a user and ends sessions of the user, in one step.
    ///
    /// - Parameters:
    ///   - former: the user that the change was made from.
    ///   - user: the changed user, with the same id.
    ///   - sessions: which sessions end.
    /// - Returns: whether it was replaced, or why nothing was stored.
    /// - Throws: when the store cannot write; nothing is stored then.
    func replace(_ former: User, with user: User, ending sessions: EndedSessions) async throws -> UserReplacement
    /// Removes a user with all sessions.
    ///
    /// - Returns: whether there was one.
    func removeUser(id: String) async throws -> Bool

    /// The session with a hash, and its user; `nil` when there is none.
    func session(hash: [UInt8]) async throws -> (session: UserSession, user: User)?
    /// The sessions of a user.
    func sessions(of userID: String) async throws -> [UserSession]
    /// The sessions that began with a session of a provider of identities.
    func sessions(ofProvider session: String) async throws -> [UserSession]
    /// Adds a session of a user whose password was checked.
    ///
    /// - Parameters:
    ///   - session: the session.
    ///   - passwordHash: the hash with which the password was compared.
    /// - Returns: `false` when the user was removed or has another password now; nothing is stored then.
    /// - Throws: when the store cannot write.
    func add(_ session: UserSession, checkedBy passwordHash: String) async throws -> Bool
    /// Replaces a session; nothing happens when it was removed.
    func update(_ session: UserSession) async throws
    /// Removes a session.
    ///
    /// - Returns: whether there was one.
    func removeSession(id: String) async throws -> Bool

    /// All groups of devices.
    func groups() async throws -> [DeviceGroup]
    /// Adds or replaces a group.
    func save(_ group: DeviceGroup) async throws
    /// Removes a group.
    ///
    /// - Returns: whether there was one.
    func removeGroup(tag: String) async throws -> Bool

    /// All share links.
    func shares() async throws -> [Share]
    /// The share link with a hash; `nil` when there is none.
    func share(hash: [UInt8]) async throws -> Share?
    /// Adds a share link.
    ///
    /// - Returns: `false` when the user or the token that makes it is no more; nothing is stored then.
    func add(_ share: Share) async throws -> Bool
    /// Removes a share link.
    ///
    /// - Returns: whether there was one.
    func removeShare(id: String) async throws -> Bool

    /// Removes sessions and share links that expired before a time.
    func removeExpiredAccess(before time: Timestamp) async throws
}

/// Which sessions of a user end with a change of the user.
public enum EndedSessions: Hashable, Sendable {
    /// None: they have the changed rights with the next request.
    case none
    /// All, except the one with an id.
    case all(except: String?)
}

/// The result of the change of a user.
public enum UserReplacement: Hashable, Sendable {
    case replaced
    /// The stored user differs from the one that the change was made from, or was removed.
    case differs
    /// Another user has the name.
    case nameTaken
}

/// A person who signs in with a name and a password, or at a provider of identities.
public struct User: Hashable, Sendable, Codable {
    /// What a user may do.
    public enum Role: String, Hashable, Sendable, Codable, CaseIterable {
        /// Everything.
        case admin
        /// Reads, sends locations, and changes regions, apps and endpoints.
        case editor
        /// Reads.
        case viewer

        /// The scopes of a token with the same rights.
        public var scopes: Set<AccessToken.Scope> {
            switch self {
            case .admin: [.admin]
            case .editor: [.read, .write, .ingest]
            case .viewer: [.read]
            }
        }
    }

    /// `usr_…`
    public var id: String
    /// The name to sign in with, 1 to 64 characters.
    public var name: String
    /// Argon2id hash of the password; empty for who signs in at a provider alone.
    public var passwordHash: String
    /// Who this is at a provider; `nil` for nobody, or before the first sign-in there.
    public var identity: ProviderAccount?
    /// What the user may do.
    public var role: Role
    /// Patterns of the devices that the user sees, besides those of the groups; `nil` without a limit.
    public var devices: [GlobPattern]?
    /// Groups whose devices and regions the user sees; `nil` without a limit.
    public var tags: [String]?
    /// The name of the time zone that the page shows the user; `nil` for that of the service.
    public var timeZone: String?
    /// When the user was added.
    public var createdAt: Timestamp

    /// A user without limits.
    public init(id: String, name: String, passwordHash: String, role: Role, createdAt: Timestamp) {
        self.id = id
        self.name = name
        self.passwordHash = passwordHash
        self.role = role
        self.createdAt = createdAt
    }

    /// Whether the user has no password, and signs in at a provider.
    public var hasNoPassword: Bool { passwordHash.isEmpty }
    /// Whether the user was added for a first sign-in at a provider, which has not been yet.
    public var isInvited: Bool { hasNoPassword && identity == nil }

    /// The form of a name by which users are found: in lower case.
    public static func key(of name: String) -> String { name.lowercased() }
}

/// A user at a provider of identities.
public struct ProviderAccount: Hashable, Sendable, Codable {
    /// The provider.
    public var issuer: String
    /// Its own id of the user, which never changes.
    public var subject: String
    /// Whether the role follows from the user's groups at the provider.
    public var hasGroupRole: Bool

    /// A user at a provider.
    public init(issuer: String, subject: String, hasGroupRole: Bool) {
        (self.issuer, self.subject, self.hasGroupRole) = (issuer, subject, hasGroupRole)
    }
}

/// How a session began at a provider of identities.
public struct ProviderSession: Hashable, Sendable, Codable {
    /// The provider's id of its session; `nil` when it has none.
    public var id: String?
    /// The provider's token, which ends its session.
    public var token: String

    /// The session of a provider.
    public init(id: String?, token: String) {
        (self.id, self.token) = (id, token)
    }
}

/// A browser in which a user is signed in.
public struct UserSession: Hashable, Sendable, Codable {
    /// Time after its last use at which a session ends: 30 days.
    public static let lifetime = Duration.seconds(30 * 86_400)

    /// `ses_…`
    public var id: String
    /// SHA-256 of the cookie's secret.
    public var hash: [UInt8]
    /// The user.
    public var userID: String
    /// When the user signed in.
    public var createdAt: Timestamp
    /// When the session was last used, to the hour.
    public var lastUsed: Timestamp
    /// When the session ends unless it is used again.
    public var expires: Timestamp
    /// The browser's `User-Agent`, at most 256 characters.
    public var client: String?
    /// The network address from which the user signed in.
    public var address: String?
    /// How it began at a provider; `nil` for one that began with a password.
    public var provider: ProviderSession?

    /// A session that begins now.
    public init(id: String, hash: [UInt8], userID: String, createdAt: Timestamp) {
        self.id = id
        self.hash = hash
        self.userID = userID
        self.createdAt = createdAt
        lastUsed = createdAt
        expires = createdAt + Self.lifetime
    }
}

/// Devices that belong together under a tag, which regions may have too.
public struct DeviceGroup: Hashable, Sendable, Codable {
    /// The tag, 1 to 64 characters.
    public var tag: String
    /// Patterns of the devices.
    public var devices: [GlobPattern]

    /// A group.
    public init(tag: String, devices: [GlobPattern]) {
        (self.tag, self.devices) = (tag, devices)
    }
}

/// A link that shows the positions of some devices to anybody who has it, until a time.
public struct Share: Hashable, Sendable, Codable {
    /// `shr_…`
    public var id: String
    /// What the page shows as its title.
    public var name: String
    /// SHA-256 of the link's secret.
    public var hash: [UInt8]
    /// The devices that the link shows, at least one.
    public var devices: [DeviceID]
    /// When the link ends.
    public var expires: Timestamp
    /// When the link was made.
    public var createdAt: Timestamp
    /// The user or the token that made it, with which it is removed; `nil` if that is not known.
    public var ownerID: String?

    /// A share link, one parameter for each property because they have no order of their own.
    public init(
        id: String, name: String, hash: [UInt8], devices: [DeviceID], expires: Timestamp, createdAt: Timestamp,
        ownerID: String? = nil
    ) {
        self.ownerID = ownerID
        self.id = id
        self.name = name
        self.hash = hash
        self.devices = devices
        self.expires = expires
        self.createdAt = createdAt
    }
}
