import FencepostHTTP
import FencepostModel
import FencepostService
import HTTPTypes
import Hummingbird
import Metrics

/// Decodes the body of a request on a node of a cluster, and has the leaders store what was decoded: again where a
/// leader's clock differs, by that clock.
struct StoreElsewhere: RequestStage {
    /// Routes that decode by a clock which is ahead of the node's by so many milliseconds, and leave out the shares
    /// that are stored already.
    typealias Table =
        @Sendable (
            _ clock: ServiceClock, _ clockLead: Int64, _ stored: [ClusterPartition: SubmissionReceipt]
        ) -> RouteTable

    /// Between attempts after a leader did not know a token that the configuration has.
    private static let pause = Duration.milliseconds(100)

    let sender: IdentifySender
    let clock: ServiceClock
    /// For how long a leader may not know a token.
    let holdTime: Duration
    let table: Table
    private let decoded = Counter(label: "fencepost_cluster_decoded_requests_total")

    init(_ sender: IdentifySender, clock: ServiceClock, holdTime: Duration, table: @escaping Table) {
        (self.sender, self.clock, self.holdTime, self.table) = (sender, clock, holdTime, table)
    }

    func handle(_ exchange: inout Exchange) async throws {
        guard var route = exchange.route else { return }
        let end = ContinuousClock.now + holdTime
        var (clock, clockLead) = (clock, Int64(0))
        while true {
            do {
                let response = try await Self.run(route, exchange.call)
                if response.status == .ok { decoded.increment() }
                exchange.response = response
                return
            } catch let left as LeftToLeader {
                if left.wasSent { sender.authenticator.tokensDidChange() }
                throw left
            } catch let incomplete as PartitionSubmitter.Incomplete {
                guard ContinuousClock.now < end else {
                    throw Problem.notLeading("The leader of a partition does not store locations at the moment.")
                }
                switch incomplete.reason {
                case .refused:
                    // It was revoked, or the partition does not have it yet.
                    sender.authenticator.tokensDidChange()
                    exchange.call.caller = try await sender.caller(
                        of: exchange.call, route.credentials, exchange.request.head.authority)
                    try await Task.sleep(for: Self.pause)
                case .clockDiffers(let lead):
                    let time = self.clock.now() + .milliseconds(lead)
                    (clock, clockLead) = (ServiceClock(steady: { .zero }, wall: { time }), lead)
                }
                (route, _) = try table(clock, clockLead, incomplete.stored).find(route.method, exchange.path)
            }
        }
    }

    private static func run(_ route: Route, _ call: Call) async throws -> RouteResponse {
        if call.body.count <= OffloadQueue.threshold { return try await route.handle(call) }
        return try await withTaskExecutorPreference(globalConcurrentExecutor) { try await route.handle(call) }
    }
}

/// The request has to be forwarded to the leader.
struct LeftToLeader: Error {
    /// Whether the leader has not handled what it was sent, perhaps since it does not know the token any more.
    var wasSent = false
}
