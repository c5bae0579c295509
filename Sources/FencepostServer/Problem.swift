import FencepostFormats
import FencepostJSON
import FencepostModel
import FencepostService
import HTTPTypes

/// What is answered when a request fails (RFC 9457, rule A2); the one file that gives out statuses of failure.
struct Problem: Error, Sendable {
    /// One of the things that are wrong with a request.
    struct Fault: Hashable, Sendable {
        /// A JSON Pointer into the body.
        var pointer: String?
        /// The name of a parameter, where it is not the body.
        var parameter: String?
        var code: String
        var detail: String
    }

    let status: HTTPResponse.Status
    /// Stable, in snake case.
    let code: String
    /// One sentence for a person, never about what is inside: no path, SQL or trace.
    var detail: String
    var faults: [Fault] = []
    var headers = HTTPFields()

    private init(_ status: HTTPResponse.Status, _ code: String, _ detail: String, _ faults: [Fault] = []) {
        self.status = status
        self.code = code
        self.detail = detail
        self.faults = faults
    }

    /// How many faults an answer lists.
    static let faultLimit = 100

    // MARK: 400

    static func unreadable(_ code: String, _ detail: String) -> Problem { Problem(.badRequest, code, detail) }

    static func parameter(_ name: String, _ detail: String, code: String = "invalid_parameter") -> Problem {
        Problem(
            .badRequest, code, "The parameter \"\(name)\" cannot be used: \(detail)",
            [Fault(parameter: name, code: code, detail: detail)])
    }

    static func missingParameter(_ name: String) -> Problem {
        parameter(name, "it has to be given.", code: "missing_parameter")
    }

    static func syntax(_ error: JSONSyntaxError) -> Problem {
        unreadable(
            "invalid_json", "The body is no JSON, at line \(error.line), column \(error.column): \(error.message).")
    }

    static var unreadableRequest: Problem { unreadable("invalid_request", "This is no HTTP request.") }

    // MARK: 401, 403, 404, 405

    static func unauthorized(_ detail: String, mayUseBasic: Bool) -> Problem {
        var problem = Problem(.unauthorized, "unauthorized", detail)
        problem.headers.append(HTTPField(name: .wwwAuthenticate, value: "Bearer realm=\"fencepost\""))
        if mayUseBasic {
            problem.headers.append(HTTPField(name: .wwwAuthenticate, value: "Basic realm=\"fencepost\""))
        }
        return problem
    }

    static func forbidden(_ code: String, _ detail: String) -> Problem { Problem(.forbidden, code, detail) }

    static let otherDevice = Problem(
        .forbidden, "other_device", "This token is bound to a device, and the request speaks for another one.")

    static func notFound(_ what: String) -> Problem { Problem(.notFound, "not_found", "There is no such \(what).") }

    static func methodNotAllowed(_ allowed: [HTTPRequest.Method]) -> Problem {
        let list = allowed.map(\.rawValue).joined(separator: ", ")
        var problem = Problem(.methodNotAllowed, "method_not_allowed", "This resource takes \(list).")
        problem.headers[.allow] = list
        return problem
    }

    // MARK: 406, 408, 409, 412, 413, 415, 422, 431

    static let requestTimeout = Problem(.requestTimeout, "request_timeout", "The request took too long to arrive.")

    static func conflict(_ code: String, _ detail: String) -> Problem { Problem(.conflict, code, detail) }

    static let preconditionFailed = Problem(
        .preconditionFailed, "precondition_failed", "The resource is not in the state that the request expects.")

    static func tooLarge(_ limit: Int, inflated: Bool = false) -> Problem {
        Problem(
            .contentTooLarge, "payload_too_large",
            "The body may have at most \(limit) bytes\(inflated ? " after it is unpacked" : "").")
    }

    static func unsupportedMediaType(_ accepted: [String]) -> Problem {
        Problem(
            .unsupportedMediaType, "unsupported_media_type",
            "The body's type is not one of \(accepted.joined(separator: ", ")): say which it is in Content-Type.")
    }

    static let unsupportedEncoding: Problem = {
        var problem = Problem(
            .unsupportedMediaType, "unsupported_content_encoding", "Bodies may be packed with gzip or deflate.")
        problem.headers[.acceptEncoding] = "gzip, deflate"
        return problem
    }()

    static func invalid(_ code: String, _ detail: String, _ faults: [Fault] = []) -> Problem {
        Problem(.unprocessableContent, code, detail, faults)
    }

    static let headerTooLarge = Problem(
        .requestHeaderFieldsTooLarge, "header_too_large", "The header of the request is too large.")

    // MARK: 429, 500, 503

    static func tooManyRequests(retryAfter: Duration) -> Problem {
        var problem = Problem(.tooManyRequests, "rate_limited", "There were too many requests with this token.")
        problem.headers[.retryAfter] = String(max(1, Int(retryAfter.seconds.rounded(.up))))
        return problem
    }

    static let internalError = Problem(.internalServerError, "internal_error", "Something went wrong on our side.")

    static func unavailable(_ detail: String) -> Problem {
        var problem = Problem(.serviceUnavailable, "unavailable", detail)
        problem.headers[.retryAfter] = "5"
        return problem
    }
}

extension Problem {
    /// What a request as a whole was rejected for by a decoder.
    init(_ rejection: Rejection) {
        let detail = rejection.message.first.map { $0.uppercased() + rejection.message.dropFirst() + "." } ?? ""
        switch rejection.code {
        case .invalidJSON: self = .unreadable(rejection.code.rawValue, detail)
        case .payloadTooLarge: self = Problem(.contentTooLarge, rejection.code.rawValue, detail)
        case .unsupportedMediaType: self = Problem(.unsupportedMediaType, rejection.code.rawValue, detail)
        default: self = .invalid(rejection.code.rawValue, detail)
        }
    }

    /// OsmAnd's senders know 400 alone (rule I32).
    static func osmand(_ rejection: Rejection) -> Problem {
        let problem = Problem(rejection)
        return problem.status.code == 422 ? .unreadable(problem.code, problem.detail) : problem
    }

    init(_ failure: MonitorFailure) {
        switch failure {
        case .storeUnavailable: self = .unavailable("Nothing can be stored at the moment; try again.")
        case .starting: self = .unavailable("The service is starting; try again.")
        case .stopping: self = .unavailable("The service is stopping; try again.")
        }
    }

    /// Everything that a reader found wrong with a body; `nil` when these are warnings alone.
    static func diagnostics(_ diagnostics: [Diagnostic], _ detail: String) -> Problem? {
        let errors = diagnostics.filter { $0.severity == .error }
        guard let first = errors.first else { return nil }
        if first.code == "invalid_json" {
            return .unreadable("invalid_json", "The body is no JSON: \(first.message)")
        }
        let faults = errors.prefix(faultLimit).map { error in
            let pointer: String? = if case .pointer(let pointer) = error.place { pointer } else { nil }
            return Fault(pointer: pointer, code: error.code, detail: error.message)
        }
        let count = errors.count > faultLimit ? " Of \(errors.count) errors these are the first." : ""
        return .invalid(errors.count == 1 ? first.code : "invalid", detail + count, faults)
    }

    /// What an error that nobody expected is answered with; what it says goes into the log.
    init(unexpected error: any Error) {
        self =
            switch error {
            case let problem as Problem: problem
            case let failure as MonitorFailure: Problem(failure)
            case let rejection as Rejection: Problem(rejection)
            case is CancellationError: .unavailable("The service is stopping; try again.")
            default: .internalError
            }
    }
}

extension Problem {
    /// - Parameter instance: the path of the request, as it was sent.
    func json(instance: String?) -> [UInt8] {
        var writer = JSONWriter()
        writer.beginObject()
        writer.member("type", "urn:fencepost:problem:\(code)")
        writer.member("title", status.reasonPhrase)
        writer.member("status", Int(status.code))
        writer.member("detail", detail)
        writer.member("instance", instance)
        writer.member("code", code)
        if !faults.isEmpty {
            writer.array("errors", faults) { writer, fault in
                writer.beginObject()
                writer.member("pointer", fault.pointer)
                writer.member("parameter", fault.parameter)
                writer.member("code", fault.code)
                writer.member("detail", fault.detail)
                writer.endObject()
            }
        }
        writer.endObject()
        return writer.bytes
    }
}
