internal import CSodium

/// Hashes of passwords with Argon2id (RFC 9106), as libsodium's `crypto_pwhash_str`.
public enum PasswordHash {
    /// Bytes of memory that one computation takes: 64 MiB.
    public static let memory = 64 << 20
    private static let passes: UInt64 = 2

    /// A hash of a random password that nobody has, with the same parameters as those of `make`.
    ///
    /// A password is compared with it when the user does not exist, so that both answers take the same time.
    public static let ofNobody =
        "$argon2id$v=19$m=65536,t=2,p=1$WxIfDLESzvieiEixXYybuA"
        + "$/mOzk4YGVYA1XDTLyyXpQuMj2M08V2nLXl4WJUETntk"

    /// Hashes a password with a random salt; takes about 0.1 s and `memory` bytes.
    ///
    /// - Parameter password: the bytes of the password.
    /// - Returns: parameters, salt and hash as text; `nil` when there is not enough memory.
    public static func make(_ password: [UInt8]) -> String? {
        Sodium.require()
        let password = password.map { CChar(bitPattern: $0) }
        var text = [CChar](repeating: 0, count: Int(crypto_pwhash_STRBYTES))
        let result = crypto_pwhash_str(&text, password, UInt64(password.count), passes, memory)
        guard result == 0 else { return nil }
        return String(decoding: text.prefix { $0 != 0 }.map { UInt8(bitPattern: $0) }, as: UTF8.self)
    }

    /// Whether a password is the one of a hash; takes as long as `make`.
    ///
    /// - Parameters:
    ///   - password: the bytes of the password.
    ///   - hash: a result of `make`.
    /// - Returns: `false` also for a text that is no hash, or when there is not enough memory.
    public static func matches(_ password: [UInt8], _ hash: String) -> Bool {
        Sodium.require()
        guard hash.utf8.count < Int(crypto_pwhash_STRBYTES) else { return false }
        let password = password.map { CChar(bitPattern: $0) }
        return crypto_pwhash_str_verify(hash, password, UInt64(password.count)) == 0
    }
}
