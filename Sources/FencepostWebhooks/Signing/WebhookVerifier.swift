import FencepostCrypto
public import FencepostModel
import Foundation

/// Verifies the signature of a message, as a receiver does (rule W3).
public struct WebhookVerifier: Sendable {
    /// Why a message is not authentic.
    public enum Failure: Error, Hashable, Sendable {
        /// The header `webhook-timestamp` is not a number of whole seconds.
        case malformedTimestamp(String)
        /// The timestamp is too far from now. `age` is negative when it is in the future.
        case timestampOutOfTolerance(age: Duration, tolerance: Duration)
        /// The header contains no signature of a version that the secrets can verify.
        case noUsableSignature
        /// No signature is valid.
        case mismatch
    }

    private let secrets: [WebhookSecret]
    private let tolerance: Duration?

    /// - Parameters:
    ///   - secrets: a message is valid when one of them verifies it.
    ///   - tolerance: maximum difference between the message's time and now, in both directions; `nil` for no limit.
    public init(_ secrets: [WebhookSecret], tolerance: Duration? = .seconds(300)) {
        self.secrets = secrets
        self.tolerance = tolerance
    }

    /// Returns when one of the signatures is valid and the timestamp is within the tolerance.
    ///
    /// - Parameters:
    ///   - id: the value of `webhook-id`.
    ///   - timestamp: the value of `webhook-timestamp`.
    ///   - signature: the value of `webhook-signature`: signatures separated by spaces.
    ///   - body: exactly the bytes that were received.
    ///   - now: the receiver's time.
    /// - Throws: the first reason for which the message is not authentic. The tolerance is checked last.
    public func verify(
        id: String, timestamp: String, signature: String, body: some Sequence<UInt8>, now: Timestamp
    ) throws(Failure) {
        guard timestamp.utf8.allSatisfy({ (48...57).contains($0) }), timestamp.utf8.count <= 12,
            let seconds = Int64(timestamp)
        else { throw .malformedTimestamp(timestamp) }
        let content = WebhookSigner.content(id: id, timestamp: timestamp, body: body)
        var wasUsable = false
        var isValid = false
        for entry in signature.split(separator: " ") {
            let parts = entry.split(separator: ",", maxSplits: 1)
            guard parts.count == 2, let bytes = Data(base64Encoded: String(parts[1])).map(Array.init) else { continue }
            for secret in secrets {
                guard let answer = WebhookVerifier.isValid(bytes, version: parts[0], of: content, by: secret) else {
                    continue
                }
                wasUsable = true
                isValid = isValid || answer
            }
        }
        guard wasUsable else { throw .noUsableSignature }
        guard isValid else { throw .mismatch }
        // The time is checked last, so that a sender without a secret learns nothing about the clock.
        let age = now - Timestamp(seconds: seconds)
        if let tolerance, age > tolerance || age < .zero - tolerance {
            throw .timestampOutOfTolerance(age: age, tolerance: tolerance)
        }
    }

    /// Compares in constant time. `nil` when the secret does not belong to this version of signatures.
    private static func isValid(
        _ signature: [UInt8], version: Substring, of content: [UInt8], by secret: WebhookSecret
    ) -> Bool? {
        switch (secret.key, version) {
        case (.shared(let key), "v1"):
            HMACSHA256.isValid(signature, for: content, key: key)
        case (.signing(let key), "v1a"): key.publicKey.isValidSignature(signature, for: content)
        case (.verifying(let key), "v1a"): key.isValidSignature(signature, for: content)
        case (.shared, _), (.signing, _), (.verifying, _): nil
        }
    }
}

extension WebhookVerifier.Failure: CustomStringConvertible {
    /// The reason in one sentence for people.
    public var description: String {
        switch self {
        case .malformedTimestamp(let text): "the timestamp \(text.debugDescription) is not a number of whole seconds"
        case .timestampOutOfTolerance(let age, let tolerance):
            age < .zero
                ? "the timestamp is \(-age.milliseconds / 1000) s ahead; \(tolerance.milliseconds / 1000) s are allowed"
                : "the timestamp is \(age.milliseconds / 1000) s old; \(tolerance.milliseconds / 1000) s are allowed"
        case .noUsableSignature: "the signature header contains no signature that this secret can verify"
        case .mismatch: "no signature is valid: the secret, the id, the timestamp or the body differs"
        }
    }
}
