import FencepostCrypto
import FencepostHTTP
import FencepostModel
import FencepostService
import Synchronization

/// Slows down attempts to guess a password: after some failures each one doubles the time until the next attempt.
///
/// Failures count for a name from one address, for the address, and for the name. The wait of a name alone is short, so
/// that a stranger cannot lock a user out. A name counts whether or not a user has it.
final class SignInLimiter: Sendable {
    private struct Rule {
        /// Failures without a wait.
        let free: Int
        let longestWait: Duration
    }

    private enum Kind: Hashable {
        case pair, address, name

        var rule: Rule {
            switch self {
            case .pair: Rule(free: 5, longestWait: .seconds(900))
            case .address: Rule(free: 20, longestWait: .seconds(900))
            case .name: Rule(free: 20, longestWait: .seconds(30))
            }
        }
    }

    /// What failures are counted of. Names are kept as hashes alone: they may be long, and people also type their password
    /// where the name belongs.
    private struct Key: Hashable {
        let kind: Kind
        let hash: [UInt8]

        init(_ kind: Kind, _ name: String, _ network: String) {
            self.kind = kind
            hash = SHA256.hash(Array("\(name)\0\(network)".utf8))
        }
    }

    private struct Entry {
        var failures = 0
        var blockedUntil = Timestamp.distantPast
        var lastAttempt: Timestamp
    }

    /// Time without an attempt after which failures are forgotten.
    static let memory = Duration.seconds(3600)
    /// Three for each name and address.
    static let capacity = 30_000

    private let entries = Mutex<[Key: Entry]>([:])

    private static func keys(_ name: String?, _ address: String) -> [Key] {
        let network = ClientNetwork.of(address)
        guard let name = name.map({ User.key(of: $0) }) else { return [Key(.address, "", network)] }
        return [Key(.pair, name, network), Key(.address, "", network), Key(.name, name, "")]
    }

    /// Counts an attempt as a failure, before the password is checked: attempts at the same time count too.
    ///
    /// - Parameters:
    ///   - name: the user; `nil` for whom a provider names.
    ///   - address: the network address.
    ///   - now: the time.
    /// - Throws: `tooManyRequests` while the caller has to wait; the attempt does not count then.
    func begin(_ name: String? = nil, from address: String, now: Timestamp) throws(Problem) {
        let keys = Self.keys(name, address)
        let wait = entries.withLock { entries -> Duration? in
            if entries.count >= Self.capacity { Self.trim(&entries, at: now) }
            let current = keys.map { key -> Entry in
                guard let entry = entries[key], now < entry.lastAttempt + Self.memory || now < entry.blockedUntil else {
                    return Entry(lastAttempt: now)
                }
                return entry
            }
            if let end = current.map(\.blockedUntil).max(), end > now { return end - now }
            for (key, entry) in zip(keys, current) {
                var entry = entry
                entry.failures += 1
                entry.lastAttempt = now
                let rule = key.kind.rule
                if entry.failures >= rule.free {
                    let doubled = Duration.seconds(1 << min(entry.failures - rule.free, 20))
                    entry.blockedUntil = now + min(doubled, rule.longestWait)
                }
                entries[key] = entry
            }
            return nil
        }
        if let wait { throw .tooManySignIns(retryAfter: wait) }
    }

    /// Takes an attempt back, because the password was right.
    func succeed(_ name: String? = nil, from address: String) {
        entries.withLock { entries in
            for key in Self.keys(name, address) {
                switch key.kind {
                case .pair, .name: entries[key] = nil
                case .address:
                    entries[key]?.failures -= 1
                    entries[key]?.blockedUntil = .distantPast
                }
            }
        }
    }

    /// Number of remembered entries.
    var count: Int { entries.withLock { $0.count } }

    /// Forgets old entries, and the older half of the others when that is not enough.
    private static func trim(_ entries: inout [Key: Entry], at now: Timestamp) {
        entries = entries.filter { now < $0.value.lastAttempt + memory }
        guard entries.count >= capacity else { return }
        let times = entries.values.map(\.lastAttempt).sorted()
        let middle = times[times.count / 2]
        entries = entries.filter { $0.value.lastAttempt > middle }
    }
}
