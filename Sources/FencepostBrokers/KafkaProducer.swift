import CRdKafka
import FencepostModel
import FencepostService
import FencepostWebhooks

#if canImport(Darwin)
    import Darwin
#else
    import Glibc
#endif

/// Kafka: an idempotent producer, which keeps the order of each device's messages by their key.
///
/// The library connects to every broker of the cluster, also to those that it learns of. It asks for each connection.
final class KafkaProducer: BrokerConnection {
    /// Decides about addresses, on the library's threads.
    private final class Permission: Sendable {
        let addressGuard: AddressGuard
        let isPlain: Bool

        init(_ addressGuard: AddressGuard, isPlain: Bool) {
            (self.addressGuard, self.isPlain) = (addressGuard, isPlain)
        }

        func permits(_ address: UnsafePointer<sockaddr>) -> Bool {
            guard let address = IPAddress(address) else { return false }
            return addressGuard.permits(address) && (!isPlain || addressGuard.permitsHTTP(to: address))
        }
    }

    /// Owned: the end of this object closes it.
    private let link: OpaquePointer
    /// The library has a pointer to it as long as the link lives.
    private let permission: Permission
    private(set) var isUsable = true

    init(to target: BrokerTarget) throws(BrokerFailure) {
        if let problem = kafka_link_load() { throw .library(package: kafka_link_package, problem) }
        let permission = Permission(target.addressGuard, isPlain: !target.url.isSecure)
        let pairs = Self.options(of: target)
        var created: OpaquePointer?
        let (status, text) = CTexts.with(pairs.map(\.name) + pairs.map(\.value)) { texts in
            texts.withUnsafeBufferPointer { all in
                var settings = kafka_link_settings()
                settings.count = pairs.count
                settings.names = all.baseAddress
                settings.values = all.baseAddress.map { $0 + pairs.count }
                settings.context = Unmanaged.passUnretained(permission).toOpaque()
                settings.permits = { address, context in
                    guard let address, let context else { return 0 }
                    return Unmanaged<Permission>.fromOpaque(context).takeUnretainedValue().permits(address) ? 1 : 0
                }
                return withText { text, size in kafka_link_open(&created, &settings, text, size) }
            }
        }
        guard let link = created else { throw BrokerFailure(status, text) }
        (self.link, self.permission) = (link, permission)
    }

    deinit { withExtendedLifetime(permission) { kafka_link_close(link) } }

    private static func options(of target: BrokerTarget) -> [(name: String, value: String)] {
        let settings = target.settings
        let servers = target.servers.map { server in
            (server.name.contains(":") ? "[\(server.name)]" : server.name) + ":\(server.port)"
        }
        var options = [
            ("bootstrap.servers", servers.joined(separator: ",")),
            ("client.id", "fencepost"),
            // The cluster stores each message once and in order, also where an answer is lost.
            ("enable.idempotence", "true"),
            // Messages come one at a time, so that nothing is gained by waiting for more.
            ("linger.ms", "0"),
            ("message.timeout.ms", "10000"),
            ("socket.connection.setup.timeout.ms", "5000"),
            ("reconnect.backoff.max.ms", "1000"),
            ("topic.metadata.refresh.sparse", "true"),
            // As the producer of Kafka for Java divides keys, so that other programs find a device in the same partition.
            ("partitioner", "murmur2_random"),
            ("log.connection.close", "false"),
        ]
        let protocolName = settings.username == nil ? "" : "SASL_"
        options.append(("security.protocol", protocolName + (target.url.isSecure ? "SSL" : "PLAINTEXT")))
        if target.url.isSecure {
            options.append(("ssl.endpoint.identification.algorithm", "https"))
            options.append(("ssl.ca.pem", TrustedCertificates.text(with: settings.caFile)))
        }
        if let username = settings.username {
            options += [
                ("sasl.mechanism", (settings.destination.mechanism ?? .plain).rawValue),
                ("sasl.username", username), ("sasl.password", settings.password ?? ""),
            ]
        }
        return options
    }

    func publish(_ message: BrokerMessage, within limit: Duration) throws(BrokerFailure) {
        // The header fields of the binding of CloudEvents to Kafka.
        var headers = [
            (name: "content-type", value: message.contentType), (name: "message-id", value: message.id),
        ]
        headers += message.attributes.map { (name: "ce_" + $0.name, value: $0.value) }
        let texts = [message.address, message.body, message.device ?? ""]
        let (status, text) = CTexts.with(texts + headers.map(\.name) + headers.map(\.value)) { texts in
            texts.withUnsafeBufferPointer { all in
                var sent = kafka_link_message()
                (sent.topic, sent.body, sent.body_size) = (texts[0], texts[1], message.body.utf8.count)
                sent.key = message.device == nil ? nil : texts[2]
                sent.timestamp = message.timestamp.milliseconds
                sent.header_count = headers.count
                sent.header_names = all.baseAddress.map { $0 + 3 }
                sent.header_values = all.baseAddress.map { $0 + 3 + headers.count }
                return withText { text, size in
                    kafka_link_publish(link, &sent, limit.wholeMilliseconds, text, size)
                }
            }
        }
        guard status != kafka_link_ok else { return }
        let failure = BrokerFailure(status, text)
        // The library connects again itself. After an error that it calls fatal another producer has to begin.
        isUsable = failure.reason != .reset && failure.reason != .timeout
        throw failure
    }
}

extension BrokerFailure {
    fileprivate init(_ status: kafka_link_status, _ text: String) {
        switch status {
        case kafka_link_connect: self.init(.connect, text)
        case kafka_link_tls: self.init(.tls, text)
        case kafka_link_login: self.init(.login, text)
        case kafka_link_timeout: self.init(.timeout, text)
        case kafka_link_unroutable: self.init(.unroutable, text)
        case kafka_link_full: self.init(.full, text)
        case kafka_link_size: self.init(.size, text)
        case kafka_link_refused: self.init(.refused, text)
        case kafka_link_blocked: self.init(.blocked, text)
        // `kafka_link_lost`: a C enum may have other values, and what follows from them is the same.
        default: self.init(.reset, text)
        }
    }
}

extension IPAddress {
    /// The address of a socket; `nil` for one that is not of the internet.
    init?(_ address: UnsafePointer<sockaddr>) {
        switch Int32(address.pointee.sa_family) {
        case AF_INET:
            self = address.withMemoryRebound(to: sockaddr_in.self, capacity: 1) {
                .v4(UInt32(bigEndian: $0.pointee.sin_addr.s_addr))
            }
        case AF_INET6:
            self = address.withMemoryRebound(to: sockaddr_in6.self, capacity: 1) { address in
                withUnsafeBytes(of: address.pointee.sin6_addr) { bytes in
                    .v6(bytes.reduce(UInt128(0)) { $0 << 8 | UInt128($1) })
                }
            }
        // The library makes no other sockets.
        default: return nil
        }
    }
}
