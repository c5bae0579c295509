import CMosquitto
import FencepostService
import Glibc

/// The authorities whose certificates a client trusts: a file or a folder of the machine, or a text.
///
/// libmosquitto takes a path, and reads it at each connection, so this lasts as long as the client.
final class TrustedAuthorities: Sendable {
    private let file, folder: String?
    /// A file in memory with the text, since the service need not have a folder that it may write to.
    private let descriptor: CInt?

    /// - Throws: an `MQTTError` when the text cannot be kept in memory.
    init(_ settings: MQTTSettings) throws(MQTTError) {
        guard let text = settings.certificate else {
            file = settings.certificateFile
            folder = file == nil ? "/etc/ssl/certs" : nil
            descriptor = nil
            return
        }
        let descriptor = memfd_create("broker-authorities", UInt32(closes_on_exec))
        let bytes = Array(text.utf8)
        guard descriptor >= 0, write(descriptor, bytes, bytes.count) == bytes.count else {
            if descriptor >= 0 { close(descriptor) }
            throw .failed(BrokerFailure(.lost, "no memory for the certificate"))
        }
        self.descriptor = descriptor
        (file, folder) = ("/proc/self/fd/\(descriptor)", nil)
    }

    deinit { if let descriptor { close(descriptor) } }

    /// Has a client trust them, over an encrypted connection.
    ///
    /// - Throws: `MQTTError.invalidSettings` when they cannot be read.
    func trust(by client: OpaquePointer) throws(MQTTError) {
        guard mosquitto_tls_set(client, file, folder, nil, nil, nil) == MOSQ_ERR_SUCCESS.code else {
            let name = descriptor == nil ? "the certificates in \(file ?? folder ?? "")" : "the certificate"
            throw .invalidSettings("\(name) cannot be read")
        }
    }
}
