import FencepostFormats
import FencepostModel
import FencepostService
import Hummingbird

/// Stores what other nodes of a cluster have decoded: each token is checked again, so that one that was revoked is refused
/// by all nodes at the same moment.
struct EnvelopeReceiver: Sendable {
    /// How far the clocks of two nodes may differ: a fix without a time gets that of the node that decoded it, and one
    /// from the future is refused by its clock.
    static let clockTolerance = Duration.seconds(5)
    /// The largest message in bytes: two full requests.
    static let limit = 32 << 20

    let authenticator: Authenticator
    let monitoring: any Monitoring
    let clock: ServiceClock

    /// The response to another node's message.
    ///
    /// - Throws: a `Problem` for a message that cannot be read.
    func response(to request: Request) async throws -> RouteResponse {
        let bytes = try await BodyReader.collect(request, limit: Self.limit)
        let envelope: SubmissionEnvelope
        do {
            envelope = try SubmissionEnvelope(decoding: bytes)
        } catch {
            throw Problem.unreadable("invalid_envelope", "The message is of another version of Fencepost.")
        }
        return RouteResponse(
            type: "application/octet-stream", bytes: try await reply(to: envelope).encoded)
    }

    /// Stores submissions, in their order, and returns when they are durable.
    ///
    /// - Throws: when tokens cannot be read; nothing is stored then.
    func reply(to envelope: SubmissionEnvelope) async throws -> SubmissionEnvelope.Reply {
        let now = clock.now()
        guard now - Self.clockTolerance <= envelope.sentAt, envelope.sentAt <= now + Self.clockTolerance else {
            return .clocksDiffer
        }
        let latest = FixRules(now: clock.latest()).latest
        var tokens: [[UInt8]: AccessToken?] = [:]
        var accepted: [Int] = []
        for (index, entry) in envelope.entries.enumerated() {
            let token: AccessToken?
            if let known = tokens[entry.tokenHash] {
                token = known
            } else {
                token = try await authenticator.token(hash: entry.tokenHash)
                tokens[entry.tokenHash] = .some(token)
            }
            if let token, permits(token, entry.submission, latest: latest) { accepted.append(index) }
        }
        let outcomes = await monitoring.submit(accepted.map { envelope.entries[$0].submission })
        var receipts = [SubmissionReceipt?](repeating: nil, count: envelope.entries.count)
        for (index, outcome) in zip(accepted, outcomes) { receipts[index] = try? outcome.get() }
        return .receipts(receipts)
    }

    private func permits(_ token: AccessToken, _ submission: Submission, latest: Timestamp) -> Bool {
        let caller = Caller(token: token, secret: "")
        return caller.has(.ingest)
            && (submission.locations + submission.livePositions).allSatisfy {
                caller.maySee($0.deviceID) && $0.timestamp <= latest
            }
    }
}
