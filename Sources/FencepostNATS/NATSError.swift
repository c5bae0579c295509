internal import CNATS

/// Why a call to NATS failed.
public enum NATSError: Error, Hashable, Sendable {
    /// A setting cannot be used; the text says which and why.
    case invalidSettings(String)
    /// No server took the connection, or it was lost, or no answer came in time. A change may have been made.
    case unavailable(String)
    /// JetStream refused the request, with its code and text.
    case refused(code: Int, String)
    /// What was asked for does not exist.
    case notFound
    /// The value or stream was changed by another client, or exists already.
    case conflict
    /// A stream exists with other settings; the text says which and how to mend it.
    case otherSettings(String)
    /// The servers are too old for what the log depends on.
    case unfit(String)
}

extension NATSError {
    /// Whether the same call may succeed a moment later, with nothing done: the servers do not answer, or choose a leader.
    public var isPassing: Bool {
        switch self {
        case .unavailable: true
        case .refused(let code, _): code == JetStreamCode.temporarilyUnavailable
        case .invalidSettings, .notFound, .conflict, .otherSettings, .unfit: false
        }
    }
}

extension NATSError: CustomStringConvertible {
    public var description: String {
        switch self {
        case .invalidSettings(let text), .unavailable(let text), .otherSettings(let text), .unfit(let text): text
        case .refused(let code, let text): "JetStream refuses (\(code)): \(text)"
        case .notFound: "it does not exist in NATS"
        case .conflict: "another client has changed it"
        }
    }

    /// The error of a status; `code` is JetStream's, or 0.
    init(_ status: natsStatus, code: jsErrCode = jsErrCode(rawValue: 0)) {
        let text = natsStatus_GetText(status).map { String(cString: $0) } ?? "status \(status.rawValue)"
        switch Int(code.rawValue) {
        case JetStreamCode.wrongLastSequence, JetStreamCode.wrongLastSequenceConstant, JetStreamCode.streamNameInUse:
            self = .conflict
        case JetStreamCode.noMessage, JetStreamCode.noStream:
            self = .notFound
        case 0:
            self = status == NATS_NOT_FOUND ? .notFound : .unavailable("NATS does not answer: \(text)")
        default:
            self = .refused(code: Int(code.rawValue), text)
        }
    }
}

/// The codes of JetStream's errors that are distinguished here.
enum JetStreamCode {
    static let wrongLastSequence = 10071
    static let wrongLastSequenceConstant = 10164
    static let duplicateInProcess = 10158
    static let noMessage = 10037
    static let noMessageToDelete = 10057
    static let noStream = 10059
    static let streamNameInUse = 10058
    /// The stream's limit, the account's or server's storage, and resources in general.
    static let full: Set<Int> = [10077, 10047, 10023, 10002]
    static let messageTooLarge = 10054
    static let temporarilyUnavailable = 10008
}
