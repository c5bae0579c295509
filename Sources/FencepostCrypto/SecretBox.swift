internal import CSodium

/// Secret-key authenticated encryption (XSalsa20 and Poly1305, libsodium's `crypto_secretbox`), as OwnTracks uses it.
public enum SecretBox {
    /// Bytes of a nonce: 24.
    public static let nonceCount = Int(crypto_secretbox_NONCEBYTES)
    /// Bytes of a key: 32.
    public static let keyCount = Int(crypto_secretbox_KEYBYTES)

    /// Decrypts a nonce that is followed by its box.
    ///
    /// - Parameters:
    ///   - sealed: 24 bytes of nonce, then the box.
    ///   - key: 1 to 32 bytes; a shorter key is padded with zeros.
    /// - Returns: the message; `nil` when the box was made with another key or was changed.
    public static func open(_ sealed: [UInt8], key: [UInt8]) -> [UInt8]? {
        Sodium.require()
        let overhead = nonceCount + Int(crypto_secretbox_MACBYTES)
        guard (1...keyCount).contains(key.count), sealed.count >= overhead else { return nil }
        let key = key + [UInt8](repeating: 0, count: keyCount - key.count)
        var message = [UInt8](repeating: 0, count: sealed.count - overhead)
        let box = Array(sealed[nonceCount...])
        guard crypto_secretbox_open_easy(&message, box, UInt64(box.count), sealed, key) == 0 else { return nil }
        return message
    }

    /// Encrypts a message with a random nonce.
    ///
    /// - Parameters:
    ///   - message: any number of bytes.
    ///   - key: 1 to 32 bytes; a shorter key is padded with zeros.
    /// - Returns: 24 bytes of nonce, then the box.
    public static func seal(_ message: [UInt8], key: [UInt8]) -> [UInt8] {
        Sodium.require()
        precondition((1...keyCount).contains(key.count), "a key has 1 to 32 bytes")
        let key = key + [UInt8](repeating: 0, count: keyCount - key.count)
        var nonce = [UInt8](repeating: 0, count: nonceCount)
        randombytes_buf(&nonce, nonce.count)
        var box = [UInt8](repeating: 0, count: message.count + Int(crypto_secretbox_MACBYTES))
        crypto_secretbox_easy(&box, message, UInt64(message.count), nonce, key)
        return nonce + box
    }
}
