internal import CSodium

/// HMAC-SHA-256 (RFC 2104) with a key of any length.
public enum HMACSHA256 {
    /// The authentication code of a message: 32 bytes.
    public static func code(for message: [UInt8], key: [UInt8]) -> [UInt8] {
        Sodium.require()
        var state = crypto_auth_hmacsha256_state()
        var code = [UInt8](repeating: 0, count: Int(crypto_auth_hmacsha256_BYTES))
        crypto_auth_hmacsha256_init(&state, key, key.count)
        crypto_auth_hmacsha256_update(&state, message, UInt64(message.count))
        crypto_auth_hmacsha256_final(&state, &code)
        return code
    }

    /// Whether the code is that of the message; takes the same time whichever byte differs.
    public static func isValid(_ code: [UInt8], for message: [UInt8], key: [UInt8]) -> Bool {
        ConstantTime.areEqual(code, self.code(for: message, key: key))
    }
}
