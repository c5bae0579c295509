import FencepostCrypto
import Foundation
import Synchronization

/// Hashes and checks passwords, one at a time: each computation takes 64 MiB and about a tenth of a second.
final class PasswordChecker: Sendable {
    /// Computations that may wait.
    private static let capacity = 64

    private let queue = OffloadQueue("passwords")
    private let pending = Mutex(0)

    /// Whether a password has a hash. Without a hash the answer is `false`, after the same time.
    ///
    /// `owner` is who waits for the owner's other computations only.
    func matches(_ password: String, _ hash: String?, for owner: String) async throws -> Bool {
        let bytes = Self.bytes(of: password)
        let isMatch = try await run(for: owner) { PasswordHash.matches(bytes, hash ?? PasswordHash.ofNobody) }
        return isMatch && hash != nil
    }

    /// The hash of a new password.
    func hash(_ password: String, for owner: String) async throws -> String {
        let bytes = Self.bytes(of: password)
        guard let hash = try await run(for: owner, { PasswordHash.make(bytes) }) else {
            throw Problem.unavailable("There is not enough memory to hash a password. Try again later.")
        }
        return hash
    }

    /// The bytes that are hashed: keyboards write some letters in two ways, of which one is chosen.
    static func bytes(of password: String) -> [UInt8] { Array(password.precomposedStringWithCanonicalMapping.utf8) }

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
