import NIOCore
package import NIOSSL

/// Mutual TLS between the nodes of a cluster: each shows a certificate of the authority that the nodes trust.
public struct PeerTLS: Sendable {
    /// A file that cannot be used.
    public struct Failure: Error, Hashable, Sendable, CustomStringConvertible {
        /// A sentence for people.
        public let description: String
    }

    private let server: NIOSSLContext
    /// For requests to other nodes.
    package let client: TLSConfiguration

    /// Reads the files.
    ///
    /// - Parameters:
    ///   - certificateFile: a PEM file with the node's certificate, and those between it and the authority.
    ///   - keyFile: a PEM file with its private key.
    ///   - authorityFile: a PEM file with the authority that has signed the certificates of all nodes, and of nothing else.
    /// - Throws: `Failure` when one of them cannot be used.
    public init(certificateFile: String, keyFile: String, authorityFile: String) throws(Failure) {
        do {
            let chain = try NIOSSLCertificate.fromPEMFile(certificateFile).map {
                NIOSSLCertificateSource.certificate($0)
            }
            let key = NIOSSLPrivateKeySource.privateKey(try NIOSSLPrivateKey(file: keyFile, format: .pem))
            let roots = NIOSSLTrustRoots.file(authorityFile)
            var serving = TLSConfiguration.makeServerConfiguration(certificateChain: chain, privateKey: key)
            var asking = TLSConfiguration.makeClientConfiguration()
            (asking.certificateChain, asking.privateKey) = (chain, key)
            // The addresses of nodes come from NATS. Who has a certificate of the authority is a node.
            (serving.trustRoots, serving.certificateVerification) = (roots, .noHostnameVerification)
            (asking.trustRoots, asking.certificateVerification) = (roots, .noHostnameVerification)
            (serving.minimumTLSVersion, asking.minimumTLSVersion) = (.tlsv12, .tlsv12)
            server = try NIOSSLContext(configuration: serving)
            _ = try NIOSSLContext(configuration: asking)
            client = asking
        } catch {
            throw Failure(
                description: "The certificates of the cluster's nodes cannot be used "
                    + "(\(certificateFile), \(keyFile), \(authorityFile)): \(error).")
        }
    }

    /// What decrypts a connection of another node.
    func handler() -> any ChannelHandler { NIOSSLServerHandler(context: server) }
}
