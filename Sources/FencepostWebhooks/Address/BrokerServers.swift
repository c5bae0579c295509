public import FencepostService

/// The servers in the URL of a message broker, each read as strictly as the host of a webhook.
public struct BrokerServers: Hashable, Sendable {
    /// A server.
    public struct Server: Hashable, Sendable {
        /// A name or a literal address.
        public let host: EndpointURL.Host
        /// The port, also where the URL has none.
        public let port: Int
    }

    /// The URL in its parts.
    public let url: BrokerURL
    /// The servers, at least one.
    public let servers: [Server]

    /// Parses the URL of an endpoint; no name is looked up.
    ///
    /// - Parameters:
    ///   - text: the URL.
    ///   - kind: the kind of the endpoint.
    ///   - addressGuard: which addresses are permitted, with and without TLS.
    /// - Throws: also when the guard does not permit the scheme or a literal address.
    public init(
        _ text: String, of kind: Endpoint.Kind, guard addressGuard: AddressGuard
    ) throws(BrokerURL.Failure) {
        let url = try BrokerURL(text, of: kind)
        var servers: [Server] = []
        for server in url.servers {
            do throws(EndpointURL.Failure) {
                let parsed = try EndpointURL((url.isSecure ? "https://" : "http://") + server, guard: addressGuard)
                servers.append(Server(host: parsed.host, port: parsed.port ?? url.defaultPort))
            } catch {
                guard error == .httpNotAllowed else { throw BrokerURL.Failure(description: error.description) }
                throw BrokerURL.Failure(
                    description: "\(url.plainScheme) is not allowed here: use \(url.secureScheme), or set "
                        + "webhooks.allowHTTP")
            }
        }
        (self.url, self.servers) = (url, servers)
    }
}
