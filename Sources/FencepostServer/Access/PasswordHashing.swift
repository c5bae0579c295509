import FencepostCrypto

/// How passwords become hashes. Only tests use another than Argon2id.
public struct PasswordHashing: Sendable {
    /// The hash of a password with a new salt; `nil` when there is not enough memory.
    public var make: @Sendable (_ password: [UInt8]) -> String?
    /// Whether a password has a hash; without a hash it takes the same time.
    public var matches: @Sendable (_ password: [UInt8], _ hash: String?) -> Bool

    /// Hashes by two functions.
    public init(
        make: @escaping @Sendable (_ password: [UInt8]) -> String?,
        matches: @escaping @Sendable (_ password: [UInt8], _ hash: String?) -> Bool
    ) {
        self.make = make
        self.matches = matches
    }

    /// Argon2id, which takes 64 MiB and about a tenth of a second.
    public static let argon2id = PasswordHashing(
        make: { PasswordHash.make($0) },
        matches: { PasswordHash.matches($0, $1 ?? PasswordHash.ofNobody) && $1 != nil })
}
