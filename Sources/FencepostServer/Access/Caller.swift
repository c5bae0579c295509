import FencepostHTTP
import FencepostModel
import FencepostService

/// The sender of a request and its rights.
struct Caller: Sendable {
    /// The token; for a session one with the same rights, which is not stored. `nil` on routes without authentication.
    let token: AccessToken?
    /// The token's text. It encrypts the stored responses to requests with an idempotency key.
    let secret: String
    /// `nil` for a token.
    var signedIn: SignedIn?
    /// What a user may see.
    var visibility = Visibility.all

    static let anonymous = Caller(token: nil, secret: "")

    /// A command that connects over the local socket. Only the user who runs the service and the superuser can, and both
    /// can read the database anyway.
    static let local = Caller(
        token: AccessToken(
            id: "local", name: "local", hash: [], scopes: [.admin], createdAt: Timestamp(milliseconds: 0)),
        secret: "local")

    init(token: AccessToken?, secret: String) {
        self.token = token
        self.secret = secret
    }

    init(_ signedIn: SignedIn, _ visibility: Visibility, secret: String) {
        let (session, user) = (signedIn.session, signedIn.user)
        token = AccessToken(
            id: session.id, name: user.name, hash: [], scopes: user.role.scopes, createdAt: session.createdAt)
        self.secret = secret
        self.signedIn = signedIn
        self.visibility = visibility
    }

    /// The only device that the caller may send for and see; `nil` for all devices, or those of `visibility`.
    var deviceID: DeviceID? { token?.deviceID }

    /// The user or the stored token that owns what the request makes; `nil` for commands over the local socket.
    var ownerID: String? { signedIn?.user.id ?? (isLocal ? nil : token?.id) }

    /// Whether it is a command of this machine.
    var isLocal: Bool { token?.id == Self.local.token?.id }

    /// Whether the caller may administer what belongs to nobody or to others, such as their sessions.
    var isAdministrator: Bool { has(.admin) && !isLimited }

    /// Whether there are devices or regions that the caller may not see.
    var isLimited: Bool { deviceID != nil || visibility != .all }

    func maySee(_ device: DeviceID) -> Bool {
        if let deviceID { return deviceID == device }
        return visibility.includes(device)
    }

    /// Whether a group exists for the caller: for a user one of the user's limits, for a device's token one that the device
    /// belongs to.
    func maySee(_ group: DeviceGroup) -> Bool {
        if let deviceID { return group.devices.contains { $0.matches(deviceID.rawValue) } }
        return visibility == .all || visibility.tags?.contains(group.tag) ?? false
    }

    /// Refuses a caller without a scope.
    func require(_ scope: AccessToken.Scope) throws(Problem) {
        guard !has(scope) else { return }
        if let user = signedIn?.user {
            throw .forbidden("missing_role", "The role \(user.role.rawValue) does not allow this request.")
        }
        throw .forbidden("missing_scope", "The request needs a token with the scope \"\(scope.rawValue)\".")
    }

    /// `admin` includes the other scopes, since it can issue tokens with them.
    func has(_ scope: AccessToken.Scope) -> Bool {
        token.map { $0.scopes.contains(scope) || $0.scopes.contains(.admin) } ?? false
    }
}

/// A user with the session of a request.
struct SignedIn: Sendable {
    var session: UserSession
    var user: User
}

/// The devices and regions that a user sees.
struct Visibility: Hashable, Sendable {
    /// Patterns of devices; `nil` for all.
    var devices: [GlobPattern]?
    /// Tags of regions; `nil` for all.
    var tags: [String]?

    static let all = Visibility()

    func includes(_ device: DeviceID) -> Bool { devices?.contains { $0.matches(device.rawValue) } ?? true }

    func includes(_ region: Region) -> Bool { tags.map { !Set($0).isDisjoint(with: region.tags) } ?? true }
}

/// The access rights that a route needs.
enum Access: Hashable, Sendable {
    /// None.
    case open
    /// A session, or a token with any scope.
    case caller
    /// The secret of a share link.
    case share
    /// A token with this scope.
    case scope(AccessToken.Scope)
    /// A token with this scope that is not bound to a device, since the route is about all devices.
    case unbound(AccessToken.Scope)
    /// A ticket of `POST /v1/stream/tickets`, or a token with this scope.
    case ticket(AccessToken.Scope)

    /// Whether a token or a session identifies the caller.
    var needsCaller: Bool { self != .open && self != .share }

    var scope: AccessToken.Scope? {
        switch self {
        case .open, .caller, .share: nil
        case .scope(let scope), .unbound(let scope), .ticket(let scope): scope
        }
    }
}
