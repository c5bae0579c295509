import FencepostHTTP
import FencepostModel
import HTTPTypes

/// A method of a resource: parameters, body, responses, access rights, and the function that handles the request.
///
/// Requests are matched with the table of routes, and `/openapi.json` is generated from it.
struct Route: Sendable {
    /// Credentials that a route accepts besides `Authorization: Bearer`.
    enum Credentials: Hashable, Sendable {
        case bearer
        /// HTTP Basic, with any user name and the token as the password (rule I15).
        case basic
        /// HTTP Basic, and `?token=` for apps that can only configure a URL (rule A4).
        case basicOrQuery
    }

    /// A parameter of the query, the path or the header.
    struct Parameter: Hashable, Sendable {
        /// The member `in` of OpenAPI.
        enum Source: String, Hashable, Sendable { case query, path, header }

        var name: String
        var source = Source.query
        var isRequired = false
        /// JSON Schema.
        var schema: String
        var values = Values.any
        var text: String
    }

    /// The values that a parameter of the query may have. One with another value is refused before the request is handled.
    enum Values: Hashable, Sendable {
        /// Those that the route takes.
        case any
        /// One of these words.
        case words([String])
        /// Types of events and patterns of them, with commas.
        case eventTypes
    }

    /// The request's body.
    struct Body: Sendable {
        /// Accepted media types. The first is assumed for a body without a type; `*/*` accepts all.
        var types: [String]
        /// Types with which some apps send the same content. They are accepted and not documented.
        var mislabeledTypes: [String] = []
        /// JSON Schema of the JSON types.
        var schema: String
        /// JSON Schemas of types with another structure.
        var otherSchemas: [String: String] = [:]
        var example: String?
        var isRequired = true
        /// Whether the larger limit for files applies.
        var isLarge = false
        /// The most bytes, before and after decompression; `nil` for the limit of the settings.
        var limit: Int?

        /// The most bytes of a request about accounts: everybody may send one, before anything is known of the sender.
        static let accountLimit = 4096

        func accepts(_ type: String) -> Bool {
            types.contains("*/*") || types.contains(type) || mislabeledTypes.contains(type)
        }

        func schema(of type: String) -> String {
            let isJSON = type.hasSuffix("json") && !type.hasSuffix("ndjson")
            return otherSchemas[type] ?? (isJSON || type == types.first ? schema : Schema.bytes)
        }
    }

    /// A successful response.
    struct Success: Sendable {
        var status: HTTPResponse.Status
        var type: String?
        var schema: String?
        var example: String?
        var text: String
    }

    /// Whether a parameter of the query has a fixed set of values.
    var hasKnownValues: Bool { parameters.contains { $0.values != .any } }

    /// Kind of traffic, for rate limits.
    enum Traffic: String, Hashable, Sendable { case ingest, api, exempt }

    var method: HTTPRequest.Method
    /// Path template such as `/v1/regions/{id}`.
    var path: String
    var name: String
    var summary: String
    var tag: String
    var access: Access
    var credentials = Credentials.bearer
    var traffic = Traffic.api
    var parameters: [Parameter] = []
    /// Whether query parameters that are not in the list are errors.
    var rejectsOtherParameters = true
    /// Whether `HEAD` gets what `GET` does, without the body. It must change nothing.
    var takesHead = true
    /// Whether a `POST` is a question that changes nothing. Nothing of it is kept then, so it has no `Idempotency-Key`.
    var onlyReads = false
    var body: Body?
    var successes: [Success]
    /// Error statuses besides those that follow from access, parameters and body.
    var failures: [HTTPResponse.Status] = []
    /// How a cluster of several partitions answers.
    var partition: PartitionRule
    /// How a server answers.
    var handle: nonisolated(nonsending) @Sendable (Call) async throws -> RouteResponse

    /// Method and path, such as `GET /v1/regions/{id}`.
    var title: String { "\(method.rawValue) \(path)" }

    /// Whether the same request may be sent again when it is not known whether it was handled: what it stores counts
    /// as a duplicate then.
    var storesOnce: Bool { traffic == .ingest }

    /// Whether the route supports `Idempotency-Key` (rule A7).
    var isRepeatable: Bool { method == .post && access != .open && traffic == .api && !onlyReads }
}

/// All routes, by path and method.
struct RouteTable: Sendable {
    let routes: [Route]
    private let root: Node
    /// Routes without path parameters, by path.
    private let fixed: [String: [Route]]

    /// A node of the tree of path segments. A class, since a node contains nodes.
    private final class Node: Sendable {
        let literals: [String: Node]
        /// Child for a path parameter.
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

    /// The route and the path parameters; `nil` for a request that no route takes.
    func match(
        _ method: HTTPRequest.Method, _ path: some StringProtocol
    ) -> (route: Route, parameters: [String: String])? {
        try? find(method, path)
    }

    /// Finds the route and the path parameters.
    ///
    /// Segments are decoded after the path was split, so an id can contain `%2F`.
    func find(_ method: HTTPRequest.Method, _ path: some StringProtocol) throws(Problem) -> (Route, [String: String]) {
        // Most requests are for these paths, which need no splitting.
        if let route = fixed[String(path)]?.first(where: { $0.method == method }) { return (route, [:]) }
        guard path.hasPrefix("/") else { throw .pathWithoutSlash }
        var node = root
        var values: [String] = []
        for segment in RouteTable.segments(of: path) {
            guard let text = String(percentEncoded: segment) else {
                throw .invalidPath
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
        let route = node.routes.first { $0.method == wanted && (method != .head || $0.takesHead) }
        guard let route else {
            guard !node.routes.isEmpty else { throw .notFound("resource") }
            var methods = node.routes.map(\.method)
            if node.routes.contains(where: { $0.method == .get && $0.takesHead }) { methods.append(.head) }
            throw .methodNotAllowed(methods)
        }
        let names = RouteTable.segments(of: route.path).filter { $0.hasPrefix("{") }
            .map { String($0.dropFirst().dropLast()) }
        return (route, Dictionary(zip(names, values)) { first, _ in first })
    }
}
