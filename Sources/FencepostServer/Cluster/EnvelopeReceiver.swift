import FencepostFormats
import FencepostHTTP
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
    /// How the cluster divides its devices, and the part that stores the submissions; `nil` for the only one.
    var partition: (partitioning: Partitioning, part: ClusterPartition)?

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
        let outcomes = try await outcomes(of: envelope)
        if envelope.version == .everything { return .outcomes(outcomes) }
        for case .clockDiffers in outcomes { return .clocksDiffer }
        // A message without submissions has nothing that could differ.
        return .receipts(outcomes.map(\.receipt))
    }

    /// Stores submissions, in their order, and returns when they are durable.
    ///
    /// - Throws: when tokens cannot be read; nothing is stored then.
    func outcomes(of envelope: SubmissionEnvelope) async throws -> [SubmissionEnvelope.Outcome] {
        let now = clock.now()
        let latest = FixRules(now: clock.latest()).latest
        var tokens: [[UInt8]: AccessToken?] = [:]
        var outcomes = [SubmissionEnvelope.Outcome](repeating: .unhandled, count: envelope.entries.count)
        var accepted: [Int] = []
        for (index, entry) in envelope.entries.enumerated() {
            let decodedAt = envelope.sentAt + .milliseconds(entry.clockLead)
            guard now - Self.clockTolerance <= decodedAt, decodedAt <= now + Self.clockTolerance else {
                outcomes[index] = .clockDiffers(now.milliseconds - envelope.sentAt.milliseconds)
                continue
            }
            var caller: Caller?
            if let hash = entry.tokenHash {
                if tokens[hash] == nil { tokens[hash] = .some(try await authenticator.token(hash: hash)) }
                guard let token = tokens[hash] ?? nil, Caller(token: token, secret: "").has(.ingest) else {
                    outcomes[index] = .refused
                    continue
                }
                caller = Caller(token: token, secret: "")
            }
            if isOwn(entry.submission), permits(caller, entry.submission, latest: latest) { accepted.append(index) }
        }
        let results = await monitoring.submit(accepted.map { envelope.entries[$0].submission })
        for (index, result) in zip(accepted, results) {
            if let receipt = try? result.get() { outcomes[index] = .stored(receipt) }
        }
        return outcomes
    }

    private func isOwn(_ submission: Submission) -> Bool {
        guard let partition else { return true }
        return submission.isAll(of: partition.part, in: partition.partitioning)
    }

    /// Whether a caller may send a submission, and none of its fixes is from the future; `nil` for a sender that may send
    /// everything.
    private func permits(_ caller: Caller?, _ submission: Submission, latest: Timestamp) -> Bool {
        (submission.locations + submission.livePositions).allSatisfy {
            (caller?.maySee($0.deviceID) ?? true) && $0.timestamp <= latest
        } && submission.reports.allSatisfy { caller?.maySee($0.deviceID) ?? true }
    }
}
