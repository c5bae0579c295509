import FencepostCrypto
public import FencepostModel
public import FencepostService

/// The text of a token: `fp_`, 38 random characters and a checksum of 6 characters, all in base 62 (rule A4).
///
/// The checksum rejects mistyped and invented tokens without a query of the store.
public enum TokenText {
    static let prefix = "fp_"
    static let randomCount = 38
    static let checksumCount = 6
    /// The name of a token, for people.
    public static let nameLimit = TextLimit(1...256)
    private static let alphabet = Array("0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz".utf8)

    /// Generates a token with about 226 random bits.
    public static func make(using generator: inout some RandomNumberGenerator) -> String {
        make(prefix, using: &generator)
    }

    /// Generates a secret of another kind, with the prefix of that kind.
    static func make(_ prefix: String, using generator: inout some RandomNumberGenerator) -> String {
        let random = (0..<randomCount).map { _ in alphabet[Int.random(in: 0..<62, using: &generator)] }
        return prefix + String(decoding: random, as: UTF8.self) + checksum(random)
    }

    /// Whether the text has the form and the checksum of a token.
    public static func isWellFormed(_ text: String) -> Bool { isWellFormed(text, prefix: prefix) }

    static func isWellFormed(_ text: String, prefix: String) -> Bool {
        let bytes = Array(text.utf8)
        guard bytes.count == prefix.utf8.count + randomCount + checksumCount, text.hasPrefix(prefix) else {
            return false
        }
        let random = bytes[prefix.utf8.count..<prefix.utf8.count + randomCount]
        guard random.allSatisfy(alphabet.contains) else { return false }
        return String(decoding: bytes.suffix(checksumCount), as: UTF8.self) == checksum(random)
    }

    /// The hash that is stored instead of the token.
    ///
    /// One round of SHA-256 is enough, because a token has too many random bits to be guessed.
    public static func hash(_ text: String) -> [UInt8] { SHA256.hash(Array(text.utf8)) }

    private static func checksum(_ random: some Sequence<UInt8>) -> String {
        var hash = FNV1a64(random).hash
        var characters: [UInt8] = []
        for _ in 0..<checksumCount {
            characters.append(alphabet[Int(hash % 62)])
            hash /= 62
        }
        return String(decoding: characters, as: UTF8.self)
    }

    /// Generates a token and its record for the store.
    ///
    /// - Returns: the text, which is stored nowhere, and the record.
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

    /// Issues the first token, with all scopes, when the store contains none (rule A13).
    ///
    /// - Returns: the token's text; `nil` when the store contains tokens.
    public static func issueFirst(
        in store: any AccessStore, at now: Timestamp, using generator: inout some RandomNumberGenerator
    ) async throws -> String? {
        guard let tokens = try? await store.tokens(), tokens.isEmpty else { return nil }
        let (text, token) = issue(
            name: "first", scopes: Set(AccessToken.Scope.allCases), at: now, using: &generator)
        try await store.save(token)
        return text
    }
}
