import FencepostCrypto
public import FencepostModel
import Foundation

/// Signs messages as Standard Webhooks says (rules W1 and W2).
public struct WebhookSigner: Sendable {
    private let secrets: [WebhookSecret]

    /// - Parameter secrets: newest first; each signs, so that receivers may still know only an older one.
    public init(_ secrets: [WebhookSecret]) {
        precondition(secrets.allSatisfy(\.canSign), "a public key signs nothing")
        self.secrets = secrets
    }

    /// The value of `webhook-signature`: one signature for each secret, in their order, with a space between.
    ///
    /// - Parameters:
    ///   - id: the value of `webhook-id`; holds no `.`.
    ///   - timestamp: of this attempt; counts in whole seconds.
    ///   - body: exactly the bytes that are sent.
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

    /// What is signed.
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
