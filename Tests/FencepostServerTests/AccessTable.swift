import FencepostModel
import FencepostService
import HTTPTypes

@testable import FencepostServer

/// Whose things a route is about.
enum AccessThings: Hashable, Sendable {
    /// None of one device or user, or only what its body names.
    case none
    /// `{id}` is a device.
    case device
    /// A list with `?deviceId=`.
    case filtered
    /// A list of what the caller sees.
    case list
    /// The devices in a region.
    case regionDevices
    case stream
    /// Locations of a device, which the query or the body names.
    case sent(_ query: String)
    case event, importJob, share, newShare
    /// A session by its id, and those of a user.
    case session, sessions
}

/// Who may use a route, as its declaration says. A golden file shows the declarations of all of them: docs/reference/routes.md.
struct AccessRow: Sendable, CustomStringConvertible {
    /// Method and path.
    let route: String
    /// The scope of a token; `nil` for everybody, `any` for each caller, `share` for the secret of a link.
    let scope: String?
    /// Whether also callers may use it who see only some devices.
    let isForBound: Bool
    let things: AccessThings
    /// Pages of other sites can make a browser call the others, so a cookie does not count there.
    let takesCookies: Bool

    init(_ route: Route) {
        self.route = route.title
        (scope, isForBound) =
            switch route.access {
            case .open: (nil, true)
            case .caller: ("any", true)
            case .share: ("share", true)
            case .scope(let scope), .ticket(let scope): (scope.rawValue, true)
            case .unbound(let scope): (scope.rawValue, false)
            }
        takesCookies = route.credentials == .bearer
        things = Self.things[route.title] ?? (isForBound ? Self.things(of: route) : .none)
    }

    var description: String { route }
    var method: String { String(route.prefix { $0 != " " }) }
    var path: String { String(route.drop { $0 != " " }.dropFirst()) }

    /// All routes of the server.
    static let all: [AccessRow] = API.outline.routes.map { AccessRow($0) }

    /// What follows from the path and the parameters.
    private static func things(of route: Route) -> AccessThings {
        if route.path.hasPrefix("/v1/devices/{id}") { return .device }
        let isFiltered = route.parameters.contains { $0.name == "deviceId" && $0.source == .query }
        return route.method == .get && isFiltered ? .filtered : .none
    }

    /// The routes about things of one device or user that neither the path nor a parameter names.
    static let things: [String: AccessThings] = [
        "GET /ingest/osmand": .sent("?id=DEVICE&lat=1&lon=2"), "POST /ingest/osmand": .sent("?id=DEVICE&lat=1&lon=2"),
        "GET /ingest/gpslogger": .sent("?id=DEVICE&lat=1&lon=2"),
        "POST /ingest/gpslogger": .sent("?id=DEVICE&lat=1&lon=2"), "POST /v1/locations": .sent(""),
        "GET /v1/imports/{id}": .importJob, "DELETE /v1/imports/{id}": .importJob,
        "GET /v1/regions/{id}/devices": .regionDevices, "GET /v1/events/{id}": .event, "GET /v1/devices": .list,
        "GET /v1/stream": .stream, "GET /v1/sessions": .sessions, "DELETE /v1/sessions/{id}": .session,
        "GET /v1/profiles": .list, "GET /v1/shares": .list, "POST /v1/shares": .newShare,
        "DELETE /v1/shares/{id}": .share,
    ]
}
