import Foundation

/// The URL of a message broker, split into its parts: `scheme://host:port,host:port/path`.
///
/// Whether a host is a name or an address, and one that messages may go to, is checked where messages are sent.
public struct BrokerURL: Hashable, Sendable {
    /// Why a text is not the URL of a broker.
    public struct Failure: Error, Hashable, Sendable, CustomStringConvertible {
        /// The reason in one sentence for people.
        public let description: String

        /// A reason.
        public init(description: String) { self.description = description }
    }

    /// Whether the scheme is that of TLS.
    public let isSecure: Bool
    /// The schemes of the kind without and with TLS.
    public let plainScheme, secureScheme: String
    /// The servers, at least one, each as `host` or `host:port`.
    public let servers: [String]
    /// The port of a server that names none.
    public let defaultPort: Int
    /// The path without its first slash, decoded: the database of Redis, the virtual host of AMQP, the topic of Kafka; empty
    /// without one.
    public let path: String

    /// Splits the URL of an endpoint.
    ///
    /// - Parameters:
    ///   - text: the URL.
    ///   - kind: the kind of the endpoint.
    /// - Throws: `Failure`, also for a kind that is not a broker.
    public init(_ text: String, of kind: Endpoint.Kind) throws(Failure) {
        guard let broker = kind.broker else { throw Failure(description: "\(kind.rawValue) is not a broker") }
        guard text.utf8.count <= 2048 else { throw Failure(description: "the URL is longer than 2048 characters") }
        guard text.utf8.allSatisfy({ $0 > 0x20 && $0 < 0x7F }), let colon = text.firstRange(of: "://") else {
            throw Failure(description: "the text is not a URL in ASCII, such as \(broker.example)")
        }
        let scheme = text[..<colon.lowerBound].lowercased()
        guard scheme == broker.plainScheme || scheme == broker.secureScheme else {
            throw Failure(
                description: "the scheme \(scheme.debugDescription) is not one of \(broker.name): write "
                    + "\(broker.plainScheme)://, or \(broker.secureScheme):// for TLS")
        }
        isSecure = scheme == broker.secureScheme
        (plainScheme, secureScheme) = (broker.plainScheme, broker.secureScheme)
        defaultPort = isSecure ? broker.securePort : broker.plainPort
        let rest = text[colon.upperBound...]
        let end = rest.firstIndex { "/?#".contains($0) } ?? rest.endIndex
        guard !rest.contains("@") else {
            throw Failure(
                description: "the URL must not contain a user name or password: write them as \"username\" and "
                    + "\"password\", which are never shown")
        }
        servers = rest[..<end].split(separator: ",", omittingEmptySubsequences: false).map(String.init)
        guard servers.count == 1 || broker.hasSeveralServers else {
            throw Failure(description: "the URL of \(broker.name) names one server, such as \(broker.example)")
        }
        guard servers.count <= 16, !servers.contains("") else {
            throw Failure(description: "the URL has to name 1 to 16 servers, such as \(broker.example)")
        }
        guard !rest[end...].contains(where: { $0 == "?" || $0 == "#" }),
            let path = String(rest[end...].dropFirst()).removingPercentEncoding
        else {
            throw Failure(description: "the URL must not have a query, a fragment or an incomplete \"%\" sequence")
        }
        self.path = path
        try check(path, of: kind)
    }

    private func check(_ path: String, of kind: Endpoint.Kind) throws(Failure) {
        switch kind {
        case .nats where !path.isEmpty:
            throw Failure(description: "the URL of NATS has no path: write the subject as \"subject\"")
        case .redis where !path.isEmpty && database == nil:
            throw Failure(description: "the path of the URL has to be the number of a database, such as redis://host/0")
        case .amqp where path.utf8.count > 255 || path.unicodeScalars.contains { $0.value < 0x20 }:
            throw Failure(
                description: "the path of the URL has to be the name of a virtual host, such as amqps://host/vhost")
        case .kafka where path.isEmpty:
            throw Failure(description: "the URL names no topic: write it as kafka://host:9092/my-topic")
        case .nats, .redis, .amqp, .kafka, .webhook, .mqtt, .ntfy, .gotify, .telegram, .slack, .discord, .email,
            .apprise:
            break
        }
    }

    /// The database of Redis: 0 without a path; `nil` when the path is not a number from 0 to 65535.
    public var database: Int? {
        if path.isEmpty { return 0 }
        guard path.utf8.count <= 5, path.utf8.allSatisfy({ (48...57).contains($0) }), let number = Int(path) else {
            return nil
        }
        return number <= 65_535 ? number : nil
    }
}
