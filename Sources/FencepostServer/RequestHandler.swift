import FencepostModel
import FencepostService
import Foundation
import HTTPTypes
import Hummingbird
import Logging
import Metrics
import NIOCore

/// What happens to every request, whatever its route: who asks, how much, once or again, and what is logged.
struct RequestHandler: Sendable {
    let api: API
    let table: RouteTable
    let limiter = RateLimiter()
    private let ingestTimer = Metrics.Timer(label: "fencepost_ingest_request_duration_seconds")
    /// Whether every path is that of OsmAnd's route, as on its own port (rule I3).
    var isOsmAndOnly = false

    func respond(to request: Request, on channel: any Channel) async -> Response {
        let started = ContinuousClock.now
        let target = request.head.path ?? "/"
        let mark = target.utf8.firstIndex(of: UInt8(ascii: "?")) ?? target.endIndex
        let path = String(target[..<mark])
        let requestID = requestID(request.headers)
        var route: Route?
        var answer: Answer
        do {
            (answer, route) = try await self.answer(
                to: request, path: path, query: target[mark...].dropFirst(), requestID, channel
            ) {
                route = $0
            }
        } catch {
            answer = failure(error, path: path, requestID, route)
        }
        answer.headers[.requestID] = requestID
        answer.secure()
        let duration = ContinuousClock.now - started
        log(request.method, route, answer.status, duration, requestID, request.headers)
        if let route, route.traffic == .ingest {
            ingestTimer.record(duration: duration)
        }
        return response(answer, isHead: request.method == .head)
    }

    private func answer(
        to request: Request, path: String, query text: Substring, _ requestID: String,
        _ channel: any Channel, found: (Route) -> Void
    ) async throws -> (Answer, Route) {
        let (route, parameters) = try table.find(request.method, isOsmAndOnly ? OsmAndRoute.path : path)
        found(route)
        guard let query = Query(text.prefix { $0 != "#" }) else {
            throw Problem.unreadable("invalid_query", "The query is not percent-encoded UTF-8.")
        }
        var call = Call(
            method: route.method, path: path, headers: request.headers, parameters: parameters, query: query,
            contentType: request.headers[.contentType].flatMap { Self.mediaType($0) },
            requestID: requestID, connection: request.body, channel: channel)
        call.caller = try await caller(of: call, route)
        var limits = HTTPFields()
        if let policy = policy(route.traffic), let token = call.caller.token {
            limits = try limiter.take(policy, token: token.id, now: api.clock.now())
        }
        if route.refusesOtherParameters { try checkNames(call.query, route) }
        if let body = route.body {
            try checkType(call, body)
            let limit = body.isLarge ? api.settings.importLimit : api.settings.bodyLimit
            call.body = try await BodyReader.read(
                request, limit: limit, inflatedLimit: body.isLarge ? limit : 4 * limit)
        }
        var answer: Answer
        if route.traffic != .api, call.body.count <= HeavyWork.threshold {
            // Little work: it stays on the connection's thread.
            answer = try await route.handle(call)
        } else {
            answer = try await withTaskExecutorPreference(globalConcurrentExecutor) { [call] in
                if route.isRepeatable, let field = call.headers[.idempotencyKey] {
                    return try await Idempotency(api: api).answer(to: call, key: field, by: route)
                }
                return try await route.handle(call)
            }
        }
        answer.headers.append(contentsOf: limits)
        return (notModified(answer, call) ?? answer, route)
    }

    /// A media type in lower case, without its parameters.
    private static func mediaType(_ field: String) -> String? {
        // Nearly all are written so that nothing has to be done about them.
        let isPlain = field.utf8.allSatisfy { byte in
            byte > 0x20 && byte < 0x7F && byte != UInt8(ascii: ";") && !(0x41...0x5A).contains(byte)
        }
        let type = isPlain ? field : field.prefix { $0 != ";" }.lowercased().filter { $0 != " " && $0 != "\t" }
        return type.isEmpty ? nil : type
    }

    private func caller(of call: Call, _ route: Route) async throws -> Caller {
        guard let scope = route.access.scope else { return .nobody }
        if case .ticket = route.access, let ticket = call.query["ticket"] {
            guard let caller = api.tickets.redeem(ticket, now: api.clock.now()) else {
                throw Problem.unauthorized("This ticket is not known, used or too old.", mayUseBasic: false)
            }
            return caller
        }
        let caller = try await api.authenticator.caller(call.headers, call.query, route.credentials)
        guard caller.has(scope) else {
            throw Problem.forbidden("missing_scope", "This needs a token with the scope \"\(scope.rawValue)\".")
        }
        if case .unbound = route.access, caller.deviceID != nil {
            throw Problem.forbidden("bound_token", "A token that is bound to a device may not do this.")
        }
        return caller
    }

    private func policy(_ traffic: Route.Traffic) -> RateLimiter.Policy? {
        let quota: Int? =
            switch traffic {
            case .ingest: api.settings.ingestRate
            case .api: api.settings.apiRate
            case .exempt: nil
            }
        return quota.map { RateLimiter.Policy(name: traffic.rawValue, quota: $0) }
    }

    private func checkNames(_ query: Query, _ route: Route) throws(Problem) {
        guard !query.items.isEmpty else { return }
        let known = route.parameters.filter { $0.place == .query }.map(\.name)
        for item in query.items where !known.contains(item.name) {
            throw .parameter(
                item.name, known.isEmpty ? "there are none here." : "known are \(known.joined(separator: ", ")).",
                code: "unknown_parameter")
        }
    }

    private func checkType(_ call: Call, _ body: Route.Body) throws(Problem) {
        guard let type = call.contentType, !body.takes(type) else { return }
        throw .unsupportedMediaType(body.types)
    }

    /// `304` for a caller that has this already (rule A6).
    private func notModified(_ answer: Answer, _ call: Call) -> Answer? {
        guard call.method == .get, answer.status == .ok, let field = call.headers[.ifNoneMatch],
            let tag = answer.headers[.eTag], case .bytes(let bytes) = answer.body
        else { return nil }
        let current = EntityTag(of: bytes)
        guard current.description == tag, current.isNamed(in: field, weakly: true) else { return nil }
        return Answer(.notModified, headers: [.eTag: tag])
    }

    private func failure(_ error: any Error, path: String, _ requestID: String, _ route: Route?) -> Answer {
        var problem = Problem(unexpected: error)
        if problem.status == .internalServerError {
            // The type tells where to look; the text of an error may hold what a request said.
            api.logger.error(
                "request failed", metadata: ["requestId": "\(requestID)", "error": "\(type(of: error))"])
            api.logger.debug("request failed", metadata: ["requestId": "\(requestID)", "detail": "\(error)"])
        }
        problem.headers[.contentType] = "application/problem+json"
        return Answer(problem.status, headers: problem.headers, body: .bytes(problem.json(instance: path)))
    }

    private func requestID(_ headers: HTTPFields) -> String {
        if let given = headers[.requestID], !given.isEmpty, given.utf8.count <= 64,
            given.utf8.allSatisfy({ (0x21...0x7E).contains($0) })
        {
            return given
        }
        return api.requestIDs.next()
    }

    /// One line for each request: no query, no id of a device, nothing of the body (rule O5).
    private func log(
        _ method: HTTPRequest.Method, _ route: Route?, _ status: HTTPResponse.Status, _ duration: Duration,
        _ requestID: String, _ headers: HTTPFields
    ) {
        // What comes every second from each phone and each probe is not worth a line while it works.
        let isRoutine = route.map { $0.traffic != .api } ?? false && status.code < 400
        guard !isRoutine || api.logger.logLevel <= .debug else { return }
        var metadata: Logger.Metadata = [
            "method": "\(method.rawValue.prefix(16))", "route": "\(route?.path ?? "none")", "status": "\(status.code)",
            "milliseconds": "\(duration.milliseconds)", "requestId": "\(requestID)",
        ]
        if let trace = TraceParent(headers) { metadata["traceId"] = "\(trace.traceID)" }
        api.logger.log(level: isRoutine ? .debug : .info, "request", metadata: metadata)
    }

    private func response(_ answer: Answer, isHead: Bool) -> Response {
        switch answer.body {
        case .bytes(let bytes):
            var headers = answer.headers
            if isHead {
                headers[.contentLength] = String(bytes.count)
                return Response(status: answer.status, headers: headers)
            }
            guard !bytes.isEmpty else { return Response(status: answer.status, headers: headers) }
            return Response(
                status: answer.status, headers: headers, body: ResponseBody(byteBuffer: ByteBuffer(bytes: bytes)))
        case .stream(let write):
            if isHead { return Response(status: answer.status, headers: answer.headers) }
            return Response(status: answer.status, headers: answer.headers, body: ResponseBody(write))
        }
    }
}

extension Answer {
    private static let safety = [
        HTTPField(name: .xContentTypeOptions, value: "nosniff"), HTTPField(name: .referrerPolicy, value: "no-referrer"),
        HTTPField(name: .xFrameOptions, value: "DENY"),
    ]
    private static let policy = HTTPField(
        name: .contentSecurityPolicy, value: "default-src 'none'; frame-ancestors 'none'")

    /// What browsers are to be careful with (rule L4, API8).
    fileprivate mutating func secure() {
        for field in Self.safety { headers.append(field) }
        if headers[.contentSecurityPolicy] == nil { headers.append(Self.policy) }
        // What is answered is about people's whereabouts: no cache on the way may keep it.
        if headers[.cacheControl] == nil {
            headers[.cacheControl] = headers[.eTag] == nil ? "no-store" : "no-cache, private"
        }
    }
}

extension HTTPField.Name {
    static let requestID = HTTPField.Name("X-Request-Id") ?? .via
    static let idempotencyKey = HTTPField.Name("Idempotency-Key") ?? .via
    static let idempotentReplayed = HTTPField.Name("Idempotent-Replayed") ?? .via
    static let referrerPolicy = HTTPField.Name("Referrer-Policy") ?? .via
    static let xFrameOptions = HTTPField.Name("X-Frame-Options") ?? .via
}
