import FencepostHTTP
import FencepostJSON
import FencepostModel
import FencepostService
import HTTPTypes

/// Routes of endpoints (rules K6, A12, W3, W7, W12).
extension API {
    var endpointRoutes: [Route] {
        [
            listEndpoints, postEndpoint, getEndpoint, putEndpoint, patchEndpoint, deleteEndpoint, endpointHealth,
            rotateSecret, recover, testEndpoint, previewEndpoint,
        ]
    }

    private static let example =
        #"{"url":"https://example.org/hook","events":["region.*"],"devices":["jane/*"]}"#

    private var listEndpoints: Route {
        Route(
            method: .get, path: "/v1/endpoints", name: "listEndpoints", summary: "Lists endpoints by id",
            tag: "Webhooks", access: .unbound(.read), parameters: Route.Parameter.paging,
            successes: [.json(Schema.list(of: Schema.named("Endpoint")), "A page of endpoints, without secrets.")],
            partition: .endpoints,
            handle: { call in
                let limit = try call.limit()
                let after = try call.cursor(Cursor.id)
                let all = try await store.endpoints().sorted { RegionID($0.id) < RegionID($1.id) }
                let rest = all.filter { endpoint in after.map { RegionID($0) < RegionID(endpoint.id) } ?? true }
                let page = rest.prefix(limit)
                let next = rest.count > limit ? page.last.map { Cursor.encode(id: $0.id) } : nil
                return call.page(page, next: next) { $0.value($1) }
            })
    }

    private var getEndpoint: Route {
        Route(
            method: .get, path: "/v1/endpoints/{id}", name: "getEndpoint", summary: "Shows an endpoint",
            tag: "Webhooks", access: .unbound(.read), parameters: [.id("endpoint")],
            successes: [.json(Schema.named("Endpoint"), "The endpoint, without its secret, with an ETag.")],
            partition: .endpoint,
            handle: { call in
                let endpoint = try await endpoint(call)
                return RouteResponse { $0.value(endpoint) }.tagged()
            })
    }

    private func endpoint(_ call: Call) async throws -> Endpoint {
        guard let found = try await store.endpoint(id: call.parameter("id")) else { throw Problem.notFound("endpoint") }
        return found.endpoint
    }

    private var postEndpoint: Route {
        Route(
            method: .post, path: "/v1/endpoints", name: "postEndpoint",
            summary: "Adds an endpoint. The response contains the signing secret, which is not shown again",
            tag: "Webhooks", access: .unbound(.write),
            body: Route.Body(
                types: ["application/json"], schema: Schema.named("NewEndpoint"), example: API.example),
            successes: [.created(Schema.named("EndpointWithSecret"), "The endpoint was added.")], failures: [.conflict],
            partition: .configuration,
            handle: { call in
                var endpoint = try read(try call.json().root, over: nil)
                if endpoint.id.isEmpty { endpoint.id = newID("end_") }
                if endpoint.secrets.isEmpty { endpoint.secrets = [Endpoint.Secret(endpoints.makeSecret())] }
                endpoint.createdAt = clock.now()
                let exists = Problem.conflict("endpoint_exists", "An endpoint with this id exists.")
                guard try await store.endpoint(id: endpoint.id) == nil else { throw exists }
                try await checkNumberOfEndpoints()
                try await checkNetwork(of: endpoint, replacing: nil, call)
                guard try await store.add(endpoint) else { throw exists }
                return try await stored(endpoint, .created, showsSecret: endpoint.kind.isSigned)
            })
    }

    private var putEndpoint: Route {
        Route(
            method: .put, path: "/v1/endpoints/{id}", name: "putEndpoint",
            summary: "Adds or replaces an endpoint. Without a secret it keeps its present one",
            tag: "Webhooks", access: .unbound(.write), parameters: [.id("endpoint")],
            body: Route.Body(
                types: ["application/json"], schema: Schema.named("NewEndpoint"), example: API.example),
            successes: [
                .json(Schema.named("Endpoint"), "The endpoint was replaced."),
                .created(Schema.named("EndpointWithSecret"), "The endpoint was added."),
            ],
            failures: [.preconditionFailed],
            partition: .configuration,
            handle: { call in
                while true {
                    if let response = try await put(call) { return response }
                }
            })
    }

    /// Adds or replaces the endpoint of a call.
    ///
    /// - Returns: `nil` when it was changed, added or removed in the meantime; nothing is stored then.
    private func put(_ call: Call) async throws -> RouteResponse? {
        let id = call.parameter("id")
        let current = try await store.endpoint(id: id)?.endpoint
        try call.precondition.check(current.map(Self.tag))
        var endpoint = try read(try call.json().root, over: nil, replacing: current)
        guard endpoint.id.isEmpty || endpoint.id == id else {
            throw Problem.invalid("id_mismatch", "The id in the body differs from the one in the path.")
        }
        endpoint.id = id
        guard id.utf8.allSatisfy({ Self.idCharacters.contains($0) }), id.utf8.count <= 256 else {
            throw Problem.invalid("invalid_value", "An id can only contain letters, digits, \"-\" and \"_\".")
        }
        try await checkNetwork(of: endpoint, replacing: current, call)
        if let current {
            if endpoint.secrets.isEmpty { endpoint.secrets = current.secrets }
            endpoint.createdAt = current.createdAt
            guard try await store.replace(current, with: endpoint) else { return nil }
            return try await stored(endpoint, .ok, showsSecret: false)
        }
        try await checkNumberOfEndpoints()
        if endpoint.secrets.isEmpty { endpoint.secrets = [Endpoint.Secret(endpoints.makeSecret())] }
        endpoint.createdAt = clock.now()
        guard try await store.add(endpoint) else { return nil }
        return try await stored(endpoint, .created, showsSecret: endpoint.kind.isSigned)
    }

    /// Changes an endpoint as the store has it now. What others change at the same time stays.
    ///
    /// `apply` makes the changed endpoint; it is called again when the endpoint was changed in the meantime.
    private func change(
        _ call: Call, showsSecret: Bool, _ apply: (Endpoint) async throws -> Endpoint
    ) async throws -> RouteResponse {
        while true {
            let current = try await endpoint(call)
            let changed = try await apply(current)
            if try await store.replace(current, with: changed) {
                return try await stored(changed, .ok, showsSecret: showsSecret)
            }
        }
    }

    static let idCharacters = Set(
        "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789-_".utf8)

    private var patchEndpoint: Route {
        Route(
            method: .patch, path: "/v1/endpoints/{id}", name: "patchEndpoint",
            summary: "Changes an endpoint. state enables or disables it", tag: "Webhooks",
            access: .unbound(.write), parameters: [.id("endpoint")],
            body: Route.Body(
                types: ["application/json", "application/merge-patch+json"], schema: Schema.named("EndpointPatch"),
                example: #"{"state":"active"}"#),
            successes: [.json(Schema.named("Endpoint"), "The changed endpoint.")],
            failures: [.preconditionFailed],
            partition: .configuration,
            handle: { call in
                try await change(call, showsSecret: false) { current in
                    try call.precondition.check(Self.tag(current))
                    let endpoint = try patched(current, by: try call.json().root)
                    try await checkNetwork(of: endpoint, replacing: current, call)
                    return endpoint
                }
            })
    }

    private func patched(_ current: Endpoint, by root: JSONElement) throws(Problem) -> Endpoint {
        var endpoint = try read(try root.without("state"), over: current)
        guard endpoint.id == current.id else {
            throw Problem.invalid("id_mismatch", "The id of an endpoint cannot be changed.")
        }
        switch (root["state"]?.string, current.state) {
        case ("active", _): endpoint.state = .active
        case ("disabled", .active): endpoint.state = .disabled(since: clock.now(), reason: Endpoint.State.handReason)
        case ("disabled", .disabled): break
        case (nil, _) where root["state"] == nil: break
        case (_, .active), (_, .disabled):
            throw Problem.invalid(
                "invalid_value", "The endpoint is invalid.",
                [
                    Problem.Fault(
                        pointer: "/state", code: "invalid_value",
                        detail: "The value has to be \"active\" or \"disabled\".")
                ])
        }
        return endpoint
    }

    private var deleteEndpoint: Route {
        Route(
            method: .delete, path: "/v1/endpoints/{id}", name: "deleteEndpoint",
            summary: "Removes an endpoint and cancels its pending messages", tag: "Webhooks",
            access: .unbound(.write), parameters: [.id("endpoint")],
            successes: [.noContent("The endpoint was removed.")],
            failures: [.preconditionFailed],
            partition: .configuration,
            handle: { call in
                let current = try await endpoint(call)
                if call.precondition.ifMatch == nil {
                    guard try await store.removeEndpoint(id: current.id) else { throw Problem.notFound("endpoint") }
                } else {
                    try call.precondition.check(Self.tag(current))
                    // The tag is of what was read, and something else must not be removed.
                    guard try await store.removeEndpoint(current) else { throw Problem.preconditionFailed }
                }
                try await endpoints.endpointsDidChange()
                return .noContent
            })
    }

    private var endpointHealth: Route {
        Route(
            method: .get, path: "/v1/endpoints/{id}/health", name: "getEndpointHealth",
            summary: "Shows the recent results of an endpoint", tag: "Webhooks", access: .unbound(.read),
            parameters: [.id("endpoint")], successes: [.json(Schema.named("EndpointHealth"), "Its health.")],
            partition: .endpointHealth,
            handle: { call in
                guard let found = try await store.endpoint(id: call.parameter("id")) else {
                    throw Problem.notFound("endpoint")
                }
                return RouteResponse { writer in
                    writer.beginObject()
                    writer.member("consecutiveFailures", found.health.consecutiveFailures)
                    writer.member("lastSuccess", found.health.lastSuccess)
                    writer.member("firstFailure", found.health.firstFailure)
                    writer.member("lastFailure", found.health.lastFailure)
                    writer.endObject()
                }
            })
    }

    // MARK: Actions on an endpoint

    /// How long the old secret also signs after a rotation (rule W3).
    private static let rotationTime = Duration.seconds(24 * 3600)

    private var rotateSecret: Route {
        Route(
            method: .post, path: "/v1/endpoints/{id}/rotate-secret", name: "rotateSecret",
            summary: "Replaces the signing secret. The new one is not shown again; the old one also signs for 24 hours",
            tag: "Webhooks",
            access: .unbound(.write), parameters: [.id("endpoint")],
            body: Route.Body(
                types: ["application/json"],
                schema: Schema.named("NewSecret"),
                example: "{}", isRequired: false),
            successes: [.json(Schema.named("EndpointWithSecret"), "The endpoint with its new secret.")],
            partition: .configuration,
            handle: { call in
                var secret = endpoints.makeSecret()
                if !call.body.isEmpty {
                    let root = try call.json().root
                    try root.checkMembers(["secret"])
                    if let given = root["secret"] {
                        guard let text = given.string else {
                            throw Problem.invalid("invalid_value", "The secret has to be a string.")
                        }
                        if let problem = endpoints.problem(withSecret: text) {
                            throw Problem.invalid("invalid_secret", problem)
                        }
                        secret = text
                    }
                }
                return try await change(call, showsSecret: true) { [secret] current in
                    rotated(current, to: secret, at: clock.wall())
                }
            })
    }

    private func rotated(_ endpoint: Endpoint, to secret: String, at wall: Timestamp) -> Endpoint {
        var endpoint = endpoint
        let old = endpoint.secrets.filter { $0.expires.map { $0 > wall } ?? true }.map { secret in
            Endpoint.Secret(secret.value, expires: min(secret.expires ?? .distantFuture, wall + Self.rotationTime))
        }
        // At most five secrets sign, which limits the length of the signature header.
        endpoint.secrets = [Endpoint.Secret(secret)] + old.filter { $0.value != secret }.prefix(4)
        return endpoint
    }

    private var recover: Route {
        Route(
            method: .post, path: "/v1/endpoints/{id}/recover", name: "recoverEndpoint",
            summary: "Sends the messages that the endpoint has missed since a time", tag: "Webhooks",
            access: .unbound(.write),
            parameters: [.id("endpoint")],
            body: Route.Body(
                types: ["application/json"],
                schema:
                    #"{"type":"object","required":["since"],"properties":{"since":{"type":"string","#
                    + #""format":"date-time"}},"additionalProperties":false}"#,
                example: #"{"since":"2026-03-01T00:00:00Z"}"#),
            successes: [
                .json(
                    #"{"type":"object","required":["queued","retried"],"#
                        + #""properties":{"queued":{"type":"integer"},"retried":{"type":"integer"}}}"#,
                    "The number of added messages, and of dead letters that are sent again.")
            ],
            partition: .sum,
            handle: { call in
                let endpoint = try await endpoint(call)
                let root = try call.json().root
                try root.checkMembers(["since"])
                guard let since = root["since"]?.string.flatMap({ Timestamp(rfc3339: $0) }) else {
                    throw Problem.invalid(
                        "invalid_value", "The start time is missing.",
                        [
                            Problem.Fault(
                                pointer: "/since", code: "invalid_value",
                                detail: "The value has to be an RFC 3339 time.")
                        ])
                }
                let (queued, retried) = try await recover(endpoint, since: since)
                return RouteResponse { writer in
                    writer.beginObject()
                    writer.member("queued", queued)
                    writer.member("retried", retried)
                    writer.endObject()
                }
            })
    }

    private func recover(_ endpoint: Endpoint, since: Timestamp) async throws -> (queued: Int, retried: Int) {
        guard endpoint.isActive else {
            throw Problem.conflict("endpoint_disabled", "The endpoint is disabled. Enable it first.")
        }
        let now = clock.now()
        let retried = try await store.retryExhausted(endpoint: endpoint.id, since: since, at: now)
        var filter = HistoryFilter()
        filter.from = since
        filter.origins = endpoint.origins
        var (queued, cursor) = (0, Int64(0))
        while true {
            let events = try await store.events(filter, after: cursor, limit: 500)
            guard let last = events.last else { break }
            queued += try await store.enqueue(endpoints.messages(for: events, to: endpoint), at: now)
            cursor = last.number
        }
        endpoints.deliveriesDidChange(of: endpoint.id)
        return (queued, retried)
    }

    private var testEndpoint: Route {
        Route(
            method: .post, path: "/v1/endpoints/{id}/test", name: "testEndpoint",
            summary: "Sends webhook.test once, now", tag: "Webhooks", access: .unbound(.write),
            parameters: [.id("endpoint")],
            successes: [
                .json(
                    Schema.named("Attempt"),
                    "The attempt. A failure of the receiver is part of it, not an error of the request.")
            ],
            partition: .configuration,
            handle: { call in
                let attempt = await endpoints.test(try await endpoint(call))
                return RouteResponse { $0.value(attempt) }
            })
    }

    // MARK: Reading and saving

    /// Refuses one endpoint more than rule L6 allows.
    private func checkNumberOfEndpoints() async throws {
        let count = try await store.endpoints().count
        guard count >= EndpointFile.maximumEndpoints else { return }
        throw Problem.invalid(
            "too_many_endpoints",
            "There are \(count) endpoints, and there may be at most \(EndpointFile.maximumEndpoints): remove one first."
        )
    }

    /// Reads an endpoint over `base`, or as a replacement of one, whose secrets stay where the object has none.
    func read(
        _ root: JSONElement, over base: Endpoint?, replacing current: Endpoint? = nil
    ) throws(Problem) -> Endpoint {
        let (draft, diagnostics) = EndpointFile.read(
            root, over: base, replacing: current, zone: services.zone.current)
        if let problem = Problem.diagnostics(diagnostics, "The endpoint is invalid.") { throw problem }
        guard let endpoint = draft?.endpoint else { throw .invalid("invalid_value", "The endpoint is invalid.") }
        func refuse(_ pointer: String, _ code: String, _ detail: String) -> Problem {
            .invalid(code, detail, [Problem.Fault(pointer: pointer, code: code, detail: detail)])
        }
        if let problem = endpoints.problem(withURL: endpoint.url, of: endpoint.kind) {
            throw refuse("/url", "invalid_url", problem)
        }
        if root["secret"] != nil, let secret = endpoint.secrets.first,
            let problem = endpoints.problem(withSecret: secret.value)
        {
            throw refuse("/secret", "invalid_secret", problem)
        }
        return endpoint
    }

    /// The response after an endpoint was stored.
    private func stored(
        _ endpoint: Endpoint, _ status: HTTPResponse.Status, showsSecret: Bool
    ) async throws -> RouteResponse {
        try await endpoints.endpointsDidChange()
        let response = RouteResponse(status) {
            $0.value(endpoint, secret: showsSecret ? endpoint.secrets.first?.value : nil)
        }
        .tagged(Self.tag(endpoint))
        return status == .created ? response.located(at: "/v1/endpoints/\(endpoint.id)") : response
    }

    private static func tag(_ endpoint: Endpoint) -> EntityTag {
        var writer = JSONWriter()
        writer.value(endpoint)
        return EntityTag(of: writer.bytes)
    }

    /// A random id that cannot be guessed.
    func newID(_ prefix: String) -> String {
        var generator = makeGenerator()
        var identity = Identity()
        identity.add(Int64(bitPattern: generator.next()))
        identity.add(Int64(bitPattern: generator.next()))
        return identity.text(prefix: prefix)
    }
}

extension JSONElement {
    /// The object without a member, which answers have and readers do not know, so that what was read can be sent back.
    func without(_ name: String) throws(Problem) -> JSONElement {
        guard let object, self[name] != nil else { return self }
        var writer = JSONWriter()
        writer.beginObject()
        for member in object where member.name != name {
            writer.name(member.name)
            writer.value(member.value)
        }
        writer.endObject()
        do throws(JSONSyntaxError) {
            return try JSONDocument(parsing: writer.bytes).root
        } catch {
            throw .syntax(error)
        }
    }

    /// Throws on unknown members, which would otherwise be ignored without notice (rule L4, API3).
    func checkMembers(_ known: [String]) throws(Problem) {
        guard let object else { throw .invalid("invalid_value", "The body has to be a JSON object.") }
        let faults = object.filter { !known.contains($0.name) }.map { member in
            let hint = nearest(to: member.name, in: known).map { "did you mean \"\($0)\"?" }
            let list = "known keys: " + known.map { "\"\($0)\"" }.joined(separator: ", ") + "."
            return Problem.Fault(
                pointer: JSONPointer().appending(member.name).description, code: "unknown_key",
                detail: "Unknown key \"\(member.name)\"; \(hint ?? list)")
        }
        guard faults.isEmpty else { throw .invalid("unknown_key", "The body contains unknown members.", faults) }
    }
}
