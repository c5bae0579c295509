package import FencepostModel
import FencepostService
package import FencepostWebhooks
import Synchronization

/// The network between the dispatcher and the receivers, and the receivers themselves. It outlives the service.
package final class SimulatedNetwork: MessageSender {
    /// What a receiver does with messages.
    package enum Behaviour: Hashable, Sendable {
        case healthy
        /// Requests and responses get lost, are repeated and reset.
        case flaky
        case status(Int)
        /// 429 with `Retry-After` in seconds.
        case busy(seconds: Int)
        /// No response.
        case hangs
        /// Responses take this long.
        case slow(seconds: Int)
    }

    /// A message that a receiver has got.
    package struct Arrival: Hashable, Sendable {
        package var endpoint: String
        package var id: String
        package var body: String
        /// Whether the receiver answered 2xx, and whether the dispatcher saw it.
        package var isAccepted, isConfirmed: Bool
        package var time: Timestamp
    }

    private struct State {
        var random: SplitMix64
        var behaviours: [String: Behaviour] = [:]
        var arrivals: [Arrival] = []
        var attempts: [String: Int] = [:]
    }

    private static let timeout = Duration.seconds(15)

    private let time: SimulatedTime
    private let state: Mutex<State>

    package init(seed: UInt64, time: SimulatedTime) {
        self.time = time
        state = Mutex(State(random: SplitMix64(seed: seed)))
    }

    /// Sets what a receiver does from now on.
    package func set(_ behaviour: Behaviour, of endpoint: String) {
        state.withLock { $0.behaviours[endpoint] = behaviour }
    }

    /// Makes all receivers healthy.
    package func heal() { state.withLock { $0.behaviours = [:] } }

    package var arrivals: [Arrival] { state.withLock { $0.arrivals } }

    /// Attempts by endpoint and message, arrived or not.
    package func attempts(to endpoint: String, of id: String) -> Int {
        state.withLock { $0.attempts["\(endpoint) \(id)", default: 0] }
    }

    private func random(in range: ClosedRange<Int>) -> Int {
        state.withLock { state in Int.random(in: range, using: &state.random) }
    }

    private func arrive(_ request: WebhookRequest, accepted: Bool, confirmed: Bool) {
        let arrival = Arrival(
            endpoint: request.endpointID, id: request.id, body: request.body, isAccepted: accepted,
            isConfirmed: confirmed, time: time.now)
        state.withLock { $0.arrivals.append(arrival) }
    }

    package func send(_ request: WebhookRequest) async -> AttemptResult {
        let start = time.elapsed
        state.withLock { $0.attempts["\(request.endpointID) \(request.id)", default: 0] += 1 }
        var result: AttemptResult
        do {
            result = try await answer(request)
        } catch {
            result = AttemptResult(failure: .timeout)
        }
        result.duration = time.elapsed - start
        return result
    }

    private func answer(_ request: WebhookRequest) async throws -> AttemptResult {
        try await time.sleep(for: .milliseconds(random(in: 1...80)))
        let behaviour = state.withLock { $0.behaviours[request.endpointID] ?? .healthy }
        switch behaviour {
        case .healthy:
            arrive(request, accepted: true, confirmed: true)
            return AttemptResult(status: 200)
        case .flaky: return try await answerFlaky(request)
        case .status(let status):
            arrive(request, accepted: (200..<300).contains(status), confirmed: true)
            return AttemptResult(status: status, failure: (200..<300).contains(status) ? nil : .status)
        case .busy(let seconds):
            arrive(request, accepted: false, confirmed: true)
            return AttemptResult(status: 429, failure: .status, retryAfter: .seconds(seconds))
        case .hangs:
            try await time.sleep(for: Self.timeout)
            return AttemptResult(failure: .timeout)
        case .slow(let seconds):
            try await time.sleep(for: min(.seconds(seconds), Self.timeout))
            if .seconds(seconds) >= Self.timeout { return AttemptResult(failure: .timeout) }
            arrive(request, accepted: true, confirmed: true)
            return AttemptResult(status: 200)
        }
    }

    private func answerFlaky(_ request: WebhookRequest) async throws -> AttemptResult {
        switch random(in: 0...5) {
        case 0: return AttemptResult(failure: .connect)
        case 1:
            try await time.sleep(for: Self.timeout)
            return AttemptResult(failure: .timeout)
        case 2:
            arrive(request, accepted: true, confirmed: false)
            return AttemptResult(failure: .reset)
        case 3:
            arrive(request, accepted: true, confirmed: true)
            arrive(request, accepted: true, confirmed: true)
            return AttemptResult(status: 200)
        default:
            try await time.sleep(for: .milliseconds(random(in: 10...9000)))
            arrive(request, accepted: true, confirmed: true)
            return AttemptResult(status: 202)
        }
    }

    package func shutdown() async {}
}
