import FencepostCrypto
public import FencepostModel
import Foundation

/// Checks the signature of a message as its receiver does (rule W3).
public struct WebhookVerifier: Sendable {
    /// Why a message is not to be trusted.
    public enum Failure: Error, Hashable, Sendable {
        case malformedTimestamp(String)
        /// Further from now than is tolerated; negative when it lies ahead.
        case timestampOutOfTolerance(age: Duration, tolerance: Duration)
        /// Nothing in the header is a signature of a kind that the secrets could check.
        case noUsableSignature
        case mismatch
    }

    private let secrets: [WebhookSecret]
    private let tolerance: Duration?

    /// - Parameters:
    ///   - secrets: one that fits is enough.
    ///   - tolerance: how far the message's time may be from now, either way; `nil` when any time will do.
    public init(_ secrets: [WebhookSecret], tolerance: Duration? = .seconds(300)) {
        self.secrets = secrets
        self.tolerance = tolerance
    }

    /// Returns when one of the signatures is right and the time is near enough.
    ///
    /// - Parameters:
    ///   - id: the value of `webhook-id`.
    ///   - timestamp: the value of `webhook-timestamp`.
    ///   - signature: the value of `webhook-signature`: any number of signatures, a space between.
    ///   - body: exactly the bytes that came.
    public func verify(
        id: String, timestamp: String, signature: String, body: some Sequence<UInt8>, now: Timestamp
    ) throws(Failure) {
        guard timestamp.utf8.allSatisfy({ (48...57).contains($0) }), timestamp.utf8.count <= 12,
            let seconds = Int64(timestamp)
        else { throw .malformedTimestamp(timestamp) }
        let content = WebhookSigner.content(id: id, timestamp: timestamp, body: body)
        var wasUsable = false
        var isRight = false
        for entry in signature.split(separator: " ") {
            let parts = entry.split(separator: ",", maxSplits: 1)
            guard parts.count == 2, let bytes = Data(base64Encoded: String(parts[1])).map(Array.init) else { continue }
            for secret in secrets {
                guard let answer = WebhookVerifier.isRight(bytes, version: parts[0], of: content, by: secret) else {
                    continue
                }
                wasUsable = true
                isRight = isRight || answer
            }
        }
        guard wasUsable else { throw .noUsableSignature }
        guard isRight else { throw .mismatch }
        // Last, so that who knows no secret learns nothing of the clock.
        let age = now - Timestamp(seconds: seconds)
        if let tolerance, age > tolerance || age < .zero - tolerance {
            throw .timestampOutOfTolerance(age: age, tolerance: tolerance)
        }
    }

    /// `nil` when the secret is not for signatures of that version. Takes the same time whichever byte differs.
    private static func isRight(
        _ signature: [UInt8], version: Substring, of content: [UInt8], by secret: WebhookSecret
    ) -> Bool? {
        switch (secret.key, version) {
        case (.shared(let key), "v1"):
            HMACSHA256.isValid(signature, for: content, key: key)
        case (.signing(let key), "v1a"): key.publicKey.isValidSignature(signature, for: content)
        case (.verifying(let key), "v1a"): key.isValidSignature(signature, for: content)
        default: nil
        }
    }
}

extension WebhookVerifier.Failure: CustomStringConvertible {
    public var description: String {
        switch self {
        case .malformedTimestamp(let text): "the timestamp \(text.debugDescription) is no number of whole seconds"
        case .timestampOutOfTolerance(let age, let tolerance):
            age < .zero
                ? "the timestamp is \(-age.milliseconds / 1000) s ahead; \(tolerance.milliseconds / 1000) s are allowed"
                : "the timestamp is \(age.milliseconds / 1000) s old; \(tolerance.milliseconds / 1000) s are allowed"
        case .noUsableSignature: "the signature header holds nothing that this secret can check"
        case .mismatch: "no signature fits: the secret, the id, the timestamp or the body is another one"
        }
    }
}
