import FencepostModel
import FencepostService
import Synchronization

/// What the dispatcher is told, kept until it looks.
final class DispatchMailbox: Sendable {
    enum Message: Sendable {
        /// Deliveries were added or made due.
        case notified(Set<String>)
        /// All endpoints that there are.
        case endpoints([Endpoint])
        case loaded(endpoint: String, at: Timestamp, LoadResult)
        case finished(endpoint: String, delivery: String, WebhookAnswer, startedAt: Timestamp)
        /// How much of the batch that was being written is on disk.
        case written(DispatchJournal.Result)
        case stop
    }

    enum LoadResult: Sendable {
        case found([PendingDelivery], next: Timestamp?, health: EndpointHealth?)
        case failed(String)
    }

    private struct State {
        var messages: [Message] = []
        var waiter: CheckedContinuation<Void, Never>?
    }

    private let state = Mutex(State())

    func post(_ message: Message) {
        let waiter = state.withLock { state in
            state.messages.append(message)
            defer { state.waiter = nil }
            return state.waiter
        }
        waiter?.resume()
    }

    var isEmpty: Bool { state.withLock { $0.messages.isEmpty } }

    func takeAll() -> [Message] {
        state.withLock { state in
            defer { state.messages = [] }
            return state.messages
        }
    }

    /// Returns when there is a message, or the task is cancelled. For one waiter at a time.
    func arrival() async {
        await withTaskCancellationHandler {
            await withCheckedContinuation { continuation in
                let isOver = state.withLock { state in
                    guard state.messages.isEmpty, !Task.isCancelled else { return true }
                    precondition(state.waiter == nil, "a mailbox has one owner")
                    state.waiter = continuation
                    return false
                }
                if isOver { continuation.resume() }
            }
        } onCancel: {
            let waiter = state.withLock { state in
                defer { state.waiter = nil }
                return state.waiter
            }
            waiter?.resume()
        }
    }
}
