import HTTPTypes

/// What a cluster of several partitions does with the requests of each route.
enum PartPlan: Hashable, Sendable {
    /// The configuration has what it is about.
    case configuration
    /// Its path names a device, whose partition answers.
    case device
    /// The node that takes it decodes locations, and divides them by device.
    case divided
    /// All partitions get the file, and each takes what belongs to its devices.
    case file
    /// The node that takes it answers, about itself.
    case node
    /// Pages of a list, merged.
    case pages(RowOrder)
    /// A list without pages, merged.
    case list(RowOrder)
    /// Trips, in their formats.
    case trips
    /// Figures that are added up before they are written.
    case summaries
    /// The event stream, merged.
    case stream
    /// The positions that a share link shows, each from its device's partition.
    case shared
    /// One partition has it, and the others answer 404.
    case oneHasIt
    /// Imports, of which each partition has the share of its devices under the same id.
    case imports
    /// As `imports`, one of them.
    case `import`
    /// Each partition does its share, and the numbers in the answers are added up.
    case sum
    /// The results of an endpoint in all partitions.
    case endpointHealth
    /// The configuration has the endpoints, and each partition disables its own copy of one that fails.
    case endpoints
    /// As `endpoints`, for one of them.
    case endpoint
    /// The configuration has the tokens, and each partition knows when its senders have used them.
    case tokens
    /// As `tokens`, for one of them.
    case token
    /// It is about the device to which the token is bound, and an error without one.
    case boundDevice
    /// As `boundDevice`; without one it would need the visits of all partitions at once, and is refused.
    case suggestions
    /// Reads the place from its partition, then writes the region to the configuration.
    case regionFromSuggestion

    /// Whether a request with `deviceId` is about that device alone.
    var isOfNamedDevice: Bool {
        switch self {
        case .pages, .list, .trips, .summaries, .boundDevice, .suggestions: true
        case .configuration, .device, .divided, .file, .node, .stream, .shared, .oneHasIt, .sum, .endpointHealth,
            .endpoints, .endpoint, .tokens, .token, .imports, .import, .regionFromSuggestion:
            false
        }
    }

    /// The plan of each route. A test compares the routes with those of the server, so a new one needs a decision.
    static let byRoute: [String: PartPlan] = {
        var plans: [String: PartPlan] = [:]
        for (plan, routes) in decisions { for route in routes { plans[route] = plan } }
        return plans
    }()

    /// The plan of a request; `nil` for a path or a method that the API does not have.
    static func of(_ method: HTTPRequest.Method, _ path: some StringProtocol) -> PartPlan? {
        let wanted = method == .head ? .get : method
        // As the table of routes: segments are decoded after the path was split.
        let segments = path.split(separator: "/", omittingEmptySubsequences: false).map { String(percentEncoded: $0) }
        return routes[Form(method: wanted.rawValue, count: segments.count)]?.first { route in
            zip(route.segments, segments).allSatisfy { $0.hasPrefix("{") ? !($1 ?? "").isEmpty : $0 == $1 }
        }?.plan
    }

    /// What a request has in common with its route before any text is compared.
    private struct Form: Hashable {
        let method: String
        let count: Int
    }

    /// Templates with the fewest parameters first: `current` is no id.
    private static let routes: [Form: [(segments: [String], plan: PartPlan)]] = {
        var routes: [Form: [(segments: [String], plan: PartPlan)]] = [:]
        for (name, plan) in byRoute {
            let parts = name.split(separator: " ")
            let segments = parts[1].split(separator: "/", omittingEmptySubsequences: false).map(String.init)
            routes[Form(method: String(parts[0]), count: segments.count), default: []].append((segments, plan))
        }
        return routes.mapValues { found in
            found.sorted { first, second in
                func key(_ segments: [String]) -> (Int, String) {
                    (segments.count { $0.hasPrefix("{") }, segments.joined(separator: "/"))
                }
                return key(first.segments) < key(second.segments)
            }
        }
    }()

    private static let decisions: [(plan: PartPlan, routes: [String])] = [
        (
            .divided,
            [
                "POST /ingest/owntracks", "POST /pub", "POST /ingest/overland", "POST /ingest/traccar", "GET /ingest/osmand",
                "POST /ingest/osmand", "GET /ingest/gpslogger", "POST /ingest/gpslogger", "POST /v1/locations",
            ]
        ),
        (.file, ["POST /v1/imports"]),
        (.node, ["GET /healthz", "GET /readyz", "GET /metrics"]),
        (
            .device,
            [
                "GET /v1/devices/{id}", "DELETE /v1/devices/{id}", "GET /v1/devices/{id}/export",
                "GET /v1/devices/{id}/evaluations", "POST /v1/devices/{id}/evaluations",
                "PUT /v1/devices/{id}/profile", "GET /v1/devices/{id}/face", "PUT /v1/devices/{id}/face",
                "DELETE /v1/devices/{id}/face", "POST /v1/devices/{id}/release",
            ]
        ),
        (.pages(.cursorTime), ["GET /v1/events", "GET /v1/visits"]),
        (.pages(.time("receivedAt")), ["GET /v1/quarantine"]),
        (.pages(.time("timestamp")), ["GET /v1/reports", "GET /v1/apps/{id}/decisions"]),
        (.pages(.time("createdAt")), ["GET /v1/deliveries"]),
        (.pages(.id("id")), ["GET /v1/devices", "GET /v1/regions/{id}/devices"]),
        (.list(.id("id")), ["GET /v1/profiles", "GET /v1/set-aside"]),
        (.imports, ["GET /v1/imports"]),
        (.import, ["GET /v1/imports/{id}", "DELETE /v1/imports/{id}", "POST /v1/imports/{id}/release"]),
        (.trips, ["GET /v1/trips"]),
        (.summaries, ["GET /v1/summaries"]),
        (.stream, ["GET /v1/stream"]),
        (.shared, ["GET /v1/shared"]),
        (
            .oneHasIt,
            [
                "GET /v1/events/{id}", "GET /v1/deliveries/{id}", "POST /v1/deliveries/{id}/retry",
            ]
        ),
        (.sum, ["POST /v1/quarantine/release", "POST /v1/endpoints/{id}/recover"]),
        (.endpointHealth, ["GET /v1/endpoints/{id}/health"]),
        (.endpoints, ["GET /v1/endpoints"]),
        (.endpoint, ["GET /v1/endpoints/{id}"]),
        (.tokens, ["GET /v1/tokens"]),
        (.token, ["GET /v1/tokens/{id}"]),
        (.boundDevice, ["GET /v1/locations", "GET /v1/timeline"]),
        (.suggestions, ["GET /v1/places"]),
        (.regionFromSuggestion, ["POST /v1/places/{id}/region"]),
        (
            .configuration,
            [
                "GET /v1/regions", "POST /v1/regions", "GET /v1/regions/{id}", "PUT /v1/regions/{id}",
                "PATCH /v1/regions/{id}", "DELETE /v1/regions/{id}", "GET /v1/apps", "POST /v1/apps",
                "GET /v1/apps/{id}", "PUT /v1/apps/{id}", "DELETE /v1/apps/{id}", "POST /v1/apps/{id}/steps",
                "GET /", "GET /page/{folder}/{file}", "GET /share", "GET /openapi.json", "GET /v1/version",
                "GET /v1/cluster", "GET /v1/rules", "POST /v1/explain", "GET /v1/geocode/search",
                "GET /v1/geocode/reverse",
                "POST /v1/endpoints", "PUT /v1/endpoints/{id}", "PATCH /v1/endpoints/{id}",
                "DELETE /v1/endpoints/{id}", "POST /v1/endpoints/{id}/rotate-secret", "POST /v1/endpoints/preview",
                "POST /v1/endpoints/{id}/test", "POST /v1/tokens",
                "DELETE /v1/tokens/{id}", "GET /v1/access", "POST /v1/sessions", "GET /v1/sessions",
                "GET /v1/sessions/current", "DELETE /v1/sessions/current", "DELETE /v1/sessions/{id}",
                "POST /v1/sessions/current/password", "GET /v1/users", "POST /v1/users", "GET /v1/users/{id}",
                "PATCH /v1/users/{id}", "DELETE /v1/users/{id}", "GET /v1/groups", "PUT /v1/groups/{id}",
                "DELETE /v1/groups/{id}", "GET /v1/map", "PUT /v1/map", "PUT /v1/map/file", "DELETE /v1/map/file",
                "GET /v1/networks", "POST /v1/networks", "DELETE /v1/networks/{id}", "GET /v1/shares",
                "POST /v1/shares", "DELETE /v1/shares/{id}", "POST /v1/stream/tickets", "GET /tiles/{z}/{x}/{y}",
            ]
        ),
    ]
}
