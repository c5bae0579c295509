import FencepostFormats
import FencepostGeometry
import FencepostJSON
import FencepostModel
import FencepostService
import HTTPTypes

/// The response to a failed request: problem details (RFC 9457, rule A2). Only this file assigns error statuses.
struct Problem: Error, Sendable {
    /// One error of a request.
    struct Fault: Hashable, Sendable {
        /// A JSON Pointer into the body.
        var pointer: String?
        /// A line of the body, from 1, in formats other than JSON.
        var line: Int?
        /// Name of the parameter, for an error outside the body.
        var parameter: String?
        var code: String
        var detail: String
        /// A network that an administrator may allow, after which the request succeeds.
        var network: String?
    }

    let status: HTTPResponse.Status
    /// Stable identifier in snake case.
    let code: String
    /// One sentence for people. It contains no internals: no file path, SQL or stack trace.
    var detail: String
    var faults: [Fault] = []
    /// The records of a body of which none is valid.
    var rejected: [IngestRejection] = []
    var headers = HTTPFields()

    private init(_ status: HTTPResponse.Status, _ code: String, _ detail: String, _ faults: [Fault] = []) {
        self.status = status
        self.code = code
        self.detail = detail
        self.faults = faults
    }

    /// Maximum number of errors in a response.
    static let faultLimit = 100

    // MARK: 400

    static func unreadable(_ code: String, _ detail: String) -> Problem { Problem(.badRequest, code, detail) }

    static func parameter(_ name: String, _ detail: String, code: String = "invalid_parameter") -> Problem {
        Problem(
            .badRequest, code, "The parameter \"\(name)\" is invalid: \(detail)",
            [Fault(parameter: name, code: code, detail: detail)])
    }

    static func missingParameter(_ name: String) -> Problem {
        parameter(name, "it is required.", code: "missing_parameter")
    }

    static func syntax(_ error: JSONSyntaxError) -> Problem {
        unreadable(
            "invalid_json", "The body is not valid JSON: line \(error.line), column \(error.column): \(error.message).")
    }

    static var pathWithoutSlash: Problem { unreadable("invalid_path", "The path has to start with a slash.") }
    static var invalidPath: Problem { unreadable("invalid_path", "The path is not percent-encoded UTF-8.") }
    static var invalidQuery: Problem { unreadable("invalid_query", "The query is not percent-encoded UTF-8.") }
    static var unreadableRequest: Problem { unreadable("invalid_request", "The request is not valid HTTP.") }

    static var invalidHost: Problem {
        unreadable("invalid_host", "A request of HTTP/1.1 needs one Host header (RFC 9112, section 3.2).")
    }

    static var unknownTransferCoding: Problem {
        unreadable(
            "invalid_framing", "The only supported Transfer-Encoding is chunked: send the body with a Content-Length.")
    }

    static var invalidFraming: Problem {
        unreadable("invalid_framing", "The body is not framed as its header says: a chunk or a trailer is invalid.")
    }

    static var incompleteBody: Problem {
        unreadable("incomplete_body", "The connection ended before the body was complete.")
    }

    // MARK: 401, 403, 404, 405

    static let sessionEnded = unauthorized("The session has ended. Sign in again.", mayUseBasic: false)

    static func unauthorized(_ detail: String, mayUseBasic: Bool) -> Problem {
        var problem = Problem(.unauthorized, "unauthorized", detail)
        problem.headers.append(HTTPField(name: .wwwAuthenticate, value: "Bearer realm=\"fencepost\""))
        if mayUseBasic {
            problem.headers.append(HTTPField(name: .wwwAuthenticate, value: "Basic realm=\"fencepost\""))
        }
        return problem
    }

    static let wrongPassword: Problem = {
        var problem = Problem(.unauthorized, "wrong_password", "The name or the password is wrong.")
        problem.headers.append(HTTPField(name: .wwwAuthenticate, value: "Bearer realm=\"fencepost\""))
        return problem
    }()

    static func forbidden(_ code: String, _ detail: String) -> Problem { Problem(.forbidden, code, detail) }

    static let otherDevice = Problem(
        .forbidden, "other_device", "The token is bound to a device, and the request is about another device.")

    static func notFound(_ resource: String) -> Problem {
        Problem(.notFound, "not_found", "The \(resource) does not exist.")
    }

    static func methodNotAllowed(_ allowed: [HTTPRequest.Method]) -> Problem {
        let list = allowed.map(\.rawValue).joined(separator: ", ")
        var problem = Problem(.methodNotAllowed, "method_not_allowed", "The resource supports \(list).")
        problem.headers[.allow] = list
        return problem
    }

    // MARK: 406, 408, 409, 412, 413, 415, 422, 431

    static let requestTimeout = Problem(.requestTimeout, "request_timeout", "The request was not received in time.")

    static func conflict(_ code: String, _ detail: String) -> Problem { Problem(.conflict, code, detail) }

    static let preconditionFailed = Problem(
        .preconditionFailed, "precondition_failed", "The resource does not match the precondition of the request.")

    static func tooLarge(_ limit: Int, inflated: Bool = false) -> Problem {
        Problem(
            .contentTooLarge, "payload_too_large",
            "The body may have at most \(limit) bytes\(inflated ? " after decompression" : "").")
    }

    static func unsupportedMediaType(_ accepted: [String]) -> Problem {
        Problem(
            .unsupportedMediaType, "unsupported_media_type",
            "The Content-Type has to be one of \(accepted.joined(separator: ", ")).")
    }

    static let unsupportedEncoding: Problem = {
        var problem = Problem(
            .unsupportedMediaType, "unsupported_content_encoding",
            "The Content-Encoding of a body has to be gzip or deflate.")
        problem.headers[.acceptEncoding] = "gzip, deflate"
        return problem
    }()

    static func invalid(_ code: String, _ detail: String, _ faults: [Fault] = []) -> Problem {
        Problem(.unprocessableContent, code, detail, faults)
    }

    /// A parameter that has a fixed set of values has none of them.
    static func unknownValue(of name: String, _ text: String, known: [String]) -> Problem {
        let hint = nearest(to: text, in: known).map { " Did you mean \($0)?" } ?? ""
        return unknownValue(of: name, "it has to be one of \(known.joined(separator: ", ")).\(hint)")
    }

    static func unknownValue(of name: String, _ detail: String) -> Problem {
        invalid(
            "unknown_value", "The parameter \"\(name)\" has an unknown value: \(detail)",
            [Fault(parameter: name, code: "unknown_value", detail: detail)])
    }

    /// No record of a body is valid. What an answer about others of them says is in this one too.
    static func allRejected(_ rejected: [IngestRejection]) -> Problem {
        let reason = rejected.first.map { "\($0.rejection.message)." } ?? ""
        let what =
            rejected.count == 1
            ? "The location is invalid" : "All \(rejected.count) locations are invalid, and none was stored. The first"
        var problem = invalid("all_rejected", "\(what): \(reason)")
        problem.rejected = rejected
        return problem
    }

    static let headerTooLarge = Problem(
        .requestHeaderFieldsTooLarge, "header_too_large", "The header of the request is too large.")

    // MARK: 429, 500, 501, 502, 503

    static func tooManyRequests(retryAfter: Duration) -> Problem {
        var problem = Problem(.tooManyRequests, "rate_limited", "There were too many requests with this token.")
        problem.headers[.retryAfter] = String(max(1, Int(clamped: retryAfter.seconds.rounded(.up))))
        return problem
    }

    static func tooManyUnknownTokens(retryAfter: Duration) -> Problem {
        var problem = Problem(
            .tooManyRequests, "too_many_unknown_tokens",
            "There were too many requests with unknown tokens from this address.")
        problem.headers[.retryAfter] = String(max(1, Int(clamped: retryAfter.seconds.rounded(.up))))
        return problem
    }

    static func tooManySignIns(retryAfter: Duration) -> Problem {
        var problem = Problem(
            .tooManyRequests, "too_many_sign_ins", "There were too many attempts to sign in. Try again later.")
        problem.headers[.retryAfter] = String(max(1, Int(clamped: retryAfter.seconds.rounded(.up))))
        return problem
    }

    static let tooManyStreams: Problem = {
        var problem = Problem(
            .tooManyRequests, "too_many_streams",
            "There are too many readers of the event stream, in all or with this token: close one first.")
        problem.headers[.retryAfter] = "5"
        return problem
    }()

    static let tooManyConnections: Problem = {
        var problem = Problem(.serviceUnavailable, "too_many_connections", "There are too many connections.")
        problem.headers[.retryAfter] = "5"
        return problem
    }()

    static let internalError = Problem(.internalServerError, "internal_error", "An internal error occurred.")

    static let noCluster = Problem(
        .notFound, "no_cluster",
        "This is a single node. Set cluster.url in the configuration to make it one of a cluster.")

    static let noGeocoder = Problem(
        .notFound, "no_geocoder", "No geocoder is configured. Set geocoder.url in the configuration.")

    static func geocoder(_ failure: GeocoderFailure) -> Problem {
        let detail = "\(failure)"
        let sentence = detail.prefix(1).uppercased() + detail.dropFirst() + "."
        guard case .busy(let span) = failure else { return Problem(.badGateway, "geocoder_failed", sentence) }
        var problem = Problem(.serviceUnavailable, "geocoder_busy", sentence)
        problem.headers[.retryAfter] = String(max(1, Int(clamped: span.seconds.rounded(.up))))
        return problem
    }

    /// What needs the data of all devices at once, in a cluster that has divided them.
    static let needsDevice = Problem(
        .notImplemented, "device_needed",
        "In a cluster of several partitions this works for one device at a time. Name it with deviceId.")

    /// A node of a cluster cannot hand the request to one that leads.
    static func notLeading(_ detail: String) -> Problem {
        var problem = Problem(.serviceUnavailable, "not_leading", detail)
        problem.headers[.retryAfter] = "2"
        return problem
    }

    /// A command without a token, about a part of the cluster that another machine's node leads.
    static var ledElsewhere: Problem {
        forbidden(
            "led_elsewhere",
            "Another node of the cluster leads what the command is about, and takes no command of this machine without a "
                + "token. Use --server and --token, with a token of the scope admin.")
    }

    /// A change that was made, and that not all leaders know yet.
    static var notEverywhere: Problem {
        var problem = Problem(
            .serviceUnavailable, "not_everywhere",
            "It was done, but not all partitions of the cluster know it yet. They will when their leaders answer.")
        problem.headers[.retryAfter] = "2"
        return problem
    }

    /// A request to the service of a partition about a device of another one.
    static let otherPartition = Problem(
        .misdirectedRequest, "other_partition", "Another partition of the cluster has the device.")

    static func notImplemented(_ detail: String) -> Problem { Problem(.notImplemented, "not_implemented", detail) }

    static func unavailable(_ detail: String) -> Problem {
        var problem = Problem(.serviceUnavailable, "unavailable", detail)
        problem.headers[.retryAfter] = "5"
        return problem
    }
}

extension Problem {
    /// The problem for a request that a decoder rejected as a whole.
    init(_ rejection: Rejection) {
        let detail = rejection.message.first.map { $0.uppercased() + rejection.message.dropFirst() + "." } ?? ""
        switch rejection.code {
        case .invalidJSON: self = .unreadable(rejection.code.rawValue, detail)
        case .payloadTooLarge: self = Problem(.contentTooLarge, rejection.code.rawValue, detail)
        case .unsupportedMediaType: self = Problem(.unsupportedMediaType, rejection.code.rawValue, detail)
        case .cannotDecrypt, .coordinateOutOfRange, .invalidDeviceID, .invalidNumber, .invalidShape, .invalidTimestamp,
            .missingCoordinate, .missingDevice, .missingTimestamp, .timestampOutOfRange, .tooManyLocations,
            .weekRollover:
            self = .invalid(rejection.code.rawValue, detail)
        }
    }

    /// OsmAnd's apps only understand status 400 (rule I32).
    static func osmand(_ rejection: Rejection) -> Problem {
        let problem = Problem(rejection)
        return problem.status.code == 422 ? .unreadable(problem.code, problem.detail) : problem
    }

    init(_ failure: MonitorFailure) {
        switch failure {
        case .storeUnavailable: self = .unavailable("The store is not available now. Try again later.")
        case .starting: self = .unavailable("The service is starting. Try again later.")
        case .stopping: self = .unavailable("The service is stopping. Try again later.")
        case .clockNotSet: self = .unavailable("The clock of the service is not set. Try again later.")
        }
    }

    /// The problem for the errors that a reader found in a body; `nil` when it found only warnings.
    static func diagnostics(_ diagnostics: [Diagnostic], _ detail: String) -> Problem? {
        let errors = diagnostics.filter { $0.severity == .error }
        guard let first = errors.first else { return nil }
        if first.code == "invalid_json" {
            return .unreadable("invalid_json", "The body is not valid JSON: \(first.message)")
        }
        let faults = errors.prefix(faultLimit).map { error in
            Fault(
                pointer: error.position.pointer, line: error.position.line, code: error.code, detail: error.message)
        }
        let count = errors.count > faultLimit ? " These are the first of \(errors.count) errors." : ""
        return .invalid(errors.count == 1 ? first.code : "invalid", detail + count, faults)
    }

    /// The problem for an unexpected error. Its text is only logged.
    init(unexpected error: any Error) {
        self =
            switch error {
            case let problem as Problem: problem
            case let failure as MonitorFailure: Problem(failure)
            case let rejection as Rejection: Problem(rejection)
            case let failure as any StoreFailure where failure.isTemporary:
                .unavailable("The store is not available now. Try again later.")
            // Another node of the cluster goes on, or the next start.
            case let failure as any StoreFailure where failure.isClosed:
                .unavailable("The service is stopping. Try again later.")
            case is CancellationError: .unavailable("The service is stopping. Try again later.")
            default: .internalError
            }
    }
}

extension Problem {
    /// The body of the response (RFC 9457); `instance` is the request's path as it was sent.
    func json(instance: String?) -> [UInt8] {
        var writer = JSONWriter()
        writer.beginObject()
        writer.member("type", "urn:fencepost:problem:\(code)")
        writer.member("title", status.reasonPhrase)
        writer.member("status", Int(status.code))
        writer.member("detail", detail)
        writer.member("instance", instance)
        writer.member("code", code)
        if !rejected.isEmpty {
            writer.member("accepted", 0)
            writer.member("duplicates", 0)
            writer.array("rejected", rejected) { $0.value($1) }
        }
        if !faults.isEmpty {
            writer.array("errors", faults) { writer, fault in
                writer.beginObject()
                writer.member("pointer", fault.pointer)
                if let line = fault.line { writer.member("line", line) }
                writer.member("parameter", fault.parameter)
                writer.member("code", fault.code)
                writer.member("detail", fault.detail)
                writer.member("network", fault.network)
                writer.endObject()
            }
        }
        writer.endObject()
        return writer.bytes
    }
}

extension Diagnostic.Position {
    /// The JSON Pointer, if it is one.
    var pointer: String? { if case .pointer(let pointer) = self { pointer } else { nil } }

    /// The line, if it is in one.
    var line: Int? {
        switch self {
        case .line(let line), .position(let line, column: _): line
        case .file, .index, .pointer: nil
        }
    }
}
