/// How to connect to NATS.
public struct NATSSettings: Hashable, Sendable {
    /// The servers, at least one, as `nats://host:4222` or `tls://host:4222`; the library goes on to the next when one is lost.
    public var servers: [String]
    /// The name of this client in the servers' lists of connections.
    public var name: String
    /// A file with the user's credentials (JWT and seed), or `nil` for none.
    public var credentialsFile: String?
    /// The certificates of the authorities to trust, as a PEM file; `nil` for those of the system. Requires TLS when given.
    public var certificateFile: String?
    /// How long one request waits for its answer, at least 1 ms.
    public var timeout: Duration

    /// Creates settings.
    public init(
        servers: [String], name: String = "fencepost", credentialsFile: String? = nil, certificateFile: String? = nil,
        timeout: Duration = .seconds(2)
    ) {
        self.servers = servers
        self.name = name
        self.credentialsFile = credentialsFile
        self.certificateFile = certificateFile
        self.timeout = timeout
    }

    /// The address of a server without the user and the password that it may have, for messages.
    static func withoutPassword(_ server: String) -> String {
        guard let at = server.lastIndex(of: "@") else { return server }
        let scheme = server.firstRange(of: "://").map { server[..<$0.upperBound] } ?? ""
        return String(scheme + server[server.index(after: at)...])
    }

    var milliseconds: Int64 { max(1, Int64(timeout / .milliseconds(1))) }
}
