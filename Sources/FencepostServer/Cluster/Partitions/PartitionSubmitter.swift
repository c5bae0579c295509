import FencepostHTTP
import FencepostModel
import FencepostService
import Synchronization

/// Has the leaders of the partitions store submissions: each its share, in this process where this node leads.
struct PartitionSubmitter: Sendable {
    /// Some shares are not stored, for a reason that trying again does not change.
    struct Incomplete: Error, Sendable {
        enum Reason: Hashable, Sendable {
            /// A leader does not know the token, or it has expired there.
            case refused
            /// A leader's clock is ahead of this node's, by so many milliseconds.
            case clockDiffers(Int64)
        }

        var reason: Reason
        /// The receipts of the shares that are stored.
        var stored: [ClusterPartition: SubmissionReceipt]
    }

    /// The result of a share.
    private enum Result: Sendable {
        case stored(SubmissionReceipt)
        case incomplete(Incomplete.Reason)
        case failed(any Error)
    }

    /// Between attempts: the first pause, and the longest.
    private static let pauses = (first: Duration.milliseconds(10), longest: Duration.milliseconds(100))

    let router: NodeRouter
    /// The time of the messages.
    let now: @Sendable () -> Timestamp
    private let senders: [ClusterPartition: SubmissionSender]

    /// - Parameters:
    ///   - router: the ports of this node.
    ///   - now: the time by which submissions are decoded.
    init(_ router: NodeRouter, now: @escaping @Sendable () -> Timestamp) {
        (self.router, self.now) = (router, now)
        senders = Dictionary(
            uniqueKeysWithValues: router.partitions.devices.map { part in
                (part, SubmissionSender(router.forwarder, part: part, now: now))
            })
    }

    /// Stores a submission, and returns when it is durable.
    ///
    /// - Parameters:
    ///   - submission: what was decoded.
    ///   - tokenHash: the hash of the caller's token; `nil` for what this node has permitted.
    ///   - clockLead: how far the clock that decoded it was ahead of `now`, in milliseconds.
    ///   - stored: the receipts of shares that are stored already.
    /// - Returns: the sum of all receipts.
    /// - Throws: `Incomplete`, or a `Problem` when a leader has not stored its share in the time allowed.
    func submit(
        _ submission: Submission, as tokenHash: [UInt8]?, clockLead: Int64 = 0,
        besides stored: [ClusterPartition: SubmissionReceipt] = [:]
    ) async throws -> SubmissionReceipt {
        let shares = submission.divided(among: router.partitions).filter { stored[$0.key] == nil }
        let entries = shares.mapValues {
            SubmissionEnvelope.Entry(tokenHash: tokenHash, submission: $0, clockLead: clockLead)
        }
        var results: [ClusterPartition: Result] = [:]
        if entries.count == 1, let (part, entry) = entries.first {
            results[part] = await result(of: entry, by: part)
        } else {
            results = await withTaskGroup(of: (ClusterPartition, Result).self) { group in
                for (part, entry) in entries { group.addTask { (part, await result(of: entry, by: part)) } }
                return await group.reduce(into: [:]) { $0[$1.0] = $1.1 }
            }
        }
        return try Self.sum(results, stored)
    }

    private static func sum(
        _ results: [ClusterPartition: Result], _ stored: [ClusterPartition: SubmissionReceipt]
    ) throws -> SubmissionReceipt {
        var stored = stored
        for case (let part, .stored(let receipt)) in results { stored[part] = receipt }
        for case .failed(let error) in results.values { throw error }
        for case .incomplete(let reason) in results.values { throw Incomplete(reason: reason, stored: stored) }
        return stored.values.reduce(SubmissionReceipt(), +)
    }

    private func result(of entry: SubmissionEnvelope.Entry, by part: ClusterPartition) async -> Result {
        let end = ContinuousClock.now + router.holdTime
        var pause = Self.pauses.first
        do {
            while true {
                switch await outcome(of: entry, by: part) {
                case .stored(let receipt): return .stored(receipt)
                case .refused: return .incomplete(.refused)
                case .clockDiffers(let lead): return .incomplete(.clockDiffers(lead))
                case .unhandled: break
                }
                if let problem = router.upstream(part).problem { throw Problem.notLeading(problem) }
                guard ContinuousClock.now < end else {
                    throw Problem.notLeading("The leader of a partition does not store locations at the moment.")
                }
                try await Task.sleep(for: pause)
                pause = min(pause * 2, Self.pauses.longest)
            }
        } catch {
            return .failed(error)
        }
    }

    private func outcome(
        of entry: SubmissionEnvelope.Entry, by part: ClusterPartition
    ) async -> SubmissionEnvelope.Outcome {
        switch router.target(part) {
        case .none: return .unhandled
        case .here:
            let envelope = SubmissionEnvelope(version: .everything, sentAt: now(), entries: [entry])
            return await router.api(of: part)?.outcomes(of: envelope)?.first ?? .unhandled
        case .node:
            return await senders[part]?.submit(entry, target: { [router] in router.target(part) }) ?? .unhandled
        }
    }
}
