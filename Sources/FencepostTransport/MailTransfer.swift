import CCurl
import Dispatch
import Synchronization

/// One e-mail to one mail server, over SMTP with libcurl.
public struct MailTransfer: Sendable {
    /// `true` for TLS from the start (`smtps`), `false` for STARTTLS.
    public var usesTLSFromStart = false
    /// The host for which certificates are verified, and the address to connect to, IPv6 in brackets.
    public var host, address: String
    /// The server's port.
    public var port: Int
    /// The account; `nil` for none.
    public var username, password: String?
    /// Whether a server without STARTTLS may be used. Never with a password.
    public var allowsPlain = false
    /// A PEM file of authorities that are trusted besides the system's; `nil` for none.
    public var authorities: String?
    /// The sender's address and the recipients'.
    public var from: String, to: [String]
    /// Header lines without line ends.
    public var headers: [String]
    /// The text in plain form.
    public var text: String
    /// A file that is sent with the text; `nil` for none.
    public var attachment: Attachment?
    /// Limits of the connection and of the whole transfer.
    public var connect = Duration.seconds(5), total = Duration.seconds(15)

    /// A file of a mail.
    public struct Attachment: Hashable, Sendable {
        /// The name of the file, in ASCII.
        public var name: String
        /// Its media type.
        public var type: String
        /// Its content.
        public var bytes: [UInt8]

        /// A file with its name and its type.
        public init(name: String, type: String, bytes: [UInt8]) {
            (self.name, self.type, self.bytes) = (name, type, bytes)
        }
    }

    /// What a transfer gave.
    public struct Result: Hashable, Sendable {
        /// The last response code of the server; `nil` without any.
        public var status: Int?
        /// `nil` when the server took the mail.
        public var failure: TransportFailure?
        /// What libcurl says of the failure.
        public var detail: String?
    }

    /// A transfer to the host at the address.
    ///
    /// More than five parameters, because a mail needs all of them.
    public init(
        host: String, address: String, port: Int, from: String, to: [String], headers: [String], text: String
    ) {
        self.host = host
        self.address = address
        self.port = port
        self.from = from
        self.to = to
        self.headers = headers
        self.text = text
    }

    private static let queue = DispatchQueue(label: "fencepost.mail", attributes: .concurrent)

    /// Makes one attempt. It ends early when the task is cancelled.
    public func send() async -> Result {
        let stop = StopFlag()
        return await withTaskCancellationHandler {
            await withCheckedContinuation { continuation in
                Self.queue.async { continuation.resume(returning: perform(until: stop)) }
            }
        } onCancel: {
            stop.isRaised.store(true, ordering: .relaxed)
        }
    }

    /// Raised by the task, read by libcurl's progress function about once a second.
    private final class StopFlag: Sendable {
        let isRaised = Atomic(false)
    }

    private func perform(until stop: StopFlag) -> Result {
        guard Curl.isReady, let handle = curl_easy_init() else { return Result(failure: .reset) }
        defer { curl_easy_cleanup(handle) }
        let body = curl_mime_init(handle)
        defer { curl_mime_free(body) }
        let lines = Curl.list(headers)
        defer { curl_slist_free_all(lines) }
        let recipients = Curl.list(to.map { "<\($0)>" })
        defer { curl_slist_free_all(recipients) }
        let route = Curl.list(["::\(address):"])
        defer { curl_slist_free_all(route) }

        let part = curl_mime_addpart(body)
        curl_mime_data(part, text, text.utf8.count)
        curl_mime_type(part, "text/plain; charset=utf-8")
        curl_mime_encoder(part, "base64")
        if let attachment {
            let part = curl_mime_addpart(body)
            attachment.bytes.withUnsafeBytes { bytes in
                // libcurl copies them.
                _ = curl_mime_data(part, bytes.baseAddress?.assumingMemoryBound(to: CChar.self), bytes.count)
            }
            curl_mime_filename(part, attachment.name)
            curl_mime_type(part, attachment.type)
            curl_mime_encoder(part, "base64")
        }

        let message = UnsafeMutablePointer<CChar>.allocate(capacity: Int(CURL_ERROR_SIZE))
        message.initialize(repeating: 0, count: Int(CURL_ERROR_SIZE))
        defer { message.deallocate() }
        configure(handle)
        fencepost_curl_set_list(handle, CURLOPT_HTTPHEADER, lines)
        fencepost_curl_set_list(handle, CURLOPT_MAIL_RCPT, recipients)
        fencepost_curl_set_list(handle, CURLOPT_CONNECT_TO, route)
        fencepost_curl_set_body(handle, body)
        fencepost_curl_set_buffer(handle, CURLOPT_ERRORBUFFER, message)
        // libcurl keeps an unretained pointer; `stop` outlives the transfer.
        fencepost_curl_set_progress(
            handle,
            { context, _, _, _, _ in
                guard let context else { return 0 }
                let stop = Unmanaged<StopFlag>.fromOpaque(context).takeUnretainedValue()
                return stop.isRaised.load(ordering: .relaxed) ? 1 : 0
            }, Unmanaged.passUnretained(stop).toOpaque())

        let code = withExtendedLifetime(stop) { curl_easy_perform(handle) }
        let status = Int(fencepost_curl_response_code(handle))
        var result = Result(status: status == 0 ? nil : status, failure: TransportFailure(code, of: handle))
        if result.failure != nil {
            result.detail = message[0] == 0 ? String(cString: curl_easy_strerror(code)) : String(cString: message)
        }
        return result
    }

    private func configure(_ handle: UnsafeMutableRawPointer) {
        Curl.configure(handle, protocols: "smtp,smtps", authorities: authorities, connect: connect, total: total)
        fencepost_curl_set_text(
            handle, CURLOPT_URL, "\(usesTLSFromStart ? "smtps" : "smtp")://\(host):\(port)/fencepost")
        fencepost_curl_set_text(handle, CURLOPT_MAIL_FROM, "<\(from)>")
        // A password that was sent to a server without TLS would be everybody's.
        let mayBePlain = allowsPlain && password == nil
        fencepost_curl_set_number(
            handle, CURLOPT_USE_SSL, Int((mayBePlain ? CURLUSESSL_TRY : CURLUSESSL_ALL).rawValue))
        if let username { fencepost_curl_set_text(handle, CURLOPT_USERNAME, username) }
        if let password { fencepost_curl_set_text(handle, CURLOPT_PASSWORD, password) }
    }
}
