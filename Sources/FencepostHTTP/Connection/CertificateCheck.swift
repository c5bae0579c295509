import NIOSSL

/// Whether certificates can be used, which needs what reads their content.
package enum CertificateCheck {
    /// Why certificates in PEM cannot be used, in one sentence; `nil` when they can be.
    package static func problem(with pem: String) -> String? {
        guard let found = try? NIOSSLCertificate.fromPEMBytes(Array(pem.utf8)), !found.isEmpty else {
            return "What is in the certificate cannot be read: copy the certificate of the broker's authority again."
        }
        return nil
    }
}
