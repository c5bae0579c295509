import CJose
import FencepostJSON
import FencepostService

/// A JSON Web Token in the compact form (RFC 7515), whose signature libcjose verifies.
struct SignedToken {
    let algorithm: Algorithm
    /// The id of its key; `nil` when it names none.
    let keyID: String?
    private let text: String

    /// The algorithms that are taken: signatures by a key pair. With a shared secret, or without a signature, anybody who
    /// knows the public keys could make a token.
    enum Algorithm: String, CaseIterable {
        case rs256 = "RS256", rs384 = "RS384", rs512 = "RS512"
        case ps256 = "PS256", ps384 = "PS384", ps512 = "PS512"
        case es256 = "ES256", es384 = "ES384", es512 = "ES512"

        /// The member `kty` of its keys.
        var keyType: String { curve == nil ? "RSA" : "EC" }

        /// The member `crv` of its keys; `nil` for RSA.
        var curve: String? {
            switch self {
            case .es256: "P-256"
            case .es384: "P-384"
            case .es512: "P-521"
            case .rs256, .rs384, .rs512, .ps256, .ps384, .ps512: nil
            }
        }
    }

    /// Reads the header of a token.
    init(_ text: String) throws(TokenFault) {
        let parts = text.split(separator: ".", omittingEmptySubsequences: false)
        guard parts.count == 3, let header = Base64URL.decode(parts[0]),
            let root = (try? JSONDocument(parsing: header))?.root, root.object != nil
        else { throw .malformed }
        guard let algorithm = root["alg"]?.string.flatMap(Algorithm.init(rawValue:)) else { throw .algorithm }
        guard root["crit"] == nil else { throw .criticalHeader }
        (self.text, self.algorithm, keyID) = (text, algorithm, root["kid"]?.string)
    }

    /// Reads the claims.
    ///
    /// - Parameter keys: the keys of the provider that may have signed it, of which one did.
    /// - Returns: an object.
    /// - Throws: when none of them has signed it.
    func claims(signedByOneOf keys: [KeySet.Key]) throws(TokenFault) -> JSONDocument {
        guard !keys.isEmpty else { throw .unknownKey }
        var fault = TokenFault.algorithm
        for key in keys where key.fits(algorithm) {
            do throws(TokenFault) {
                return try claims(signedBy: key)
            } catch {
                fault = error
            }
        }
        throw fault
    }

    private func claims(signedBy key: KeySet.Key) throws(TokenFault) -> JSONDocument {
        guard let jwk = cjose_jwk_import(key.text, key.text.utf8.count, nil) else { throw .unknownKey }
        defer { cjose_jwk_release(jwk) }
        guard algorithm.curve != nil || cjose_jwk_get_keysize(jwk, nil) >= KeySet.leastBits else { throw .weakKey }
        guard let token = cjose_jws_import(text, text.utf8.count, nil) else { throw .malformed }
        defer { cjose_jws_release(token) }
        guard cjose_jws_verify(token, jwk, nil) else { throw .signature }
        var bytes: UnsafeMutablePointer<UInt8>?
        var count = 0
        guard cjose_jws_get_plaintext(token, &bytes, &count, nil), let bytes,
            let document = try? JSONDocument(parsing: UnsafeBufferPointer(start: bytes, count: count)),
            document.root.object != nil
        else { throw .malformed }
        return document
    }
}
