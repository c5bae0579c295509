import CCurl
import Dispatch
import FencepostModel
import FencepostService
import Synchronization

/// Sends e-mail over SMTP with libcurl, to one checked address.
struct MailSender: Sendable {
    /// The address of a mail server: `smtp://` for STARTTLS, `smtps://` for TLS from the start.
    struct Server: Hashable, Sendable {
        var usesTLSFromStart: Bool
        var host: EndpointURL.Host
        var port: Int

        /// Parses the URL; its path has to be empty.
        init(_ text: String, guard addressGuard: AddressGuard) throws(EndpointURL.Failure) {
            let lower = text.lowercased()
            guard lower.hasPrefix("smtp://") || lower.hasPrefix("smtps://"), let colon = text.firstRange(of: "://")
            else { throw .notMail }
            usesTLSFromStart = lower.hasPrefix("smtps://")
            let url = try EndpointURL("https" + text[colon.lowerBound...], guard: addressGuard)
            guard url.path == "/" else { throw .badPath }
            host = url.host
            port = url.port ?? (usesTLSFromStart ? 465 : 587)
        }
    }

    /// One transfer.
    struct Transfer: Sendable {
        var server: Server
        var address: IPAddress
        var username: String?
        var password: String?
        /// Whether a server without STARTTLS may be used. Never with a password.
        var allowsPlain: Bool
        /// A PEM file of authorities that are trusted besides the system's; `nil` for none.
        var caFile: String?
        var mail: MailMessage
        /// Limits of the connection and of the whole transfer.
        var connect, total: Duration
    }

    private static let isReady = curl_global_init(Int(CURL_GLOBAL_DEFAULT)) == CURLE_OK
    private static let queue = DispatchQueue(label: "fencepost.mail", attributes: .concurrent)

    /// Makes one attempt. It ends early when the task is cancelled.
    func send(_ transfer: Transfer) async -> AttemptResult {
        let stop = StopFlag()
        return await withTaskCancellationHandler {
            await withCheckedContinuation { continuation in
                Self.queue.async { continuation.resume(returning: Self.perform(transfer, until: stop)) }
            }
        } onCancel: {
            stop.isRaised.store(true, ordering: .relaxed)
        }
    }

    /// Raised by the task, read by libcurl's progress function about once a second.
    private final class StopFlag: Sendable {
        let isRaised = Atomic(false)
    }

    private static func perform(_ transfer: Transfer, until stop: StopFlag) -> AttemptResult {
        guard isReady, let handle = curl_easy_init() else { return AttemptResult(failure: .reset) }
        defer { curl_easy_cleanup(handle) }
        let body = curl_mime_init(handle)
        defer { curl_mime_free(body) }
        let headers = list(transfer.mail.headers)
        defer { curl_slist_free_all(headers) }
        let recipients = list(transfer.mail.to.map { "<\($0)>" })
        defer { curl_slist_free_all(recipients) }
        let host = transfer.server.host.text
        let target = "\(host):\(transfer.server.port):\(bracketed(transfer.address)):\(transfer.server.port)"
        let route = list([target])
        defer { curl_slist_free_all(route) }

        let part = curl_mime_addpart(body)
        curl_mime_data(part, transfer.mail.text, transfer.mail.text.utf8.count)
        curl_mime_type(part, "text/plain; charset=utf-8")
        curl_mime_encoder(part, "base64")

        let message = UnsafeMutablePointer<CChar>.allocate(capacity: Int(CURL_ERROR_SIZE))
        message.initialize(repeating: 0, count: Int(CURL_ERROR_SIZE))
        defer { message.deallocate() }
        set(handle, transfer, host: host)
        fencepost_curl_set_list(handle, CURLOPT_HTTPHEADER, headers)
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
        guard code != CURLE_OK else { return AttemptResult(status: status == 0 ? nil : status) }
        let failure = failure(code, hasAnswer: status >= 400)
        return AttemptResult(
            status: failure == .status ? status : nil, failure: failure,
            excerpt: message[0] == 0 ? String(cString: curl_easy_strerror(code)) : String(cString: message))
    }

    private static func set(_ handle: UnsafeMutableRawPointer, _ transfer: Transfer, host: String) {
        let scheme = transfer.server.usesTLSFromStart ? "smtps" : "smtp"
        fencepost_curl_set_text(handle, CURLOPT_URL, "\(scheme)://\(host):\(transfer.server.port)/fencepost")
        fencepost_curl_set_text(handle, CURLOPT_PROTOCOLS_STR, "smtp,smtps")
        fencepost_curl_set_text(handle, CURLOPT_PROXY, "")
        fencepost_curl_set_text(handle, CURLOPT_MAIL_FROM, "<\(transfer.mail.from)>")
        // A password that was sent to a server without TLS would be everybody's.
        let allowsPlain = transfer.allowsPlain && transfer.password == nil
        fencepost_curl_set_number(
            handle, CURLOPT_USE_SSL, Int((allowsPlain ? CURLUSESSL_TRY : CURLUSESSL_ALL).rawValue))
        if let username = transfer.username { fencepost_curl_set_text(handle, CURLOPT_USERNAME, username) }
        if let password = transfer.password { fencepost_curl_set_text(handle, CURLOPT_PASSWORD, password) }
        if let file = transfer.caFile {
            fencepost_curl_set_text(handle, CURLOPT_CAINFO, file)
            fencepost_curl_set_text(handle, CURLOPT_CAPATH, "/etc/ssl/certs")
        }
        fencepost_curl_set_number(handle, CURLOPT_SSLVERSION, Int(CURL_SSLVERSION_TLSv1_2))
        fencepost_curl_set_number(handle, CURLOPT_NOSIGNAL, 1)
        fencepost_curl_set_number(handle, CURLOPT_CONNECTTIMEOUT_MS, Int(transfer.connect.milliseconds))
        fencepost_curl_set_number(handle, CURLOPT_TIMEOUT_MS, Int(transfer.total.milliseconds))
    }

    private static func list(_ texts: [String]) -> UnsafeMutablePointer<curl_slist>? {
        texts.reduce(nil) { curl_slist_append($0, $1) }
    }

    private static func bracketed(_ address: IPAddress) -> String {
        EndpointURL.Host.address(address).text
    }

    private static func failure(_ code: CURLcode, hasAnswer: Bool) -> DeliveryAttempt.Failure {
        switch code {
        case CURLE_COULDNT_CONNECT: .connect
        case CURLE_COULDNT_RESOLVE_HOST: .dns
        case CURLE_OPERATION_TIMEDOUT, CURLE_ABORTED_BY_CALLBACK: .timeout
        case CURLE_SSL_CONNECT_ERROR, CURLE_PEER_FAILED_VERIFICATION, CURLE_USE_SSL_FAILED, CURLE_SSL_CACERT_BADFILE,
            CURLE_SSL_CERTPROBLEM, CURLE_SSL_CIPHER:
            .tls
        default: hasAnswer ? .status : .reset
        }
    }
}
