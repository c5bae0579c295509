import FencepostModel
import FencepostService
import Synchronization

/// Messages to the dispatcher's loop, buffered until it takes them.
final class DispatchMailbox: Sendable {
    enum Message: Sendable {
        /// Deliveries of these endpoints were committed or made due.
        case deliveriesAdded(endpoints: Set<String>)
        /// A commit is durable, some of whose messages have no rows.
        case messagesHanded(DirectMessages)
        /// All endpoints were read from the store.
        case endpointsRead([Endpoint], number: UInt64)
        case deliveriesRead(endpoint: String, Result<Read, any Error>)
        case attemptFinished(endpoint: String, delivery: String, AttemptResult, startedAt: Timestamp)
        /// The write of a batch has ended.
        case written(DispatchJournal.Extent)
        /// Shut down.
        case stop
    }

    /// What was read from the outbox for one endpoint.
    struct Read: Sendable {
        var deliveries: [PendingDelivery]
        /// Due time of the first delivery that is neither among these nor was excluded.
        var next: Timestamp?
        var health: EndpointHealth?
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

    /// Waits until there is a message or the task is cancelled.
    ///
    /// - Precondition: no other task waits.
    func arrival() async {
        await withTaskCancellationHandler {
            await withCheckedContinuation { continuation in
                let isOver = state.withLock { state in
                    guard state.messages.isEmpty, !Task.isCancelled else { return true }
                    precondition(state.waiter == nil, "another task waits for the mailbox")
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
