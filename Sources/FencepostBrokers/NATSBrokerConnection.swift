import FencepostModel
import FencepostNATS
import FencepostService
import FencepostWebhooks
import Foundation

/// NATS: subjects, and streams of JetStream.
final class NATSBrokerConnection: BrokerConnection {
    private let publisher: NATSPublisher
    private let isStored: Bool

    init(to target: BrokerTarget, until deadline: ContinuousClock.Instant) throws(BrokerFailure) {
        let settings = target.settings
        isStored = settings.destination.usesJetStream
        let authorities = target.url.isSecure ? TrustedCertificates.text(with: settings.caFile) : ""
        publisher = try target.first(until: deadline) { server, address, limit throws(BrokerFailure) in
            let host = EndpointURL.Host.address(address).text
            var connection = NATSPublisher.Settings(address: "\(host):\(server.port)")
            connection.certifiedName = target.url.isSecure ? server.name : nil
            connection.authorities = authorities
            (connection.username, connection.password) = (settings.username, settings.password)
            connection.token = settings.token
            connection.timeout = limit
            do throws(NATSPublisher.Failure) { return try NATSPublisher(connection) } catch {
                throw BrokerFailure(error, isStored: true)
            }
        }
    }

    var isUsable: Bool { publisher.isUsable }

    func publish(_ message: BrokerMessage, within limit: Duration) throws(BrokerFailure) {
        // The header fields of the binding of CloudEvents to NATS, whose values are percent-encoded as those of HTTP.
        let attributes = message.attributes.map { (name: "ce-" + $0.name, value: BrokerHeaders.encoded($0.value)) }
        do throws(NATSPublisher.Failure) {
            try publisher.publish(
                Array(message.body.utf8), to: message.address,
                headers: [("content-type", message.contentType)] + attributes, id: message.id, isStored: isStored,
                within: limit)
        } catch {
            throw BrokerFailure(error, isStored: isStored)
        }
    }
}

extension BrokerFailure {
    init(_ failure: NATSPublisher.Failure, isStored: Bool) {
        switch failure.reason {
        case .connect: self.init(.connect, failure.text)
        case .tls: self.init(.tls, failure.text)
        case .login: self.init(.login, failure.text)
        case .lost: self.init(.reset, failure.text)
        case .timeout: self.init(.timeout, failure.text)
        case .unroutable:
            self.init(
                .unroutable, "no stream of JetStream has the subject: add it to one, or set \"jetStream\" to false")
        case .full: self.init(.full, failure.text)
        case .size: self.init(.size, failure.text)
        case .refused: self.init(.refused, failure.text)
        }
    }
}

/// The authorities whose certificates a library trusts that takes them as one text.
enum TrustedCertificates {
    /// The certificates of Debian's package ca-certificates, which OpenSSL trusts otherwise.
    private static let systemFile = "/etc/ssl/certs/ca-certificates.crt"

    /// Those of the system and of a file, as PEM.
    static func text(with file: String?) -> String {
        [systemFile, file].compactMap { path in path.flatMap { try? String(contentsOfFile: $0, encoding: .utf8) } }
            .joined(separator: "\n")
    }
}

/// Values of header fields.
enum BrokerHeaders {
    /// Percent-encodes what is not printable ASCII, and what the bindings of CloudEvents name: space, quote and percent.
    static func encoded(_ value: String) -> String {
        value.utf8.map { byte in
            let isPlain = byte > 0x20 && byte < 0x7F && byte != UInt8(ascii: "\"") && byte != UInt8(ascii: "%")
            guard !isPlain else { return String(UnicodeScalar(byte)) }
            return "%" + (byte < 16 ? "0" : "") + String(byte, radix: 16, uppercase: true)
        }.joined()
    }
}
