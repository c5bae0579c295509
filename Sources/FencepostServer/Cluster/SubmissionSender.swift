import AsyncHTTPClient
import FencepostModel
import FencepostService
import HTTPTypes
import NIOCore
import NIOHTTP1
import Synchronization

/// Sends submissions of many requests to the leader in few messages.
///
/// Submissions that come while messages are under way make the next one, as commits of the leader share a sync of the disk.
/// Each message is sent by the task of one of its requests, so nothing runs on its own.
final class SubmissionSender: Sendable {
    /// A submission whose task is suspended.
    private struct Waiting {
        let entry: SubmissionEnvelope.Entry
        let continuation: CheckedContinuation<Resumption, Never>
    }

    /// What a suspended task goes on with.
    private enum Resumption {
        case done(SubmissionEnvelope.Outcome)
        /// The task sends its submission with these behind it.
        case send([Waiting])
    }

    private struct State {
        var waiting: [Waiting] = []
        var underWay = 0
        /// Until when nothing is sent, since the clocks differ.
        var resting: ContinuousClock.Instant?
    }

    /// Messages under way. With two, one is filled while the other is evaluated.
    private static let messages = 2
    /// Records in one message, about.
    private static let records = 4096
    /// For how long nothing is sent when the clocks differ.
    private static let rest = Duration.seconds(10)

    private let forwarder: RequestForwarder
    private let part: ClusterPartition?
    private let now: @Sendable () -> Timestamp
    private let onClockDifference: @Sendable () -> Void
    private let state = Mutex(State())

    /// - Parameters:
    ///   - forwarder: sends messages.
    ///   - part: the partition that gets them; `nil` for the only one.
    ///   - now: the time.
    ///   - onClockDifference: called when the leader refuses submissions because its clock differs.
    init(
        _ forwarder: RequestForwarder, part: ClusterPartition? = nil, now: @escaping @Sendable () -> Timestamp,
        onClockDifference: @escaping @Sendable () -> Void = {}
    ) {
        (self.forwarder, self.part, self.now, self.onClockDifference) = (forwarder, part, now, onClockDifference)
    }

    /// Sends a submission, and returns when it is durable.
    ///
    /// - Parameters:
    ///   - entry: the submission.
    ///   - target: who handles requests now.
    /// - Returns: `unhandled` also when it is not known whether the leader has handled it.
    func submit(
        _ entry: SubmissionEnvelope.Entry, target: @escaping @Sendable () -> RequestForwarder.Target
    ) async -> SubmissionEnvelope.Outcome {
        let resumption = await withCheckedContinuation { continuation in
            let next = state.withLock { state -> Resumption? in
                if let resting = state.resting {
                    guard resting < .now else { return .done(.unhandled) }
                    state.resting = nil
                }
                guard state.underWay < Self.messages else {
                    state.waiting.append(Waiting(entry: entry, continuation: continuation))
                    return nil
                }
                state.underWay += 1
                return .send(Self.take(&state, besides: entry))
            }
            if let next { continuation.resume(returning: next) }
        }
        guard case .send(let others) = resumption else {
            if case .done(let outcome) = resumption { return outcome }
            return .unhandled
        }
        let outcomes = await outcomes(of: [entry] + others.map(\.entry), target)
        for (waiting, outcome) in zip(others, outcomes.dropFirst()) {
            waiting.continuation.resume(returning: .done(outcome))
        }
        passOn()
        return outcomes.first ?? .unhandled
    }

    /// Lets the next waiting task send, if there is one.
    private func passOn() {
        let next = state.withLock { state -> (Waiting, [Waiting])? in
            guard let first = state.waiting.first else {
                state.underWay -= 1
                return nil
            }
            state.waiting.removeFirst()
            return (first, Self.take(&state, besides: first.entry))
        }
        if let (first, others) = next { first.continuation.resume(returning: .send(others)) }
    }

    /// Removes those that fit into a message.
    private static func take(_ state: inout State, besides entry: SubmissionEnvelope.Entry) -> [Waiting] {
        func count(_ submission: Submission) -> Int {
            submission.locations.count + submission.reports.count + submission.quarantined.count
        }
        var sum = count(entry.submission)
        var end = 0
        while end < state.waiting.count, sum < records {
            sum += count(state.waiting[end].entry.submission)
            end += 1
        }
        defer { state.waiting.removeFirst(end) }
        return Array(state.waiting[..<end])
    }

    /// The results of submissions, as many as there are.
    private func outcomes(
        of entries: [SubmissionEnvelope.Entry], _ target: @escaping @Sendable () -> RequestForwarder.Target
    ) async -> [SubmissionEnvelope.Outcome] {
        let none = [SubmissionEnvelope.Outcome](repeating: .unhandled, count: entries.count)
        let current = target()
        guard case .node(let url) = current else { return none }
        let envelope = SubmissionEnvelope(
            version: part == nil ? .locations : .everything, sentAt: now(), entries: entries)
        let bytes = envelope.encoded
        let message = NodeMessage(
            node: url, target: SubmissionEnvelope.path, method: .POST, body: ByteBuffer(bytes: bytes),
            signature: NodeSignature(client: Forwarding.ownClient, part: part, body: bytes))
        guard
            let answer = try? await forwarder.content(
                of: message, limit: 64 * (entries.count + 1), while: { target() == current || target() == .none }),
            let reply = try? SubmissionEnvelope.Reply(decoding: answer, count: entries.count)
        else { return none }
        switch reply {
        case .receipts(let receipts): return receipts.map { $0.map { .stored($0) } ?? .unhandled }
        case .outcomes(let outcomes): return outcomes
        case .clocksDiffer:
            state.withLock { $0.resting = .now + Self.rest }
            onClockDifference()
            return none
        }
    }
}
