import FencepostCrypto
public import FencepostModel
import Foundation

/// Signs messages according to Standard Webhooks (rules W1 and W2).
public struct WebhookSigner: Sendable {
    private let secrets: [WebhookSecret]

    /// - Parameter secrets: newest first. Each of them signs, so that a receiver that knows only an older one can
    ///   verify.
    /// - Precondition: all secrets can sign.
    public init(_ secrets: [WebhookSecret]) {
        precondition(secrets.allSatisfy(\.canSign), "a public key cannot sign")
        self.secrets = secrets
    }

    /// The value of `webhook-signature`.
    ///
    /// - Parameters:
    ///   - id: the value of `webhook-id`, without `.`.
    ///   - timestamp: time of this attempt; rounded down to whole seconds.
    ///   - body: exactly the bytes that are sent.
    /// - Returns: one signature per secret that can sign, in their order, separated by spaces.
    public func signature(id: String, timestamp: Timestamp, body: some Sequence<UInt8>) -> String {
        let content = WebhookSigner.content(id: id, timestamp: String(timestamp.wholeSeconds), body: body)
        return secrets.compactMap { secret in
            switch secret.key {
            case .shared(let key):
                "v1," + Data(HMACSHA256.code(for: content, key: key)).base64EncodedString()
            case .signing(let key):
                "v1a," + Data(key.signature(for: content)).base64EncodedString()
            case .verifying: nil
            }
        }
        .joined(separator: " ")
    }

    /// The bytes that are signed: id, timestamp and body, separated by dots.
    static func content(id: String, timestamp: String, body: some Sequence<UInt8>) -> [UInt8] {
        var content = Array("\(id).\(timestamp).".utf8)
        content.append(contentsOf: body)
        return content
    }
}

extension Timestamp {
    /// Seconds since 1970, rounded down.
    var wholeSeconds: Int64 { milliseconds >= 0 ? milliseconds / 1000 : (milliseconds - 999) / 1000 }
}
