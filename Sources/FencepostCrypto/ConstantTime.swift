internal import CSodium

/// Comparison of secrets.
public enum ConstantTime {
    /// Whether two byte strings are equal, in a time that depends on their lengths only.
    public static func areEqual(_ a: [UInt8], _ b: [UInt8]) -> Bool {
        Sodium.require()
        return a.count == b.count && sodium_memcmp(a, b, a.count) == 0
    }
}
