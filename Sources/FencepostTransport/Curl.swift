import CCurl

extension TransportFailure {
    /// The class of an error of libcurl; `nil` for none.
    ///
    /// - Parameters:
    ///   - code: the result of the transfer.
    ///   - handle: its handle, which knows how far the transfer came.
    init?(_ code: CURLcode, of handle: UnsafeMutableRawPointer) {
        let isConnected = fencepost_curl_time(handle, CURLINFO_CONNECT_TIME_T) > 0
        switch code {
        case CURLE_OK: return nil
        case CURLE_COULDNT_RESOLVE_HOST: self = .name
        case CURLE_COULDNT_CONNECT: self = .connect
        case CURLE_URL_MALFORMAT: self = .request
        // Also what libcurl says of a response that is not HTTP.
        case CURLE_UNSUPPORTED_PROTOCOL where !isConnected: self = .request
        case CURLE_OPERATION_TIMEDOUT where !isConnected: self = .connect
        case CURLE_OPERATION_TIMEDOUT, CURLE_ABORTED_BY_CALLBACK: self = .timeout
        case CURLE_SSL_CONNECT_ERROR, CURLE_PEER_FAILED_VERIFICATION, CURLE_USE_SSL_FAILED, CURLE_SSL_CACERT_BADFILE,
            CURLE_SSL_CERTPROBLEM, CURLE_SSL_CIPHER:
            self = .tls
        default: self = .reset
        }
    }
}

/// libcurl, initialised once for the process.
enum Curl {
    static let isReady = curl_global_init(Int(CURL_GLOBAL_DEFAULT)) == CURLE_OK

    /// A list that the caller frees.
    static func list(_ texts: [String]) -> UnsafeMutablePointer<curl_slist>? {
        texts.reduce(nil) { curl_slist_append($0, $1) }
    }

    /// What every transfer has: TLS 1.2 at least, no proxy of the environment, no signals, the authorities.
    static func configure(
        _ handle: UnsafeMutableRawPointer, protocols: String, authorities: String?, connect: Duration, total: Duration
    ) {
        fencepost_curl_set_text(handle, CURLOPT_PROTOCOLS_STR, protocols)
        fencepost_curl_set_text(handle, CURLOPT_PROXY, "")
        fencepost_curl_set_number(handle, CURLOPT_NOSIGNAL, 1)
        fencepost_curl_set_number(handle, CURLOPT_SSLVERSION, Int(CURL_SSLVERSION_TLSv1_2))
        if let authorities {
            fencepost_curl_set_text(handle, CURLOPT_CAINFO, authorities)
            fencepost_curl_set_text(handle, CURLOPT_CAPATH, "/etc/ssl/certs")
        }
        fencepost_curl_set_number(handle, CURLOPT_CONNECTTIMEOUT_MS, milliseconds(connect))
        fencepost_curl_set_number(handle, CURLOPT_TIMEOUT_MS, milliseconds(total))
    }

    /// At least one: zero is no limit to libcurl.
    private static func milliseconds(_ duration: Duration) -> Int {
        let parts = duration.components
        return max(1, Int(parts.seconds) * 1000 + Int(parts.attoseconds / 1_000_000_000_000_000))
    }
}
