import FencepostModel
import FencepostService
import FencepostWebhooks

/// A connection to a broker: what each kind of broker implements.
///
/// Its calls block. One thread at a time uses it, and the end of the object closes it.
protocol BrokerConnection: AnyObject {
    /// Whether another message can be published. After a message that the broker refused it usually can.
    var isUsable: Bool { get }

    /// Publishes a message and waits until the broker has it.
    ///
    /// - Parameters:
    ///   - message: the message.
    ///   - limit: how long to wait.
    /// - Throws: `BrokerFailure`. Without an answer the broker may have the message all the same.
    func publish(_ message: BrokerMessage, within limit: Duration) throws(BrokerFailure)
}

/// Why a connection or a message failed.
struct BrokerFailure: Error, Hashable {
    /// The class of failure that is stored (rule W12).
    var reason: DeliveryAttempt.Failure
    /// What the broker or its library says.
    var text: String

    init(_ reason: DeliveryAttempt.Failure, _ text: String) {
        (self.reason, self.text) = (reason, text)
    }

    /// The library of a broker is missing.
    static func library(package: UnsafePointer<CChar>, _ problem: UnsafePointer<CChar>) -> BrokerFailure {
        BrokerFailure(
            .library,
            "\(String(cString: problem)): install the package \(String(cString: package)) on this machine, such as with "
                + "apt install \(String(cString: package))")
    }
}

/// Where and as whom to connect. Endpoints with equal settings would have equal connections.
struct BrokerSettings: Hashable {
    var kind: Endpoint.Kind
    var url: String
    var destination: Endpoint.Destination
    var username, password, token: String?
    /// A PEM file of authorities that are trusted besides the system's; `nil` for none.
    var caFile: String?

    init(_ publication: Publication, url: String, caFile: String?) {
        (kind, destination, self.url, self.caFile) = (publication.kind, publication.destination, url, caFile)
        (username, password, token) = (publication.username, publication.password, publication.token)
    }
}

/// A broker whose addresses were looked up and are permitted.
struct BrokerTarget {
    struct Server {
        /// The name in the certificate: that of the URL, without brackets.
        var name: String
        var port: Int
        var addresses: [IPAddress]
    }

    var settings: BrokerSettings
    var url: BrokerURL
    var servers: [Server]
    var addressGuard: AddressGuard

    /// Longest time for the connection to one address.
    static let connectLimit = Duration.seconds(5)
    /// Largest number of addresses of a server that are tried.
    static let maximumAddresses = 3

    /// Connects to the first address that takes the connection.
    ///
    /// - Parameters:
    ///   - deadline: when to give up.
    ///   - open: connects to an address within a time.
    /// - Returns: the connection.
    /// - Throws: `BrokerFailure`, of the last address.
    func first<Connection>(
        until deadline: ContinuousClock.Instant,
        _ open: (Server, IPAddress, Duration) throws(BrokerFailure) -> Connection
    ) throws(BrokerFailure) -> Connection {
        var failure = BrokerFailure(.connect, "no address takes the connection")
        for server in servers {
            for address in server.addresses.prefix(Self.maximumAddresses) {
                let left = min(deadline - .now, Self.connectLimit)
                guard left > .zero else { throw BrokerFailure(.timeout, failure.text) }
                do throws(BrokerFailure) { return try open(server, address, left) } catch {
                    // Another server would refuse the same credentials, but may be up or have a better certificate.
                    guard error.reason != .login else { throw error }
                    failure = error
                }
            }
        }
        throw failure
    }

    func connect(until deadline: ContinuousClock.Instant) throws(BrokerFailure) -> any BrokerConnection {
        switch settings.kind {
        case .nats: try NATSBrokerConnection(to: self, until: deadline)
        case .redis: try RedisConnection(to: self, until: deadline)
        case .amqp: try AMQPConnection(to: self, until: deadline)
        case .kafka: try KafkaProducer(to: self)
        case .webhook, .mqtt, .ntfy, .gotify, .telegram, .slack, .discord, .email, .apprise:
            throw BrokerFailure(.blocked, "\(settings.kind.rawValue) is not a broker")
        }
    }
}

extension Duration {
    /// For C, whose times are numbers of milliseconds.
    var wholeMilliseconds: Int32 { max(1, Int32(clamping: milliseconds)) }
}

/// Room for the text of a C function.
func withText<Result>(_ body: (UnsafeMutablePointer<CChar>, Int) -> Result) -> (result: Result, text: String) {
    withUnsafeTemporaryAllocation(of: CChar.self, capacity: 512) { buffer in
        buffer.initialize(repeating: 0)
        guard let start = buffer.baseAddress else { preconditionFailure("a buffer of 512 bytes has an address") }
        let result = body(start, buffer.count)
        return (result, String(cString: start))
    }
}
