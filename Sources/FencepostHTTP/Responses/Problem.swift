package import FencepostJSON
package import HTTPTypes

/// The response to a failed request: problem details (RFC 9457, rule A2). Only this file and `Problem+API.swift` assign
/// error statuses.
package struct Problem: Error, Sendable {
    /// One error of a request.
    package struct Fault: Hashable, Sendable {
        /// A JSON Pointer into the body.
        package var pointer: String?
        /// A line of the body, from 1, in formats other than JSON.
        package var line: Int?
        /// Name of the parameter, for an error outside the body.
        package var parameter: String?
        package var code: String
        package var detail: String
        /// A network that an administrator may allow, after which the request succeeds.
        package var network: String?

        /// An error. More than five parameters, because each is another member of the response.
        package init(
            pointer: String? = nil, line: Int? = nil, parameter: String? = nil, code: String, detail: String,
            network: String? = nil
        ) {
            self.pointer = pointer
            self.line = line
            self.parameter = parameter
            self.code = code
            self.detail = detail
            self.network = network
        }
    }

    package let status: HTTPResponse.Status
    /// Stable identifier in snake case.
    package let code: String
    /// One sentence for people. It contains no internals: no file path, SQL or stack trace.
    package var detail: String
    package var faults: [Fault] = []
    /// Writes members of the body that stand before the errors; `nil` for none.
    package var members: (@Sendable (inout JSONWriter) -> Void)?
    package var headers = HTTPFields()

    package init(_ status: HTTPResponse.Status, _ code: String, _ detail: String, _ faults: [Fault] = []) {
        self.status = status
        self.code = code
        self.detail = detail
        self.faults = faults
    }

    /// Maximum number of errors in a response.
    package static let faultLimit = 100

    // MARK: 400

    package static func unreadable(_ code: String, _ detail: String) -> Problem { Problem(.badRequest, code, detail) }

    package static func parameter(_ name: String, _ detail: String, code: String = "invalid_parameter") -> Problem {
        Problem(
            .badRequest, code, "The parameter \"\(name)\" is invalid: \(detail)",
            [Fault(parameter: name, code: code, detail: detail)])
    }

    package static func missingParameter(_ name: String) -> Problem {
        parameter(name, "it is required.", code: "missing_parameter")
    }

    package static func syntax(_ error: JSONSyntaxError) -> Problem {
        unreadable(
            "invalid_json", "The body is not valid JSON: line \(error.line), column \(error.column): \(error.message).")
    }

    package static var pathWithoutSlash: Problem { unreadable("invalid_path", "The path has to start with a slash.") }
    package static var invalidPath: Problem { unreadable("invalid_path", "The path is not percent-encoded UTF-8.") }
    package static var invalidQuery: Problem { unreadable("invalid_query", "The query is not percent-encoded UTF-8.") }
    package static var unreadableRequest: Problem { unreadable("invalid_request", "The request is not valid HTTP.") }

    package static var invalidHost: Problem {
        unreadable("invalid_host", "A request of HTTP/1.1 needs one Host header (RFC 9112, section 3.2).")
    }

    package static var unknownTransferCoding: Problem {
        unreadable(
            "invalid_framing", "The only supported Transfer-Encoding is chunked: send the body with a Content-Length.")
    }

    package static var invalidFraming: Problem {
        unreadable("invalid_framing", "The body is not framed as its header says: a chunk or a trailer is invalid.")
    }

    package static var incompleteBody: Problem {
        unreadable("incomplete_body", "The connection ended before the body was complete.")
    }

    // MARK: 401, 403, 404, 405

    package static func unauthorized(_ detail: String, mayUseBasic: Bool) -> Problem {
        var problem = Problem(.unauthorized, "unauthorized", detail)
        problem.headers.append(HTTPField(name: .wwwAuthenticate, value: "Bearer realm=\"fencepost\""))
        if mayUseBasic {
            problem.headers.append(HTTPField(name: .wwwAuthenticate, value: "Basic realm=\"fencepost\""))
        }
        return problem
    }

    package static func forbidden(_ code: String, _ detail: String) -> Problem { Problem(.forbidden, code, detail) }

    package static func notFound(_ resource: String) -> Problem {
        Problem(.notFound, "not_found", "The \(resource) does not exist.")
    }

    package static func methodNotAllowed(_ allowed: [HTTPRequest.Method]) -> Problem {
        let list = allowed.map(\.rawValue).joined(separator: ", ")
        var problem = Problem(.methodNotAllowed, "method_not_allowed", "The resource supports \(list).")
        problem.headers[.allow] = list
        return problem
    }

    // MARK: 408, 409, 412, 413, 415, 422, 431

    package static let requestTimeout = Problem(
        .requestTimeout, "request_timeout", "The request was not received in time.")

    package static func conflict(_ code: String, _ detail: String) -> Problem { Problem(.conflict, code, detail) }

    package static let preconditionFailed = Problem(
        .preconditionFailed, "precondition_failed", "The resource does not match the precondition of the request.")

    package static func tooLarge(_ limit: Int, inflated: Bool = false) -> Problem {
        Problem(
            .contentTooLarge, "payload_too_large",
            "The body may have at most \(limit) bytes\(inflated ? " after decompression" : "").")
    }

    package static func unsupportedMediaType(_ accepted: [String]) -> Problem {
        Problem(
            .unsupportedMediaType, "unsupported_media_type",
            "The Content-Type has to be one of \(accepted.joined(separator: ", ")).")
    }

    package static let unsupportedEncoding: Problem = {
        var problem = Problem(
            .unsupportedMediaType, "unsupported_content_encoding",
            "The Content-Encoding of a body has to be gzip or deflate.")
        problem.headers[.acceptEncoding] = "gzip, deflate"
        return problem
    }()

    package static func invalid(_ code: String, _ detail: String, _ faults: [Fault] = []) -> Problem {
        Problem(.unprocessableContent, code, detail, faults)
    }

    /// A parameter that has a fixed set of values has none of them.
    package static func unknownValue(of name: String, _ text: String, known: [String]) -> Problem {
        let hint = nearest(to: text, in: known).map { " Did you mean \($0)?" } ?? ""
        return unknownValue(of: name, "it has to be one of \(known.joined(separator: ", ")).\(hint)")
    }

    package static func unknownValue(of name: String, _ detail: String) -> Problem {
        invalid(
            "unknown_value", "The parameter \"\(name)\" has an unknown value: \(detail)",
            [Fault(parameter: name, code: "unknown_value", detail: detail)])
    }

    package static let headerTooLarge = Problem(
        .requestHeaderFieldsTooLarge, "header_too_large", "The header of the request is too large.")

    // MARK: 500, 501, 503

    package static let tooManyConnections: Problem = {
        var problem = Problem(.serviceUnavailable, "too_many_connections", "There are too many connections.")
        problem.headers[.retryAfter] = "5"
        return problem
    }()

    package static let internalError = Problem(.internalServerError, "internal_error", "An internal error occurred.")

    package static func notImplemented(_ detail: String) -> Problem {
        Problem(.notImplemented, "not_implemented", detail)
    }

    package static func unavailable(_ detail: String) -> Problem {
        var problem = Problem(.serviceUnavailable, "unavailable", detail)
        problem.headers[.retryAfter] = "5"
        return problem
    }
}

extension Problem {
    /// The body of the response (RFC 9457); `instance` is the request's path as it was sent.
    package func json(instance: String?) -> [UInt8] {
        var writer = JSONWriter()
        writer.beginObject()
        writer.member("type", "urn:fencepost:problem:\(code)")
        writer.member("title", status.reasonPhrase)
        writer.member("status", Int(status.code))
        writer.member("detail", detail)
        writer.member("instance", instance)
        writer.member("code", code)
        members?(&writer)
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
