import FencepostModel
import FencepostService

/// The sender of a request and its rights.
struct Caller: Sendable {
    /// `nil` on routes without authentication.
    let token: AccessToken?
    /// The token's text. It encrypts the stored responses to requests with an idempotency key.
    let secret: String

    static let anonymous = Caller(token: nil, secret: "")

    /// A command that connects over the local socket. Only the user who runs the service and the superuser can, and both
    /// can read the database anyway.
    static let local = Caller(
        token: AccessToken(
            id: "local", name: "local", hash: [], scopes: [.admin], createdAt: Timestamp(milliseconds: 0)),
        secret: "local")

    /// The only device that the caller may send for and see; `nil` for all devices.
    var deviceID: DeviceID? { token?.deviceID }

    func maySee(_ device: DeviceID) -> Bool { deviceID.map { $0 == device } ?? true }

    /// `admin` includes the other scopes, since it can issue tokens with them.
    func has(_ scope: AccessToken.Scope) -> Bool {
        token.map { $0.scopes.contains(scope) || $0.scopes.contains(.admin) } ?? false
    }
}

/// The access rights that a route needs.
enum Access: Hashable, Sendable {
    /// None.
    case open
    /// A token with this scope.
    case scope(AccessToken.Scope)
    /// A token with this scope that is not bound to a device, since the route is about all devices.
    case unbound(AccessToken.Scope)
    /// A ticket of `POST /v1/stream/tickets`, or a token with this scope.
    case ticket(AccessToken.Scope)

    var scope: AccessToken.Scope? {
        switch self {
        case .open: nil
        case .scope(let scope), .unbound(let scope), .ticket(let scope): scope
        }
    }
}
