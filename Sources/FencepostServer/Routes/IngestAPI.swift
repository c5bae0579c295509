import FencepostFormats
import FencepostHTTP
import FencepostJSON
import FencepostModel
import FencepostService
import FencepostTracing
import HTTPTypes

/// Routes that take locations: those of phone apps, each in the app's own format (rule I1), and Fencepost's own.
///
/// They need nothing but the clock and something that stores what they decode, so a node of a cluster that does not lead
/// has them too.
struct IngestAPI: Sendable {
    let clock: ServiceClock
    /// Stores a submission of a caller, and returns when it is durable.
    let store: nonisolated(nonsending) @Sendable (Submission, Caller) async throws -> SubmissionReceipt
    /// What answers to OwnTracks have; `nil` where nobody knows the positions of other devices.
    var friends: Friends?
    /// The regions in answers to OwnTracks; `nil` where one phone has several nodes.
    var regionsOfPhones: RegionsOfPhones?
    /// For large bodies.
    let queue = OffloadQueue("ingest")
    let lines = LineIngest()
    /// Shared by those that answer the same senders.
    var quarantineBudget = QuarantineBudget()

    /// The routes as they are declared. Their handlers must not be called.
    static let outline = IngestAPI(
        clock: ServiceClock(steady: { .zero }, wall: { .distantPast }),
        store: { _, _ in preconditionFailure("the outline of the API handles no request") })

    /// All routes that take locations.
    var routes: [Route] { phoneRoutes + [postLocations] }

    /// The routes of phone apps.
    var phoneRoutes: [Route] {
        [
            ownTracksRoute("/ingest/owntracks", "postOwnTracks"), ownTracksRoute("/pub", "postOwnTracksAlias"),
            overlandRoute, traccarRoute,
        ]
            + [HTTPRequest.Method.get, .post].flatMap { [OsmAndRoute.route($0, self), gpsLoggerRoute($0)] }
    }

    /// Content types with which some apps send JSON.
    private static let mislabeledTypes = [
        "text/json", "text/plain", "application/x-www-form-urlencoded", "application/octet-stream",
        "application/geo+json",
    ]

    // MARK: OwnTracks

    private func ownTracksRoute(_ path: String, _ name: String) -> Route {
        Route(
            method: .post, path: path, name: name, summary: "Receives locations from the OwnTracks apps", tag: "Ingest",
            access: .scope(.ingest), credentials: .basic, traffic: .ingest,
            parameters: [
                Route.Parameter(name: "u", schema: Schema.name, text: "The user, with d."),
                Route.Parameter(name: "d", schema: Schema.name, text: "The device, with u."),
                Route.Parameter(
                    name: "X-Limit-U", source: .header, schema: Schema.name, text: "The user, with X-Limit-D."),
                Route.Parameter(name: "X-Limit-D", source: .header, schema: Schema.name, text: "The device."),
            ],
            rejectsOtherParameters: false,
            body: Route.Body(
                types: [RouteResponse.json], mislabeledTypes: Self.mislabeledTypes, schema: Schema.named("OwnTracks"),
                example: #"{"_type":"location","lat":48.85833,"lon":2.29513,"tst":1772353800,"acc":12}"#),
            successes: [
                .json(
                    #"{"type":"array","items":{"type":"object"}}"#,
                    "The records were stored or quarantined. The phone can delete them. The elements are the cards and "
                        + "the last locations of the token's friends, and a command that sets the regions near the phone.",
                    example: "[]")
            ],
            partition: .divided,
            handle: { call in try await ownTracks(call) })
    }

    nonisolated(nonsending) private func ownTracks(_ call: Call) async throws -> RouteResponse {
        var sender: DeviceID?
        if let user = call.headers[.limitUser], let device = call.headers[.limitDevice] {
            sender = try Self.device("\(user)/\(device)".lowercased())
        } else if let user = call.query["u"], let device = call.query["d"] {
            sender = try Self.device("\(user)/\(device)".lowercased())
        }
        var rules = rules(for: call)
        // A phone without a user names its device alone. Its topic, if it has one, says more.
        if call.caller.deviceID == nil, let device = call.headers[.limitDevice] ?? call.query["d"], !device.isEmpty {
            rules.defaultDevice = try Self.device(device.lowercased())
        }
        let (named, decoding, key) = (sender, rules, call.caller.token?.encryptionKey)
        let request = try await queue.run(for: call.owner, bytes: call.body.count) {
            try OwnTracksIngest.decode(call.body, sender: named, rules: decoding, key: key)
        }
        try await submit(request, as: "owntracks", call)
        let (token, newest) = (call.caller.token, request.locations.max { $0.timestamp < $1.timestamp })
        let answer = OwnTracksAnswer.encode(
            try await friends?.friends(of: token) ?? [],
            waypoints: regionsOfPhones?.waypoints(after: newest, of: token) ?? [], key: token?.encryptionKey)
        return RouteResponse(bytes: answer).naming(request.dropped)
    }

    // MARK: Overland

    private var overlandRoute: Route {
        Route(
            method: .post, path: "/ingest/overland", name: "postOverland", summary: "Receives locations from Overland",
            tag: "Ingest", access: .scope(.ingest), traffic: .ingest, rejectsOtherParameters: false,
            body: Route.Body(
                types: [RouteResponse.json], mislabeledTypes: Self.mislabeledTypes, schema: Schema.named("Overland"),
                example:
                    #"{"locations":[{"type":"Feature","geometry":{"type":"Point","coordinates":[2.29513,48.85833]},"#
                    + #""properties":{"timestamp":"2026-03-01T08:30:00Z","horizontal_accuracy":12,"#
                    + #""device_id":"jane"}}]}"#
            ),
            successes: [
                .json(
                    #"{"type":"object","required":["result"],"properties":{"result":\#(Schema.only("ok"))}}"#,
                    "The records were stored. The app can delete them.", example: #"{"result":"ok"}"#)
            ],
            partition: .divided,
            handle: { call in
                let rules = rules(for: call)
                let request = try await queue.run(for: call.owner, bytes: call.body.count) {
                    try OverlandIngest.decode(call.body, tokenDevice: rules.defaultDevice, rules: rules)
                }
                try await submit(request, as: "overland", call)
                return RouteResponse(text: #"{"result":"ok"}"#).naming(request.dropped)
            })
    }

    // MARK: Traccar

    private var traccarRoute: Route {
        Route(
            method: .post, path: "/ingest/traccar", name: "postTraccar",
            summary: "Receives positions that a Traccar server forwards", tag: "Ingest", access: .scope(.ingest),
            credentials: .basicOrQuery, traffic: .ingest,
            parameters: [
                Route.Parameter(
                    name: "token", schema: Schema.string, text: "The token, if `forward.header` does not send it.")
            ],
            rejectsOtherParameters: false,
            body: Route.Body(
                types: [RouteResponse.json], mislabeledTypes: Self.mislabeledTypes, schema: Schema.named("Traccar"),
                example:
                    #"{"position":{"fixTime":"2026-03-01T08:30:00.000+00:00","valid":true,"latitude":48.85833,"#
                    + #""longitude":2.29513,"speed":12.5,"accuracy":5,"attributes":{"batteryLevel":80}},"#
                    + #""device":{"uniqueId":"356938035643809","name":"Van 1"}}"#),
            successes: [
                Route.Success(status: .ok, text: "The position was stored or quarantined, or the event has none.")
            ],
            partition: .divided,
            handle: { call in
                let (rules, own) = (rules(for: call), call.caller.deviceID)
                let request = try await queue.run(for: call.owner, bytes: call.body.count) {
                    try TraccarIngest.decode(call.body, rules: rules, sender: own)
                }
                try await submit(request, as: "traccar", call)
                return RouteResponse(.ok).naming(request.dropped)
            })
    }

    // MARK: GPSLogger

    private func gpsLoggerRoute(_ method: HTTPRequest.Method) -> Route {
        Route(
            method: method, path: "/ingest/gpslogger", name: method == .get ? "getGPSLogger" : "postGPSLogger",
            summary: "Receives locations from GPSLogger's custom URL", tag: "Ingest", access: .scope(.ingest),
            credentials: .basicOrQuery, traffic: .ingest, parameters: OsmAndRoute.parameters,
            rejectsOtherParameters: false,
            body: method == .get
                ? nil
                : Route.Body(types: ["*/*"], schema: "{}", isRequired: false),
            successes: [Route.Success(status: .ok, text: "The record was stored or quarantined.")],
            partition: .divided,
            handle: { call in
                let (rules, now, own) = (rules(for: call), clock.now(), call.caller.deviceID)
                let request =
                    call.containsJSON
                    ? try GPSLoggerIngest.decode(json: call.body, rules: rules, now: now, sender: own)
                    : try GPSLoggerIngest.decode(parameters: try call.formItems(), rules: rules, now: now, sender: own)
                try await submit(request, as: "gpslogger", call)
                return RouteResponse(.ok).naming(request.dropped)
            })
    }

    // MARK: All routes

    /// Rules for the fixes of a request. A fix without a device gets the token's device, or else the token's name.
    func rules(for call: Call) -> FixRules {
        let named = call.caller.token.flatMap { try? DeviceID(validating: $0.name) }
        return FixRules(defaultDevice: call.caller.deviceID ?? named, now: clock.latest(), areSent: true)
    }

    private static func device(_ name: String) throws(Problem) -> DeviceID {
        do throws(Rejection) {
            return try DeviceID(validating: name)
        } catch {
            throw Problem(error)
        }
    }

    /// Stores the locations of a request and quarantines its invalid records.
    @discardableResult nonisolated(nonsending) func submit(
        _ request: IngestRequest, as format: String, _ call: Call
    ) async throws -> SubmissionReceipt {
        try check(request, call.caller)
        call.trace?.endDecoding(locations: request.locations.count, rejected: request.rejected.count)
        let now = clock.now()
        var submission = Submission(format: format)
        submission.traceparent =
            call.trace?.context.traceparent
            ?? call.headers[.traceParent].flatMap { TraceContext(traceparent: $0) == nil ? nil : $0 }
        submission.locations = request.locations
        submission.livePositions = request.livePositions
        submission.reports = request.reports
        let quarantined = request.rejected.map { rejected in
            QuarantineEntry(
                receivedAt: now, format: format, deviceID: rejected.deviceID ?? call.caller.deviceID,
                index: rejected.index, code: rejected.rejection.code.rawValue, detail: rejected.rejection.message,
                fix: rejected.fix)
        }
        submission.quarantined = quarantineBudget.admitted(quarantined, of: call.owner, at: now)
        guard !submission.isEmpty else { return SubmissionReceipt() }
        let receipt = try await store(submission, call.caller)
        request.dropped.countInMetrics()
        return receipt
    }

    /// A bound token can only send for its device (rule I10).
    private func check(_ request: IngestRequest, _ caller: Caller) throws(Problem) {
        guard caller.isLimited else { return }
        let isOwn =
            request.locations.allSatisfy { caller.maySee($0.deviceID) }
            && request.livePositions.allSatisfy { caller.maySee($0.deviceID) }
            && request.reports.allSatisfy { caller.maySee($0.deviceID) }
            && request.rejected.allSatisfy { $0.deviceID.map(caller.maySee) ?? true }
        guard isOwn else { throw .otherDevice }
    }
}

/// Route of OsmAnd and the Traccar Client, at its path and on its own port (rules I3, I30 to I33).
enum OsmAndRoute {
    static let path = "/ingest/osmand"

    static let parameters = [
        Route.Parameter(name: "id", schema: Schema.deviceID, text: "The device. deviceid is accepted too."),
        Route.Parameter(
            name: "lat", schema: #"{"type":"number","minimum":-90,"maximum":90}"#, text: "Degrees, with lon."),
        Route.Parameter(
            name: "lon", schema: #"{"type":"number","minimum":-180,"maximum":180}"#, text: "Degrees, with lat."),
        Route.Parameter(
            name: "timestamp",
            schema: #"{"type":"string","pattern":"^(?:[0-9]{9,13}|[0-9]{4}-[0-9]{2}-[0-9]{2}[T ][0-9:.]{5,}.*)$"}"#,
            text: "Epoch seconds or milliseconds, or ISO 8601."),
        Route.Parameter(name: "token", schema: Schema.string, text: "The token, for apps that cannot send headers."),
    ]

    static func route(_ method: HTTPRequest.Method, _ api: IngestAPI) -> Route {
        Route(
            method: method, path: path, name: method == .get ? "getOsmAnd" : "postOsmAnd",
            summary: "Receives locations from OsmAnd and the Traccar Client", tag: "Ingest", access: .scope(.ingest),
            credentials: .basicOrQuery, traffic: .ingest, parameters: parameters, rejectsOtherParameters: false,
            body: method == .get
                ? nil
                : Route.Body(
                    types: ["*/*"], schema: Schema.object,
                    example: #"{"device_id":"x","location":{"timestamp":"2026-03-01T08:30:00Z","#
                        + #""coords":{"latitude":48.85833,"longitude":2.29513,"accuracy":5}}}"#,
                    isRequired: false),
            successes: [
                Route.Success(status: .ok, text: "The location was stored, or ignored because it has no coordinates.")
            ],
            failures: [.badRequest],
            partition: .divided,
            handle: { call in
                let (rules, now) = (
                    FixRules(defaultDevice: call.caller.deviceID, now: api.clock.latest(), areSent: true),
                    api.clock.now()
                )
                let request: IngestRequest
                do throws(Rejection) {
                    request =
                        call.containsJSON
                        ? try OsmAndIngest.decode(json: call.body, rules: rules, now: now)
                        : try OsmAndIngest.decode(parameters: try call.formItems(), rules: rules, now: now)
                } catch {
                    throw Problem.osmand(error)
                }
                try await api.submit(request, as: "osmand", call)
                // A single rejected fix is an error. In a batch it is not: the app would send the whole batch again for
                // ever.
                if let rejected = request.rejected.first, request.rejected.count == 1, request.locations.isEmpty {
                    throw Problem.osmand(rejected.rejection)
                }
                return RouteResponse(.ok).naming(request.dropped)
            })
    }
}

extension Call {
    /// Whether the body is JSON: an object or an array regardless of its content type, any other value only with the type
    /// of JSON, because some apps send a form with it.
    var containsJSON: Bool {
        let first = body.first { $0 != 0x20 && $0 != 0x09 && $0 != 0x0A && $0 != 0x0D }
        if first == UInt8(ascii: "{") || first == UInt8(ascii: "[") { return true }
        return contentType == RouteResponse.json && first != nil && (try? JSONDocument(parsing: body)) != nil
    }

    /// The parameters of the URL and of a form in the body, without the token.
    func formItems() throws(Rejection) -> [(String, String)] {
        guard let form = Query(String(decoding: body, as: UTF8.self)) else {
            throw Rejection(.invalidShape, "the form is not percent-encoded UTF-8")
        }
        return (query.items + form.items).filter { $0.name != "token" }.map { ($0.name, $0.value) }
    }
}

extension RouteResponse {
    /// The response with the names and counts of dropped members in a header (rule I56): the body has the form that the app
    /// of the phone expects.
    func naming(_ dropped: DroppedMembers) -> RouteResponse {
        guard !dropped.isEmpty else { return self }
        var response = self
        response.headers[.dropped] = dropped.named.map { "\($0.name)=\($0.count)" }.joined(separator: ", ")
        return response
    }
}

extension HTTPField.Name {
    fileprivate static let dropped = HTTPField.Name(literal: "Fencepost-Dropped")
    static let limitUser = HTTPField.Name(literal: "X-Limit-U")
    static let limitDevice = HTTPField.Name(literal: "X-Limit-D")
}
