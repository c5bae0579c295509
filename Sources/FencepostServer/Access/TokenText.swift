import FencepostCrypto
public import FencepostModel
public import FencepostService

/// The text of a token: `fp_`, 38 random characters and 6 of a checksum, all of base 62 (rule A4).
///
/// The checksum tells a mistyped or made-up token from a real one without asking the store.
public enum TokenText {
    static let prefix = "fp_"
    static let randomCount = 38
    static let checksumCount = 6
    private static let alphabet = Array("0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz".utf8)

    /// A new token, of about 226 random bits.
    public static func make(using generator: inout some RandomNumberGenerator) -> String {
        let random = (0..<randomCount).map { _ in alphabet[Int.random(in: 0..<62, using: &generator)] }
        return prefix + String(decoding: random, as: UTF8.self) + checksum(random)
    }

    /// Whether this can be a token at all.
    public static func isWellFormed(_ text: String) -> Bool {
        let bytes = Array(text.utf8)
        guard bytes.count == prefix.utf8.count + randomCount + checksumCount, text.hasPrefix(prefix) else {
            return false
        }
        let random = bytes[prefix.utf8.count..<prefix.utf8.count + randomCount]
        guard random.allSatisfy(alphabet.contains) else { return false }
        return String(decoding: bytes.suffix(checksumCount), as: UTF8.self) == checksum(random)
    }

    /// What is stored of a token. It is random enough for one round of SHA-256: there is nothing to guess.
    public static func hash(_ text: String) -> [UInt8] { SHA256.hash(Array(text.utf8)) }

    private static func checksum(_ random: some Sequence<UInt8>) -> String {
        var hash: UInt64 = 0xcbf2_9ce4_8422_2325
        for byte in random { hash = (hash ^ UInt64(byte)) &* 0x100_0000_01b3 }
        var characters: [UInt8] = []
        for _ in 0..<checksumCount {
            characters.append(alphabet[Int(hash % 62)])
            hash /= 62
        }
        return String(decoding: characters, as: UTF8.self)
    }

    /// Makes a token and what is to be stored of it.
    ///
    /// - Returns: the text, which is nowhere after this, and the record.
    public static func issue(
        name: String, scopes: Set<AccessToken.Scope>, at now: Timestamp,
        using generator: inout some RandomNumberGenerator
    ) -> (text: String, token: AccessToken) {
        let text = make(using: &generator)
        var identity = Identity()
        identity.add(Int64(bitPattern: generator.next()))
        identity.add(Int64(bitPattern: generator.next()))
        let token = AccessToken(
            id: identity.text(prefix: "tok_"), name: name, hash: hash(text), scopes: scopes, createdAt: now)
        return (text, token)
    }

    /// The first token of a storage that holds none, with every scope (CONTRACT 7); `nil` when there are some.
    public static func issueFirst(
        in store: any AccessStore, at now: Timestamp, using generator: inout some RandomNumberGenerator
    ) async throws -> String? {
        guard try await store.tokens().isEmpty else { return nil }
        let (text, token) = issue(
            name: "first", scopes: Set(AccessToken.Scope.allCases), at: now, using: &generator)
        try await store.save(token)
        return text
    }
}
