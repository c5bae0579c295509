import FencepostModel
import FencepostService

/// Who asks, and what they may.
struct Caller: Sendable {
    /// `nil` on routes that are open to everyone.
    let token: AccessToken?
    /// What the caller proved itself with; seals what is kept for its repeated requests.
    let secret: String

    static let nobody = Caller(token: nil, secret: "")

    /// The only device that the caller speaks for and sees; `nil` is every device.
    var deviceID: DeviceID? { token?.deviceID }

    func maySee(_ device: DeviceID) -> Bool { deviceID.map { $0 == device } ?? true }

    /// `admin` includes the other scopes, since whoever has it can issue tokens with them.
    func has(_ scope: AccessToken.Scope) -> Bool {
        token.map { $0.scopes.contains(scope) || $0.scopes.contains(.admin) } ?? false
    }
}

/// Who may use a route.
enum Access: Hashable, Sendable {
    /// Everyone.
    case open
    /// Tokens with this scope.
    case scope(AccessToken.Scope)
    /// Tokens with this scope that are bound to no device, since the route is about all of them.
    case unbound(AccessToken.Scope)
    /// A ticket of `POST /v1/stream/tickets`, or tokens with this scope.
    case ticket(AccessToken.Scope)

    var scope: AccessToken.Scope? {
        switch self {
        case .open: nil
        case .scope(let scope), .unbound(let scope), .ticket(let scope): scope
        }
    }
}
