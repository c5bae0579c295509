import FencepostJSON

/// The public keys of a provider (RFC 7517).
struct KeySet: Sendable {
    /// The fewest bits of an RSA key that counts (RFC 7518, 3.3).
    static let leastBits = 2048

    struct Key: Sendable {
        /// The key as the provider has written it.
        let text: String
        let id: String?
        private let type: String
        private let curve: String?
        private let algorithm: String?

        /// - Returns: `nil` for a key that signs nothing.
        init?(_ element: JSONElement) {
            guard let type = element["kty"]?.string else { return nil }
            if let use = element["use"]?.string, use != "sig" { return nil }
            (self.type, curve) = (type, element["crv"]?.string)
            (id, algorithm, text) = (element["kid"]?.string, element["alg"]?.string, element.text)
        }

        func fits(_ wanted: SignedToken.Algorithm) -> Bool {
            type == wanted.keyType && (wanted.curve == nil || wanted.curve == curve)
                && algorithm.map { $0 == wanted.rawValue } ?? true
        }
    }

    private let keys: [Key]

    /// The keys of a document; `nil` for one that is no key set.
    init?(_ document: JSONDocument) {
        guard let array = document.root["keys"]?.array else { return nil }
        keys = array.compactMap(Key.init)
    }

    /// The keys that may have signed a token: the one with the id that it names, or those of its kind.
    func keys(for token: SignedToken) -> [Key] {
        guard let id = token.keyID else { return keys.filter { $0.fits(token.algorithm) } }
        return keys.filter { $0.id == id }
    }
}
