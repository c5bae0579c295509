/// One HTTP/1.1 request to one URL.
public struct HTTPClientRequest: Sendable {
    /// A method such as `POST`.
    public var method: String
    /// An absolute URL with the scheme `http` or `https`, percent-encoded. Redirects are not followed.
    public var url: String
    /// Header fields in the order in which they are sent. `Host` and `Content-Length` follow from the URL and the body.
    public var headers: [(name: String, value: String)]
    /// The body; `nil` for none.
    public var body: [UInt8]?
    /// Where to connect: the host of the URL when `nil`. Certificates are verified for the host of the URL.
    public var route: Route?
    /// Maximum time until the connection is there, its TLS handshake included.
    public var connect = Duration.seconds(10)
    /// Maximum time from the start to the end of the response.
    public var total = Duration.seconds(30)
    /// Whether the body is decompressed. It also offers the server the codings that libcurl knows, unless `headers` do.
    public var isDecompressed = false
    /// Called with the body so far; `true` ends the transfer, which counts as a complete response.
    public var isEnough: @Sendable (_ body: [UInt8]) -> Bool = { _ in false }

    /// What replaces the host of the URL as the other end of the connection.
    public enum Route: Hashable, Sendable {
        /// A literal address; IPv6 in brackets.
        case address(String)
        /// The path of a Unix domain socket.
        case socket(String)
    }

    /// A request without headers.
    public init(_ method: String, _ url: String, body: [UInt8]? = nil) {
        self.method = method
        self.url = url
        self.headers = []
        self.body = body
    }

    /// Replaces the fields of that name, without regard to case, by one.
    public mutating func setHeader(_ name: String, _ value: String) {
        headers.removeAll { $0.name.lowercased() == name.lowercased() }
        headers.append((name, value))
    }
}

/// The response to a request, as far as it arrived.
public struct HTTPClientResponse: Sendable {
    /// The status, from 100 to 999.
    public var status: Int
    /// Header fields in the order in which they arrived.
    public var headers: [(name: String, value: String)]
    /// The body, decompressed only where the request says so.
    public var body: [UInt8]

    /// The first field of that name, without regard to case.
    public func header(_ name: String) -> String? {
        headers.first { $0.name.lowercased() == name.lowercased() }?.value
    }
}

/// Why a transfer did not end as it should.
public enum TransportFailure: Error, Hashable, Sendable, CustomStringConvertible {
    /// The request itself is not valid: a header with a line end, a URL that libcurl cannot parse.
    case request
    /// The name of the host has no address.
    case name
    /// No connection, or not in time.
    case connect
    /// No TLS connection: the handshake failed, or the certificate is not trusted, or not for this host.
    case tls
    /// The time was over, or the task was cancelled.
    case timeout
    /// The connection ended early, or the other side does not speak the protocol.
    case reset

    /// What happened, for people.
    public var description: String {
        switch self {
        case .request: "the URL is not valid"
        case .name: "its name has no address"
        case .connect: "no connection; does the service run there?"
        case .tls: "no TLS connection: its certificate is not trusted, or it does not speak TLS"
        case .timeout: "no answer in time"
        case .reset: "the connection ended early"
        }
    }
}

/// What an HTTP transfer gave.
public struct HTTPClientResult: Sendable {
    /// The response, if its header was complete.
    public var response: HTTPClientResponse?
    /// `nil` when the response is complete.
    public var failure: TransportFailure?

    /// The response.
    ///
    /// - Returns: the response, if it is complete.
    /// - Throws: the failure otherwise.
    public func complete() throws(TransportFailure) -> HTTPClientResponse {
        if let failure { throw failure }
        guard let response else { throw .reset }
        return response
    }
}
