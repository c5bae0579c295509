internal import CSodium

/// An Ed25519 public key (RFC 8032).
public struct Ed25519PublicKey: Sendable {
    /// 32 bytes.
    public let bytes: [UInt8]

    /// - Returns: `nil` unless there are 32 bytes.
    public init?(_ bytes: [UInt8]) {
        Sodium.require()
        guard bytes.count == Int(crypto_sign_PUBLICKEYBYTES) else { return nil }
        self.bytes = bytes
    }

    /// Whether the signature is that of the message by the private key that belongs to this one.
    public func isValidSignature(_ signature: [UInt8], for message: [UInt8]) -> Bool {
        signature.count == Int(crypto_sign_BYTES)
            && crypto_sign_verify_detached(signature, message, UInt64(message.count), bytes) == 0
    }
}
