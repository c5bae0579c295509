internal import CNATS

/// A connection that publishes to subjects, one message at a time. Its calls block.
///
/// The library does not connect again, and not to servers that others name: the address was checked, and a new connection needs a
/// new check.
public final class NATSPublisher {
    /// Where and as whom to connect.
    public struct Settings: Hashable, Sendable {
        /// An IP address, in brackets for IPv6, and a port.
        public var address: String
        /// The name in the server's certificate; `nil` for a connection without TLS.
        public var certifiedName: String?
        /// The certificates of trusted authorities as PEM text, for TLS.
        public var authorities = ""
        /// The user and the password; both or none.
        public var username, password: String?
        /// The token; `nil` for none.
        public var token: String?
        /// How long to wait for the connection.
        public var timeout = Duration.seconds(5)

        /// Settings without TLS and credentials.
        ///
        /// - Parameter address: an IP address, in brackets for IPv6, and a port.
        public init(address: String) { self.address = address }
    }

    /// Why a message or a connection failed.
    public struct Failure: Error, Hashable, Sendable {
        /// The class of a failure.
        public enum Reason: Hashable, Sendable {
            /// No connection; no TLS; the credentials are refused; the connection was lost; no answer in time.
            case connect, tls, login, lost, timeout
            /// No stream has the subject; the stream is full; the message is too large; another refusal.
            case unroutable, full, size, refused
        }

        /// The class.
        public let reason: Reason
        /// The library's or the server's text.
        public let text: String
    }

    private let handle: OpaquePointer
    private let jetStream: OpaquePointer

    /// Connects.
    ///
    /// - Parameter settings: where and as whom.
    /// - Throws: `Failure`.
    public init(_ settings: Settings) throws(Failure) {
        var created: OpaquePointer?
        guard natsOptions_Create(&created) == NATS_OK, let options = created else {
            throw Failure(reason: .connect, text: "no memory for a connection")
        }
        defer { natsOptions_Destroy(options) }
        let statuses = [
            natsOptions_SetURL(options, (settings.certifiedName == nil ? "nats://" : "tls://") + settings.address),
            natsOptions_SetName(options, "fencepost"),
            natsOptions_SetTimeout(options, max(1, Int64(settings.timeout / .milliseconds(1)))),
            natsOptions_SetAllowReconnect(options, false),
            natsOptions_SetIgnoreDiscoveredServers(options, true),
            natsOptions_SetSendAsap(options, true),
            // A connection whose server stopped without a word is noticed within ten seconds.
            natsOptions_SetPingInterval(options, 5000),
            natsOptions_SetMaxPingsOut(options, 1),
            settings.token.map { natsOptions_SetToken(options, $0) } ?? NATS_OK,
            settings.username.map { natsOptions_SetUserInfo(options, $0, settings.password ?? "") } ?? NATS_OK,
            settings.certifiedName.map { Self.secure(options, name: $0, authorities: settings.authorities) } ?? NATS_OK,
        ]
        if let status = statuses.first(where: { $0 != NATS_OK }) {
            throw Failure(reason: settings.certifiedName == nil ? .connect : .tls, text: Self.text(status))
        }
        var connection: OpaquePointer?
        let status = natsConnection_Connect(&connection, options)
        guard status == NATS_OK, let handle = connection else {
            natsConnection_Destroy(connection)
            throw Failure(reason: Self.reason(ofConnection: status), text: Self.text(status))
        }
        var context: OpaquePointer?
        guard natsConnection_JetStream(&context, handle, nil) == NATS_OK, let context else {
            natsConnection_Destroy(handle)
            throw Failure(reason: .connect, text: "no memory for JetStream")
        }
        (self.handle, jetStream) = (handle, context)
    }

    deinit {
        jsCtx_Destroy(jetStream)
        natsConnection_Destroy(handle)
    }

    /// Whether the connection can be used: the server is there, and has refused no earlier message for want of a permission, which the
    /// library remembers for ever.
    public var isUsable: Bool { natsConnection_Status(handle) == NATS_CONN_STATUS_CONNECTED && refusal == nil }

    /// Publishes a message and waits until the server has it.
    ///
    /// More than five parameters, because each is a part of the message or how it is sent.
    ///
    /// - Parameters:
    ///   - body: the bytes.
    ///   - subject: the subject.
    ///   - headers: the header fields.
    ///   - id: a stream drops a second message with it, for as long as its `duplicate_window` says.
    ///   - isStored: whether a stream of JetStream has to acknowledge it.
    ///   - limit: how long to wait.
    /// - Throws: `Failure`. The message may have been stored all the same, where no answer came.
    public func publish(
        _ body: [UInt8], to subject: String, headers: [(name: String, value: String)], id: String, isStored: Bool,
        within limit: Duration
    ) throws(Failure) {
        var created: OpaquePointer?
        let made = body.withUnsafeBytes {
            natsMsg_Create(&created, subject, nil, $0.baseAddress?.assumingMemoryBound(to: CChar.self), Int32($0.count))
        }
        guard made == NATS_OK, let message = created else { throw Failure(reason: .refused, text: Self.text(made)) }
        defer { natsMsg_Destroy(message) }
        for (name, value) in headers + [("Nats-Msg-Id", id)] {
            let status = natsMsgHeader_Set(message, name, value)
            guard status == NATS_OK else { throw Failure(reason: .refused, text: Self.text(status)) }
        }
        let milliseconds = max(1, Int64(limit / .milliseconds(1)))
        var code = jsErrCode(rawValue: 0)
        let status: natsStatus
        var text = ""
        if isStored {
            var options = jsPubOptions()
            jsPubOptions_Init(&options)
            options.MaxWait = milliseconds
            status = js_PublishMsg(nil, jetStream, message, &options, &code)
            // The library keeps the server's text for the thread that called.
            if status != NATS_OK { text = nats_GetLastError(nil).map { String(cString: $0) } ?? "" }
        } else {
            let sent = natsConnection_PublishMsg(handle, message)
            status = sent == NATS_OK ? natsConnection_FlushTimeout(handle, milliseconds) : sent
        }
        if let refusal { throw Failure(reason: .refused, text: refusal) }
        guard status != NATS_OK else { return }
        throw Failure(reason: Self.reason(of: status, code), text: text.isEmpty ? Self.text(status) : text)
    }

    /// The server's text when it has refused a message for want of a permission.
    private var refusal: String? {
        var text: UnsafePointer<CChar>?
        guard natsConnection_GetLastError(handle, &text) == NATS_NOT_PERMITTED else { return nil }
        return text.map { String(cString: $0) } ?? "not permitted"
    }

    private static func secure(_ options: OpaquePointer, name: String, authorities: String) -> natsStatus {
        let status = natsOptions_SetSecure(options, true)
        guard status == NATS_OK else { return status }
        let trusted = natsOptions_SetCATrustedCertificates(options, authorities)
        return trusted == NATS_OK ? natsOptions_SetExpectedHostname(options, name) : trusted
    }

    private static func text(_ status: natsStatus) -> String {
        natsStatus_GetText(status).map { String(cString: $0) } ?? "status \(status.rawValue)"
    }

    private static func reason(ofConnection status: natsStatus) -> Failure.Reason {
        switch status {
        case NATS_SSL_ERROR, NATS_SECURE_CONNECTION_WANTED, NATS_SECURE_CONNECTION_REQUIRED: .tls
        case NATS_CONNECTION_AUTH_FAILED, NATS_NOT_PERMITTED: .login
        case NATS_TIMEOUT: .timeout
        // The others of the library have to do with a connection.
        default: .connect
        }
    }

    private static func reason(of status: natsStatus, _ code: jsErrCode) -> Failure.Reason {
        // JetStream's code is that of its account here, which says less.
        if status == NATS_NO_RESPONDERS { return .unroutable }
        let code = Int(code.rawValue)
        if JetStreamCode.full.contains(code) { return .full }
        if code == JetStreamCode.messageTooLarge || status == NATS_MAX_PAYLOAD { return .size }
        if code != 0 { return .refused }
        // The others of the library have to do with a connection.
        return status == NATS_TIMEOUT ? .timeout : .lost
    }
}
