import FencepostGeometry
import FencepostHTTP
import FencepostModel
import HTTPTypes
import Synchronization

/// Limits the rate of requests per token and kind of traffic, by token buckets (rule A8).
final class RateLimiter: Sendable {
    /// A number of requests per minute. All of them may come at once.
    struct Policy: Hashable, Sendable {
        var name: String
        var quota: Int
        static let window = Duration.seconds(60)
    }

    private struct Key: Hashable {
        var token: String
        var policy: String
    }

    /// Fills at the policy's rate; each request takes one unit.
    private struct Bucket {
        var level: Double
        var filledAt: Timestamp
    }

    private let buckets = Mutex<[Key: Bucket]>([:])

    /// Counts one request.
    ///
    /// - Returns: rate limit headers of the response.
    /// - Throws: `tooManyRequests`.
    func take(_ policy: Policy, token: String, now: Timestamp) throws(Problem) -> HTTPFields {
        let quota = Double(policy.quota)
        let rate = quota / Policy.window.seconds
        let level = buckets.withLock { buckets in
            let key = Key(token: token, policy: policy.name)
            var bucket = buckets[key] ?? Bucket(level: quota, filledAt: now)
            bucket.level = min(quota, bucket.level + max((now - bucket.filledAt).seconds, 0) * rate)
            bucket.filledAt = now
            let level = bucket.level
            if level >= 1 { bucket.level -= 1 }
            buckets[key] = bucket
            return level
        }
        var headers = HTTPFields()
        let window = Int(clamped: Policy.window.seconds)
        headers[.rateLimitPolicy] = "\"\(policy.name)\";q=\(policy.quota);w=\(window)"
        let left = max(Int(level) - 1, 0)
        let full = Int(clamped: ((quota - max(level - 1, 0)) / rate).rounded(.up))
        headers[.rateLimit] = "\"\(policy.name)\";r=\(left);t=\(full)"
        guard level >= 1 else {
            var problem = Problem.tooManyRequests(retryAfter: .seconds((1 - level) / rate))
            problem.headers.append(contentsOf: headers)
            throw problem
        }
        return headers
    }
}

extension HTTPField.Name {
    static let rateLimitPolicy = HTTPField.Name(literal: "RateLimit-Policy")
    static let rateLimit = HTTPField.Name(literal: "RateLimit")
}
