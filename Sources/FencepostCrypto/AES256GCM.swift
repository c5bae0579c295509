internal import CSodium

/// Authenticated decryption with AES-256-GCM (NIST SP 800-38D), for what older versions encrypted.
public enum AES256GCM {
    /// Decrypts a message.
    ///
    /// - Parameters:
    ///   - sealed: 12 bytes of nonce, the ciphertext, and its tag of 16 bytes.
    ///   - key: 32 bytes.
    /// - Returns: the message; `nil` when it was encrypted with another key, was changed, or when the processor has no
    ///   AES instructions, without which libsodium does not offer AES.
    public static func open(_ sealed: [UInt8], key: [UInt8]) -> [UInt8]? {
        Sodium.require()
        let overhead = Int(crypto_aead_aes256gcm_NPUBBYTES) + Int(crypto_aead_aes256gcm_ABYTES)
        guard crypto_aead_aes256gcm_is_available() == 1, key.count == Int(crypto_aead_aes256gcm_KEYBYTES),
            sealed.count >= overhead
        else { return nil }
        let nonce = Array(sealed.prefix(Int(crypto_aead_aes256gcm_NPUBBYTES)))
        let ciphertext = Array(sealed.dropFirst(nonce.count))
        var message = [UInt8](repeating: 0, count: sealed.count - overhead)
        let result = crypto_aead_aes256gcm_decrypt(
            &message, nil, nil, ciphertext, UInt64(ciphertext.count), nil, 0, nonce, key)
        return result == 0 ? message : nil
    }
}
