internal import CSodium

/// SHA-256 (FIPS 180-4) over bytes that arrive in parts.
public struct SHA256 {
    private var state = crypto_hash_sha256_state()

    /// The hash of no bytes.
    public init() {
        Sodium.require()
        crypto_hash_sha256_init(&state)
    }

    /// Appends bytes to the message.
    public mutating func update(_ bytes: [UInt8]) {
        crypto_hash_sha256_update(&state, bytes, UInt64(bytes.count))
    }

    /// The digest of everything that was added: 32 bytes.
    public consuming func finalize() -> [UInt8] {
        var digest = [UInt8](repeating: 0, count: Int(crypto_hash_sha256_BYTES))
        crypto_hash_sha256_final(&state, &digest)
        return digest
    }

    /// The digest of one sequence of bytes: 32 bytes.
    public static func hash(_ bytes: [UInt8]) -> [UInt8] {
        var hash = SHA256()
        hash.update(bytes)
        return hash.finalize()
    }
}
