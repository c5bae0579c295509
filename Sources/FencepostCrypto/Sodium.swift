internal import CSodium

/// The one place that initializes libsodium.
enum Sodium {
    private static let isInitialized = sodium_init() >= 0

    /// Initializes libsodium once; every entry point of this module calls it first.
    ///
    /// - Precondition: libsodium can determine the processor's features. Its documentation calls the opposite fatal.
    static func require() {
        precondition(isInitialized, "libsodium cannot be initialized")
    }
}
