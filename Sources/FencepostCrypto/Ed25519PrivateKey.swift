internal import CSodium

/// An Ed25519 private key (RFC 8032).
public struct Ed25519PrivateKey: Sendable {
    /// Seed and public key, as libsodium keeps them.
    private let expanded: [UInt8]
    /// The key that verifies the signatures of this one.
    public let publicKey: Ed25519PublicKey

    /// The key of a seed of 32 bytes; `nil` when the seed has another length.
    public init?(seed: [UInt8]) {
        Sodium.require()
        guard seed.count == Int(crypto_sign_SEEDBYTES) else { return nil }
        var expanded = [UInt8](repeating: 0, count: Int(crypto_sign_SECRETKEYBYTES))
        var verifying = [UInt8](repeating: 0, count: Int(crypto_sign_PUBLICKEYBYTES))
        guard crypto_sign_seed_keypair(&verifying, &expanded, seed) == 0, let key = Ed25519PublicKey(verifying) else {
            return nil
        }
        self.expanded = expanded
        publicKey = key
    }

    /// The signature of a message: 64 bytes, the same for the same message.
    public func signature(for message: [UInt8]) -> [UInt8] {
        var signature = [UInt8](repeating: 0, count: Int(crypto_sign_BYTES))
        crypto_sign_detached(&signature, nil, message, UInt64(message.count), expanded)
        return signature
    }
}
