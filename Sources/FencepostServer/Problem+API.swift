import FencepostFormats
import FencepostGeometry
import FencepostHTTP
import FencepostJSON
import FencepostModel
import FencepostService
import HTTPTypes

/// The failures of Fencepost's own API.
extension Problem {
    // MARK: 401, 403

    static let sessionEnded = unauthorized("The session has ended. Sign in again.", mayUseBasic: false)

    static let wrongPassword: Problem = {
        var problem = Problem(.unauthorized, "wrong_password", "The name or the password is wrong.")
        problem.headers.append(HTTPField(name: .wwwAuthenticate, value: "Bearer realm=\"fencepost\""))
        return problem
    }()

    static let otherDevice = Problem(
        .forbidden, "other_device", "The token is bound to a device, and the request is about another device.")

    // MARK: 421, 422, 429

    /// A request to the service of a partition about a device of another one.
    static let otherPartition = Problem(
        .misdirectedRequest, "other_partition", "Another partition of the cluster has the device.")

    /// No record of a body is valid. What an answer about others of them says is in this one too.
    static func allRejected(_ rejected: [IngestRejection]) -> Problem {
        let reason = rejected.first.map { "\($0.rejection.message)." } ?? ""
        let what =
            rejected.count == 1
            ? "The location is invalid" : "All \(rejected.count) locations are invalid, and none was stored. The first"
        var problem = invalid("all_rejected", "\(what): \(reason)")
        if !rejected.isEmpty {
            problem.members = { writer in
                writer.member("accepted", 0)
                writer.member("duplicates", 0)
                writer.array("rejected", rejected) { $0.value($1) }
            }
        }
        return problem
    }

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

    // MARK: 404, 501, 502, 503

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
