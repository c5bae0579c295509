import FencepostHTTP
import FencepostJSON
import FencepostService
import HTTPTypes

/// The OpenAPI document, generated from the routes (rule A1).
struct OpenAPIDocument {
    let routes: [Route]
    let version: String

    var json: String {
        var writer = JSONWriter()
        writer.beginObject()
        writer.member("openapi", "3.1.0")
        writer.name("info")
        writer.beginObject()
        writer.member("title", "Fencepost")
        writer.member("version", version)
        writer.member("description", Self.introduction)
        writer.member("license", raw: #"{"name":"See LICENSE","identifier":"Apache-2.0"}"#)
        writer.endObject()
        writer.member("servers", raw: #"[{"url":"/"}]"#)
        paths(&writer)
        writer.name("components")
        writer.beginObject()
        writer.member("securitySchemes", raw: Self.securitySchemes)
        writer.name("schemas")
        writer.beginObject()
        let schemas = [
            ComponentSchemas.all, HistorySchemas.all, RequestSchemas.all, AccessSchemas.all, AlertSchemas.all,
            ProximitySchemas.all,
            BrokerSchemas.all, FenceSchemas.all, PlanSchemas.all,
        ]
        for (name, schema) in schemas.joined() {
            writer.name(name)
            writer.raw(schema)
        }
        writer.endObject()
        responses(&writer)
        writer.endObject()
        writer.endObject()
        return String(decoding: writer.bytes, as: UTF8.self)
    }

    private static let introduction = """
        Geofence and visit monitoring. JSON names are in camelCase, units are SI, coordinates WGS 84, times RFC 3339 \
        in UTC. Lists are paginated: pass nextCursor as cursor to get the next page. Errors are application/problem+json \
        with a stable code. A request that is not received in time gets status 408, one with too large a header 431.
        """

    private static let securitySchemes = #"""
        {"bearer":{"type":"http","scheme":"bearer","description":"A token, fp_…"},
        "basic":{"type":"http","scheme":"basic","description":"Any user name; the token is the password."},
        "tokenParameter":{"type":"apiKey","in":"query","name":"token"},
        "session":{"type":"apiKey","in":"cookie","name":"fencepost_session","description":"Set by POST /v1/sessions."},
        "share":{"type":"http","scheme":"bearer","description":"The secret of a share link, fpl_…"},
        "ticket":{"type":"apiKey","in":"query","name":"ticket"}}
        """#.replacing("\n", with: "")

    private func paths(_ writer: inout JSONWriter) {
        var order: [String] = []
        for route in routes where !order.contains(route.path) { order.append(route.path) }
        writer.name("paths")
        writer.beginObject()
        for path in order {
            writer.name(path)
            writer.beginObject()
            for route in routes where route.path == path {
                writer.name(route.method.rawValue.lowercased())
                operation(route, &writer)
            }
            writer.endObject()
        }
        writer.endObject()
    }

    private func operation(_ route: Route, _ writer: inout JSONWriter) {
        writer.beginObject()
        writer.member("operationId", route.name)
        writer.member("summary", route.summary)
        writer.list("tags", [route.tag])
        if let scope = route.access.scope { writer.member("description", Self.accessText(route, scope)) }
        security(route, &writer)
        let parameters = route.parameters + Self.headers(of: route)
        if !parameters.isEmpty {
            writer.array("parameters", parameters) { writer, parameter in
                writer.beginObject()
                writer.member("name", parameter.name)
                writer.member("in", parameter.source.rawValue)
                if parameter.isRequired { writer.member("required", true) }
                writer.member("description", parameter.text)
                writer.member("schema", raw: parameter.schema)
                writer.endObject()
            }
        }
        if let body = route.body {
            writer.name("requestBody")
            writer.beginObject()
            writer.member("required", body.isRequired)
            writer.name("content")
            writer.beginObject()
            for (index, type) in body.types.enumerated() {
                writer.name(type)
                writer.beginObject()
                writer.member("schema", raw: body.schema(of: type))
                if index == 0, let example = body.example { writer.member("example", raw: example) }
                writer.endObject()
            }
            writer.endObject()
            writer.endObject()
        }
        writer.name("responses")
        writer.beginObject()
        successes(route, &writer)
        for status in Self.failures(of: route) {
            writer.member(String(status), raw: "{\"$ref\":\"#/components/responses/\(status)\"}")
        }
        writer.endObject()
        writer.endObject()
    }

    /// The header fields that the service reads, whatever the route.
    private static func headers(of route: Route) -> [Route.Parameter] {
        var headers: [Route.Parameter] = []
        if route.isRepeatable {
            headers.append(
                Route.Parameter(
                    name: "Idempotency-Key", source: .header,
                    schema: #"{"type":"string","pattern":"^[ -~]{1,255}$"}"#,
                    text: "A request with the same key is performed once. Its response is repeated for 24 hours."))
        }
        if route.failures.contains(.preconditionFailed) {
            headers.append(
                Route.Parameter(
                    name: "If-Match", source: .header, schema: Schema.string,
                    text: "The ETag that the object has to have, else the answer is 412."))
            if route.method == .put {
                headers.append(
                    Route.Parameter(
                        name: "If-None-Match", source: .header, schema: Schema.words(["*"]),
                        text: "With *, an object that exists is not replaced, and the answer is 412."))
            }
        }
        if route.body != nil {
            headers.append(
                Route.Parameter(
                    name: "Content-Encoding", source: .header, schema: Schema.words(["gzip", "deflate"]),
                    text: "How the body is compressed, if it is."))
        }
        return headers
    }

    private static func accessText(_ route: Route, _ scope: AccessToken.Scope) -> String {
        var text = "Requires the scope \(scope.rawValue)."
        if case .unbound = route.access {
            text += " Tokens that are bound to a device are rejected, and users who see only some devices."
        }
        return text
    }

    private func security(_ route: Route, _ writer: inout JSONWriter) {
        var schemes: [String] = []
        if route.access == .share { schemes.append("share") }
        if route.access.needsCaller {
            schemes.append("bearer")
            if route.credentials == .bearer { schemes.append("session") }
        }
        if route.credentials != .bearer { schemes.append("basic") }
        if route.credentials == .basicOrQuery { schemes.append("tokenParameter") }
        if case .ticket = route.access { schemes.append("ticket") }
        writer.array("security", schemes) { writer, scheme in
            writer.beginObject()
            writer.member(scheme, raw: "[]")
            writer.endObject()
        }
    }

    private func successes(_ route: Route, _ writer: inout JSONWriter) {
        var statuses: [Int] = []
        for success in route.successes where !statuses.contains(success.status.code) {
            statuses.append(success.status.code)
        }
        for status in statuses {
            let same = route.successes.filter { $0.status.code == status }
            writer.name(String(status))
            writer.beginObject()
            writer.member("description", same.map(\.text).joined(separator: " "))
            if status == 201 {
                writer.member(
                    "headers", raw: #"{"Location":{"description":"Path of the resource.","schema":{"type":"string"}}}"#)
            }
            if same.contains(where: { $0.type != nil }) {
                writer.name("content")
                writer.beginObject()
                for success in same {
                    guard let type = success.type, let schema = success.schema else { continue }
                    writer.name(type)
                    writer.beginObject()
                    writer.member("schema", raw: schema)
                    if let example = success.example { writer.member("example", raw: example) }
                    writer.endObject()
                }
                writer.endObject()
            }
            writer.endObject()
        }
        if route.method == .get, ["Shows", "Describes"].contains(where: route.summary.hasPrefix) {
            writer.member("304", raw: #"{"description":"The caller has the current version."}"#)
        }
    }

    // MARK: Failures

    /// All error statuses of a route.
    static func failures(of route: Route) -> [Int] {
        var statuses = Set(route.failures.map(\.code))
        statuses.formUnion([400, 405])
        if route.access != .open { statuses.formUnion([401, 403, 429, 500, 503]) }
        if route.path.contains("{") { statuses.insert(404) }
        if route.body != nil { statuses.formUnion([408, 413, 415, 422]) }
        if route.hasKnownValues { statuses.insert(422) }
        if route.isRepeatable { statuses.formUnion([409, 422]) }
        return statuses.sorted()
    }

    private static let failureTexts: [(Int, String)] = [
        (400, "The request cannot be parsed, or a parameter is invalid."),
        (401, "The token is missing or invalid."), (403, "The token does not allow the request."),
        (404, "The resource does not exist, or the caller may not see it."),
        (405, "The resource does not support the method. Allow lists those that it supports."),
        (408, "The request was not received in time."), (409, "The request conflicts with the state of the resource."),
        (412, "The resource does not match the precondition of the request."), (413, "The body is too large."),
        (415, "The body's Content-Type or Content-Encoding is not supported."),
        (422, "The content of the request is invalid. errors lists the reasons."),
        (429, "There were too many requests. Retry-After contains the time to wait."),
        (500, "An internal error occurred."),
        (502, "The configured geocoder gave no answer."),
        (503, "The service is not available now. Retry-After contains the time to wait."),
    ]

    private func responses(_ writer: inout JSONWriter) {
        writer.name("responses")
        writer.beginObject()
        for (status, text) in Self.failureTexts {
            writer.name(String(status))
            writer.beginObject()
            writer.member("description", text)
            let headers: String? =
                switch status {
                case 401: #"{"WWW-Authenticate":{"schema":{"type":"string"}}}"#
                case 405: #"{"Allow":{"schema":{"type":"string"}}}"#
                case 429, 503: #"{"Retry-After":{"schema":{"type":"string"}}}"#
                default: nil
                }
            if let headers { writer.member("headers", raw: headers) }
            let media = "{\"schema\":\(Schema.named("Problem")),\"example\":\(Self.example(status))}"
            writer.member("content", raw: "{\"application/problem+json\":\(media)}")
            writer.endObject()
        }
        writer.endObject()
    }

    private static func example(_ status: Int) -> String {
        var writer = JSONWriter()
        let code = HTTPResponse.Status(code: status)
        writer.beginObject()
        writer.member("type", "urn:fencepost:problem:example")
        writer.member("title", code.reasonPhrase)
        writer.member("status", status)
        writer.member("detail", failureTexts.first { $0.0 == status }?.1)
        writer.member("code", "example")
        writer.endObject()
        return String(decoding: writer.bytes, as: UTF8.self)
    }
}
