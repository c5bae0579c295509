import HTTPTypes

/// One method of one resource: what it takes, what it answers, who may use it, and what does the work.
///
/// The table of routes is what requests are matched against and what `/openapi.json` is made of.
struct Route: Sendable {
    /// How a caller may prove who it is.
    enum Credentials: Hashable, Sendable {
        case bearer
        /// Also HTTP Basic, with any user name and the token as the password (rule I15).
        case basic
        /// Also `?token=`, for senders that have nothing but a URL (rule A4).
        case basicOrQuery
    }

    /// A parameter of the query or the path.
    struct Parameter: Hashable, Sendable {
        enum Place: String, Hashable, Sendable { case query, path, header }

        var name: String
        var place = Place.query
        var isRequired = false
        /// JSON Schema.
        var schema: String
        var text: String
    }

    /// What comes in the body.
    struct Body: Sendable {
        /// Media types; the first is taken for a body that says none. `*/*` is any.
        var types: [String]
        /// Types that some apps give to the same bytes; they are taken, and not described.
        var misnomers: [String] = []
        /// JSON Schema of the types of JSON.
        var schema: String
        /// Those of types whose JSON has another shape.
        var otherSchemas: [String: String] = [:]
        var example: String?
        var isRequired = true
        /// Whether it is a file or many regions, for which the larger limit holds.
        var isLarge = false

        func takes(_ type: String) -> Bool {
            types.contains("*/*") || types.contains(type) || misnomers.contains(type)
        }

        func schema(of type: String) -> String {
            let isJSON = type.hasSuffix("json") && !type.hasSuffix("ndjson")
            return otherSchemas[type] ?? (isJSON || type == types.first ? schema : Schema.string)
        }
    }

    /// A good answer.
    struct Success: Sendable {
        var status: HTTPResponse.Status
        var type: String?
        var schema: String?
        var example: String?
        var text: String
    }

    /// The kind of traffic, for limits of its rate.
    enum Traffic: String, Hashable, Sendable { case ingest, api, exempt }

    var method: HTTPRequest.Method
    /// `/v1/regions/{id}`.
    var path: String
    var name: String
    var summary: String
    var tag: String
    var access: Access
    var credentials = Credentials.bearer
    var traffic = Traffic.api
    var parameters: [Parameter] = []
    /// Whether names of query parameters that are not in the list are refused.
    var refusesOtherParameters = true
    var body: Body?
    var successes: [Success]
    /// Failures beside those that follow from access, parameters and body.
    var failures: [HTTPResponse.Status] = []
    var handle: @Sendable (Call) async throws -> Answer

    /// Whether `Idempotency-Key` counts (rule A7).
    var isRepeatable: Bool { method == .post && access != .open && traffic == .api }
}

/// The routes, by path and method.
struct RouteTable: Sendable {
    let routes: [Route]
    private let root: Node
    /// Routes whose path has no part that varies, by path.
    private let fixed: [String: [Route]]

    /// The routes below one prefix of a path; a class, since a node holds nodes.
    private final class Node: Sendable {
        let literals: [String: Node]
        /// For a segment of any text.
        let any: Node?
        let routes: [Route]

        init(_ entries: [(segments: ArraySlice<Substring>, route: Route)]) {
            routes = entries.filter { $0.segments.isEmpty }.map(\.route)
            var grouped: [String: [(segments: ArraySlice<Substring>, route: Route)]] = [:]
            for entry in entries {
                guard let first = entry.segments.first else { continue }
                grouped[first.hasPrefix("{") ? "{" : String(first), default: []]
                    .append((entry.segments.dropFirst(), entry.route))
            }
            any = grouped.removeValue(forKey: "{").map { Node($0) }
            literals = grouped.mapValues { Node($0) }
        }
    }

    init(_ routes: [Route]) {
        self.routes = routes
        root = Node(routes.map { (RouteTable.segments(of: $0.path)[...], $0) })
        fixed = Dictionary(grouping: routes.filter { !$0.path.contains("{") }, by: \.path)
    }

    private static func segments(of path: some StringProtocol) -> [Substring] {
        path.dropFirst().split(separator: "/", omittingEmptySubsequences: false).map { Substring($0) }
    }

    /// Finds the route, and the parts of the path that vary.
    ///
    /// A segment is decoded after the path was split, so that an id may hold `%2F`.
    func find(_ method: HTTPRequest.Method, _ path: some StringProtocol) throws(Problem) -> (Route, [String: String]) {
        // Most requests are for these, and need not be taken apart.
        if let route = fixed[String(path)]?.first(where: { $0.method == method }) { return (route, [:]) }
        guard path.hasPrefix("/") else { throw .unreadable("invalid_path", "A path begins with a slash.") }
        var node = root
        var values: [String] = []
        for segment in RouteTable.segments(of: path) {
            guard let text = String(percentEncoded: segment) else {
                throw .unreadable("invalid_path", "The path is not percent-encoded UTF-8.")
            }
            if let next = node.literals[text] {
                node = next
            } else if let next = node.any, !text.isEmpty {
                node = next
                values.append(text)
            } else {
                throw .notFound("resource")
            }
        }
        let wanted = method == .head ? .get : method
        guard let route = node.routes.first(where: { $0.method == wanted }) else {
            guard !node.routes.isEmpty else { throw .notFound("resource") }
            var methods = node.routes.map(\.method)
            if methods.contains(.get) { methods.append(.head) }
            throw .methodNotAllowed(methods)
        }
        let names = RouteTable.segments(of: route.path).filter { $0.hasPrefix("{") }
            .map { String($0.dropFirst().dropLast()) }
        return (route, Dictionary(zip(names, values)) { first, _ in first })
    }
}
