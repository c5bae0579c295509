import FencepostCrypto
import Foundation

/// What messages are signed with, or what their signatures are checked with (rule W2).
///
/// Its text is `whsec_` and base64 of 24 to 64 bytes that sender and receiver share, `whsk_` and base64 of an Ed25519
/// private key (the seed of 32 bytes, or seed and public key), or `whpk_` and base64 of the public key of 32 bytes.
public struct WebhookSecret: Sendable {
    enum Key: Sendable {
        case shared([UInt8])
        case signing(Ed25519PrivateKey)
        case verifying(Ed25519PublicKey)
    }

    /// Why a text is no secret; says nothing of what was in it.
    public enum Failure: Error, Hashable, Sendable {
        case unknownPrefix, notBase64
        case wrongLength(expected: String, found: Int)
        case notAKey
    }

    let key: Key

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

    /// Whether messages can be signed with it; a `whpk_` only checks them.
    public var canSign: Bool {
        switch key {
        case .shared, .signing: true
        case .verifying: false
        }
    }

    /// The `whpk_…` that receivers check signatures with; `nil` of a shared secret.
    public var publicKey: String? {
        switch key {
        case .shared: nil
        case .signing(let key): "whpk_" + Data(key.publicKey.bytes).base64EncodedString()
        case .verifying(let key): "whpk_" + Data(key.bytes).base64EncodedString()
        }
    }

    /// The text of a new shared secret.
    ///
    /// - Parameter byteCount: 24 to 64.
    public static func generate(byteCount: Int = 32, using generator: inout some RandomNumberGenerator) -> String {
        precondition((24...64).contains(byteCount), "a webhook secret has 24 to 64 bytes")
        return "whsec_" + random(byteCount, using: &generator).base64EncodedString()
    }

    /// The text of a new Ed25519 private key.
    public static func generateSigningKey(using generator: inout some RandomNumberGenerator) -> String {
        "whsk_" + random(32, using: &generator).base64EncodedString()
    }

    private static func random(_ count: Int, using generator: inout some RandomNumberGenerator) -> Data {
        Data((0..<count).map { _ in UInt8.random(in: .min ... .max, using: &generator) })
    }
}

extension WebhookSecret: CustomStringConvertible, CustomReflectable {
    /// The kind alone, so that no log shows more.
    public var description: String {
        switch key {
        case .shared: "whsec_…"
        case .signing: "whsk_…"
        case .verifying: "whpk_…"
        }
    }

    public var customMirror: Mirror { Mirror(self, children: []) }
}

extension WebhookSecret.Failure: CustomStringConvertible {
    public var description: String {
        switch self {
        case .unknownPrefix: "a webhook secret begins with whsec_, whsk_ or whpk_"
        case .notBase64: "what follows the prefix of a webhook secret has to be base64 with its padding"
        case .wrongLength(let expected, let found): "the secret holds \(found) bytes and has to hold \(expected)"
        case .notAKey: "the secret holds no Ed25519 key"
        }
    }
}
