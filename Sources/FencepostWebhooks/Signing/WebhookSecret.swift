import FencepostCrypto
import Foundation

/// A key that signs messages or verifies their signatures (rule W2).
///
/// Its text is a prefix and base64: `whsec_` and 24 to 64 bytes that sender and receiver share, `whsk_` and an Ed25519
/// private key (the seed of 32 bytes, or seed and public key), or `whpk_` and an Ed25519 public key of 32 bytes.
public struct WebhookSecret: Sendable {
    enum Key: Sendable {
        case shared([UInt8])
        case signing(Ed25519PrivateKey)
        case verifying(Ed25519PublicKey)
    }

    /// Why a text is not a secret. It contains nothing of the text.
    public enum Failure: Error, Hashable, Sendable {
        /// The text starts with none of the three prefixes.
        case unknownPrefix
        /// The text after the prefix is not base64 with padding.
        case notBase64
        /// The number of bytes is wrong. `expected` is for people: `24 to 64`.
        case wrongLength(expected: String, found: Int)
        /// The bytes are not an Ed25519 key, or seed and public key do not belong together.
        case notAKey
    }

    let key: Key

    /// Parses the text of a secret.
    public init(_ text: String) throws(Failure) {
        guard let separator = text.firstIndex(of: "_") else { throw .unknownPrefix }
        let prefix = text[...separator]
        guard ["whsec_", "whsk_", "whpk_"].contains(prefix) else { throw .unknownPrefix }
        guard let bytes = Data(base64Encoded: String(text[text.index(after: separator)...])).map(Array.init) else {
            throw .notBase64
        }
        switch prefix {
        case "whsec_":
            guard (24...64).contains(bytes.count) else { throw .wrongLength(expected: "24 to 64", found: bytes.count) }
            key = .shared(bytes)
        case "whsk_":
            guard bytes.count == 32 || bytes.count == 64 else {
                throw .wrongLength(expected: "32 or 64", found: bytes.count)
            }
            guard let signing = Ed25519PrivateKey(seed: Array(bytes.prefix(32))),
                bytes.count == 32 || signing.publicKey.bytes == Array(bytes.suffix(32))
            else { throw .notAKey }
            key = .signing(signing)
        default:
            guard bytes.count == 32 else { throw .wrongLength(expected: "32", found: bytes.count) }
            guard let verifying = Ed25519PublicKey(bytes) else { throw .notAKey }
            key = .verifying(verifying)
        }
    }

    /// Whether the secret can sign messages. A `whpk_` key can only verify them.
    public var canSign: Bool {
        switch key {
        case .shared, .signing: true
        case .verifying: false
        }
    }

    /// The `whpk_…` text with which receivers verify signatures; `nil` for a shared secret.
    public var publicKey: String? {
        switch key {
        case .shared: nil
        case .signing(let key): "whpk_" + Data(key.publicKey.bytes).base64EncodedString()
        case .verifying(let key): "whpk_" + Data(key.bytes).base64EncodedString()
        }
    }

    /// Generates the text of a new shared secret.
    ///
    /// - Parameters:
    ///   - byteCount: 24 to 64.
    ///   - generator: source of the bytes; must be cryptographically secure in production.
    /// - Returns: `whsec_` and the bytes in Base64.
    public static func generate(byteCount: Int = 32, using generator: inout some RandomNumberGenerator) -> String {
        precondition((24...64).contains(byteCount), "a webhook secret has 24 to 64 bytes")
        return "whsec_" + random(byteCount, using: &generator).base64EncodedString()
    }

    /// Generates the text of a new Ed25519 private key.
    public static func generateSigningKey(using generator: inout some RandomNumberGenerator) -> String {
        "whsk_" + random(32, using: &generator).base64EncodedString()
    }

    private static func random(_ count: Int, using generator: inout some RandomNumberGenerator) -> Data {
        Data((0..<count).map { _ in UInt8.random(in: .min ... .max, using: &generator) })
    }
}

extension WebhookSecret: CustomStringConvertible, CustomReflectable {
    /// The prefix only, so that no log contains the key.
    public var description: String {
        switch key {
        case .shared: "whsec_…"
        case .signing: "whsk_…"
        case .verifying: "whpk_…"
        }
    }

    /// Without children, so that no dump contains the key.
    public var customMirror: Mirror { Mirror(self, children: []) }
}

extension WebhookSecret.Failure: CustomStringConvertible {
    /// The reason in one sentence for people.
    public var description: String {
        switch self {
        case .unknownPrefix: "a webhook secret starts with whsec_, whsk_ or whpk_"
        case .notBase64: "the part of a webhook secret after the prefix has to be base64 with padding"
        case .wrongLength(let expected, let found): "the secret has \(found) bytes; it has to have \(expected)"
        case .notAKey: "the secret does not contain an Ed25519 key"
        }
    }
}
