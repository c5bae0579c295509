import FencepostHTTP
import Synchronization

/// Hashes and checks passwords, one at a time: each computation takes 64 MiB and about a tenth of a second.
final class PasswordChecker: Sendable {
    /// Computations that may wait.
    private static let capacity = 64

    private let queue = OffloadQueue("passwords")
    private let pending = Mutex(0)
    private let hashing: PasswordHashing

    init(_ hashing: PasswordHashing) {
        self.hashing = hashing
    }

    /// Whether a password has a hash. Without a hash the answer is `false`, after the same time.
    ///
    /// `owner` is who waits for the owner's other computations only.
    func matches(_ password: String, _ hash: String?, for owner: String) async throws -> Bool {
        guard let bytes = UserDraft.bytes(ofPassword: password) else { return false }
        return try await run(for: owner) { [hashing] in hashing.matches(bytes, hash) }
    }

    /// The hash of a new password.
    func hash(_ password: String, for owner: String) async throws -> String {
        guard let bytes = UserDraft.bytes(ofPassword: password) else {
            throw UserDraft.problem("/password", UserDraft.passwordDetail)
        }
        guard let hash = try await run(for: owner, { [hashing] in hashing.make(bytes) }) else {
            throw Problem.unavailable("There is not enough memory to hash a password. Try again later.")
        }
        return hash
    }

    private func run<Value: Sendable>(for owner: String, _ work: @escaping @Sendable () -> Value) async throws -> Value
    {
        let isFull = pending.withLock { pending in
            guard pending < Self.capacity else { return true }
            pending += 1
            return false
        }
        guard !isFull else { throw Problem.unavailable("Too many people are signing in. Try again later.") }
        defer { pending.withLock { $0 -= 1 } }
        return try await queue.run(for: owner, work)
    }
}
