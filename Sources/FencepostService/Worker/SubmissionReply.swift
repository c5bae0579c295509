import Synchronization

/// Where the result of a submission goes: to one waiting task, or to that of several submissions.
struct SubmissionReply: Sendable {
    typealias Outcome = Result<SubmissionReceipt, MonitorFailure>

    /// Takes the result of several submissions, and resumes their task with the last one.
    private final class Group: Sendable {
        private struct State {
            var outcomes: [Outcome?]
            var missing: Int
        }

        private let continuation: CheckedContinuation<[Outcome], Never>
        private let state: Mutex<State>

        init(_ count: Int, _ continuation: CheckedContinuation<[Outcome], Never>) {
            self.continuation = continuation
            state = Mutex(State(outcomes: Array(repeating: nil, count: count), missing: count))
        }

        func set(_ outcome: Outcome, at index: Int) {
            let outcomes = state.withLock { state -> [Outcome]? in
                precondition(state.outcomes[index] == nil, "a submission has one result")
                state.outcomes[index] = outcome
                state.missing -= 1
                return state.missing == 0 ? state.outcomes.compactMap(\.self) : nil
            }
            if let outcomes { continuation.resume(returning: outcomes) }
        }
    }

    private enum Target {
        case task(CheckedContinuation<Outcome, Never>)
        case group(Group, index: Int)
    }

    private let target: Target
    /// `nil` where the trace of the submission is not recorded.
    var trace: SubmissionTrace?

    /// The reply to one submission.
    init(_ continuation: CheckedContinuation<Outcome, Never>) {
        target = .task(continuation)
    }

    private init(_ group: Group, index: Int) {
        target = .group(group, index: index)
    }

    /// The replies to several submissions, at least one, whose results come together in their order.
    static func group(_ count: Int, _ continuation: CheckedContinuation<[Outcome], Never>) -> [SubmissionReply] {
        let group = Group(count, continuation)
        return (0..<count).map { SubmissionReply(group, index: $0) }
    }

    func resume(returning outcome: Outcome) {
        switch target {
        case .task(let continuation): continuation.resume(returning: outcome)
        case .group(let group, let index): group.set(outcome, at: index)
        }
    }
}
