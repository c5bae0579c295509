internal import CSodium

/// Secret-key authenticated encryption of libsodium (XSalsa20, Poly1305), as OwnTracks uses it.
enum SecretBox {
    /// False when the processor's features cannot be found out, which libsodium's documentation calls fatal.
    private static let isReady = sodium_init() >= 0

    static let nonceCount = Int(crypto_secretbox_NONCEBYTES)
    static let keyCount = Int(crypto_secretbox_KEYBYTES)

    /// Opens a nonce with the box after it.
    ///
    /// - Parameter key: 1 to 32 bytes, filled up with zeros.
    /// - Returns: `nil` when it was not made with this key, or has been changed since.
    static func open(_ sealed: [UInt8], key: [UInt8]) -> [UInt8]? {
        let overhead = nonceCount + Int(crypto_secretbox_MACBYTES)
        guard isReady, (1...keyCount).contains(key.count), sealed.count >= overhead else { return nil }
        let key = key + [UInt8](repeating: 0, count: keyCount - key.count)
        var message = [UInt8](repeating: 0, count: sealed.count - overhead)
        let box = Array(sealed[nonceCount...])
        guard crypto_secretbox_open_easy(&message, box, UInt64(box.count), sealed, key) == 0 else { return nil }
        return message
    }
}
