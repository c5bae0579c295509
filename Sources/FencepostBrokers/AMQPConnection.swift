import CRabbitMQ
import FencepostModel
import FencepostService
import FencepostWebhooks

/// AMQP 0-9-1: persistent messages to an exchange, which the broker confirms.
final class AMQPConnection: BrokerConnection {
    /// Owned: the end of this object closes it.
    private let link: OpaquePointer
    private let exchange: String
    private(set) var isUsable = true

    init(to target: BrokerTarget, until deadline: ContinuousClock.Instant) throws(BrokerFailure) {
        if let problem = amqp_link_load() { throw .library(package: amqp_link_package, problem) }
        let settings = target.settings
        exchange = settings.destination.exchange ?? ""
        link = try target.first(until: deadline) { server, address, limit throws(BrokerFailure) in
            var created: OpaquePointer?
            let texts = [
                "\(address)", server.name, settings.caFile ?? "", target.url.path.isEmpty ? "/" : target.url.path,
                settings.username ?? "guest", settings.password ?? "guest",
            ]
            let (status, text) = CTexts.with(texts) { texts in
                var connection = amqp_link_settings()
                connection.address = texts[0]
                connection.port = Int32(server.port)
                connection.tls_name = target.url.isSecure ? texts[1] : nil
                connection.authorities = settings.caFile == nil ? nil : texts[2]
                (connection.host, connection.username, connection.password) = (texts[3], texts[4], texts[5])
                return withText { text, size in
                    amqp_link_open(&created, &connection, limit.wholeMilliseconds, text, size)
                }
            }
            guard let link = created else { throw BrokerFailure(status, text) }
            return link
        }
    }

    deinit { amqp_link_close(link) }

    func publish(_ message: BrokerMessage, within limit: Duration) throws(BrokerFailure) {
        // The prefix of the binding of CloudEvents to AMQP. The device is for exchanges that divide messages by a header.
        var headers = message.attributes.map { (name: "cloudEvents_" + $0.name, value: $0.value) }
        if let device = message.device { headers.append((name: "device", value: device)) }
        let texts = [exchange, message.address, message.id, message.type, message.contentType, message.body]
        let (status, text) = CTexts.with(texts + headers.map(\.name) + headers.map(\.value)) { texts in
            var sent = amqp_link_message()
            (sent.exchange, sent.routing_key, sent.message_id) = (texts[0], texts[1], texts[2])
            (sent.type, sent.content_type, sent.body) = (texts[3], texts[4], texts[5])
            sent.body_size = message.body.utf8.count
            sent.timestamp = UInt64(clamping: message.timestamp.milliseconds / 1000)
            sent.header_count = headers.count
            return texts.withUnsafeBufferPointer { all in
                let start = all.baseAddress
                sent.header_names = start.map { $0 + 6 }
                sent.header_values = start.map { $0 + 6 + headers.count }
                return withText { text, size in
                    amqp_link_publish(link, &sent, limit.wholeMilliseconds, text, size)
                }
            }
        }
        guard status != amqp_link_ok else { return }
        let failure = BrokerFailure(status, text)
        // A queue's refusal and a message that came back leave the channel open. Any other failure closes it.
        isUsable = status == amqp_link_full && !text.contains("takes no messages") || isReturned(status, text)
        throw failure
    }

    /// Whether the broker has returned the message, which leaves the channel open. It closes it for an exchange that does not exist.
    private func isReturned(_ status: amqp_link_status, _ text: String) -> Bool {
        status == amqp_link_unroutable && text == "NO_ROUTE"
    }
}

extension BrokerFailure {
    fileprivate init(_ status: amqp_link_status, _ text: String) {
        switch status {
        case amqp_link_connect: self.init(.connect, text)
        case amqp_link_tls: self.init(.tls, text)
        case amqp_link_login: self.init(.login, text)
        case amqp_link_timeout: self.init(.timeout, text)
        case amqp_link_unroutable: self.init(.unroutable, text == "NO_ROUTE" ? "no queue takes the message" : text)
        case amqp_link_full: self.init(.full, text)
        case amqp_link_size: self.init(.size, text)
        case amqp_link_refused: self.init(.refused, text)
        // `amqp_link_lost`: a C enum may have other values, and what follows from them is the same.
        default: self.init(.reset, text)
        }
    }
}
