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

/// Who may use a route. Written by hand: what the server does is held against it.
struct AccessRow: Sendable, CustomStringConvertible {
    /// Method and path.
    let route: String
    /// The scope of a token; `nil` for everybody, `any` for each caller, `share` for the secret of a link.
    let scope: String?
    /// Whether also callers may use it who see only some devices.
    let isForBound: Bool
    let things: AccessThings

    init(_ route: String, _ scope: String?, isForBound: Bool, _ things: AccessThings = .none) {
        (self.route, self.scope, self.isForBound, self.things) = (route, scope, isForBound, things)
    }

    var description: String { route }
    var method: String { String(route.prefix { $0 != " " }) }
    var path: String { String(route.drop { $0 != " " }.dropFirst()) }

    /// Pages of other sites can make a browser call these, so a cookie does not count there.
    var takesCookies: Bool {
        !["/pub", "/ingest/owntracks", "/ingest/osmand", "/ingest/gpslogger", "/ingest/traccar"].contains(path)
    }

    /// All routes of the server.
    static let all: [AccessRow] = [
        AccessRow("POST /ingest/owntracks", "ingest", isForBound: true),
        AccessRow("POST /pub", "ingest", isForBound: true),
        AccessRow("POST /ingest/overland", "ingest", isForBound: true),
        AccessRow("POST /ingest/traccar", "ingest", isForBound: true),
        AccessRow("GET /ingest/osmand", "ingest", isForBound: true, .sent("?id=DEVICE&lat=1&lon=2")),
        AccessRow("POST /ingest/osmand", "ingest", isForBound: true, .sent("?id=DEVICE&lat=1&lon=2")),
        AccessRow("GET /ingest/gpslogger", "ingest", isForBound: true, .sent("?id=DEVICE&lat=1&lon=2")),
        AccessRow("POST /ingest/gpslogger", "ingest", isForBound: true, .sent("?id=DEVICE&lat=1&lon=2")),
        AccessRow("POST /v1/locations", "ingest", isForBound: true, .sent("")),
        AccessRow("POST /v1/imports", "ingest", isForBound: true),
        AccessRow("GET /v1/imports", "ingest", isForBound: true),
        AccessRow("GET /v1/imports/{id}", "ingest", isForBound: true, .importJob),
        AccessRow("DELETE /v1/imports/{id}", "ingest", isForBound: true, .importJob),
        AccessRow("GET /v1/devices/{id}/evaluations", "read", isForBound: true, .device),
        AccessRow("POST /v1/devices/{id}/evaluations", "admin", isForBound: false),
        AccessRow("GET /v1/locations", "read", isForBound: true, .filtered),
        AccessRow("GET /v1/quarantine", "read", isForBound: true, .filtered),
        AccessRow("GET /v1/reports", "read", isForBound: true, .filtered),
        AccessRow("GET /v1/regions", "read", isForBound: true),
        AccessRow("GET /v1/regions/{id}", "read", isForBound: true),
        AccessRow("GET /v1/regions/{id}/devices", "read", isForBound: true, .regionDevices),
        AccessRow("GET /v1/events", "read", isForBound: true, .filtered),
        AccessRow("GET /v1/events/{id}", "read", isForBound: true, .event),
        AccessRow("GET /v1/visits", "read", isForBound: true, .filtered),
        AccessRow("GET /v1/devices", "read", isForBound: true, .list),
        AccessRow("GET /v1/devices/{id}", "read", isForBound: true, .device),
        AccessRow("GET /v1/stream", "read", isForBound: true, .stream),
        AccessRow("POST /v1/stream/tickets", "read", isForBound: true),
        AccessRow("POST /v1/explain", "read", isForBound: true),
        AccessRow("GET /v1/timeline", "read", isForBound: true, .filtered),
        AccessRow("GET /v1/trips", "read", isForBound: true, .filtered),
        AccessRow("GET /v1/summaries", "read", isForBound: true, .filtered),
        AccessRow("GET /v1/geocode/search", "read", isForBound: false),
        AccessRow("GET /v1/geocode/reverse", "read", isForBound: false),
        AccessRow("GET /v1/places", "read", isForBound: true, .filtered),
        AccessRow("POST /v1/places/{id}/region", "write", isForBound: false),
        AccessRow("GET /v1/apps", "read", isForBound: false),
        AccessRow("GET /v1/apps/{id}", "read", isForBound: false),
        AccessRow("GET /v1/rules", "read", isForBound: true),
        AccessRow("GET /v1/apps/{id}/decisions", "read", isForBound: false),
        AccessRow("GET /v1/endpoints", "read", isForBound: false),
        AccessRow("GET /v1/endpoints/{id}", "read", isForBound: false),
        AccessRow("GET /v1/endpoints/{id}/health", "read", isForBound: false),
        AccessRow("GET /v1/deliveries", "read", isForBound: false),
        AccessRow("GET /v1/deliveries/{id}", "read", isForBound: false),
        AccessRow("POST /v1/regions", "write", isForBound: false),
        AccessRow("PUT /v1/regions/{id}", "write", isForBound: false),
        AccessRow("PATCH /v1/regions/{id}", "write", isForBound: false),
        AccessRow("DELETE /v1/regions/{id}", "write", isForBound: false),
        AccessRow("POST /v1/apps", "write", isForBound: false),
        AccessRow("PUT /v1/apps/{id}", "write", isForBound: false),
        AccessRow("DELETE /v1/apps/{id}", "write", isForBound: false),
        AccessRow("POST /v1/apps/{id}/steps", "write", isForBound: false),
        AccessRow("POST /v1/endpoints", "write", isForBound: false),
        AccessRow("PUT /v1/endpoints/{id}", "write", isForBound: false),
        AccessRow("PATCH /v1/endpoints/{id}", "write", isForBound: false),
        AccessRow("DELETE /v1/endpoints/{id}", "write", isForBound: false),
        AccessRow("POST /v1/endpoints/{id}/rotate-secret", "write", isForBound: false),
        AccessRow("POST /v1/endpoints/{id}/recover", "write", isForBound: false),
        AccessRow("POST /v1/endpoints/preview", "write", isForBound: false),
        AccessRow("POST /v1/endpoints/{id}/test", "write", isForBound: false),
        AccessRow("POST /v1/deliveries/{id}/retry", "write", isForBound: false),
        AccessRow("DELETE /v1/devices/{id}", "admin", isForBound: true, .device),
        AccessRow("GET /v1/devices/{id}/export", "admin", isForBound: true, .device),
        AccessRow("POST /v1/quarantine/release", "admin", isForBound: false),
        AccessRow("GET /v1/set-aside", "admin", isForBound: false),
        AccessRow("POST /v1/devices/{id}/release", "admin", isForBound: false),
        AccessRow("POST /v1/imports/{id}/release", "admin", isForBound: false),
        AccessRow("GET /v1/cluster", "admin", isForBound: false),
        AccessRow("GET /v1/tokens", "admin", isForBound: false),
        AccessRow("GET /v1/tokens/{id}", "admin", isForBound: false),
        AccessRow("POST /v1/tokens", "admin", isForBound: false),
        AccessRow("DELETE /v1/tokens/{id}", "admin", isForBound: false),
        AccessRow("GET /v1/access", nil, isForBound: true),
        AccessRow("POST /v1/sessions", nil, isForBound: true),
        AccessRow("GET /share", nil, isForBound: true),
        AccessRow("GET /tiles/{z}/{x}/{y}", nil, isForBound: true),
        AccessRow("GET /v1/sessions", "any", isForBound: true, .sessions),
        AccessRow("GET /v1/sessions/current", "any", isForBound: true),
        AccessRow("DELETE /v1/sessions/current", "any", isForBound: true),
        AccessRow("DELETE /v1/sessions/{id}", "any", isForBound: true, .session),
        AccessRow("POST /v1/sessions/current/password", "any", isForBound: true),
        AccessRow("GET /v1/users", "admin", isForBound: false),
        AccessRow("POST /v1/users", "admin", isForBound: false),
        AccessRow("GET /v1/users/{id}", "admin", isForBound: false),
        AccessRow("PATCH /v1/users/{id}", "admin", isForBound: false),
        AccessRow("DELETE /v1/users/{id}", "admin", isForBound: false),
        AccessRow("GET /v1/groups", "admin", isForBound: false),
        AccessRow("PUT /v1/groups/{id}", "admin", isForBound: false),
        AccessRow("DELETE /v1/groups/{id}", "admin", isForBound: false),
        AccessRow("GET /v1/profiles", "read", isForBound: true, .list),
        AccessRow("PUT /v1/devices/{id}/profile", "write", isForBound: true, .device),
        AccessRow("GET /v1/devices/{id}/face", "read", isForBound: true, .device),
        AccessRow("PUT /v1/devices/{id}/face", "write", isForBound: true, .device),
        AccessRow("DELETE /v1/devices/{id}/face", "write", isForBound: true, .device),
        AccessRow("GET /v1/map", "admin", isForBound: false),
        AccessRow("PUT /v1/map", "admin", isForBound: false),
        AccessRow("PUT /v1/map/file", "admin", isForBound: false),
        AccessRow("DELETE /v1/map/file", "admin", isForBound: false),
        AccessRow("GET /v1/networks", "admin", isForBound: false),
        AccessRow("POST /v1/networks", "admin", isForBound: false),
        AccessRow("DELETE /v1/networks/{id}", "admin", isForBound: false),
        AccessRow("GET /v1/shares", "write", isForBound: true, .list),
        AccessRow("POST /v1/shares", "write", isForBound: true, .newShare),
        AccessRow("DELETE /v1/shares/{id}", "write", isForBound: true, .share),
        AccessRow("GET /v1/shared", "share", isForBound: true),
        AccessRow("GET /healthz", nil, isForBound: true),
        AccessRow("GET /readyz", nil, isForBound: true),
        AccessRow("GET /metrics", nil, isForBound: true),
        AccessRow("GET /v1/version", nil, isForBound: true),
        AccessRow("GET /", nil, isForBound: true),
        AccessRow("GET /openapi.json", nil, isForBound: true),
        AccessRow("GET /page/{folder}/{file}", nil, isForBound: true),
    ]
}
