import FencepostHTTP
import FencepostModel
import Synchronization

/// Limits how often one client may present unknown tokens (rule A8).
///
/// Tokens have 226 random bits, so nobody finds one by trying. The limit makes a client wait that goes on. It never
/// concerns a token that exists: all phones behind a proxy may share one address.
final class FailureLimiter: Sendable {
    /// Unknown tokens that an address may present at once; as many become available again in a minute.
    static let quota = 60.0
    private static let rate = quota / 60
    /// Addresses that are remembered. With more, those whose attempts are longest ago are forgotten.
    static let capacity = 10_000

    private struct Bucket {
        /// Attempts that are left.
        var level: Double
        var filledAt: Timestamp

        /// The attempts that are left at a time.
        func level(at now: Timestamp) -> Double {
            min(FailureLimiter.quota, level + max((now - filledAt).seconds, 0) * FailureLimiter.rate)
        }
    }

    private let buckets = Mutex<[String: Bucket]>([:])

    /// Counts an attempt with a token that the store does not have.
    ///
    /// - Throws: `tooManyRequests`, when the address has no attempt left.
    func take(_ client: String, now: Timestamp) throws(Problem) {
        let address = ClientNetwork.of(client)
        let level = buckets.withLock { buckets in
            if buckets.count >= Self.capacity, buckets[address] == nil { Self.trim(&buckets, at: now) }
            let level = buckets[address]?.level(at: now) ?? Self.quota
            buckets[address] = Bucket(level: level >= 1 ? level - 1 : level, filledAt: now)
            return level
        }
        guard level >= 1 else { throw .tooManyUnknownTokens(retryAfter: .seconds((1 - level) / Self.rate)) }
    }

    /// Gives an attempt back, because the token was known after all.
    func giveBack(_ client: String) {
        let address = ClientNetwork.of(client)
        buckets.withLock { buckets in
            guard let bucket = buckets[address] else { return }
            if bucket.level + 1 >= Self.quota { buckets[address] = nil } else { buckets[address]?.level += 1 }
        }
    }

    /// Number of remembered addresses.
    var count: Int { buckets.withLock { $0.count } }

    /// Forgets full buckets, and the older half of the others when that is not enough.
    private static func trim(_ buckets: inout [String: Bucket], at now: Timestamp) {
        buckets = buckets.filter { $0.value.level(at: now) < quota }
        guard buckets.count >= capacity else { return }
        let times = buckets.values.map(\.filledAt).sorted()
        let middle = times[times.count / 2]
        buckets = buckets.filter { $0.value.filledAt > middle }
    }
}
